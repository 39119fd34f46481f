package app

import (
	"fmt"
	"io"
	"sync"
)

// ShowProgress shows text to a person at a terminal, unless --quiet was given. Use it for work that takes
// long. If the terminal can overwrite a line, the text disappears as soon as something else is written.
func (c *Common) ShowProgress(text string) {
	if c.Quiet || !c.watched {
		return
	}
	c.status.show(text)
}

// clearLine returns to the start of a terminal's line and erases it.
const clearLine = "\r\x1b[K"

// status is the line that says what the program is waiting for. It is safe for concurrent use.
type status struct {
	program  string
	terminal io.Writer
	rewrite  bool // lines can be overwritten; otherwise each stays

	mu    sync.Mutex // guards the field below and the order of output
	shown bool
}

func (s *status) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.rewrite {
		fmt.Fprintln(s.terminal, s.program+":", text)
		return
	}
	fmt.Fprint(s.terminal, clearLine, s.program+": ", text)
	s.shown = true
}

// clear removes the line.
func (s *status) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		fmt.Fprint(s.terminal, clearLine)
		s.shown = false
	}
}

// ReleaseOut removes the status line and returns stdout for a command that draws on the
// terminal itself. ShowProgress must not be called afterwards.
func (c *Common) ReleaseOut() io.Writer {
	c.status.clear()
	if c, is := c.Out.(clearing); is {
		return c.Writer
	}
	return c.Out
}

// clearing removes the status line before each write to a Writer.
type clearing struct {
	status *status
	io.Writer
}

// Write implements io.Writer.
func (c clearing) Write(p []byte) (int, error) {
	c.status.clear()
	return c.Writer.Write(p)
}
