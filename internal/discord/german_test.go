package discord

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// germanTable is a German-speaking table; the verb is for the rules of its policy.
const germanTable = `
languages: [de]
campaign: {name: Zum Krug}
providers: {llm: offline, tts: silent, stt: none, embeddings: none}
npcs:
  - {id: mira, name: Mira, tools: [roll], secret_knowledge: [Der Steg ist morsch.], lines: {greeting: ["Vorsicht!"], roll: ["Na denn."], unknown: ["Frag den Fluss."]}}
  - {id: old-nele, name: Nele, lines: {greeting: ["Moin."]}}
discord: {token: %s, api_url: %s, dm_roles: [Master]}
server: {policy: [RULES]}
`

// englishWords matches English words that no German text has. Shared words (was, will, in, so,
// an) are left out.
var englishWords = regexp.MustCompile(`(?i)\b(the|a|is|are|of|to|and|or|not|it|its|this|that|these|there|with|for|from|by|has|have|had|be|been|may|can|cannot|must|should|would|could|nobody|somebody|nothing|everyone|everybody|what|who|whom|which|where|until|but|if|your|you|they|them|their|said|says|asks?|again|after|before|later|now|here|too|than|then|as|on|at|no|one|once|times|only|wants?|waits?|needs?|uses?|gives?|makes?|reads?|known|none|unknown|failed|late|early|missing|wrong|empty|found|fast enough|place|thing|spell|description|kind of|player|game master|dungeon master)\b`)

// verbatim matches quotes and names in an answer: people's words, and names of commands,
// options, tools, files and ids.
var verbatim = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"|/[a-z]+( (?:start|stop|join|leave|pause|resume|status|recap|timing|list|mute|unmute|muteall|unmuteall|say|direct|reveal|conceal|why|listening|reload|raise|lower|cap|calibrate|approve|info|load|switch|consent|code|forget|yes|no|add|import|remove|change)\\b)?|<[^>]*>|\\(([a-z_]+)\\)|[\\w.]*_\\w+|(?m)^> .*$")

// englishTexts returns the parts that identify the English texts of package wording: several
// words in a row that the German text lacks.
func englishTexts(t *testing.T) (all []string) {
	t.Helper()
	paths, err := filepath.Glob("wording*.go")
	if err != nil {
		t.Fatal(err)
	}
	blank := regexp.MustCompile(`%(\[\d+\])?[a-z]|[*_` + "`" + `\n]+`)
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil || strings.HasSuffix(path, "_test.go") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CompositeLit)
			if !ok || len(c.Elts) != 2 {
				return true
			}
			en, okEN := c.Elts[0].(*ast.BasicLit)
			de, okDE := c.Elts[1].(*ast.BasicLit)
			if !okEN || !okDE {
				return true
			}
			german, _ := strconv.Unquote(de.Value)
			english, _ := strconv.Unquote(en.Value)
			for _, part := range blank.Split(english, -1) {
				if part = strings.Trim(part, " .,:;!?()"); strings.Count(part, " ") > 1 && !strings.Contains(german, part) {
					all = append(all, part)
				}
			}
			return true
		})
	}
	if len(all) < 200 {
		t.Fatalf("the test finds %d texts", len(all))
	}
	return all
}

// german fails for any English in a text.
type german struct {
	to      *testing.T
	english []string
}

func (g german) check(what, text string) {
	g.to.Helper()
	plain := verbatim.ReplaceAllString(strings.ReplaceAll(text, `\`, ""), " ")
	if word := englishWords.FindString(plain); word != "" {
		g.to.Errorf("%s has the English word %q in %q: %q", what, word, around(plain, word), text)
	}
	for _, part := range g.english {
		if strings.Contains(plain, part) {
			g.to.Errorf("%s: %q has the English text %q", what, text, part)
		}
	}
}

// around returns the part of a text around a word.
func around(text, word string) string {
	at := strings.Index(text, word)
	return text[max(at-30, 0):min(at+30, len(text))]
}

// germanEvening gives commands at a German-speaking table and checks the answers.
type germanEvening struct {
	*evening
	german
	given map[string]int // commands
}

func openGerman(t *testing.T, rules string) *germanEvening {
	e := openEvening(t, discordtest.Options{}, strings.Replace(germanTable, "RULES", rules, 1))
	e.d.SetLocale(e.dm, "de")
	e.d.SetLocale(e.ana, "de")
	return &germanEvening{e, german{t, englishTexts(t)}, map[string]int{}}
}

// tries sends a command, presses each button of its answer once, and checks every text. It
// returns the first answer.
func (e *germanEvening) tries(user, line string) string {
	e.t.Helper()
	command, options := commandOf(line)
	e.given[command]++
	i, err := e.d.Command(user, e.channel, command, options...)
	if err != nil {
		e.t.Errorf("/%s: %v", line, err)
		return ""
	}
	r, err := i.Response(e.t.Context())
	if err != nil {
		e.t.Errorf("/%s: %v", line, err)
		return ""
	}
	if r.Modal != nil {
		e.fillsIn(i, r.Modal)
		return ""
	}
	m, err := i.Answer(e.t.Context())
	if err != nil {
		e.t.Errorf("/%s: %v", line, err)
		return ""
	}
	time.Sleep(time.Second)
	for _, m := range append([]discordtest.Message{m}, i.Followups()...) {
		e.reads(line, m)
	}
	for _, row := range m.Components {
		for _, b := range row.Components {
			e.check("/"+line+", a button", b.Label)
			p, err := e.d.Press(user, e.channel, m.ID, b.CustomID)
			if err != nil {
				continue // another button of the row changed the message
			}
			time.Sleep(time.Second)
			for _, m := range p.Followups() {
				e.reads(line+", then "+b.Label, m)
			}
			if r, err := p.Response(e.t.Context()); err == nil && r.Message != nil {
				e.reads(line+", then "+b.Label, *r.Message)
			}
		}
	}
	return m.Content
}

// reads checks a message. Search results of /rules are English, like the rules.
func (e *germanEvening) reads(line string, m discordtest.Message) {
	e.t.Helper()
	text := m.Content
	if strings.HasPrefix(line, "rules") {
		text = regexp.MustCompile(`(?m)^- \*\*.*?\*\* (\(\S+\)): .*$`).ReplaceAllStringFunc(text, func(entry string) string {
			_, kind, _ := strings.Cut(entry, "** (")
			kind, _, _ = strings.Cut(kind, ")")
			return kind
		})
	}
	if strings.Contains(line, "file:") || line == "npc reload" { // problems of a file are in English
		text = regexp.MustCompile(`(?s)nur auf Englisch: „.*“`).ReplaceAllString(text, "")
	}
	e.check("/"+line, text)
}

// fillsIn checks a form and submits it, first with values that the bot refuses.
func (e *germanEvening) fillsIn(i *discordtest.Interaction, m *discordtest.Modal) {
	e.t.Helper()
	e.check("a form", m.Title)
	for _, row := range m.Components {
		for _, in := range row.Components {
			e.check("a form", in.Label+" "+in.Placeholder)
		}
	}
	for _, values := range []map[string]string{
		{"name": "Otto", "kind": "Quark", "place": "Hafen", "description": "Flickt Netze."},
		{"name": "Otto", "kind": "NSC", "place": "Hafen"}, {"name": "Otto", "kind": "NSC"},
	} {
		s, err := e.d.Submit(i, values)
		if err != nil {
			e.t.Error(err)
			return
		}
		m, err := s.Answer(e.t.Context())
		if err != nil {
			e.t.Error(err)
		}
		e.check(fmt.Sprintf("the form with %v", values), m.Content)
	}
}

// commandOf parses a command with its options, for example "npc mute npc:Mira".
func commandOf(line string) (command string, options []discordtest.Option) {
	at := strings.IndexByte(line, ':')
	if at < 0 {
		return line, nil
	}
	at = strings.LastIndexByte(line[:at], ' ')
	command = line[:at]
	for o := range strings.SplitSeq(line[at+1:], " | ") {
		name, text, _ := strings.Cut(o, ":")
		var value any = text
		switch name {
		case "turns", "minutes", "number":
			value, _ = strconv.Atoi(text)
		case "private":
			value = text == "true"
		case "file":
			value = discordtest.Upload{Name: "mere.yaml", Type: "application/yaml", Data: []byte(strings.ReplaceAll(text, `\n`, "\n"))}
		}
		options = append(options, discordtest.Option{Name: name, Value: value})
	}
	return command, options
}

// germanCommands are given by a DM before, during and after a session, and by a player.
var germanCommands = []string{
	"help", "session status", "session recap", "session timing", "session join", "session leave", "session pause", "session pause", "session resume", "session resume",
	"captions on", "captions off", "voice npc:Mira | voice:alloy", "voice npc:Mira | voice: ", "privacy info", "privacy code",
	"privacy consent heard:no", "privacy info", "privacy consent heard:yes", "feedback text:Schön", "feedback text: ",
	"npc list", "npc mute npc:Mira", "npc list", "npc mute npc:Niemand", "npc unmute npc:Mira", "npc unmute npc:alle", "npc muteall", "npc unmuteall",
	"memory review", "memory list", "memory accept number:9", "memory reject number:9", "memory drop number:9", "remember text:Der Steg ist morsch. | npc:Mira", "remember npc:Niemand | text:Hm", "remember npc:alle", "memory list", "memory drop number:1", "memory mentions", "memory erase number:9999", "memory erase number:9999 | what:note",
	"whisper npc:Mira | text:Moin", "whisper npc:all | text:Moin", "whisper npc:Mira | text: ", "date", "date to:neulich", "date to:3 Thaw 218", "npc say npc:Mira | text:Moin", "npc say npc:all | text:Moin", "npc say npc:Mira | text: ", "npc direct npc:Mira | text:lüg | turns:1", "npc direct npc:all | text:kurz",
	"npc direct npc:Mira", "npc reveal npc:Mira", "npc reveal npc:Mira | which:1", "npc reveal npc:Mira | which:9", "npc reveal npc:Nele", "npc reveal npc:all",
	"npc conceal npc:Mira", "npc conceal npc:all", "npc why npc:Mira", "npc why npc:all", "npc listening", "npc listening how:eager", "npc listening how:called_only", "npc reload",
	"tier raise npc:Mira | tier:deep", "tier raise npc:all | tier:standard | minutes:5 | turns:1", "tier status", "tier lower npc:Mira", "tier lower npc:all", "tier status",
	"tier cap npc:Mira | tier:standard", "tier status", "tier cap npc:all | tier:deep", "tier raise npc:Niemand | tier:deep",
	"tools list", "tools calibrate", "tools approve name:roll",
	"roll dice:2d6+3", "roll dice:d20 | private:true", "roll dice:2d", "roll dice:d0", "roll dice:5d6kh9", "roll dice:zwei Pferde", "roll dice:1d6 2d6", "roll dice: ",
	"rules about:grapple", "rules about:xyzzy", "rules about: ", "ask about:Mira", "ask about:Xyzzy", "ask about: ",
	"entity add", "entity add name:Ted | kind:npc | description:Flickt Netze.", "entity add name:Ned | kind:npc | place:Xyzzy", "entity add name:Mole | kind:location", "entity add name:Ole | kind:npc | place:Mol",
	"entity list", "entity list name:xyzzy", "entity remove id:Ted", "entity remove id:Xyzzy", "ask about:Otto",
	"entity import file:name: Mole\\nentities:\\n  - {id: ned, type: npc, name: Ned}\\n", "entity import file:{",
	"campaign info", "campaign load file:name: Mole\\nentities: []\\n", "campaign load file:name: Mole\\nentitles: []\\n", "campaign info",
	"campaign switch campaign:Mole", "campaign switch campaign:Xyzzy", "campaign switch campaign:Zum Krug",
	"undo list", "undo change", "undo change number:9", "approve list", "approve yes id:xyzzy", "approve no id:xyzzy", "undo list", "undo change", "undo change number:99999", "privacy forget",
}

// TestGermanAnswers sends every command in German, valid and invalid, with and without a
// session, as a DM and as a player. It allows English only in quotes and in names of tools.
func TestGermanAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := openGerman(t, "")
		for _, line := range germanCommands {
			e.tries(e.dm, line)
		}
		for _, line := range germanCommands {
			e.tries(e.ana, line)
		}
		e.tries(e.dm, "session start")
		e.tries(e.dm, "session start")
		e.d.Say(e.channel, e.ana, "Mira, würfle 1d1+999", nil)
		e.d.Say(e.channel, e.ana, "Nele, moin", nil)
		time.Sleep(10 * time.Second)
		e.changeCast()
		for _, line := range germanCommands {
			e.tries(e.dm, line)
		}
		for _, line := range germanCommands {
			e.tries(e.ana, line)
		}
		e.tries(e.dm, "session stop")
		for name := range commandActions() {
			if e.given[name] == 0 {
				t.Errorf("/%s is not given", name)
			}
		}
		for _, n := range e.notices() {
			e.check("a notice", n)
		}
		e.suggests()
		e.stop()
	})
}

// changeCast writes another cast to the file.
func (e *germanEvening) changeCast() {
	e.t.Helper()
	path := filepath.Join(e.dir, "glyphoxa.yaml")
	raw, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	text := strings.Replace(string(raw), "name: Nele", "name: Nele, voice: {pitch: 2}", 1)
	text = strings.Replace(text, "discord:", "  - {id: jo, name: Jo}\n  - {id: ole, name: Ole}\ndiscord:", 1)
	text = strings.Replace(text, "Zum Krug", "Zum Fass", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if got := e.tries(e.dm, "npc reload"); !strings.Contains(got, "Jo und Ole kommen dazu.") || !strings.Contains(got, "braucht einen Neustart: campaign") {
		e.t.Errorf("/npc reload: %q", got)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, "name: Jo", "nam: Jo", 1)), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if got := e.tries(e.dm, "npc reload"); !strings.Contains(got, "nur auf Englisch: „") {
		e.t.Errorf("/npc reload of a broken file: %q", got)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// suggests types into each option that has suggestions.
func (e *germanEvening) suggests() {
	e.t.Helper()
	n := 0
	for _, c := range commandDefinitions(nil) {
		for path, options := range completedOptions(c) {
			for _, o := range options {
				i, err := e.d.Autocomplete(e.dm, e.channel, path, o, discordtest.Option{Name: o, Value: ""})
				if err != nil {
					e.t.Errorf("/%s %s: %v", path, o, err)
					continue
				}
				r, err := i.Response(e.t.Context())
				if err != nil {
					e.t.Errorf("/%s %s: %v", path, o, err)
				}
				for _, k := range r.Choices {
					n++
					if path != "rules" {
						e.check("/"+path+" "+o, k.Name)
					}
				}
			}
		}
	}
	if n == 0 {
		e.t.Error("nothing is suggested")
	}
}

// completedOptions returns the options of a command that have suggestions, by path.
func completedOptions(c *discordgo.ApplicationCommand) map[string][]string {
	all := map[string][]string{}
	for _, o := range c.Options {
		if o.Autocomplete {
			all[c.Name] = append(all[c.Name], o.Name)
		}
		for _, sub := range o.Options {
			if sub.Autocomplete {
				all[c.Name+" "+o.Name] = append(all[c.Name+" "+o.Name], sub.Name)
			}
		}
	}
	return all
}
