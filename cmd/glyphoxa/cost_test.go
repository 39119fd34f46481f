package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/fakerealtime"
	"github.com/MrWong99/glyphoxa/internal/lab/fakestt"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// costs adds a section to the configuration.
func (h *program) costs(section string) {
	h.t.Helper()
	h.append("glyphoxa.yaml", "cost:\n"+section)
}

// TestCapsAreKept plays until the session exceeds its caps: each answer has
// five tokens at a tenth of a unit.
func TestCapsAreKept(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Sequence(fakeopenai.Say("The ferry leaves at dawn."), fakeopenai.Say("Before the first bell rings."), fakeopenai.Say("My sister takes the oars.")))
	h.costs(`  currency: EUR
  prices: [{provider: openai gpt-4-test, input: 0, output: 100000}]
  soft_cap: 0.5
  hard_cap: 1
`)
	tr := h.play("Mira, when does the ferry leave?", "/cost", "Mira, and how early?", "Mira, and who rows?", "/cost")
	turns := tr.want(3)
	for i, want := range []struct {
		cost float64
		text string
	}{{0.5, "The ferry leaves at dawn."}, {0.5, "Before the first bell rings."}, {0, "The river has not told me."}} {
		tn := turns[i]
		if tn.ledger.Cost != want.cost || tn.ended.Text != want.text || tn.ended.Outcome != "delivered" {
			t.Errorf("turn %d: %s %q for %v, want %q for %v", i+1, tn.ended.Outcome, tn.ended.Text, tn.ledger.Cost, want.text, want.cost)
		}
		if answered := want.cost > 0; (tn.ledger.InputTokens > 0) != answered || (tn.ledger.OutputTokens == 5) != answered {
			t.Errorf("turn %d: %d and %d tokens", i+1, tn.ledger.InputTokens, tn.ledger.OutputTokens)
		}
	}
	if n := len(server.ChatRequests()); n != 2 {
		t.Errorf("the model was asked %d times, want twice: then come the lines", n)
	}
	var passed []string
	for _, e := range tr.events {
		if e.Kind == "cost" {
			passed = append(passed, fmt.Sprintf("%s %v %s %v %v %d", e.Level, e.Spent, e.Currency, e.SoftCap, e.HardCap, e.Turn))
		}
	}
	if want := []string{"soft_cap 0.5 EUR 0.5 1 0", "lines 1 EUR 0.5 1 0"}; !slices.Equal(passed, want) {
		t.Errorf("caps %q, want %q", passed, want)
	}
	tokens := turns[0].ledger.InputTokens + turns[1].ledger.InputTokens
	info := tr.notices("info")
	for _, want := range []string{
		"this session has cost 0.5000 EUR, first limit 0.5000 EUR, limit 1.0000 EUR",
		"this session has cost 1.0000 EUR, first limit 0.5000 EUR, limit 1.0000 EUR; the NPCs only use prepared lines",
		fmt.Sprintf("Mira the Ferrywoman: 1.0000 EUR (%d tokens in, 10 tokens out)", tokens),
		fmt.Sprintf("openai gpt-4-test: 1.0000 EUR (%d tokens in, 10 tokens out)", tokens),
	} {
		if !slices.Contains(info, want) {
			t.Errorf("/cost said %q, want %q among it", info, want)
		}
	}
	if got := tr.notices("warning"); len(got) != 2 || !strings.Contains(got[0], "cost.soft_cap") || !strings.Contains(got[1], "prepared lines") {
		t.Errorf("warnings %q, want one for each cap", got)
	}
}

// TestVoicesAndWhatHasNoPriceAreCounted uses a voice with a price and a model
// without one.
func TestVoicesAndWhatHasNoPriceAreCounted(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, fakeopenai.Always(fakeopenai.Say("Aye.")))
	h.set("VOICE", "openai")
	h.set("VOICE_URL", server.URL())
	h.costs("  prices: [{provider: \"openai *\", characters: 1}, {provider: \"openai gpt-4o-mini-tts\", characters: 1000}]\n")
	r := h.run("Mira, hello\n/cost\n", "play", "--wav", h.path("out.wav"))
	r.ok(t)
	for _, want := range []string{"this session has cost 0.0040 USD, not counting what has no price", "openai gpt-4o-mini-tts: 0.0040 USD (4 characters, ", "openai gpt-4-test: an unknown amount, because there is no price"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("it said %q, want %q in it", r.stdout, want)
		}
	}
}

// TestHearingIsCounted checks that /cost charges the seconds sent to speech
// recognition at the price per minute, and to no NPC.
func TestHearingIsCounted(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const line = "Bartok, what do you drink?"
	h := newProgram(t)
	service := h.hears(line)
	h.costs("  prices: [{provider: deepgram*, minute: 60}]\n") // one a second
	s := h.start("play", "--hear", "Ana="+h.says("said.wav", line))
	s.read("first sound") // the turn's end
	s.say("/cost")
	said := s.read("deepgram nova-3: ")
	heard := audio.Duration(service.Samples(), fakestt.Rate).Seconds()
	var cost, seconds float64
	if _, err := fmt.Sscanf(strings.TrimPrefix(said, "· deepgram nova-3: "), "%f USD (%f s heard)", &cost, &seconds); err != nil {
		t.Fatalf("/cost said %q: %v", said, err)
	}
	if cost < seconds-0.06 || cost > seconds+0.06 || seconds < heard/2 || seconds > heard+0.1 || seconds == 0 {
		t.Errorf("%v for %v s, and the service was sent %v s", cost, seconds, heard)
	}
	if !strings.Contains(s.said.String(), "hearing, and everything else that belongs to no NPC: ") {
		t.Errorf("/cost said %q, want whose the hearing is", s.said.String())
	}
}

// TestTheHardCapLeadsToACheaperEngine uses an NPC with two models: beyond the
// cap the cheap one answers alone, and later neither does.
func TestTheHardCapLeadsToACheaperEngine(t *testing.T) {
	t.Parallel()
	h, server := newModelProgram(t, func(r fakeopenai.Request) fakeopenai.Response {
		switch r.Chat.Model {
		case "fast":
			return fakeopenai.Say("[MORE] Well now.")
		case "strong":
			return fakeopenai.Say("The bridge is gone since spring.") // 0.6
		}
		return fakeopenai.Say("Plain words here.") // 0.3
	})
	h.costs(`  prices: [{provider: openai fast, input: 0, output: 0}, {provider: "openai *", input: 0, output: 100000}]
  hard_cap: 0.6
cascade:
  mode: always
  opener: {name: openai, base_url: "${MODEL_URL}", api_key: "${MODEL_KEY}", model: fast}
  continuation: {name: openai, base_url: "${MODEL_URL}", api_key: "${MODEL_KEY}", model: strong}
`)
	tr := h.play("Mira, what of the bridge?", "Mira, and the ferry?", "Mira, and who rows?", "/cost")
	for i, want := range []string{"Well now. The bridge is gone since spring.", "Plain words here.", "The river has not told me."} {
		if got := tr.want(3)[i].ended.Text; got != want {
			t.Errorf("turn %d: %q, want %q", i+1, got, want)
		}
	}
	asked := map[string]int{}
	for _, r := range server.ChatRequests() {
		asked[r.Chat.Model]++
	}
	if asked["fast"] != 1 || asked["strong"] != 1 || asked["gpt-4-test"] != 1 {
		t.Errorf("models were asked %v times, want once each", asked)
	}
	var levels []string
	for _, e := range tr.events {
		if e.Kind == "cost" {
			levels = append(levels, fmt.Sprint(e.Level, " ", e.Spent))
		}
	}
	if want := []string{"cheaper 0.6", "lines 0.9"}; !slices.Equal(levels, want) {
		t.Errorf("levels %q, want %q", levels, want)
	}
	said := strings.Join(tr.notices("info"), "\n")
	for _, want := range []string{"this session has cost 0.9000 USD", "openai fast: 0.0000 USD (", "openai strong: 0.6000 USD (", "openai gpt-4-test: 0.3000 USD ("} {
		if !strings.Contains(said, want) {
			t.Errorf("/cost said %q, want %q in it", said, want)
		}
	}
}

// TestSpeechToSpeechIsCharged uses a speech-to-speech NPC at two units per
// second, up to the hard cap; after the cap the cascade answers.
func TestSpeechToSpeechIsCharged(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	service := h.speaksForItself(fakerealtime.Script{Answer: func(fakerealtime.Request) fakerealtime.Answer {
		return fakerealtime.Answer{Parts: []fakerealtime.Part{{Text: "The river is high today.", Sound: time.Second}}}
	}})
	h.costs("  prices: [{provider: openai gpt-realtime*, input: 0, output: 0, audio_input: 0, audio_output: 100000}]\n  hard_cap: 2\n")
	tr := parse(t, h.run("Mira, is the river high?\nMira, hello.\n/cost\n", "play", "--json", "--wav", "out.wav").ok(t).stdout)
	turns := tr.want(2)
	if turns[0].ended.Text != "The river is high today." || turns[0].ledger.Cost != 2 || turns[0].ledger.OutputTokens != 25 || turns[0].ledger.InputTokens == 0 {
		t.Errorf("the first turn is %q with %+v, want its own voice for 2, 20 tokens of sound and 5 words", turns[0].ended.Text, turns[0].ledger)
	}
	if turns[1].ended.Text != "The cascade says aye." || turns[1].ledger.Cost != 0 {
		t.Errorf("the second turn is %q for %v, want the cascade, whose model is scripted", turns[1].ended.Text, turns[1].ledger.Cost)
	}
	if n := service.Sessions(); n != 1 {
		t.Errorf("%d sessions, want one", n)
	}
	if got := tr.notices("warning"); !slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "the NPCs give cheaper answers") }) {
		t.Errorf("warnings %q, want one of the hard cap", got)
	}
	said := strings.Join(tr.notices("info"), "\n")
	for _, want := range []string{"this session has cost 2.0000 USD, limit 2.0000 USD; the NPCs give cheaper answers", "Mira: 2.0000 USD (", "openai gpt-realtime"} {
		if !strings.Contains(said, want) {
			t.Errorf("/cost said %q, want %q in it", said, want)
		}
	}
}
