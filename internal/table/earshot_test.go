package table_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// house holds the places of a table's NPCs, and the doors.
type house struct {
	scene string
	at    map[string]string
	doors []memory.Relation
}

func (h house) Scene() string { return h.scene }

func (h house) Places(_ context.Context, _ string, ids ...string) (map[string]memory.Entity, error) {
	out := map[string]memory.Entity{}
	for _, id := range ids {
		if place, ok := h.at[id]; ok {
			out[id] = memory.Entity{ID: place, Name: "The " + place}
		}
	}
	return out, nil
}

func (h house) Relations(from, _ string) []memory.Relation {
	return slices.DeleteFunc(slices.Clone(h.doors), func(r memory.Relation) bool { return r.From != from })
}

// TestDoorsAndDeafness plays with a barkeep and a deaf porter in the taproom, and a cook in the
// kitchen. Voices pass an open door. The porter hears nothing and is not addressed by speech,
// but reads and answers a note.
func TestDoorsAndDeafness(t *testing.T) {
	open := memory.Relation{From: "taproom", Type: hotctx.OpensTo, To: "kitchen"}
	closed := memory.Relation{From: "kitchen", Type: hotctx.ClosedTo, To: "taproom"}
	for _, row := range []struct {
		name  string
		doors []memory.Relation
		// bart and cook list the NPCs that hear a line to Bart or to the cook.
		bart, cook []string
	}{
		{"no_door", nil, []string{"bart"}, []string{"cook"}},
		{"open", []memory.Relation{open}, []string{"bart", "cook"}, []string{"bart", "cook"}},
		{"closed", []memory.Relation{open, closed}, []string{"bart"}, []string{"cook"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := sitInHouse(t, house{
					scene: "You sit in the Taproom.", at: map[string]string{"bart": "taproom", "porter": "taproom", "cook": "kitchen"}, doors: row.doors,
				}, nil)
				r.hear("Bart, good evening!")
				r.hear("Hanna, what is cooking?")
				if ended := r.hear("Odo, do you hear me?"); ended.NPC == "Odo" {
					t.Errorf("a deaf NPC answers %v to what is said", ended)
				}
				answer, err := r.Whisper(t.Context(), "Odo", table.Utterance{Speaker: "Alice", Text: "I hand you a note."})
				check(t, err)
				if got := <-answer; got != "Aye." {
					t.Errorf("the note is answered %q", got)
				}
				synctest.Wait()
				r.close()
				want := map[string][]string{
					"Bart, good evening!": row.bart, "Hanna, what is cooking?": row.cook, "I hand you a note.": {"porter"},
				}
				seen := 0
				for _, l := range r.journal.kept() {
					heard := slices.DeleteFunc(slices.Clone(l.Present), func(id string) bool { return id == memory.Anyone })
					if l.NPC == "" && want[l.Text] != nil {
						if seen++; !slices.Equal(heard, want[l.Text]) {
							t.Errorf("%q is heard by %q, want %q", l.Text, heard, want[l.Text])
						}
					} else if l.NPC != "porter" && slices.Contains(heard, "porter") {
						t.Errorf("a deaf NPC hears %q", l.Text)
					}
				}
				if seen != len(want) {
					t.Errorf("%d of %d lines were kept", seen, len(want))
				}
			})
		})
	}
}

// TestADeafNPCLearnsWhatItsGroupShares: the deaf porter knows a line to the barkeep because
// they share a group, and not because the porter heard it.
func TestADeafNPCLearnsWhatItsGroupShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var groups memory.Groups
		groups.Set(map[string][]string{"bart": {"staff"}, "porter": {"staff"}}, "staff")
		r := sitInHouse(t, house{scene: "You sit in the Taproom.", at: map[string]string{"bart": "taproom", "porter": "taproom", "cook": "kitchen"}}, &groups)
		r.hear("Bart, good evening!")
		r.hear("Hanna, what is cooking?")
		synctest.Wait()
		r.close()
		known := map[string]bool{}
		for _, l := range r.journal.kept() {
			if slices.Contains(l.Present, "porter") {
				t.Errorf("a deaf NPC hears %q", l.Text)
			}
			if l.NPC == "" {
				known[l.Text] = groups.Knows(l.Present, "porter")
			}
		}
		if !known["Bart, good evening!"] || known["Hanna, what is cooking?"] || len(known) != 2 {
			t.Errorf("the porter knows of %v", known)
		}
	})
}

// sitInHouse runs a table with a barkeep, a cook and a deaf porter.
func sitInHouse(t *testing.T, h house, groups *memory.Groups) *room {
	t.Helper()
	r := &room{t: t, events: &events{}, journal: &journal{}, done: make(chan error, 1)}
	host := mcphost.New()
	agents := attendees(bart(setting{}),
		config.NPC{ID: "cook", Name: "Hanna", BudgetTier: mcp.BudgetFast},
		config.NPC{ID: "porter", Name: "Odo", BudgetTier: mcp.BudgetFast, Senses: config.Senses{Deaf: true}})
	r.Table = table.New(table.Options{
		Agents: agents, Engine: engine.NewCascaded(says("Aye."), nil), Host: host, Log: r.journal, Context: hotctx.New(r.journal, nowhere{}),
		Sink: r.events, Session: memory.Session{ID: "s1"}, Latency: config.Default().Latency, RecentLines: 10, Places: h, Groups: groups,
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.done <- r.Run(ctx) }()
	t.Cleanup(func() { check(t, host.Close()) })
	return r
}
