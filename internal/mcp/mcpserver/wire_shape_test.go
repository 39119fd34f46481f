package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestShapeBounds shows each bound kept to the last, and broken by one more.
func TestShapeBounds(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	entries := func(n int) string { return "[0" + strings.Repeat(",0", n-1) + "]" }
	keys := func(n int) string { return `{"a":1` + strings.Repeat(`,"a":1`, n-1) + "}" }
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	escaped := func(n int) string { return `"` + strings.Repeat(`\"`, n/2) + `"` }
	for name, c := range map[string]struct {
		of   func(int) string
		most int
		says string
	}{
		"depth":         {nested, MaxDepth, "128 levels"},
		"entries":       {entries, MaxValues, "20000 keys"},
		"keys":          {keys, MaxValues, "20000 keys"},
		"text":          {text, MaxString, "2097152 bytes"},
		"text, escaped": {escaped, MaxString, "2097152 bytes"},
	} {
		if _, err := new(Shape).Write([]byte(c.of(c.most))); err != nil {
			t.Errorf("%s: %d are refused: %v", name, c.most, err)
		}
		_, err := new(Shape).Write([]byte(c.of(c.most + 2)))
		var broken *ShapeError
		if !errors.As(err, &broken) || !errors.Is(err, ErrTooLarge) || !strings.Contains(broken.Error(), c.says) {
			t.Errorf("%s: two more end in %v, want an error that says %q", name, err, c.says)
		}
	}
}

// TestShapeStaysBroken shows that nothing mends what was broken.
func TestShapeStaysBroken(t *testing.T) {
	var s Shape
	_, first := s.Write([]byte(strings.Repeat("[", MaxDepth+1)))
	n, again := s.Write([]byte(strings.Repeat("]", MaxDepth+1)))
	if first == nil || !errors.Is(again, first) || n != 0 {
		t.Errorf("after %v it takes %d bytes and says %v", first, n, again)
	}
}

// FuzzShape holds the count to what a decoder finds, wherever the message is cut in
// pieces.
func FuzzShape(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,2,{"b":"\"\\"}],"c":null}`, `[[],[[]]]`, `"x\\"`, `{"a":"{[,","b":"]"}`, ``, `}{`, `"`, "\x00\""} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var whole, pieces Shape
		_, err := whole.Write(data)
		cut = min(max(cut, 0), len(data))
		_, _ = pieces.Write(data[:cut])
		_, again := pieces.Write(data[cut:])
		if whole.values != pieces.values || whole.depth != pieces.depth || (err == nil) != (again == nil) {
			t.Fatalf("whole %+v, in pieces %+v", whole, pieces)
		}
		if json.Valid(data) && err == nil {
			if want := countValues(data); whole.values != want || whole.depth != 0 || whole.inText {
				t.Fatalf("%q: %+v, want %d values", data, whole, want)
			}
		}
	})
}

// countValues counts as [Shape] does what is in valid JSON: an empty object or list
// counts as if it held one.
func countValues(data []byte) int {
	type level struct {
		object bool
		tokens int
	}
	var open []level
	n := 0
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		switch token {
		case json.Delim('}'), json.Delim(']'):
			l := open[len(open)-1]
			if open = open[:len(open)-1]; l.object {
				l.tokens /= 2
			}
			n += max(1, l.tokens)
			continue
		}
		if len(open) > 0 {
			open[len(open)-1].tokens++
		}
		if token == json.Delim('{') || token == json.Delim('[') {
			open = append(open, level{object: token == json.Delim('{')})
		}
	}
}
