package mcpserver

import (
	"bytes"
	"fmt"
)

// Bounds on a message besides its length. Decoding takes many times the size of a message, depending on its
// structure, so its length alone bounds little.
const (
	// MaxDepth is the maximum nesting of objects and arrays.
	MaxDepth = 128
	// MaxValues is the maximum total number of object keys and array elements.
	MaxValues = 20_000
	// MaxString is the maximum length of a string, in encoded bytes.
	MaxString = 2 << 20
)

// ShapeError says which bound on its shape a message exceeds. It wraps [ErrTooLarge].
type ShapeError struct{ says string }

func (e *ShapeError) Error() string { return "the request " + e.says }

// Unwrap returns [ErrTooLarge].
func (e *ShapeError) Unwrap() error { return ErrTooLarge }

// Shape counts the values in a JSON message while it is read. The zero value is ready. It does not check
// whether the message is valid JSON, which the decoder does.
type Shape struct {
	depth, values   int
	text            int // bytes of the current string
	inText, escaped bool
	broken          error
}

// Write processes the next piece of a message. It returns a [*ShapeError] as soon as a bound is exceeded, and
// for all later calls.
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

// count processes one byte outside strings.
func (s *Shape) count(c byte) {
	switch c {
	case '"':
		s.inText, s.text = true, 0
	case '{', '[':
		if s.depth++; s.depth > MaxDepth {
			s.broken = &ShapeError{fmt.Sprintf("is nested more than %d levels deep", MaxDepth)}
		}
		s.countValue() // the first one; the others follow a comma
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

// skipText processes the current string in p and returns the rest of p.
func (s *Shape) skipText(p []byte) []byte {
	for len(p) > 0 {
		if s.escaped { // the escaped byte
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
