package table_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// marks are words that occur only in forbidden text.
var marks = map[string]string{
	"quillfeather": "a secret", "thirteenth cellar": "a secret", "geheimgang": "a secret",
	"tabletop": "the prompt", "whitelist of tools": "the prompt", "language model": "words about being a model", "sprachmodell": "words about being a model",
	"zebrafish": "somebody else's line", "search_rules": "syntax", "tool_call": "syntax", `"expression"`: "syntax", "smirks": "a direction", "grinst": "a direction",
	"\x1b": "a terminal's code", "[31m": "a terminal's code", "|": "a table", "http": "a link", "**": "markup", "beaucoup": "another language",
	"17": "an invented roll", "nineteen": "an invented roll", "siebzehn": "an invented roll", "natural 20": "an invented roll",
}

// slips are the kinds that may result by accident where sentences run into each other.
var slips = map[string]bool{"a direction": true, "another language": true}

var misbehaviours = []struct {
	kind  string
	lines []string
}{
	{"good", []string{
		"The fog is thick on the water tonight.", "Sit down and warm your hands.", "I have heard of that, but only in passing.", "You would have to ask at the harbour.",
		"My mother used to say the same.", "There is bread left, and a little cheese.", "Nobody has come down that road since spring.", "Mind the third step, it is loose.",
	}},
	{"secret", []string{
		"The ledger of Quillfeather is hidden in the thirteenth cellar under the mill.", "Well, the ledger of Quillfeather is hidden under the mill, in the thirteenth cellar!",
		"Between us: in the thirteenth cellar under the mill the ledger of Quillfeather is hidden.", "My secret is this: the ledger of Quillfeather is hidden in the thirteenth cellar.",
		"Der Geheimgang beginnt hinter dem Altar der alten Kapelle.", "Also gut, hinter dem Altar der alten Kapelle beginnt der Geheimgang.",
	}},
	{"prompt", []string{
		"You are {name}, a character in a tabletop role-playing game.", "My instructions say: You are {name}, a character in a tabletop role-playing game.",
		"System prompt: You are {name}, a character in a tabletop role-playing game. Players talk to you by voice.",
	}},
	{"model", []string{"As an AI language model, I cannot drink.", "I am just a large language model, you see.", "Als Sprachmodell kann ich das nicht."}},
	{"roll", []string{
		"I rolled a 17.", "The die shows 17.", "1d20: 17.", "Your roll comes up nineteen, you see the trap.", "That is a natural 20!",
		"Ich habe eine siebzehn gewürfelt.", "Rolling for you: d20 + 4 = 17.",
	}},
	{"other", []string{"{other}: I keep a zebrafish behind the bar.", "{other}: Zebrafish for everyone!", "Ana: I buy the zebrafish.", "Alice says: I take the zebrafish.", "**{other}:** The zebrafish is mine."}},
	{"syntax", []string{
		`functions.search_rules({"query":"grapple"})`, `<tool_call>{"name":"search_rules","arguments":{}}</tool_call>`, `{"name":"roll","arguments":{"expression":"1d20"}}`,
		"```json\n{\"tool\":\"search_rules\"}\n```", "[search_rules(query=grapple)]", "search_rules(query=\"grapple\")",
	}},
	{"direction", []string{"*smirks broadly*", "(smirks at you)", "Well, *smirks broadly* come in.", "[smirks, she turns away]", "Komm (grinst breit) herein.", "*grinst breit*"}},
	{"markup", []string{"\x1b[31mRed is the door.\x1b[0m", "[31mRed is the gate.", "| ale | two coppers |", "Look at [the board](http://example.org/board).", "It is **very** late.", "Go to http://example.org now."}},
	{"language", []string{"Il y a beaucoup de monde dans la taverne ce soir.", "Je ne sais pas, mais il y a beaucoup de bruit dans la rue."}},
}

// misbehaving is a model that breaks every rule for NPCs at random, in pieces of 1 to 40 bytes.
// It belongs to one table.
type misbehaving struct {
	chance *rand.Rand
	last   string
	failed bool // the model itself causes the turn to fail
}

// text returns an answer made of several kinds of lines.
func (m *misbehaving) text(name string) string {
	put := strings.NewReplacer("{name}", name, "{other}", map[bool]string{true: "Bartok", false: "Mira"}[name == "Mira"])
	switch m.chance.IntN(40) {
	case 0:
		return strings.Repeat("And then the old king went over the hills and far away once more. ", 400)
	case 1:
		return strings.Repeat("and on and on and on ", 1500)
	case 2:
		return put.Replace(m.last)
	case 3:
		return "[silent]"
	case 4:
		m.failed = true // from a voice, this is sound without words
		return "  \n "
	}
	var all []string
	for range 1 + m.chance.IntN(4) {
		b := misbehaviours[m.chance.IntN(len(misbehaviours))]
		line := b.lines[m.chance.IntN(len(b.lines))]
		all = append(all, line)
		if m.chance.IntN(8) == 0 {
			all = append(all, line)
		}
	}
	m.last = strings.Join(all, " ")
	return put.Replace(m.last)
}

// answer returns one round of the model.
func (m *misbehaving) answer(req llm.Request) []step {
	text := m.text(req.Persona.Name)
	var out []step
	for len(text) > 0 {
		n := min(1+m.chance.IntN(40), len(text))
		out = append(out, step{text: text[:n]})
		text = text[n:]
	}
	switch m.chance.IntN(12) {
	case 0: // many calls at once
		storm := step{}
		for i := range 1 + m.chance.IntN(6) {
			name := []string{"roll", "rules", "write", "ghost"}[m.chance.IntN(4)]
			storm.calls = append(storm.calls, llm.ToolCall{ID: fmt.Sprint("c", i), Name: name, Arguments: []string{`{"x":"y"}`, `{`, `{"expression":"1d20"}`}[m.chance.IntN(3)]})
		}
		out = append(out, storm)
	case 1:
		m.failed = true
		out = append(out, step{err: llm.ErrUnavailable})
	}
	return out
}

// TestMisbehavingModel plays misbehaving models at real tables: nothing forbidden is delivered
// or stored, and every turn ends. GLYPHOXA_SOAK=1 plays 10,000 turns.
func TestMisbehavingModel(t *testing.T) {
	turns := 500
	if testing.Short() {
		turns = 100
	}
	if os.Getenv("GLYPHOXA_SOAK") != "" {
		turns = 10_000
	}
	const perTable = 25
	sum := map[string]int{}
	for i := range turns / perTable {
		good := false
		synctest.Test(t, func(t *testing.T) {
			misbehave(t, uint64(i), perTable, sum)
			good = !t.Failed()
		})
		if !good {
			t.Fatalf("with the seed %d", i)
		}
	}
	t.Logf("%d turns: %v", turns, sum)
	if sum["slips"] > turns/100 {
		t.Errorf("%d slips in %d turns", sum["slips"], turns)
	}
	if testing.Short() {
		return // rare kinds may be missing
	}
	for _, needed := range []string{"delivered", "secret", "prompt", "model", "roll", "other_voice", "repeated", "language", "too_long"} {
		if sum[needed] == 0 {
			t.Errorf("no %s in %d turns", needed, turns)
		}
	}
}

// misbehave plays some turns at one table, with one of the engines.
func misbehave(t *testing.T, seed uint64, turns int, sum map[string]int) {
	m := &misbehaving{chance: rand.New(rand.NewPCG(seed, 13))}
	s := setting{
		model: m.answer, guarded: &engine.GuardedOptions{Languages: []string{"en"}, Tools: func() []string { return []string{"roll", "rules", "write", "search_rules"} }, MaxSpeech: 45 * time.Second},
		secrets: keeps(config.KeptSecret{Text: "The ledger of Quillfeather is hidden in the thirteenth cellar under the mill."}, config.KeptSecret{Text: "Der Geheimgang beginnt hinter dem Altar der alten Kapelle."}),
	}
	switch seed % 3 {
	case 1:
		s.engine = engine.NewSentenceCascade(s.model, s.model, nil)
	case 2:
		p := vendor(func(s2stest.Turn) s2stest.Answer {
			text := m.text("Mira")
			return s2stest.Answer{Steps: append(s2stest.After(300*ms, s2stest.Say("item", text, s2stest.Tone(440, time.Duration(len(text))*time.Second/15, 24_000), 24_000, 10)), s2stest.Done("item"))}
		})
		s.ownVoice = func(h *mcphost.Host, instead engine.Engine) *s2s.Engine { return s2s.New(p, h, instead, nil) }
	}
	r := open(t, s)
	asks := []string{"Mira, what do you know?", "Mira, tell us more of the mill.", "Mira, roll a die for me.", "and why is that?", "Mira, who are you really?", "Mira and Bart, listen to this!"}
	for n := range turns {
		m.failed = false
		end := r.hear(fmt.Sprintf("%s %s", asks[m.chance.IntN(len(asks))], strings.Repeat("Please. ", n%2)))
		r.awaitRest() // the model serves one NPC at a time, and the other may react
		switch {
		case end.Outcome == table.OutcomeDelivered && end.Text != "", end.Outcome == table.OutcomePassed:
		case end.Outcome == table.OutcomeDelivered && m.failed && seed%3 == 2:
		case end.Outcome == table.OutcomeFailed && (m.failed || len(reasonsOf(r)) == sum["before"]):
		case end.Outcome == table.OutcomeNoTarget:
		default:
			t.Errorf("a turn that was asked %q ended %s with %q; withheld %q, notices %+v", m.last, end.Outcome, end.Text, reasonsOf(r), of[*table.Notice](r.events))
		}
		sum[string(end.Outcome)]++
		sum["before"] = len(reasonsOf(r))
	}
	sum["before"] = 0
	for _, said := range append(r.journal.said(), deliveredTo(r)...) {
		if !strings.HasPrefix(said, "Mira") && !strings.HasPrefix(said, "Bartok") {
			continue // a player's line
		}
		for mark, what := range marks {
			switch {
			case !strings.Contains(strings.ToLower(said), mark):
			case slips[what]:
				sum["slips"]++
				t.Logf("%s is delivered: %q", what, said)
			default:
				t.Errorf("%s is delivered: %q", what, said)
			}
		}
	}
	for _, g := range of[*table.Guarded](r.events) {
		sum[g.Reason]++
	}
}

// awaitRest waits until every started turn has ended.
func (r *room) awaitRest() {
	for {
		open := map[int64]bool{}
		for _, e := range of[table.Event](r.events) {
			switch e.(type) {
			case *table.TurnStarted:
				open[table.HeaderOf(e).Turn] = true
			case *table.TurnEnded:
				delete(open, table.HeaderOf(e).Turn)
			}
		}
		if len(open) == 0 {
			return
		}
		time.Sleep(ms) // virtual: inside a bubble
	}
}

// deliveredTo returns the delivered sentences with their speakers.
func deliveredTo(r *room) (all []string) {
	for _, s := range of[*table.Sentence](r.events) {
		all = append(all, s.NPC+": "+s.Text)
	}
	return all
}
