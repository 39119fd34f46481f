package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// done appends tool results to a request. Each pair is a tool's name and its result.
func done(req llm.Request, pairs ...string) llm.Request {
	var calls []llm.ToolCall
	var results []llm.Message
	for i := 0; i+1 < len(pairs); i += 2 {
		id := fmt.Sprintf("c%d_%d", len(req.Messages), i)
		calls = append(calls, llm.ToolCall{ID: id, Name: pairs[i], Arguments: "{}"})
		results = append(results, llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: pairs[i+1]})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: calls})
	req.Messages = append(req.Messages, results...)
	return req
}

const (
	blindedHit  = `{"query":"blinded","count":2,"results":[{"id":"condition-blinded","category":"condition","name":"Blinded","summary":"It cannot see.","score":1},{"id":"condition-deafened","name":"Deafened","summary":"It cannot hear.","score":0.4}]}`
	blindedRule = `{"id":"condition-blinded","name":"Blinded","summary":"","text":"A blinded creature can't see. It fails checks that need sight. Attacks against it have advantage."}`
	elara       = `{"results":[{"id":"elara","type":"npc","name":"Elara","description":"Elara keeps the old mill."}]}`
)

func TestAnswers(t *testing.T) {
	tests := []struct {
		name, text string
		pairs      []string
		want       string
	}{
		{"roll", "roll 2d6+3", []string{"roll", `{"expression":"2d6+3","rolls":[4,2],"total":9}`}, "2d6+3: 4 and 2, plus 3, makes 9."},
		{"roll, minus", "roll 3d6-1", []string{"roll", `{"expression":"3d6-1","rolls":[4,2,6],"total":11}`}, "3d6-1: 4, 2 and 6, minus 1, makes 11."},
		{"one die", "roll d20", []string{"roll", `{"expression":"1d20","rolls":[17],"total":17}`}, "1d20: 17."},
		{"one die and bonus", "roll d20+5", []string{"roll", `{"expression":"1d20 + 5","rolls":[17],"total":22}`}, "1d20+5: 17, plus 5, makes 22."},
		{"advantage", "roll d20 with advantage", []string{"roll", `{"expression":"2d20kh1+5","rolls":[17,4],"kept":[17],"total":22}`}, "2d20kh1+5: 17 and 4, keeping 17, plus 5, makes 22."},
		{"several kinds", "roll 1d8+2d6", []string{"roll", `{"expression":"1d8+2d6","rolls":[8,1,2],"total":11}`}, "1d8+2d6: 8, 1 and 2, makes 11."},
		{"subtracted dice", "roll 1d8-1d6+2", []string{"roll", `{"expression":"1d8-1d6+2","rolls":[8,3],"total":7}`}, "1d8-1d6+2: 8 and 3, makes 7."},
		{"many dice", "roll 20d6", []string{"roll", `{"expression":"20d6","rolls":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"total":20}`}, "20d6 makes 20."},
		{"german roll", "würfle 2W6+3", []string{"roll", `{"expression":"2d6+3","rolls":[4,2],"total":9}`}, "2d6+3: 4 und 2, plus 3, macht 9."},
		{"two rolls", "roll 1d6 and 1d8", []string{"roll", `{"expression":"1d6","rolls":[2],"total":2}`, "roll", `{"expression":"1d8","rolls":[7],"total":7}`}, "1d6: 2. 1d8: 7."},
		{"table", "roll on wild magic", []string{"roll_table", `{"table":"wild_magic","roll":3,"result":"You cast Fireball centred on yourself."}`}, "You cast Fireball centred on yourself."},
		{"rules found", "what does blinded mean?", []string{"search_rules", blindedHit}, "Blinded. It cannot see. Deafened. It cannot hear."},
		{"rule without summary", "what does blinded mean?", []string{"search_rules", blindedHit, "get_rule", blindedRule}, "Blinded. A blinded creature can't see. It fails checks that need sight."},
		{"no rule found", "how does juggling work?", []string{"search_rules", `{"query":"juggling","count":0,"results":[],"hint":"nothing found"}`}, "I do not know anything about that."},
		{"entity", "who is Elara?", []string{"query_entities", elara}, "Elara keeps the old mill."},
		{"entity as a list", "who is Elara?", []string{"query_entities", `[{"Name":"Elara","Description":"a miller"}]`}, "Elara. a miller."},
		{"entity without a description", "who is Elara?", []string{"query_entities", `{"entities":[{"id":"e","name":"Elara","type":"npc"}]}`}, "Elara (npc)."},
		{"nobody", "who is Elara?", []string{"query_entities", `{"entities":[]}`}, "I do not know anything about that."},
		{"summary", "tell me everything about Elara", []string{"query_entities", elara, "get_summary",
			`{"Entity":{"id":"elara","name":"Elara","description":"Elara keeps the old mill."},"Relations":[{"from":"elara","type":"lives_in","to":"old-mill"},{"from":"tom","type":"son_of","to":"elara"},{"from":"x","type":"y","to":"z"}],"Connected":[{"id":"old-mill","name":"the Old Mill"},{"id":"tom","name":"Tom"}]}`},
			"Elara keeps the old mill. Elara lives in the Old Mill. Tom son of Elara."},
		{"quotes", "what did Elara say?", []string{"search_sessions", `{"results":[{"speaker":"Elara","text":"The dragon sleeps"},{"speaker":"Tom","text":"Does it?"},{"speaker":"Ann","text":"no"}]}`},
			"What Elara told us was this: The dragon sleeps. What Tom told us was this: Does it?"},
		{"german quotes", "Was hat Elara gesagt?", []string{"search_sessions", `{"lines":[{"speaker":"Elara","text":"Der Drache schläft."}]}`}, "Von Elara weiß ich es so: Der Drache schläft."},
		{"facts", "what did Elara say?", []string{"search_facts", `{"facts":[{"source":"session:1","text":"Elara: The dragon sleeps."},{"source":"entity:mill","text":"The mill burned down"}]}`},
			"What Elara told us was this: The dragon sleeps. The mill burned down."},
		{"no memory", "what did Elara say?", []string{"search_sessions", `{"results":[]}`}, "I do not know anything about that."},
		{"written", "note that we owe gold", []string{"write_file", `{"path":"notes/a.md","bytes_written":11}`}, "I have written it down."},
		{"to be written", "note that we owe gold", []string{"write_file", `{"status":"recorded"}`}, "I will write it down."},
		{"file", "read file a.txt", []string{"read_file", `{"path":"a.txt","content":"Two gold.\nThree silver.","size":23}`}, "It says: Two gold. Three silver."},
		{"empty file", "read file a.txt", []string{"read_file", `{"path":"a.txt","content":"","size":0}`}, "There is nothing in it."},
		{"other tool, text", "use ping", []string{"ping", "pong"}, "pong."},
		{"other tool, content list", "use ping", []string{"ping", `{"content":[{"type":"text","text":"pong!"}]}`}, "pong!"},
		{"other tool, object", "use ping", []string{"ping", `{"wind_speed":12,"sky":"grey","id":"x"}`}, "sky: grey, wind speed: 12."},
		{"other tool, nothing", "use ping", []string{"ping", `{}`}, "It is done."},
		{"control characters", "use ping", []string{"ping", "a\x1b[31m\u202eb"}, "ab."},
		{"failure in json", "use ping", []string{"ping", `{"error":"the cellar is locked"}`}, "That did not work: the cellar is locked."},
		{"failure, nested", "use ping", []string{"ping", `{"error":{"code":"timeout","message":"tool call timed out"}}`}, "That did not work: it took too long."},
		{"failure flag", "use ping", []string{"ping", `{"isError":true,"content":[{"type":"text","text":"no such key"}]}`}, "That did not work: no such key."},
		{"failure in plain text", "roll 2d6", []string{"roll", "error: invalid arguments: too many dice"}, "That did not work: too many dice."},
		{"failure in broken json", "roll 2d6", []string{"roll", `{"error":"bad \x1b dice"}`}, `That did not work: bad \x1b dice.`},
		{"german failure", "würfle 2W6", []string{"roll", "tool is unavailable: gone"}, "Ich habe es versucht, aber es ging nicht: niemand hat geantwortet."},
		{"one of two failed", "roll 1d6 and 1d8", []string{"roll", `{"expression":"1d6","rolls":[2],"total":2}`, "roll", "error: out of dice"}, "1d6: 2. I tried, but it did not work: out of dice."},
		{"half of it was not offered", "roll 1d6 and tell me who is Elara", []string{"roll", `{"expression":"1d6","rolls":[2],"total":2}`}, "1d6: 2. That I cannot tell you."},
		{"get_rule failed, the search speaks", "what does blinded mean?", []string{"search_rules", blindedHit, "get_rule", "error: gone"}, "Blinded. It cannot see. Deafened. It cannot hear. That did not work: gone."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := ask(t, done(request(tt.text), tt.pairs...))
			// Other tests cover the choice of a stock line.
			if got := canonical(a.text); got != canonical(tt.want) || len(a.calls) > 0 {
				t.Errorf("%q: said %q with calls %v, want %q", tt.text, a.text, a.calls, tt.want)
			}
		})
	}
}

// canonical replaces any stock line for unknown things with the first one.
func canonical(s string) string {
	s = strings.NewReplacer(
		"I tried, but it did not work:", "That did not work:",
		"Ich habe es versucht, aber es ging nicht:", "Das hat nicht geklappt:",
	).Replace(s)
	for _, first := range []string{"I do not know anything about that.", "I do not know that rule."} {
		if sameOccasion(s, first) {
			return "I do not know anything about that."
		}
		for end := range sentenceEnds(s) {
			if tail := strings.TrimSpace(s[end:]); tail != "" && sameOccasion(tail, first) {
				return s[:end] + " I do not know anything about that."
			}
		}
	}
	return s
}

// sentenceEnds yields the end of each sentence.
func sentenceEnds(s string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range s {
			if s[i] == '.' && !yield(i+1) {
				return
			}
		}
	}
}

func TestAnswersInTheNPCsManner(t *testing.T) {
	lines := map[string][]string{
		"roll":   {"Rattle! {answer}"},
		"recall": {"It was like this. {answer}"},
		"answer": {"Listen."},
		"failed": {"Bah, {answer}, {speaker}!"},
	}
	tests := []struct {
		name, text, tool, result, want string
	}{
		{"roll", "roll 1d6", "roll", `{"expression":"1d6","rolls":[2],"total":2}`, "Rattle! 1d6: 2."},
		{"recall", "what did Elara say?", "search_sessions", `[{"speaker":"Elara","text":"Hm."}]`, "It was like this. What Elara told us was this: Hm."},
		{"template without a place", "who is Elara?", "query_entities", elara, "Listen. Elara keeps the old mill."},
		{"failure", "use ping", "ping", "error: no", "Bah, no, Mira!"},
		{"braces in a result stay", "use ping", "ping", "{name} and {answer}", "Listen. {name} and {answer}."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := request(tt.text)
			req.Persona.Lines = lines
			if a := ask(t, done(req, tt.tool, tt.result)); a.text != tt.want {
				t.Errorf("said %q, want %q", a.text, tt.want)
			}
		})
	}
}

func TestFollowUps(t *testing.T) {
	tests := []struct {
		name, text string
		pairs      []string
		want       string // the call; empty if the NPC speaks
	}{
		{"the rule a search found", "What does the blinded condition do?", []string{"search_rules", blindedHit}, `get_rule {"id":"condition-blinded"}`},
		{"no rule found", "How does juggling work?", []string{"search_rules", `{"results":[]}`}, ""},
		{"rule already read", "What does the blinded condition do?", []string{"search_rules", blindedHit, "get_rule", blindedRule}, ""},
		{"reading it failed", "What does the blinded condition do?", []string{"search_rules", blindedHit, "get_rule", "error: gone"}, ""},
		{"search failed", "What does the blinded condition do?", []string{"search_rules", "error: gone"}, ""},
		{"everything about somebody", "Tell me everything about Elara", []string{"query_entities", elara}, `get_summary {"entity_id":"elara"}`},
		{"a little about somebody", "Who is Elara?", []string{"query_entities", elara}, ""},
		{"an unknown name may be in the facts", "Who is Elara?", []string{"query_entities", `{"entities":[]}`}, `search_facts {"query":"Elara"}`},
		{"nothing said may be in the facts", "What did Elara say?", []string{"search_sessions", `{"results":[]}`}, `search_facts {"query":"Elara"}`},
		{"not in the facts either", "Who is Elara?", []string{"query_entities", `{"entities":[]}`, "search_facts", `{"facts":[]}`}, ""},
		{"roll is not repeated", "roll 2d6", []string{"roll", "error: gone"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := ask(t, done(request(tt.text, allTools()...), tt.pairs...))
			got := ""
			for _, c := range a.calls {
				got += c.Name + " " + c.Arguments
			}
			if got != tt.want || (a.text == "") != (tt.want != "") {
				t.Errorf("called %q and said %q, want %q", got, a.text, tt.want)
			}
			if last := ask(t, done(request(tt.text), tt.pairs...)); len(last.calls) > 0 || last.text == "" {
				t.Errorf("without tools: calls %v, said %q, want speech", last.calls, last.text)
			}
		})
	}
}

func TestANewUtteranceForgetsOldResults(t *testing.T) {
	req := done(request("roll 1d6"), "roll", `{"expression":"1d6","rolls":[2],"total":2}`)
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Content: "1d6: 2."},
		llm.Message{Role: llm.RoleUser, Content: "Roll 1d8"})
	req.Tools = allTools()
	if a := ask(t, req); len(a.calls) != 1 || a.calls[0].Arguments != `{"expression":"1d8"}` {
		t.Errorf("calls = %v, said %q, want a new roll", a.calls, a.text)
	}
}
