package s2s_test

import (
	"testing"
	"testing/synctest"
	"time"

	s2sengine "github.com/MrWong99/glyphoxa/internal/engine/s2s"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

func TestASessionKnowsWhatWasSaidMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Good evening to you all.", 2*time.Second))}, nil)
		defer b.close()
		b.answer(t.Context(), b.request("Hello."))
		// The session knows this exchange, although only part of it was heard.
		known := exchange("Hello.", "Good evening")
		b.answer(t.Context(), b.request("And now?", known...))
		if n := b.notes(s2stest.Injected); len(n) != 0 {
			t.Errorf("injected %+v", n)
		}
		// The session does not know what another engine answered.
		known = append(append(known, exchange("And now?", "Good evening to you all.")...), exchange("Typed?", "By the cascade.")...)
		b.answer(t.Context(), b.request("So?", known...))
		if n := b.notes(s2stest.Injected); len(n) != 1 || len(n[0].Messages) != 2 || n[0].Messages[1].Content != "By the cascade." {
			t.Errorf("injected %+v", n)
		}
		if n := b.notes(s2stest.Opened); len(n) != 1 {
			t.Errorf("%d sessions", len(n))
		}
		// A line that was taken back needs a new session without it.
		known[0].Content = "…"
		b.answer(t.Context(), b.request("Really?", known...))
		if n := b.notes(s2stest.Opened); len(n) != 2 || n[1].Options.History[0].Content != "…" {
			t.Errorf("sessions %+v", n)
		}
	})
}

func TestASessionIsReplacedBetweenAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, &s2sengine.Options{Age: time.Minute, Idle: time.Hour})
		defer b.close()
		b.answer(t.Context(), b.request("One?"))
		time.Sleep(50 * time.Second)
		b.answer(t.Context(), b.request("Two?", exchange("One?", "Aye.")...))
		time.Sleep(11 * time.Second)
		got := b.answer(t.Context(), b.request("Three?", append(exchange("One?", "Aye."), exchange("Two?", "Aye.")...)...))
		if n := b.notes(s2stest.Opened); len(n) != 2 || len(n[1].Options.History) != 4 {
			t.Errorf("sessions %+v", n)
		}
		if got.words() != "Aye." || len(got.notices) != 0 {
			t.Errorf("said %q, notices %q", got.words(), got.notices)
		}
	})
}

func TestASessionThatEndedIsReplacedAtOnce(t *testing.T) {
	for name, resumes := range map[string]bool{"anew": false, "resumed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, s2stest.Options{
					Answer: always(says("Aye.", time.Second)), Resumes: resumes,
					Open: func(n int, _ s2s.SessionOptions) s2stest.Opening {
						return s2stest.Opening{Steps: []s2stest.Step{{After: 10 * time.Second, Tell: s2s.GoingAway{Left: time.Second}}, {After: time.Second, Ends: s2s.ErrUnavailable}}}
					},
				}, nil)
				defer b.close()
				b.answer(t.Context(), b.request("One?"))
				time.Sleep(11 * time.Second)
				known := append(exchange("One?", "Aye."), exchange("Typed?", "By the cascade.")...)
				if got := b.answer(t.Context(), b.request("Two?", known...)); got.words() != "Aye." || len(got.notices) != 0 {
					t.Errorf("said %q, notices %q (%v)", got.words(), got.notices, got.err)
				}
				opened, injected := b.notes(s2stest.Opened), b.notes(s2stest.Injected)
				if len(opened) != 2 || (opened[1].Options.Resume != "") != resumes {
					t.Fatalf("sessions %+v", opened)
				}
				if resumes && (len(injected) != 1 || injected[0].Messages[0].Content != "Typed?") {
					t.Errorf("injected %+v, want what it missed", injected)
				}
				if !resumes && len(opened[1].Options.History) != 4 {
					t.Errorf("opened with %+v", opened[1].Options.History)
				}
			})
		})
	}
}

func TestAnIdleSessionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, s2stest.Options{Answer: always(says("Aye.", time.Second))}, &s2sengine.Options{Idle: time.Minute})
		defer b.close()
		b.answer(t.Context(), b.request("One?"))
		time.Sleep(2*time.Minute + time.Second)
		if n := b.notes(s2stest.Closed); len(n) != 1 {
			t.Errorf("closed %+v", n)
		}
	})
}
