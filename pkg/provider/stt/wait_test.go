package stt_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// The wait is decided at Due and not before: at the end of the budget, or earlier if
// there is interim text.
func TestWaitExpires(t *testing.T) {
	start := time.Date(2031, 5, 1, 20, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name    string
		options stt.UtteranceOptions
		takes   []stt.Result
		due     time.Duration
		text    string
		err     error
	}{
		{"nothing_known", stt.UtteranceOptions{}, nil, stt.DefaultBudget, "", stt.ErrOverBudget},
		{"known_before", stt.UtteranceOptions{Last: stt.Result{Text: "Aye"}}, nil, stt.DefaultSettle, "Aye", nil},
		{"known_since", stt.UtteranceOptions{}, []stt.Result{{Utterance: 3, Text: "Aye"}}, stt.DefaultSettle, "Aye", nil},
		{"empty_interim", stt.UtteranceOptions{}, []stt.Result{{Utterance: 3}}, stt.DefaultBudget, "", stt.ErrOverBudget},
		{"of_another", stt.UtteranceOptions{}, []stt.Result{{Utterance: 2, Text: "Old", Final: true}}, stt.DefaultBudget, "", stt.ErrOverBudget},
		{"budget_comes_first", stt.UtteranceOptions{Budget: time.Second, Last: stt.Result{Text: "Aye"}}, nil, time.Second, "Aye", stt.ErrOverBudget},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := stt.NewWait(3, start, tt.options)
			for _, r := range tt.takes {
				if _, _, done := w.Handle(r); done {
					t.Errorf("%+v decided, want it not to", r)
				}
			}
			if got := w.Due().Sub(start); got != tt.due {
				t.Errorf("due after %v, want %v", got, tt.due)
			}
			if _, _, done := w.Expire(start.Add(tt.due - 1)); done {
				t.Error("decided before it was due")
			}
			r, err, done := w.Expire(start.Add(tt.due))
			if !done || !errors.Is(err, tt.err) || tt.err == nil && err != nil {
				t.Errorf("err = %v, done %v, want %v", err, done, tt.err)
			}
			if r.Text != tt.text || r.Assumed != (tt.text != "") || !r.Final || r.Utterance != 3 {
				t.Errorf("outcome = %+v, want %q", r, tt.text)
			}
		})
	}
}

// Every wait is decided by the end of its budget, and received text is kept until other
// text replaces it.
func TestWaitAlwaysEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2031, 5, 1, 20, 0, 0, 0, time.UTC)
		w := stt.NewWait(1, start, stt.UtteranceOptions{})
		known := false
		for range rapid.IntRange(0, 10).Draw(t, "results") {
			r := stt.Result{
				Utterance: rapid.IntRange(0, 2).Draw(t, "utterance"),
				Text:      rapid.SampledFrom([]string{"", "Aye"}).Draw(t, "text"),
				Final:     rapid.Bool().Draw(t, "final"),
			}
			known = known || r.Utterance == 1 && r.Text != ""
			if out, err, done := w.Handle(r); done {
				if !r.Final || r.Utterance != 1 || err != nil || known != (out.Text != "") {
					t.Fatalf("%+v decided for %+v, %v", r, out, err)
				}
				return
			}
		}
		out, err, done := w.Expire(start.Add(stt.DefaultBudget))
		if !done || known != (out.Text != "") || known != (err == nil) {
			t.Fatalf("at the budget: %+v, %v, done %v, known %v", out, err, done, known)
		}
	})
}
