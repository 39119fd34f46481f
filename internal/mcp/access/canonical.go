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

// maxNesting bounds the nesting of JSON that is brought into canonical form.
const maxNesting = 100

// canonical returns JSON text with sorted keys and without unnecessary spaces, so that equal arguments have
// equal text. It returns text unchanged that is not valid JSON, is nested too deep, repeats a key or contains
// invalid text, because parsers differ on how to read it.
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

// value decodes one value. Objects become maps, which are encoded in the order of their keys.
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
