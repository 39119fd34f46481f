package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxNesting bounds the JSON that is put in order.
const maxNesting = 100

// canonical returns JSON text with its keys in order and without needless
// spaces, so that the same arguments have the same text. What is no JSON, is
// too deep, has a key twice or no valid text (readers differ in what they make
// of it) is returned as it is.
func canonical(args string) string {
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	v, err := value(dec, 0)
	if err != nil {
		return args
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return args
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil || bytes.ContainsRune(b.Bytes(), utf8.RuneError) {
		return args
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// value reads one value; objects become maps, which are written in the order of
// their keys.
func value(dec *json.Decoder, depth int) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxNesting {
		return nil, errors.New("nested too deep")
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := value(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	case json.Delim('{'):
		return object(dec, depth)
	}
	return t, nil
}

func object(dec *json.Decoder, depth int) (any, error) {
	out := map[string]any{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("key %q twice", name)
		}
		if out[name], err = value(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return out, err
}
