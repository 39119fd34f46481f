package play

import (
	"context"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/store"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// setAside keeps in a file what memory did not take by the end of a session.
func (g *Game) setAside(lines []memory.Line) (where string, err error) {
	return store.SetAside(store.AsideDir(g.Config), lines)
}

// takeInAside brings into memory what was set aside before, and says so. What cannot be
// taken in stays where it is.
func (g *Game) takeInAside(ctx context.Context) {
	forgotten, err := store.ReadWithheld(store.WithheldFile(g.Config))
	n := 0
	if err == nil {
		n, err = store.TakeIn(ctx, store.AsideDir(g.Config), g.Store, forgotten)
	}
	if n > 0 {
		g.addNotice(fmt.Sprintf("%d lines of an earlier session, which memory did not take then, are in it now", n))
	}
	if err != nil {
		g.addNotice(problem.OneLine(err))
	}
}
