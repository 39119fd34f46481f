package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// hidden is who is being forgotten right now, mostly nobody. What is read while that
// goes on looks as it will afterwards, but for answers that repeat what was said.
type hidden []hiddenPerson

type hiddenPerson struct {
	forgetting
	*memory.Renamer
}

// hidden returns who is being forgotten.
func (c *conn) hidden(ctx context.Context) (hidden, error) {
	all, err := c.forgettings(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	h := make(hidden, len(all))
	for i, f := range all {
		h[i] = hiddenPerson{f, memory.NewRenamer(f.Names, f.Keep, f.Instead)}
	}
	return h, nil
}

// line reports whether a line is hidden, and else takes names out of it.
func (h hidden) line(l *memory.Line) bool {
	for _, p := range h {
		if l.User == p.User && l.ID <= p.line {
			return true
		}
		l.Text, _ = p.Rename(l.Text)
	}
	return false
}

// fact reports whether a fact is hidden, and else takes names out of it.
func (h hidden) fact(f *memory.Fact) bool {
	for _, p := range h {
		if strings.HasPrefix(f.Source, "session:") && f.ID <= p.fact &&
			slices.ContainsFunc(p.Names, func(name string) bool { return strings.HasPrefix(f.Text, name+": ") }) {
			return true
		}
		f.Text, _ = p.Rename(f.Text)
	}
	return false
}

// hideLines leaves out of lines what is being forgotten.
func hideLines[T any](ctx context.Context, c *conn, all []T, line func(*T) *memory.Line) ([]T, error) {
	h, err := c.hidden(ctx)
	if err != nil || len(h) == 0 {
		return all, err
	}
	out := all[:0]
	for _, l := range all {
		if !h.line(line(&l)) {
			out = append(out, l)
		}
	}
	return out, nil
}

func sameLine(l *memory.Line) *memory.Line  { return l }
func lineOf(h *memory.LineHit) *memory.Line { return &h.Line }

// hideFacts leaves out of facts what is being forgotten.
func hideFacts(ctx context.Context, c *conn, all []memory.FactHit) ([]memory.FactHit, error) {
	h, err := c.hidden(ctx)
	if err != nil || len(h) == 0 {
		return all, err
	}
	out := all[:0]
	for _, f := range all {
		if !h.fact(&f.Fact) {
			out = append(out, f)
		}
	}
	return out, nil
}
