package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MaxCompletions is the most values a completion returns, as the protocol has
// it.
const MaxCompletions = 100

// maxPrefix bounds what is completed, in bytes.
const maxPrefix = 256

// named is something to be chosen by id or by name.
type named struct {
	id    string
	names []string
}

// Complete returns the values for a template's argument that begin with prefix
// and that v may see, at most MaxCompletions, ordered, and whether there are
// more. An id is found by the beginning of any word of its thing's name, too. A
// template that v may not use is [ErrUnknownResource].
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
	if t.shelf != sessionsShelf { // newest first stays
		slices.Sort(ids)
	}
	ids, more := cut(ids, MaxCompletions)
	return ids, more, nil
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// begins reports whether s, or what follows a space or hyphen in it, begins
// with the folded prefix.
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

// choices returns what there is to choose from on a shelf; prefix narrows what
// is too much to list.
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

// entityChoices returns the entities by name as far as they are listed and, if
// there are more, those whose names begin with prefix.
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
