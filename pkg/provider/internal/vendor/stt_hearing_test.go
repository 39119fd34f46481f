package vendor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// step is one input of a hearing: an event, or a request for the final of the sound up to
// ask.
type step struct {
	event Event
	ask   time.Duration
	wait  time.Duration // before the next step, which checks the clock
}

// finals plays steps and returns the finals' texts, and how many transcripts were late.
func finals(t *testing.T, timed bool, steps []step) (texts []string, late int64, err error) {
	t.Helper()
	m := NewResults()
	h := &hearing{results: m, timed: timed}
	for _, s := range steps {
		if s.ask > 0 {
			h.recordRequest(s.ask)
		} else {
			h.handleEvent(s.event)
		}
		if time.Sleep(s.wait); s.wait > 0 && err == nil {
			err = h.expireFinal(time.Now())
		}
	}
	m.Fail(stt.ErrClosed)
	for {
		r, err := m.Recv(t.Context())
		if err != nil {
			break
		}
		texts = append(texts, r.Text)
	}
	return texts, m.Late(), err
}

// s is a segment of a timed dialect, with positions in seconds.
func s(kind Kind, from, to float64, text string) step {
	return step{event: Event{Kind: kind, Text: text, Start: Seconds(from), End: Seconds(to)}}
}

func TestHearing(t *testing.T) {
	ask := func(seconds float64) step { return step{ask: Seconds(seconds)} }
	then := func(s step, wait time.Duration) step { s.wait = wait; return s }
	rows := []struct {
		name  string
		timed bool
		steps []step
		want  []string
		late  int64
		err   error
	}{
		{"one", true, []step{ask(2), s(Closing, 0, 2, "Aye.")}, []string{"Aye."}, 0, nil},
		{"segments", true, []step{s(Segment, 0, 3, "Hold"), ask(4), s(Closing, 3, 4, "the door.")}, []string{"Hold the door."}, 0, nil},
		{"all_heard_before_asked", true, []step{s(Segment, 0, 2, "Aye."), ask(2)}, []string{"Aye."}, 0, nil},
		{"all_heard_without_an_answer", true, []step{ask(2), s(Segment, 0, 2, "Aye.")}, []string{"Aye."}, 0, nil},
		{"answer_after_all_was_heard", true, []step{s(Segment, 0, 2, "Aye."), ask(2), ask(4), s(Closing, 2, 2, ""), s(Closing, 2, 4, "No.")}, []string{"Aye.", "No."}, 0, nil},
		{"duplicate", true, []step{ask(2), s(Closing, 0, 2, "Aye."), s(Closing, 0, 2, "Aye."), ask(4), s(Closing, 2, 4, "No.")}, []string{"Aye.", "No."}, 1, nil},
		{"out_of_order", true, []step{s(Segment, 0, 2, "Hold"), s(Segment, 1, 2, "again"), ask(3), s(Closing, 2, 3, "it.")}, []string{"Hold it."}, 1, nil},
		{"silent_about_a_remainder", true, []step{s(Segment, 0, 1.9, "Aye."), then(ask(2), grace)}, []string{"Aye."}, 0, nil},
		{"waits_for_more", true, []step{s(Segment, 0, 1, "Aye,"), then(ask(2), grace), s(Closing, 1, 2, "sir.")}, []string{"Aye, sir."}, 0, nil},
		{"no_sound_at_all", true, []step{then(ask(0.1), grace)}, []string{""}, 0, nil},
		{"never", true, []step{then(ask(2), stt.DefaultBudget)}, nil, 0, stt.ErrOverBudget},
		{"untimed", false, []step{ask(2), s(Closing, 0, 0, "Aye.")}, []string{"Aye."}, 0, nil},
		{"untimed_commits_itself", false, []step{s(Closing, 0, 0, "Hold"), ask(2), s(Closing, 0, 0, "it.")}, []string{"Hold it."}, 0, nil},
		{"untimed_duplicate", false, []step{ask(2), s(Closing, 0, 0, "Aye."), s(Closing, 0, 0, "Aye."), ask(3), s(Closing, 0, 0, "No.")}, []string{"Aye.", "No."}, 1, nil},
		{"untimed_same_words_again", false, []step{ask(2), s(Closing, 0, 0, "Aye."), ask(3), s(Closing, 0, 0, "Aye.")}, []string{"Aye.", "Aye."}, 0, nil},
		{"refused", false, []step{ask(0.1), s(Refused, 0, 0, ""), ask(2), s(Closing, 0, 0, "Aye.")}, []string{"", "Aye."}, 0, nil},
		{"refused_out_of_the_blue", false, []step{s(Refused, 0, 0, ""), ask(2), s(Closing, 0, 0, "Aye.")}, []string{"Aye."}, 0, nil},
		{"controls", false, []step{ask(2), s(Closing, 0, 0, "Aye\x1b[2J\u202e.")}, []string{"Aye."}, 0, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, late, err := finals(t, row.timed, row.steps)
				if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", row.want) || late != row.late {
					t.Errorf("finals = %q and %d late, want %q and %d", got, late, row.want, row.late)
				}
				if !errors.Is(err, row.err) || row.err == nil && err != nil {
					t.Errorf("err = %v, want %v", err, row.err)
				}
			})
		})
	}
}

// TestPlacesCountFromTheUtterance checks that times count from the start of the
// utterance.
func TestPlacesCountFromTheUtterance(t *testing.T) {
	m := NewResults()
	h := &hearing{results: m, timed: true, interim: true}
	h.recordRequest(2 * time.Second)
	h.handleEvent(Event{Kind: Closing, Text: "Aye.", End: 2 * time.Second})
	h.handleEvent(Event{Kind: Interim, Text: "no", Start: 2 * time.Second, End: 3 * time.Second, Confidence: 0.5,
		Words: []stt.Word{{Text: "no", Start: 2500 * time.Millisecond, End: 2800 * time.Millisecond}}})
	for _, want := range []stt.Result{
		{Text: "Aye.", End: 2 * time.Second},
		{Text: "no", Start: 500 * time.Millisecond, End: 800 * time.Millisecond, Confidence: 0.5},
	} {
		r, err := m.Recv(t.Context())
		if err != nil || r.Text != want.Text || r.Start != want.Start || r.End != want.End || r.Confidence != want.Confidence {
			t.Errorf("received %+v, %v, want %+v", r, err, want)
		}
	}
}

// TestAnyEventsKeepTheOrder plays any events: each requested utterance has at most one
// final, in order, and texts stay bounded.
func TestAnyEventsKeepTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := NewResults()
		h := &hearing{results: m, timed: rapid.Bool().Draw(t, "timed"), interim: true}
		asked, at := 0, time.Duration(0)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			if rapid.IntRange(0, 4).Draw(t, "step") == 0 && asked < stt.MaxPending {
				at += time.Duration(rapid.Int64Range(0, 4e9).Draw(t, "length"))
				h.recordRequest(at)
				asked++
				continue
			}
			h.handleEvent(Event{
				Kind:  Kind(rapid.IntRange(0, 5).Draw(t, "kind")),
				Text:  strings.Repeat(rapid.SampledFrom([]string{"", "a", "b c"}).Draw(t, "text"), rapid.SampledFrom([]int{1, 40000}).Draw(t, "times")),
				Start: time.Duration(rapid.Int64Range(0, 20e9).Draw(t, "start")),
				End:   time.Duration(rapid.Int64Range(0, 20e9).Draw(t, "end")),
			})
		}
		m.Fail(stt.ErrClosed)
		next := 0
		for {
			r, err := m.Recv(context.Background())
			if err != nil {
				break
			}
			if r.Final && r.Utterance != next || len(r.Text) > 2*maxText || r.Start < 0 || r.End < 0 {
				t.Fatalf("received final %v of %d with %d bytes, want that of %d", r.Final, r.Utterance, len(r.Text), next)
			}
			if r.Final {
				next++
			}
		}
		if next > asked {
			t.Fatalf("%d finals for %d utterances", next, asked)
		}
	})
}
