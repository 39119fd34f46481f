package mcpserver

import (
	"bytes"
	"fmt"
)

// Bounds of one message beside its length. What decodes a message takes many times
// its bytes for what is in it, so that bytes alone bound little.
const (
	// MaxDepth is how deep objects and lists may be nested.
	MaxDepth = 128
	// MaxValues is how many keys of objects and entries of lists there may be in all.
	MaxValues = 20_000
	// MaxString is the longest text, in bytes as it is encoded.
	MaxString = 2 << 20
)

// ShapeError says which bound of its shape a message breaks. It wraps [ErrTooLarge].
type ShapeError struct{ says string }

func (e *ShapeError) Error() string { return "the request " + e.says }

// Unwrap returns [ErrTooLarge].
func (e *ShapeError) Unwrap() error { return ErrTooLarge }

// Shape counts what a message of JSON holds, while it is read. The zero value has
// read nothing. It does not say whether the message is JSON: of what is none it
// counts what looks like it, and whoever decodes it says so.
type Shape struct {
	depth, values   int
	text            int // bytes of the text that is being read
	inText, escaped bool
	broken          error
}

// Write reads the next piece of a message. It returns a [*ShapeError] as soon as a
// bound is broken, and ever after.
func (s *Shape) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && s.broken == nil {
		if s.inText {
			p = s.skipText(p)
			continue
		}
		s.count(p[0])
		p = p[1:]
	}
	return n - len(p), s.broken
}

// count takes one byte outside of texts.
func (s *Shape) count(c byte) {
	switch c {
	case '"':
		s.inText, s.text = true, 0
	case '{', '[':
		if s.depth++; s.depth > MaxDepth {
			s.broken = &ShapeError{fmt.Sprintf("is nested more than %d levels deep", MaxDepth)}
		}
		s.countValue() // the first one within; the others follow a comma
	case '}', ']':
		s.depth--
	case ',':
		s.countValue()
	}
}

func (s *Shape) countValue() {
	if s.values++; s.values > MaxValues {
		s.broken = &ShapeError{fmt.Sprintf("has more than %d keys and entries", MaxValues)}
	}
}

// skipText takes what p has of the text that has begun, and returns what follows.
func (s *Shape) skipText(p []byte) []byte {
	for len(p) > 0 {
		if s.escaped { // what a backslash escapes
			s.escaped, s.text, p = false, s.text+1, p[1:]
			continue
		}
		end := bytes.IndexByte(p, '"')
		if end < 0 {
			end = len(p)
		}
		if slash := bytes.IndexByte(p[:end], '\\'); slash >= 0 {
			s.text, s.escaped, p = s.text+slash+1, true, p[slash+1:]
			continue
		}
		if s.text += end; s.text > MaxString {
			s.broken = &ShapeError{fmt.Sprintf("has a text of more than %d bytes", MaxString)}
			return p
		}
		if p = p[end:]; len(p) > 0 {
			s.inText = false
			return p[1:]
		}
	}
	return p
}
