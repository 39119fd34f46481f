package hotctx

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	maxRecalled = 220 // characters of a line
	maxRule     = 260 // characters of a rule's summary
)

// AddFound adds search results to the context. Lines and rules are untrusted text: each is put on a single
// line and truncated.
func (c *Context) AddFound(f retrieve.Found) {
	for _, h := range f.Lines {
		line := Attribution(h.Line) + ": " + untrusted.Line(h.Text, maxRecalled)
		if h.Date.Text != "" {
			line = untrusted.Line(h.Date.Text, maxRecalled) + ", " + line
		}
		c.Recalled = append(c.Recalled, line)
	}
	for _, r := range f.Rules {
		c.Rules = append(c.Rules, fmt.Sprintf("%s (%s): %s", untrusted.Line(r.Name, maxRule), r.ID, untrusted.Line(r.Summary, maxRule)))
	}
}
