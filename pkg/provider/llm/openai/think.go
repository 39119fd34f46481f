package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking removes one <think> block at the start of an answer, which some local models write into their
// content. It leaves all other text unchanged.
type thinking struct {
	state  thinkState
	buffer string
}

type thinkState int

const (
	thinkUndecided thinkState = iota // so far a prefix of the opening tag
	thinkInside                      // until the closing tag
	thinkAfter                       // until the first text after the block
	thinkOver                        // terminal
)

// feed handles the next piece and returns the text that may be yielded.
func (t *thinking) feed(piece string) string {
	if t.state == thinkOver {
		return piece
	}
	t.buffer += piece
	if t.state == thinkUndecided {
		start := strings.TrimLeft(t.buffer, " \t\r\n")
		switch {
		case strings.HasPrefix(start, thinkOpen):
			t.state, t.buffer = thinkInside, start[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, start):
			return ""
		default:
			return t.release()
		}
	}
	if t.state == thinkInside {
		_, rest, closed := strings.Cut(t.buffer, thinkClose)
		if !closed {
			// Keep only what may be the start of the closing tag.
			t.buffer = t.buffer[max(0, len(t.buffer)-len(thinkClose)):]
			return ""
		}
		t.state, t.buffer = thinkAfter, rest
	}
	t.buffer = strings.TrimLeft(t.buffer, " \t\r\n")
	if t.buffer == "" {
		return ""
	}
	return t.release()
}

// end returns the text held back at the end of the answer.
func (t *thinking) end() string {
	if t.state != thinkUndecided {
		return ""
	}
	return t.release()
}

func (t *thinking) release() string {
	out := t.buffer
	t.state, t.buffer = thinkOver, ""
	return out
}
