package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxID is the integer from which on a peer that uses floating-point numbers can no longer distinguish
// neighbours.
const maxID = 1 << 53

// envelope is a message whose members are still encoded; absent members are nil.
type envelope struct {
	version, id, method, params, result, err []byte
}

// flaw describes what is wrong with a message.
type flaw struct {
	code int64
	why  string
	id   json.RawMessage // nil if it could not be read
	mute bool            // do not answer, because the answer could be taken for a message
	// large says that the message exceeds a bound on length or shape.
	large bool
	// reply is sent to the peer instead, if not nil.
	reply *jsonrpc.Error
}

// reason returns the reason for refusing a message with this flaw.
func (f *flaw) reason() Reason {
	switch {
	case f.code == codeOverloaded:
		return OverCapacity
	case f.large:
		return TooLarge
	}
	return Malformed
}

// insteadOf returns a flaw of the same message that reports err to the peer.
func (f *flaw) insteadOf(err error) *flaw {
	told, _ := errors.AsType[*jsonrpc.Error](err)
	return &flaw{code: codeOverloaded, why: err.Error(), id: f.id, reply: told}
}

// ParseRequest returns the request or notification in data. Its parts alias data. It returns false for
// anything else.
func ParseRequest(data []byte) (*jsonrpc.Request, bool) {
	msg, bad := parseMessage(data)
	req, ok := msg.(*jsonrpc.Request)
	return req, ok && bad == nil
}

// parseMessage returns the message in data, a *jsonrpc.Request or *jsonrpc.Response whose parts alias data,
// or its flaw.
func parseMessage(data []byte) (jsonrpc.Message, *flaw) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, &flaw{code: codeParse, why: "not JSON"}
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	switch data[0] {
	case '{':
	case '[':
		return nil, &flaw{code: codeInvalid, why: "batches are not supported; send one message at a time"}
	default:
		return nil, &flaw{code: codeInvalid, why: "not an object"}
	}
	var e envelope
	e.readEnvelope(data)
	if e.method == nil && (e.result != nil || e.err != nil) {
		return e.response()
	}
	return e.request()
}

// readEnvelope sets e from the members of the JSON object in data.
func (e *envelope) readEnvelope(data []byte) {
	eachMember(data, func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
			e.version = value
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.err = value
		}
	})
}

// current reports whether the message declares JSON-RPC 2.0.
func (e *envelope) current() bool {
	return len(e.version) > 0 && e.version[0] == '"' && unquote(e.version) == "2.0"
}

// request returns the request or notification in e.
func (e *envelope) request() (jsonrpc.Message, *flaw) {
	id, ok := readID(e.id)
	bad := func(why string) (jsonrpc.Message, *flaw) {
		f := &flaw{code: codeInvalid, why: why}
		if isScalarID(e.id) {
			f.id = e.id
		}
		return nil, f
	}
	switch {
	case !e.current():
		return bad(`"jsonrpc" is not "2.0"`)
	case e.method == nil:
		return bad(`"method" is missing`)
	case e.method[0] != '"':
		return bad(`"method" is not a string`)
	case e.id != nil && !ok:
		return bad(`"id" is neither a string nor an integer that can be told from its neighbours`)
	case e.result != nil || e.err != nil:
		return bad("a request has neither a result nor an error")
	}
	req := &jsonrpc.Request{ID: id, Method: unquote(e.method)}
	switch {
	case e.params == nil || string(e.params) == "null":
	case e.params[0] == '{' || e.params[0] == '[':
		req.Params = e.params
	default:
		return bad(`"params" is neither an object nor an array`)
	}
	return req, nil
}

// response returns the response in e. A malformed response is not answered, so that two peers cannot exchange
// errors about each other's errors for ever.
func (e *envelope) response() (jsonrpc.Message, *flaw) {
	bad := &flaw{code: codeInvalid, why: "not a response", mute: true}
	id, ok := readID(e.id)
	if !e.current() || !ok && string(e.id) != "null" {
		return nil, bad
	}
	if e.err == nil {
		return &jsonrpc.Response{ID: id, Result: e.result}, nil
	}
	var werr jsonrpc.Error
	if e.result != nil && string(e.result) != "null" || e.err[0] != '{' || json.Unmarshal(e.err, &werr) != nil {
		return nil, bad
	}
	return &jsonrpc.Response{ID: id, Error: &werr}, nil
}

// isScalarID reports whether raw can be sent back as an id.
func isScalarID(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// readID returns the id that raw encodes. It returns false unless raw is a string, or an integer that a
// peer's floating-point numbers represent exactly.
func readID(raw []byte) (jsonrpc.ID, bool) {
	if !isScalarID(raw) {
		return jsonrpc.ID{}, false
	}
	if raw[0] == '"' {
		id, err := jsonrpc.MakeID(unquote(raw))
		return id, err == nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) >= maxID {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(n)
	return id, err == nil
}

// unquote returns the string that raw, valid JSON, encodes.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// eachMember calls f for every member of data, a valid JSON object.
func eachMember(data []byte, f func(key, value []byte)) {
	i := skipSpace(data, 1)
	for data[i] == '"' {
		end := stringEnd(data, i)
		key := data[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(unquote(data[i:end]))
		}
		i = skipSpace(data, skipSpace(data, end)+1)
		end = valueEnd(data, i)
		f(key, data[i:end:end])
		if i = skipSpace(data, end); data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
}

// skipSpace returns the index after the white space at data[i].
func skipSpace(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n' {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at data[i].
func stringEnd(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd returns the index after the value that begins at data[i].
func valueEnd(data []byte, i int) int {
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
	default:
		for bytes.IndexByte([]byte(",}] \t\r\n"), data[i]) < 0 {
			i++
		}
		return i
	}
	for depth := 0; ; {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
}
