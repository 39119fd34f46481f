package engine_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
)

// named is an engine that answers with its name.
type named string

func (n named) Answer(context.Context, engine.Request) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) { yield(engine.Sentence{Text: string(n)}, nil) }
}

// notes is a listener that records its notices.
type notes []string

func (n *notes) ListenAhead(a engine.Ahead) { *n = append(*n, "listen to "+a.NPC.Name) }
func (n *notes) Decline(npc config.NPC, _ *engine.Recording) {
	*n = append(*n, "decline "+npc.Name)
}

// TestCapsChooseTheEngine spends one unit at a time with a hard cap of 2; its tenth is at
// 2.2.
func TestCapsChooseTheEngine(t *testing.T) {
	unit := cost.Units(1)
	m := cost.NewMeter(cost.Options{
		Prices:  []cost.Price{{Provider: "p", Input: &unit, Output: &unit}},
		SoftCap: unit, HardCap: cost.Units(2), HasCheaper: true,
	})
	e := engine.NewCapped(m, named("usual"), named("cheaper"), named("lines"))
	var heard notes
	l := engine.NewCappedListener(m, &heard)
	var said []string
	for i := range 4 {
		for ev, err := range e.Answer(t.Context(), engine.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, ev.(engine.Sentence).Text)
		}
		npc := config.NPC{Name: fmt.Sprint(i)}
		l.ListenAhead(engine.Ahead{NPC: npc})
		l.Decline(npc, nil)
		m.Account("").Charge("p", cost.Usage{Input: 1})
	}
	if want := []string{"usual", "usual", "cheaper", "lines"}; !slices.Equal(said, want) {
		t.Errorf("answered by %q, want %q", said, want)
	}
	want := notes{"listen to 0", "decline 0", "listen to 1", "decline 1", "decline 2", "decline 3"}
	if !slices.Equal(heard, want) {
		t.Errorf("the listener was told to %q, want %q", heard, want)
	}
}
