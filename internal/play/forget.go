package play

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// ForgetUser takes everything a user said out of a game: at the table that is running, nil if
// none is, in memory and in the audit log. What others said of the user loses the names under
// which the user spoke, and those given. It goes on where something fails, so that as little
// as can be is left, and returns how many lines that were.
func ForgetUser(ctx context.Context, g *Game, running *table.Table, ref string, progress func(memory.Forgetting), names ...string) (p memory.Person, lines int, err error) {
	known, err := g.Store.NamesOf(ctx, ref)
	errs := []error{err}
	p = personOf(g, ref, append(known, names...))
	if running != nil {
		if err := running.Forget(ctx, ref); !errors.Is(err, table.ErrClosed) { // then all it heard is in the log
			errs = append(errs, err)
		}
	}
	g.Registry.Governance.Policy.Withdraw(ref)
	lines, err = g.ForgetPerson(ctx, p, progress)
	_, unsaid := g.Registry.Governance.Audit.Forget(ctx, ref, p.Names...)
	return p, lines, errors.Join(append(errs, err, unsaid)...)
}

// personOf is a user with the names that are taken out of what others said. Those of NPCs
// stay.
func personOf(g *Game, ref string, names []string) memory.Person {
	p := memory.Person{User: ref}
	for _, npc := range g.Cast() {
		p.Keep = append(append(p.Keep, npc.Name), npc.Aliases...)
	}
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !words.Match(name, p.Keep...) && !slices.Contains(p.Names, name) {
			p.Names = append(p.Names, name)
		}
	}
	if spoken := g.Config.Language; len(spoken) > 0 && strings.HasPrefix(spoken[0], "de") {
		p.Instead = "jemand"
	}
	return p
}
