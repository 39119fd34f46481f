package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

var errTooLarge = fmt.Errorf("it is larger than %d KiB", MaxResult>>10)

// asText returns the text that stands for a value in a template: nothing for nil, strings unchanged, and JSON
// for everything else.
func asText(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	case int:
		return strconv.Itoa(x), nil
	}
	b, err := encodeValue(v)
	return string(b), err
}

// encodeValue encodes v as JSON of at most MaxResult bytes.
func encodeValue(v any) ([]byte, error) {
	left := MaxResult
	if !chargeSize(v, &left) {
		return nil, errTooLarge
	}
	b, err := marshal(v)
	if err == nil && len(b) > MaxResult {
		return nil, errTooLarge
	}
	return b, err
}

// marshal is like json.Marshal, but does not escape HTML characters.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		var odd *json.UnsupportedValueError
		if errors.As(err, &odd) {
			return nil, fmt.Errorf("JSON knows no number %s", odd.Str)
		}
		return nil, fmt.Errorf("encoding as JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// chargeSize subtracts the size of v from left and reports whether there was enough.
func chargeSize(v any, left *int) bool {
	*left--
	switch x := v.(type) {
	case string:
		*left -= len(x)
	case []string:
		for _, s := range x {
			if *left -= len(s) + 1; *left < 0 {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(x, func(item any) bool { return !chargeSize(item, left) }) && *left >= 0
	case map[string]any:
		for key, item := range x {
			if *left -= len(key); !chargeSize(item, left) {
				return false
			}
		}
	}
	return *left >= 0
}

// decodeValue decodes JSON. Whole numbers become int if they fit, all other numbers float64.
func decodeValue(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something follows the JSON value")
	}
	return numbers(v), nil
}

func numbers(v any) any {
	switch x := v.(type) {
	case json.Number:
		if i, err := x.Int64(); err == nil && int64(int(i)) == i {
			return int(i)
		}
		f, err := x.Float64()
		if err != nil {
			return x.String() // out of range: keep the digits rather than return a different number
		}
		return f
	case []any:
		for i := range x {
			x[i] = numbers(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = numbers(x[k])
		}
	}
	return v
}
