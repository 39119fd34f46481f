// Package hotctx assembles what an NPC knows right now: the scene, the last
// lines at the table, and the people, places and things just mentioned. It
// must do so within a few milliseconds, since the NPC is silent meanwhile.
//
// Imported by internal/agent and internal/table.
package hotctx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	maxEntities = 5   // described per turn
	maxFact     = 300 // characters of a description
	maxLine     = 400 // characters of a line
)

// Context is what an NPC knows right now.
type Context struct {
	Scene string
	// Lines are the table's last lines as "Name: text", oldest first, without
	// the NPC's own conversation, which is in its history.
	Lines []string
	// Entities describe who and what was mentioned, a sentence or two each.
	Entities []string
}

// Query says for whom and for what.
type Query struct {
	NPC       string // id
	Session   string
	Scene     string
	Utterance string
	// Recent is how many lines of the session are taken.
	Recent int
}

// Source reads what an NPC knows. It is safe for concurrent use.
type Source struct {
	log   memory.SessionLog
	graph memory.Graph
}

// New returns a Source over a session log and a knowledge graph.
func New(log memory.SessionLog, graph memory.Graph) *Source { return &Source{log, graph} }

// Assemble gathers the context of a turn.
func (s *Source) Assemble(ctx context.Context, q Query) (Context, error) {
	c := Context{Scene: q.Scene}
	lines, err := s.log.Recent(ctx, q.Session, q.Recent)
	if err != nil {
		return c, fmt.Errorf("reading the last lines: %w", err)
	}
	for _, l := range lines {
		if l.NPC == q.NPC || l.To == q.NPC {
			continue
		}
		c.Lines = append(c.Lines, l.Speaker+": "+clip(l.Text, maxLine))
	}
	c.Entities, err = s.mentioned(ctx, q)
	return c, err
}

// mentioned describes the entities the utterance names, as far as the NPC
// knows of them.
func (s *Source) mentioned(ctx context.Context, q Query) ([]string, error) {
	words := candidates(q.Utterance)
	if len(words) == 0 {
		return nil, nil
	}
	// One look for all words: more of them in a name make it a better match.
	hits, err := s.graph.FindEntities(ctx, memory.EntityQuery{
		Name: strings.Join(words, " "), Exact: true, Viewer: q.NPC, Limit: maxEntities + 1, // one may be itself
	})
	if err != nil {
		return nil, fmt.Errorf("looking up who and what was mentioned: %w", err)
	}
	var found []string
	for _, e := range hits {
		if e.ID != q.NPC && len(found) < maxEntities {
			found = append(found, fmt.Sprintf("%s (%s): %s", e.Name, e.Type, clip(e.Description, maxFact)))
		}
	}
	return found, nil
}

// candidates are the words of an utterance that may be names, at most sixteen:
// those written with a capital first, then other long ones.
func candidates(utterance string) []string {
	var capital, other []string
	for i, w := range strings.FieldsFunc(utterance, func(r rune) bool { return !isWord(r) }) {
		w = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s"), "'’-")
		switch {
		case len(w) < 3 || slices.Contains(capital, w) || slices.Contains(other, w):
		case w != strings.ToLower(w) && i > 0:
			capital = append(capital, w)
		case len(w) > 3:
			other = append(other, w)
		}
		if len(capital)+len(other) > 64 {
			break
		}
	}
	all := append(capital, other...)
	return all[:min(len(all), 16)]
}

func isWord(r rune) bool {
	return r == '\'' || r == '’' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80 && r != '“' && r != '”' && r != '„' && r != '–' && r != '—' && r != '…'
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
