package dialect_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// TestHabits reads runs of answers: it checks the speech of each, and which part of it is passed on before the
// answer has ended.
func TestHabits(t *testing.T) {
	const thinks, greets = "A stranger. Be wary.\n</think>\n\nCold night, eh?", "Cold night, eh?"
	long := strings.Repeat("And on and on it went. ", 60)
	type turn struct {
		text string
		cut  bool   // off by its maximum length
		soon string // passed on before the end
		said string // altogether
	}
	tests := []struct {
		name, model, host string
		turns             []turn
	}{
		{"unknown, speaks", "unheard-of", "localhost", []turn{{text: greets, said: greets}, {text: greets, soon: greets, said: greets}}},
		{"unknown, thinks", "unheard-of", "localhost", []turn{{text: thinks, soon: greets, said: greets}, {text: thinks, soon: greets, said: greets}}},
		{"thinks not every time", "unheard-of", "localhost", []turn{{text: thinks, soon: greets, said: greets}, {text: greets, said: greets}, {text: thinks, soon: greets, said: greets}}},
		{"opens its thoughts", "unheard-of", "localhost", []turn{{text: "<think>Be wary.</think>" + greets, soon: greets, said: greets}, {text: greets, soon: greets, said: greets}}},
		{"opens a thought after speech", "unheard-of", "localhost", []turn{{text: "Hm. <think>Be wary.</think>" + greets, said: "Hm. " + greets}, {text: greets, soon: greets, said: greets}}},
		{"calls first", "unheard-of", "localhost", []turn{{text: "<tool_call>" + findJSON + "</tool_call>"}, {text: greets, soon: greets, said: greets}}},
		{"says nothing first", "unheard-of", "localhost", []turn{{text: "\n", said: "\n"}, {text: thinks, soon: greets, said: greets}}},
		{"is cut off first", "unheard-of", "localhost", []turn{{text: greets, cut: true, said: greets}, {text: thinks, soon: greets, said: greets}}},
		{"is cut off late", "unheard-of", "localhost", []turn{{text: long, cut: true}, {text: thinks, soon: greets, said: greets}}},
		{"thinker, cut off", "qwq-32b", "api.groq.com", []turn{{text: greets, cut: true}, {text: greets, said: greets}, {text: greets, soon: greets, said: greets}}},
		{"thinker, cut off later", "unheard-of", "localhost", []turn{{text: thinks, soon: greets, said: greets}, {text: greets, cut: true}}},
		{"shows late that it thinks", "unheard-of", "localhost", []turn{{text: greets, said: greets}, {text: "Aye.</think> No.", soon: "Aye. No.", said: "Aye. No."}, {text: thinks, soon: greets, said: greets}}},
		{"a vendor's own", "mistral-small", "api.mistral.ai", []turn{{text: greets, soon: greets, said: greets}}},
		{"a vendor's own that thinks", "magistral-small", "api.mistral.ai", []turn{{text: thinks, soon: greets, said: greets}}},
		{"a vendor's through a proxy", "openai/gpt-4o", "localhost", []turn{{text: greets, soon: greets, said: greets}}},
		{"harmony, opened by the template", "unheard-of", "localhost", []turn{
			{text: "Be wary.<|end|><|start|>assistant<|channel|>final<|message|>" + greets, soon: greets, said: greets},
			{text: "Be wary.<|end|><|start|>assistant<|channel|>final<|message|>" + greets, soon: greets, said: greets}}},
		{"harmony, opened by the template, without tokens", "unheard-of", "localhost", []turn{{text: "Be wary.assistantfinal" + greets, said: greets}, {text: "Be wary.assistantfinal" + greets, said: greets}}},
		{"harmony, whole", "unheard-of", "localhost", []turn{{text: "<|start|>assistant<|channel|>analysis<|message|>Be wary.<|end|><|start|>assistant<|channel|>final<|message|>" + greets, soon: greets, said: greets}, {text: greets, soon: greets, said: greets}}},
		{"harmony, calls first", "unheard-of", "localhost", []turn{
			{text: "<|start|>assistant to=functions.fly<|channel|>commentary<|message|>{}<|call|>"}, {text: greets, soon: greets, said: greets}}},
		{"gpt-oss", "openai/gpt-oss-20b", "localhost", []turn{{text: "analysisBe wary.assistantfinal" + greets, soon: greets, said: greets}, {text: greets, soon: greets, said: greets}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := dialect.NewHabits(tt.model, tt.host)
			for i, turn := range tt.turns {
				r := dialect.New(inn, h)
				soon := ""
				for _, piece := range strings.SplitAfter(turn.text, " ") {
					soon += r.Feed(piece)
				}
				if said := soon + r.End(!turn.cut); soon != turn.soon || said != turn.said {
					t.Errorf("answer %d: passed on %q, then altogether %q; want %q, then %q", i+1, soon, said, turn.soon, turn.said)
				}
			}
		})
	}
}

// TestAnAnswerShowsItForAnother checks that an answer that is held is passed on once another one has shown how the
// model writes.
func TestAnAnswerShowsItForAnother(t *testing.T) {
	h := dialect.NewHabits("unheard-of", "localhost")
	a, b := dialect.New(inn, h), dialect.New(inn, h)
	if got := a.Feed("Cold ") + b.Feed("Cold "); got != "" || !a.Holding() || !b.Holding() {
		t.Fatalf("passed on %q at once", got)
	}
	if got := a.End(true); got != "Cold " {
		t.Errorf("the first answer ended with %q", got)
	}
	if got := b.Feed("night."); got != "Cold night." || b.Holding() {
		t.Errorf("then the second passed on %q, want all of it", got)
	}
}

// TestThereIsNoEndOfAThought checks that a thought without an end costs no more memory than a block, and is not
// spoken.
func TestThereIsNoEndOfAThought(t *testing.T) {
	for _, begin := range []string{"", "<think>", "<tool_call>"} {
		r := dialect.New(inn, dialect.NewHabits("unheard-of", "localhost"))
		said := r.Feed(begin)
		for range 300 {
			said += r.Feed(strings.Repeat("On and on. ", 100))
		}
		if said += r.End(true); said != "" || r.Calls() != nil {
			t.Errorf("after %q, %d bytes were passed on", begin, len(said))
		}
	}
}
