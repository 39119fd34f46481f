package worldtool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// maxSuggestions is the maximum number of ids suggested in reply to an unknown one.
const maxSuggestions = 5

// findEntity returns the id of the entity that a caller refers to, either by id or by a name that only one
// entity has. If there is none, the error suggests entities that the caller may see.
func (t *toolset) findEntity(ctx context.Context, what, asked string) (string, error) {
	asked = strings.TrimSpace(asked)
	if asked == "" {
		return "", invalid("%s is empty; query_entities finds ids", what)
	}
	who := viewer(ctx)
	if _, ok := t.world.Entity(asked, who); ok {
		return asked, nil
	}
	if err := t.world.Refresh(ctx); err != nil { // another process may have placed it
		return "", err
	}
	if _, ok := t.world.Entity(asked, who); ok {
		return asked, nil
	}
	all := t.world.Entities(who)
	named := slices.DeleteFunc(slices.Clone(all), func(e memory.Entity) bool { return !words.Match(asked, append([]string{e.Name}, e.Aliases...)...) })
	if len(named) == 1 {
		return named[0].ID, nil
	}
	near := named
	if len(near) == 0 {
		near = alike(asked, all)
	}
	return "", unknown(what, asked, near)
}

// alike returns the entities whose name asked may be a misspelling or a part of.
func alike(asked string, all []memory.Entity) []memory.Entity {
	key := words.Key(asked)
	var near []memory.Entity
	for _, e := range all {
		likely := userfile.Nearest(asked, []string{e.ID, e.Name}) != "" || userfile.Nearest(asked, e.Aliases) != ""
		if likely || len(key) >= 3 && strings.Contains(words.Key(e.Name), key) {
			if near = append(near, e); len(near) == maxSuggestions {
				break
			}
		}
	}
	return near
}

// unknown returns an error saying that the caller sees no entity called asked, with similar ones.
func unknown(what, asked string, near []memory.Entity) error {
	if len(near) == 0 {
		return fmt.Errorf("%w: %s: entity %q: %w; query_entities lists what is known, place_entity adds to it",
			mcp.ErrInvalidArguments, what, asked, memory.ErrNotFound)
	}
	ids := make([]string, 0, maxSuggestions)
	for _, e := range near[:min(len(near), maxSuggestions)] {
		ids = append(ids, fmt.Sprintf("%q (%s)", e.ID, e.Name))
	}
	return fmt.Errorf("%w: %s: entity %q: %w; nearest are %s",
		mcp.ErrInvalidArguments, what, asked, memory.ErrNotFound, strings.Join(ids, ", "))
}

// seen returns an entity that the caller could see before the change began.
func seen(tx *world.Tx, id, viewer string) (memory.Entity, error) {
	e, ok := tx.Entity(id, viewer)
	if !ok {
		return e, unknown("id", id, nil)
	}
	return e, nil
}

// moveInto puts an entity into a location, or nowhere if location is empty. A thing can be in only one place,
// so its previous location ends.
func moveInto(tx *world.Tx, id, location, viewer string) error {
	for _, r := range tx.Relations(id) {
		if r.From == id && r.Type == memory.LocatedIn && r.To != location {
			if err := tx.Unrelate(r); err != nil {
				return err
			}
		}
	}
	if location == "" {
		return nil
	}
	if location == id {
		return invalid("location: nothing is inside itself; name another place")
	}
	if _, err := seen(tx, location, viewer); err != nil {
		return err
	}
	if within(tx, location, id, viewer) {
		return invalid("location: %q is inside %q; move it out first", location, id)
	}
	for _, r := range tx.Relations(id) {
		if r.From == id && r.Type == memory.LocatedIn && r.To == location {
			return nil
		}
	}
	return tx.Relate(memory.Relation{From: id, Type: memory.LocatedIn, To: location})
}

// within reports whether inner lies in outer at any depth, as far as viewer can see.
func within(tx *world.Tx, inner, outer, viewer string) bool {
	passed := map[string]bool{}
	todo := []string{inner}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		if passed[id] {
			continue
		}
		passed[id] = true
		for _, r := range tx.Relations(id) {
			if r.From != id || r.Type != memory.LocatedIn || !knows(r, viewer) {
				continue
			}
			if _, ok := tx.Entity(r.To, viewer); !ok {
				continue
			}
			if r.To == outer {
				return true
			}
			todo = append(todo, r.To)
		}
	}
	return false
}

// knows reports whether viewer may know about a relation.
func knows(r memory.Relation, viewer string) bool {
	return viewer == "" || len(r.Visible) == 0 || slices.Contains(r.Visible, viewer)
}
