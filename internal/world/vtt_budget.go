package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// valuesIn counts the values in a JSON text without decoding it, because each decoded value takes memory,
// however short the text is. It never counts too few.
func valuesIn(data []byte) int {
	n, quoted := 1, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' || c == '[' || c == '{':
			n++
		}
	}
	return n
}

var errManyValues = errors.New("it holds more values than any document does")

// decodeJSON decodes a text with at most most values.
func decodeJSON(data []byte, into any, most int) error {
	if n := valuesIn(data); n > most {
		return fmt.Errorf("%w: %d, of which %d are read; export less of the world at a time", errManyValues, n, most)
	}
	return json.Unmarshal(data, into)
}

// rawList is a list of undecoded entries. They share one copy of the text, and the list has no spare
// capacity, because there may be very many.
type rawList []json.RawMessage

// maxEntries bounds a list.
const maxEntries = 500_000

// UnmarshalJSON implements [json.Unmarshaler]. The text must be valid JSON.
func (l *rawList) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if string(data) == "null" {
		return nil
	}
	if data[0] != '[' {
		return &json.UnmarshalTypeError{Value: kindOf(data), Type: reflect.TypeFor[rawList]()}
	}
	n := 0
	eachEntry(data, func([]byte) bool { n++; return n <= maxEntries })
	if n > maxEntries {
		return fmt.Errorf("%w: a list has more than %d entries; export less of the world at a time", errManyValues, maxEntries)
	}
	all := make(rawList, 0, n)
	eachEntry(bytes.Clone(data), func(entry []byte) bool { all = append(all, entry); return true })
	*l = all
	return nil
}

// tally is the length of a list.
type tally int

// UnmarshalJSON implements [json.Unmarshaler].
func (t *tally) UnmarshalJSON(data []byte) error {
	if data = bytes.TrimSpace(data); data[0] != '[' {
		return nil
	}
	*t = 0
	eachEntry(data, func([]byte) bool { *t++; return true })
	return nil
}

// present records that a key exists, whatever its value.
type present bool

// UnmarshalJSON implements [json.Unmarshaler].
func (p *present) UnmarshalJSON([]byte) error { *p = true; return nil }

// eachEntry calls f for each entry of a valid JSON list until it returns false.
func eachEntry(data []byte, f func(entry []byte) bool) {
	depth, quoted, start := 0, false, 1
	give := func(end int) bool {
		entry := bytes.TrimSpace(data[start:end])
		start = end + 1
		return len(entry) == 0 || f(entry)
	}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				give(i)
				return
			}
		case c == ',' && depth == 1:
			if !give(i) {
				return
			}
		}
	}
}

// keysIn counts the entries of the outermost object or list.
func keysIn(data []byte) (n int) {
	if data = bytes.TrimSpace(data); len(data) > 0 {
		eachEntry(data, func([]byte) bool { n++; return true })
	}
	return n
}

// kindOf returns package json's name for a value's kind.
func kindOf(data []byte) string {
	switch data[0] {
	case '{':
		return "object"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	}
	return "number"
}
