package main

import (
	"fmt"
	"io"
	"sync"
)

// sayProgress tells a human at a terminal what takes long, unless told to be quiet. On a
// terminal on which a line can be written over there is one such line, and only until
// something else is written.
func (c *common) sayProgress(text string) {
	if c.quiet || !c.watched {
		return
	}
	c.status.show(text)
}

// clearLine goes back to the beginning of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

// status is the line that says what the program is waiting for. It is safe for concurrent
// use.
type status struct {
	terminal io.Writer
	rewrite  bool // lines can be written over; else each stays

	mu    sync.Mutex // guards the field below and the order of output
	shown bool
}

func (s *status) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.rewrite {
		fmt.Fprintln(s.terminal, "glyphoxa:", text)
		return
	}
	fmt.Fprint(s.terminal, clearLine, "glyphoxa: ", text)
	s.shown = true
}

// clear takes the line away.
func (s *status) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown {
		fmt.Fprint(s.terminal, clearLine)
		s.shown = false
	}
}

// release takes the line away and returns what w writes to, for whoever needs the terminal
// itself. Nothing may be shown afterwards.
func (s *status) release(w io.Writer) io.Writer {
	s.clear()
	if c, is := w.(clearing); is {
		return c.Writer
	}
	return w
}

// clearing writes to a Writer after the status line was taken away.
type clearing struct {
	status *status
	io.Writer
}

// Write implements io.Writer.
func (c clearing) Write(p []byte) (int, error) {
	c.status.clear()
	return c.Writer.Write(p)
}
