package main_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
)

// newFallbackProgram is a model house with a second model, which gives the
// scripted answers when the first does not answer.
func newFallbackProgram(t testing.TB, first, second fakeopenai.Script) (h *program, a, b *fakeopenai.Server) {
	t.Helper()
	h, a = newModelProgram(t, first)
	b = fakeopenai.Start(t, second, &fakeopenai.Options{APIKey: modelKey})
	h.set("FALLBACK_URL", b.URL())
	h.configure("fallback.yaml")
	return h, a, b
}

// TestAnotherModelTakesOver checks that an NPC answers although the first model
// does not, and that people see one notice.
func TestAnotherModelTakesOver(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		first  fakeopenai.Response
		asked  int // at the first model, by two turns
		notice string
	}{
		// The program retries an outage at once, but not a refusal, even in the
		// next turn.
		{"it fails", fakeopenai.Fail(http.StatusInternalServerError, "out of order"), 4, "failed with HTTP 500 (out of order)"},
		{"it refuses the key", fakeopenai.Fail(http.StatusUnauthorized, "who are you?"), 1, "answered HTTP 401 (who are you?)"},
		{"it hangs", fakeopenai.HangAfter(), 1, "the answer took too long to begin"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			answers := []string{"The ferry leaves at dawn.", "Then we row until noon."}
			h, first, second := newFallbackProgram(t, fakeopenai.Always(row.first), fakeopenai.Sequence(fakeopenai.Say(answers[0]), fakeopenai.Say(answers[1])))
			tr := parse(t, h.run("Mira, when do we leave?\nMira, and then?\n", "play", "--json").ok(t).stdout)
			for i, tn := range tr.want(2) {
				if tn.ended.Outcome != "delivered" || tn.ended.Text != answers[i] {
					t.Errorf("turn %d: %s %q, want the second model's answer %q", tn.ended.Turn, tn.ended.Outcome, tn.ended.Text, answers[i])
				}
			}
			tr.noticed("warning", "openai second-model answers now: openai gpt-4-test: ", row.notice)
			if a, b := len(first.ChatRequests()), len(second.ChatRequests()); a != row.asked || b != 2 {
				t.Errorf("the models were asked %d and %d times, want %d and 2", a, b, row.asked)
			}
		})
	}
}

// TestEachModelHasItsOwnOptions checks the options in the requests to both
// models.
func TestEachModelHasItsOwnOptions(t *testing.T) {
	t.Parallel()
	h, first, second := newFallbackProgram(t, fakeopenai.Always(fakeopenai.Fail(http.StatusUnauthorized, "")), fakeopenai.Always(fakeopenai.Say("Aye.")))
	h.play("Mira, can we cross?").only("delivered")
	a, b := first.ChatRequests()[0].Chat, second.ChatRequests()[0].Chat
	if a.Model != "gpt-4-test" || a.Temperature == nil || *a.Temperature != 0.5 || a.MaxTokens+a.MaxCompletionTokens != 0 {
		t.Errorf("the first was asked for %q with %v and %d tokens, want gpt-4-test, 0.5 and no limit", a.Model, a.Temperature, a.MaxTokens+a.MaxCompletionTokens)
	}
	if b.Model != "second-model" || b.Temperature != nil || b.MaxTokens+b.MaxCompletionTokens != 90 {
		t.Errorf("the second was asked for %q with %v and %d tokens, want second-model, its own and 90", b.Model, b.Temperature, b.MaxTokens+b.MaxCompletionTokens)
	}
	if !slices.EqualFunc(a.Messages, b.Messages, func(x, y fakeopenai.Message) bool { return x.Role == y.Role && x.Text() == y.Text() }) {
		t.Errorf("the two were told different things: %d and %d messages", len(a.Messages), len(b.Messages))
	}
}

// TestNothingIsSaidTwice breaks off an answer and checks that the second model
// does not start it again.
func TestNothingIsSaidTwice(t *testing.T) {
	t.Parallel()
	cut := fakeopenai.Say("The ferry leaves at dawn. ", "Be there before ", "the bell rings.")
	cut.CutAfter = 3
	h, _, second := newFallbackProgram(t, fakeopenai.Always(cut), fakeopenai.Always(fakeopenai.Say("Never.")))
	tr := h.play("Mira, when do we leave?")
	said := ""
	for _, tn := range tr.want(1) {
		said = strings.Join(tn.sentences(), " ")
	}
	if n := len(second.ChatRequests()); n != 0 || strings.Contains(said, "Never") {
		t.Errorf("the second model was asked %d times, Mira said %q", n, said)
	}
}

// TestStockPhrasesTakeOver checks the last fallback.
func TestStockPhrasesTakeOver(t *testing.T) {
	t.Parallel()
	h, first, second := newFallbackProgram(t, fakeopenai.Always(fakeopenai.Fail(http.StatusUnauthorized, "")), fakeopenai.Always(fakeopenai.Fail(http.StatusUnauthorized, "")))
	tr := h.play("Mira, how deep is the sea?")
	if tn := tr.only("delivered"); tn.ended.Text == "" {
		t.Error("Mira said nothing")
	}
	tr.noticed("warning", "offline answers now: openai second-model: ")
	if a, b := len(first.ChatRequests()), len(second.ChatRequests()); a != 1 || b != 1 {
		t.Errorf("the models were asked %d and %d times, want each once", a, b)
	}
}

// TestDoctorLooksAtFallbacks checks that doctor names both models and reports a
// missing fallback.
func TestDoctorLooksAtFallbacks(t *testing.T) {
	t.Parallel()
	h, _, _ := newFallbackProgram(t, nil, nil)
	out := h.run("", "doctor").stdout
	if !strings.Contains(out, "openai gpt-4-test, then openai second-model, then offline") {
		t.Errorf("the doctor does not list the models:\n%s", out)
	}
	h.set("FALLBACK_URL", "http://127.0.0.1:1/v1") // no server listens here
	out = h.run("", "doctor").stdout
	if !strings.Contains(out, "endpoint of llm.fallback[0]") || !strings.Contains(out, "correct providers.llm.fallback[0].base_url") {
		t.Errorf("the doctor does not miss the fallback:\n%s", out)
	}
}
