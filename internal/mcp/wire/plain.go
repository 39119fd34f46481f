package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Plain is a request so plain that everybody who decodes it reads the same: members of
// JSON-RPC alone, each once, an id that survives every decoder, no escapes where the
// request says what it is, and numbers that fit. Its parts alias what it was read from.
type Plain struct {
	// ID is the id as it is encoded: a whole number of at most fifteen digits or a
	// text of ASCII without escapes.
	ID []byte
	// Method is what is asked for.
	Method string
	// Params is the object of the parameters, nil if there is none.
	Params []byte
}

// maxPlainNumber is how many digits a plain number may have in a row: as many as fit
// into every decoder's.
const maxPlainNumber = 40

// maxPlainID is the longest id of a plain request, in bytes as it is encoded.
const maxPlainID = 66

// ReadPlain returns the request in data, and false if data is anything else: what is
// not plain is for others to read, and to say what is wrong with it.
func ReadPlain(data []byte) (Plain, bool) {
	if !utf8.Valid(data) || !json.Valid(data) || !hasPlainNumbers(data) {
		return Plain{}, false
	}
	data = bytes.Trim(data, " \t\r\n")
	var version, method []byte
	var p Plain
	ok := data[0] == '{' && PlainMembers(data, func(key string, value []byte) bool {
		switch key {
		case "jsonrpc":
			return setOnce(&version, value)
		case "id":
			return setOnce(&p.ID, value)
		case "method":
			return setOnce(&method, value)
		case "params":
			return value[0] == '{' && setOnce(&p.Params, value)
		}
		return false
	})
	if !ok || string(version) != `"2.0"` || !isPlainID(p.ID) {
		return Plain{}, false
	}
	p.Method, ok = PlainText(method)
	return p, ok
}

// hasPlainNumbers reports whether data, valid JSON, has no number with an exponent, or of
// more digits than fit.
func hasPlainNumbers(data []byte) bool {
	digits := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			i = stringEnd(data, i) - 1
			digits = 0
		case c >= '0' && c <= '9':
			if digits++; digits > maxPlainNumber {
				return false
			}
		case digits > 0 && (c == 'e' || c == 'E'):
			return false
		default:
			digits = 0
		}
	}
	return true
}

// setOnce sets a part of a request, and reports false if it is set already.
func setOnce(part *[]byte, value []byte) bool {
	if *part != nil {
		return false
	}
	*part = value
	return true
}

// PlainMembers calls f for every member of object, a JSON object that is part of a plain
// request, until f returns false. It reports whether f has seen and taken them all: a
// member whose name has escapes it never sees. Names may come twice.
func PlainMembers(object []byte, f func(key string, value []byte) bool) bool {
	i := skipSpace(object, 1)
	for object[i] == '"' {
		end := stringEnd(object, i)
		key := object[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			return false
		}
		i = skipSpace(object, skipSpace(object, end)+1)
		end = valueEnd(object, i)
		if !f(string(key), object[i:end:end]) {
			return false
		}
		if i = skipSpace(object, end); object[i] == ',' {
			i = skipSpace(object, i+1)
		}
	}
	return true
}

// PlainText returns the text that raw, a JSON value of a plain request, encodes, and
// false if it is none or has escapes.
func PlainText(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return "", false
	}
	return string(raw[1 : len(raw)-1]), true
}

// isPlainID reports whether raw is an id that every encoder sends back as it came.
func isPlainID(raw []byte) bool {
	switch {
	case len(raw) == 0 || len(raw) > maxPlainID:
		return false
	case raw[0] == '"':
		for _, c := range raw[1 : len(raw)-1] {
			if c < ' ' || c > '~' || c == '\\' {
				return false
			}
		}
		return true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0 && len(digits) <= 15 && string(raw) != "-0"
}
