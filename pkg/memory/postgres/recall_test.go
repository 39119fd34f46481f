package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/postgres"
)

// TestRecall asks in other words than the line's, as an NPC that heard the line and as
// one that did not, also after the line was reworded and after its player was forgotten.
func TestRecall(t *testing.T) {
	server := peers.StartPostgres(t, "fsync=off")
	dsn := server.DSN(t)
	open := func() *postgres.Store {
		s, err := postgres.Open(t.Context(), dsn, nil)
		must(t, "Open", err)
		t.Cleanup(func() { must(t, "Close", s.Close()) })
		return s
	}
	s, other := open(), open()
	session, err := s.StartSession(t.Context(), "x")
	must(t, "StartSession", err)
	say := func(ref, speaker, text string, present ...string) {
		t.Helper()
		_, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: speaker, Text: text, Ref: ref, User: "u-" + speaker, Present: present})
		must(t, "Append", err)
	}
	recalled := func(q memory.LineQuery) (out []string) {
		t.Helper()
		for _, s := range []*postgres.Store{s, other} { // either store finds lines that the other wrote
			out = nil
			hits, err := s.Recall(t.Context(), q)
			must(t, "Recall", err)
			for _, h := range hits {
				out = append(out, h.Text)
			}
		}
		return out
	}
	ask := memory.LineQuery{Text: "What became of the physician?"}
	if got := recalled(ask); len(got) != 0 {
		t.Errorf("in an empty log %q is found", got)
	}
	say("1", "Ada", "The soup was cold again.\x00\xff")
	say("2", "Ben", "The doctor drowned in the lake.", "oake")
	for _, in := range []string{"", session.ID} {
		ask.Session = in
		if got := recalled(ask); len(got) == 0 || got[0] != "The doctor drowned in the lake." {
			t.Errorf("found %q, want the doctor first", got)
		}
	}
	ask.Session = "nowhere"
	if got := recalled(ask); len(got) != 0 {
		t.Errorf("in no session %q is found", got)
	}
	ask.Session, ask.Viewer = "", "gam"
	if got := recalled(ask); slices.Contains(got, "The doctor drowned in the lake.") {
		t.Error("gam is told what only oake heard")
	}
	ask.Viewer = "oake"
	_, err = s.Reword(t.Context(), session.ID, "2", "The doctor left by boat.")
	must(t, "Reword", err)
	if got := recalled(ask); len(got) == 0 || got[0] != "The doctor left by boat." {
		t.Errorf("after rewording %q is found", got)
	}
	_, err = s.Forget(t.Context(), "u-Ben")
	must(t, "Forget", err)
	if got := recalled(ask); len(got) != 0 {
		t.Errorf("after forgetting %q is found", got)
	}

	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			for j := range 25 {
				_, err := s.Append(t.Context(), memory.Line{Session: session.ID, Speaker: "Ada", Text: fmt.Sprintf("The doctor paid %d crowns.", 100*i+j), Ref: fmt.Sprint("r", i, j)})
				_, asked := s.Recall(t.Context(), memory.LineQuery{Text: "What did the physician pay?"})
				var taken error
				if j%10 == 5 {
					_, taken = s.Retract(t.Context(), session.ID, fmt.Sprint("r", i, j))
				}
				if err := errors.Join(err, asked, taken); err != nil {
					return err
				}
			}
			return nil
		})
	}
	must(t, "talking and asking", g.Wait())
	got := recalled(memory.LineQuery{Text: "What did the physician pay?", Limit: 200})
	if got = slices.DeleteFunc(got, func(text string) bool { return !strings.HasPrefix(text, "The doctor paid") }); len(got) != 92 {
		t.Errorf("%d lines are found, want the 92 that stayed", len(got))
	}
}
