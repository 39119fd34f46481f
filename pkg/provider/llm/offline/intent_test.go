package offline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// utterances are players' lines with the calls they lead to when every tool is offered;
// without a call the NPC speaks at once.
var utterances = []struct {
	name, text string
	want       []string
}{
	// Dice.
	{"expression", "Roll 2d6+3", []string{`roll {"expression":"2d6+3"}`}},
	{"die with article", "roll a d20", []string{`roll {"expression":"1d20"}`}},
	{"polite", "Could you please roll 4d8-1 for me?", []string{`roll {"expression":"4d8-1"}`}},
	{"spaces of a recogniser", "roll 2 d 6 plus 3 please", []string{`roll {"expression":"2d6+3"}`}},
	{"number words", "roll two d six", []string{`roll {"expression":"2d6"}`}},
	{"twenty-sided", "throw a twenty-sided die", []string{`roll {"expression":"1d20"}`}},
	{"expression alone", "3d6!", []string{`roll {"expression":"3d6"}`}},
	{"percent", "roll d%", []string{`roll {"expression":"1d%"}`}},
	{"keep highest", "roll 4d6kh3", []string{`roll {"expression":"4d6kh3"}`}},
	{"two kinds", "roll 1d8+2d6+4", []string{`roll {"expression":"1d8+2d6+4"}`}},
	{"advantage", "roll a d20+5 with advantage", []string{`roll {"expression":"2d20kh1+5"}`}},
	{"disadvantage", "Roll with disadvantage", []string{`roll {"expression":"2d20kl1"}`}},
	{"check without dice", "Bartok, roll for perception", []string{`roll {"expression":"1d20"}`}},
	{"initiative", "roll initiative!", []string{`roll {"expression":"1d20"}`}},
	{"three dice", "roll three dice", []string{`roll {"expression":"3d6"}`}},
	{"two requests", "Roll 2d6 and roll 1d20", []string{`roll {"expression":"2d6"}`, `roll {"expression":"1d20"}`}},
	{"one request, two rolls", "roll 2d6 and 1d8", []string{`roll {"expression":"2d6"}`, `roll {"expression":"1d8"}`}},
	{"german", "Würfle 2W6", []string{`roll {"expression":"2d6"}`}},
	{"german polite", "Kannst du bitte einen W20 würfeln?", []string{`roll {"expression":"1d20"}`}},
	{"german bonus", "Wirf 3W8+2, Bartok", []string{`roll {"expression":"3d8+2"}`}},
	{"german words", "würfle zwei W6 plus 1", []string{`roll {"expression":"2d6+1"}`}},
	{"german advantage", "Würfle W20 mit Vorteil", []string{`roll {"expression":"2d20kh1"}`}},
	{"german check", "Würfle bitte auf Wahrnehmung", []string{`roll {"expression":"1d20"}`}},
	{"skill", "I want to roll stealth", []string{`roll {"expression":"1d20"}`}},
	{"for somebody", "Bartok, roll me some dice, would you?", []string{`roll {"expression":"1d20"}`}},
	{"then", "roll a d6, then roll a d8", []string{`roll {"expression":"1d6"}`, `roll {"expression":"1d8"}`}},
	{"too many sides is for the tool to say", "roll 1d1000000", []string{`roll {"expression":"1d1000000"}`}},
	{"not refused dice", "Don't roll 2d6", nil},
	{"german refusal", "Würfle nicht 2W6", nil},
	{"dice only mentioned", "My sword deals 1d8 damage when it hits somebody", nil},
	{"bread roll", "I would like a bread roll with cheese", nil},
	{"contraction is no die", "I'd 4 beers yesterday, my friend, or so they claim", nil},

	// Random tables.
	{"wild magic", "Roll on the wild magic table", []string{`roll_table {"table_name":"wild_magic"}`}},
	{"encounter", "Give us a random encounter", []string{`roll_table {"table_name":"random_encounter"}`}},
	{"treasure", "Roll for treasure!", []string{`roll_table {"table_name":"treasure_hoard"}`}},
	{"own table", "Roll on tavern rumours", []string{`roll_table {"table_name":"tavern_rumours"}`}},
	{"german table", "Würfle auf der Tabelle Wilde Magie", []string{`roll_table {"table_name":"wild_magic"}`}},
	{"german encounter", "Würfle eine Zufallsbegegnung", []string{`roll_table {"table_name":"random_encounter"}`}},

	// Rules.
	{"condition", "What does the blinded condition do?", []string{`search_rules {"query":"blinded"}`}},
	{"condition, short", "What does frightened mean?", []string{`search_rules {"query":"frightened"}`}},
	{"mechanic", "How does grappling work?", []string{`search_rules {"query":"grappling"}`}},
	{"mechanic nobody knows", "How does flanking work?", []string{`search_rules {"query":"flanking"}`}},
	{"rules for", "What are the rules for cover?", []string{`search_rules {"query":"cover"}`}},
	{"rules on", "Remind us of the rules on falling from a tower.", []string{`search_rules {"query":"falling from a tower"}`}},
	{"spell name", "What is Magic Missile?", []string{`search_rules {"query":"magic missile"}`}},
	{"spell, everyday word", "What does the spell light do?", []string{`search_rules {"query":"light"}`}},
	{"about a spell", "Tell me about fireball", []string{`search_rules {"query":"fireball"}`}},
	{"range", "What is the range of eldritch blast?", []string{`search_rules {"query":"eldritch blast"}`}},
	{"happens when", "What happens when I am grappled?", []string{`search_rules {"query":"grappled"}`}},
	{"explain", "Explain opportunity attacks", []string{`search_rules {"query":"opportunity attacks"}`}},
	{"may I", "Can I grapple a dragon?", []string{`search_rules {"query":"grapple"}`}},
	{"difficulty", "What is the DC for climbing?", []string{`search_rules {"query":"climbing"}`}},
	{"rules and dice", "search the rules for opportunity attack and roll d20", []string{`search_rules {"query":"opportunity attack"}`, `roll {"expression":"1d20"}`}},
	{"casting is no question", "I cast fireball at the goblin!", nil},
	{"no topic", "What are the rules?", nil},
	{"german compound", "Was ist der Feuerball-Zauber?", []string{`search_rules {"query":"fireball"}`}},
	{"german mechanic", "Wie funktioniert Ringen?", []string{`search_rules {"query":"grappling"}`}},
	{"german condition", "Was bewirkt der Zustand vergiftet?", []string{`search_rules {"query":"poisoned"}`}},
	{"german spell", "Was macht der Zauber Feuerball?", []string{`search_rules {"query":"fireball"}`}},
	{"german rules", "Wie sind die Regeln für Deckung?", []string{`search_rules {"query":"cover"}`}},
	{"german when", "Was passiert, wenn man bewusstlos ist?", []string{`search_rules {"query":"unconscious"}`}},

	// Past events and quotes.
	{"said", "What did Elara say about the dragon?", []string{`search_sessions {"query":"Elara dragon"}`}},
	{"remember", "Do you remember the burning mill?", []string{`search_sessions {"query":"burning mill"}`}},
	{"last time", "What happened last time at the bridge?", []string{`search_sessions {"query":"bridge"}`}},
	{"recap", "Give us a recap of the ambush", []string{`search_sessions {"query":"ambush"}`}},
	{"me", "Do you remember me?", []string{`search_sessions {"query":"Mira"}`}},
	{"what became of", "What happened to the miller?", []string{`search_sessions {"query":"miller"}`}},
	{"who did it", "Who rang the bell?", []string{`search_sessions {"query":"rang bell"}`}},
	{"german who did it", "Wer hat die Glocke geläutet?", []string{`search_sessions {"query":"Glocke geläutet"}`}},
	{"german said", "Was hat Elara über den Drachen gesagt?", []string{`search_sessions {"query":"Elara Drachen"}`}},
	{"german remember", "Erinnerst du dich an die brennende Mühle?", []string{`search_sessions {"query":"brennende Mühle"}`}},
	{"german clause", "Weißt du noch, was Elara versprochen hat?", []string{`search_sessions {"query":"Elara"}`}},
	{"german last time", "Was ist letztes Mal an der Brücke passiert?", []string{`search_sessions {"query":"Brücke"}`}},

	// People, places, things.
	{"who", "Who is Captain Harrow?", []string{`query_entities {"name":"Captain Harrow"}`}},
	{"who, short", "Who's Elara?", []string{`query_entities {"name":"Elara"}`}},
	{"where", "Where is the Rusty Flagon?", []string{`query_entities {"name":"Rusty Flagon"}`}},
	{"where can I find", "Where can I find Wilhelmina Drossel, Bartok?", []string{`query_entities {"name":"Wilhelmina Drossel"}`}},
	{"what", "What is the Hollow Bargain?", []string{`query_entities {"name":"Hollow Bargain"}`}},
	{"tell me about", "Hey Bartok, tell me about Lady Corvane please.", []string{`query_entities {"name":"Lady Corvane"}`}},
	{"know about", "Do you know anything about the Reed Runners?", []string{`query_entities {"name":"Reed Runners"}`}},
	{"name doing something", "What does Harrow do?", []string{`query_entities {"name":"Harrow"}`}},
	{"everything", "Tell me everything about Juniper", []string{`query_entities {"name":"Juniper"}`}},
	{"everything by id", "Tell me everything about rusty-flagon", []string{`get_summary {"entity_id":"rusty-flagon"}`}},
	{"lives", "Where does Elara live?", []string{`query_entities {"name":"Elara"}`}},
	{"seen", "Have you seen Juniper?", []string{`query_entities {"name":"Juniper"}`}},
	{"somebody's work", "What does the innkeeper do at night?", []string{`query_entities {"name":"innkeeper"}`}},
	{"a question is no roll", "What is a wild magic surge?", []string{`query_entities {"name":"wild magic surge"}`}},
	{"german who", "Wer ist Hauptmann Harrow?", []string{`query_entities {"name":"Hauptmann Harrow"}`}},
	{"german where", "Wo liegt der Rostige Krug?", []string{`query_entities {"name":"Rostige Krug"}`}},
	{"german tell", "Erzähl mir etwas über Lady Corvane", []string{`query_entities {"name":"Lady Corvane"}`}},
	{"german heard", "Hast du schon mal von den Schilfläufern gehört?", []string{`query_entities {"name":"Schilfläufern"}`}},
	{"dice and a person", "Roll 1d6 and tell me who is Elara", []string{`roll {"expression":"1d6"}`, `query_entities {"name":"Elara"}`}},
	{"two sentences", "Who is Elara? And where is the old mill?", []string{`query_entities {"name":"Elara"}`, `query_entities {"name":"old mill"}`}},
	{"german two", "Wer ist Elara und wo ist die Mühle?", []string{`query_entities {"name":"Elara"}`, `query_entities {"name":"Mühle"}`}},

	// Files.
	{"note that", "Note that the baron lies and the duke pays.", []string{`write_file {"content":"the baron lies and the duke pays.","path":"notes/the-baron-lies-and-the-duke-pays-b8a3.md"}`}},
	{"write down", "Write down: we owe Bartok two gold", []string{`write_file {"content":"we owe Bartok two gold","path":"notes/we-owe-bartok-two-gold-6a7f.md"}`}},
	{"to a file", "Write the door is trapped to the file traps.txt", []string{`write_file {"content":"the door is trapped","path":"traps.txt"}`}},
	{"german note", "Schreib auf, dass der Baron lügt.", []string{`write_file {"content":"der Baron lügt.","path":"notes/der-baron-luegt-5f1a.md"}`}},
	{"german frame", "Schreib dir den Namen Elara auf", []string{`write_file {"content":"den Namen Elara","path":"notes/den-namen-elara-7fe6.md"}`}},
	{"refused note", "Please don't write that down", nil},
	{"read", "Read file notes.txt", []string{`read_file {"path":"notes.txt"}`}},
	{"read, folder", "Could you read me notes/day-1.md?", []string{`read_file {"path":"notes/day-1.md"}`}},
	{"what is in", "What's in ledger.txt?", []string{`read_file {"path":"ledger.txt"}`}},
	{"german read", "Lies bitte die Datei notizen.md vor", []string{`read_file {"path":"notizen.md"}`}},

	// Tools called by name.
	{"echo", "use echo with message hello", []string{`echo {"message":"hello"}`}},
	{"echo, words", "Use the echo tool with message hello and goodbye", []string{`echo {"message":"hello and goodbye"}`}},
	{"echo, no property named", "call echo with good evening", []string{`echo {"message":"good evening"}`}},
	{"echo, json", `run echo with {"message":"hi {there}"}`, []string{`echo {"message":"hi {there}"}`}},
	{"spoken name", "use weather report for city Thornhollow and days 3", []string{`weather_report {"city":"Thornhollow","days":3}`}},
	{"required only", "use weather report for Thornhollow", []string{`weather_report {"city":"Thornhollow"}`}},
	{"choice", "use paint with colour blue", []string{`paint {"colour":"blue"}`}},
	{"no arguments", "call ping", []string{`ping {}`}},
	{"two tools", "use echo with message hi and use ping", []string{`echo {"message":"hi"}`, `ping {}`}},
	{"dice before a tool", "roll 2d6 and use echo with message hi", []string{`roll {"expression":"2d6"}`, `echo {"message":"hi"}`}},
	{"german tool", "Benutze echo mit message hallo", []string{`echo {"message":"hallo"}`}},
	{"quoted", `use weather_report with city "Old Mill" days 2`, []string{`weather_report {"city":"Old Mill","days":2}`}},
	{"unknown tool", "use the frobnicator tool", nil},
	{"refused tool", "don't use ping", nil},

	// No call.
	{"greeting", "Hello Bartok!", nil},
	{"german greeting", "Guten Abend!", nil},
	{"farewell", "Good night", nil},
	{"thanks", "Thank you, Bartok", nil},
	{"who are you", "Who are you?", nil},
	{"how are you", "How are you today?", nil},
	{"german name", "Wie heißt du?", nil},
	{"statement", "The soup is cold.", nil},
	{"german mood", "Wie geht es dir?", nil},
	{"this place", "What is this place?", nil},
	{"pronoun", "Where is it?", nil},
	{"empty", "", nil},
	{"only punctuation", "?!...", nil},
}

func TestUtterances(t *testing.T) {
	for _, tt := range utterances {
		t.Run(tt.name, func(t *testing.T) {
			a := ask(t, request(tt.text, allTools()...))
			var got []string
			for _, c := range a.calls {
				got = append(got, c.Name+" "+c.Arguments)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%q: calls (-want +got):\n%s", tt.text, diff)
			}
			if (a.text == "") != (len(tt.want) > 0) {
				t.Errorf("%q: speech %q with %d calls", tt.text, a.text, len(got))
			}
		})
	}
}

func TestNothingIsCalledThatIsNotOffered(t *testing.T) {
	own := map[string][]string{"refusal": {"My lips are corked."}, "unknown": {"Beats me."}}
	for _, tt := range utterances {
		t.Run(tt.name, func(t *testing.T) {
			req := request(tt.text)
			req.Persona.Lines = own
			a := ask(t, req)
			if len(a.calls) > 0 || a.text == "" {
				t.Fatalf("%q: got calls %v and %q, want speech", tt.text, a.calls, a.text)
			}
			if strings.ContainsAny(a.text, "0123456789") {
				t.Errorf("%q: %q claims a number", tt.text, a.text)
			}
		})
	}
}

func TestDeclines(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"dice", "Roll 2d6", "My lips are corked."},
		{"table", "Roll on the wild magic table", "My lips are corked."},
		{"note", "Note that the baron lies", "My lips are corked."},
		{"file", "Read file notes.txt", "My lips are corked."},
		{"rule", "How does grappling work?", "Beats me."},
		{"recall", "What did Elara say?", "Beats me."},
		{"person", "Who is Elara?", "Beats me."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := request(tt.text, tool("ping", nil))
			req.Persona.Lines = map[string][]string{"refusal": {"My lips are corked."}, "unknown": {"Beats me."}}
			if a := ask(t, req); a.text != tt.want || len(a.calls) > 0 {
				t.Errorf("got %q and %v, want %q", a.text, a.calls, tt.want)
			}
		})
	}
}

func TestSecondBestTool(t *testing.T) {
	tests := []struct {
		name, text string
		tools      []string
		want       string
	}{
		{"facts instead of sessions", "What did Elara say about gold?", []string{"search_facts"}, `search_facts {"query":"Elara gold"}`},
		{"a known condition by its id", "What does the blinded condition do?", []string{"get_rule"}, `get_rule {"id":"condition-blinded"}`},
		{"a known spell by its id", "Was macht der Zauber Feuerball?", []string{"get_rule"}, `get_rule {"id":"spell-fireball"}`},
		{"a person by the slug", "Who is Captain Harrow?", []string{"get_summary"}, `get_summary {"entity_id":"captain-harrow"}`},
		{"a person in the facts", "Who is Captain Harrow?", []string{"search_facts"}, `search_facts {"query":"Captain Harrow"}`},
		{"everything by id, found by name", "Tell me everything about rusty-flagon", []string{"query_entities"}, `query_entities {"name":"rusty-flagon"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var offered []llm.ToolDefinition
			for _, n := range tt.tools {
				offered = append(offered, tool(n, nil))
			}
			a := ask(t, request(tt.text, offered...))
			if len(a.calls) != 1 || a.calls[0].Name+" "+a.calls[0].Arguments != tt.want {
				t.Errorf("got %v and %q, want %s", a.calls, a.text, tt.want)
			}
		})
	}
}

func TestSearchWithoutATopicUsesTheConversation(t *testing.T) {
	req := request("What happened last time?", allTools()...)
	req.Messages = append([]llm.Message{
		{Role: llm.RoleUser, Content: "We want to cross the bridge."},
		{Role: llm.RoleAssistant, Content: "Mind the troll."},
	}, req.Messages...)
	a := ask(t, req)
	if len(a.calls) != 1 || a.calls[0].Arguments != `{"query":"want cross bridge"}` {
		t.Errorf("calls = %v, want a search for what was spoken of", a.calls)
	}
}

func TestWriteThatDownNotesWhatWasSaid(t *testing.T) {
	req := request("Write that down.", allTools()...)
	req.Messages = append([]llm.Message{{Role: llm.RoleAssistant, Content: "The ledger is in the cellar."}}, req.Messages...)
	a := ask(t, req)
	if len(a.calls) != 1 || !strings.Contains(a.calls[0].Arguments, `"content":"The ledger is in the cellar."`) {
		t.Errorf("calls = %v, want the last line written down", a.calls)
	}
}
