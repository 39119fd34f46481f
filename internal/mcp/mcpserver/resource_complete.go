package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MaxCompletions is the maximum number of values in a completion, as the protocol defines it.
const MaxCompletions = 100

// maxPrefix bounds the prefix to complete, in bytes.
const maxPrefix = 256

// named is a choice that is found by its id or by its names.
type named struct {
	id    string
	names []string
}

// Complete returns the values for a template's argument that begin with prefix and that v may see, sorted, at
// most MaxCompletions, and whether there are more. An id also matches by the beginning of any word in a name
// of its document. For a template that v may not use, the error is [ErrUnknownResource].
func (l *Library) Complete(ctx context.Context, v LibraryView, templateURI, argument, prefix string) ([]string, bool, error) {
	t, ok := templateOf(templateURI)
	if !ok || !l.isOpen(v, t.shelf) {
		return nil, false, fmt.Errorf("%w template %q", ErrUnknownResource, untrusted.Clean(templateURI, 100))
	}
	if argument != "id" || len(prefix) > maxPrefix {
		return nil, false, nil
	}
	all, err := l.choices(ctx, v, t.shelf, prefix)
	if err != nil {
		return nil, false, fmt.Errorf("completing %s: %w", t.raw, err)
	}
	var ids []string
	prefix = fold(prefix)
	for _, c := range all {
		if begins(c.id, prefix) || slices.ContainsFunc(c.names, func(s string) bool { return begins(s, prefix) }) {
			ids = append(ids, c.id)
		}
	}
	if t.shelf != sessionsShelf { // sessions stay ordered, newest first
		slices.Sort(ids)
	}
	ids, more := cut(ids, MaxCompletions)
	return ids, more, nil
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// begins reports whether s, or a word in it after a space or hyphen, begins with the lower-case prefix.
func begins(s, prefix string) bool {
	s = strings.ToLower(s)
	for {
		if strings.HasPrefix(s, prefix) {
			return true
		}
		i := strings.IndexAny(s, " -")
		if i < 0 {
			return false
		}
		s = s[i+1:]
	}
}

// choices returns the choices on a shelf. prefix narrows a shelf that is too large to list.
func (l *Library) choices(ctx context.Context, v LibraryView, shelfName, prefix string) ([]named, error) {
	var out []named
	switch shelfName {
	case npcsShelf:
		cast, err := l.visibleNPCs(ctx, v)
		if err != nil {
			return nil, err
		}
		for _, n := range cast {
			out = append(out, named{n.ID, append([]string{n.Name}, n.Aliases...)})
		}
	case entitiesShelf:
		return l.entityChoices(ctx, v, prefix)
	case sessionsShelf:
		sessions, err := l.src.Log.Sessions(ctx, 0)
		if err != nil {
			return nil, err
		}
		for _, s := range sessions {
			out = append(out, named{id: s.ID})
		}
	case rulesShelf:
		all, err := l.src.Rules.Rules(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			out = append(out, named{r.ID, []string{r.Name}})
		}
	}
	return out, nil
}

// entityChoices returns the listed entities, ordered by name, and if there are more, those whose names begin
// with prefix.
func (l *Library) entityChoices(ctx context.Context, v LibraryView, prefix string) ([]named, error) {
	world, more, err := l.world(ctx, v)
	if err != nil {
		return nil, err
	}
	if more && strings.TrimSpace(prefix) != "" {
		further, err := l.src.Graph.FindEntities(ctx, memory.EntityQuery{Name: prefix, Viewer: v.Viewer, Limit: maxEntities})
		if err != nil {
			return nil, err
		}
		world = append(world, further...)
	}
	seen := make(map[string]bool, len(world))
	var out []named
	for _, e := range world {
		if !seen[e.ID] {
			seen[e.ID] = true
			out = append(out, named{e.ID, append([]string{e.Name}, e.Aliases...)})
		}
	}
	return out, nil
}
