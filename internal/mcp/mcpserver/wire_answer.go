package mcpserver

import (
	"encoding/json"
	"regexp"
	"time"
)

// Codes of errors that the connection itself answers.
const (
	codeParse      = -32700
	codeInvalid    = -32600
	codeOverloaded = -32002
)

// retryAfter is when a refused client should try again. Most tools have answered by then.
const retryAfter = 250 * time.Millisecond

// refusal is an error response from the connection itself.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   any             `json:"error"` // a refusalError or a *jsonrpc.Error
}

type refusalError struct {
	Code    int64         `json:"code"`
	Message string        `json:"message"`
	Data    *capacityData `json:"data,omitempty"`
}

// capacityData says when to try again, in the format of the older dialect's responses.
type capacityData struct {
	Success      bool          `json:"success"`
	Error        capacityError `json:"error"`
	RetryAfterMs int64         `json:"retryAfterMs"`
}

type capacityError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// errorResponse returns the error response for a message with this flaw.
func (f *flaw) errorResponse() []byte {
	says := refusalError{Code: f.code, Message: f.why}
	r := refusal{Version: "2.0", ID: f.id}
	if f.id == nil {
		r.ID = json.RawMessage("null")
	}
	switch f.code {
	case codeParse:
		says.Message = "parse error: " + f.why
	case codeInvalid:
		says.Message = "invalid request: " + f.why
	case codeOverloaded:
		says.Data = &capacityData{
			Error:        capacityError{Code: "capacity_exceeded", Message: f.why},
			RetryAfterMs: retryAfter.Milliseconds(),
		}
	}
	if r.Error = says; f.reply != nil {
		r.Error = f.reply
	}
	data, err := json.Marshal(r)
	if err != nil { // cannot happen, because the id was decoded from valid JSON
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return data
}

// Encoders put the id of a request before its method, or after its params at the very end. Inside a string
// the quotes would be escaped, and inside a nested object the brace would be neither the first nor the last.
var (
	idInFront   = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[^"\\]{0,64}"|-?\d{1,15})\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:`)
	callInFront = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:`)
	idAtTheEnd  = regexp.MustCompile(`,\s*"id"\s*:\s*("[^"\\]{0,64}"|-?\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// flaw returns the flaw of an oversized message, with the id of the request if its ends contain it.
func (o *oversized) flaw() *flaw {
	return &flaw{code: o.code, why: o.why, id: idAtEnds(o.head, o.tail), large: o.code != codeOverloaded}
}

// misshapen returns the error for a message, or the beginning of one, that exceeds a bound on its shape.
func misshapen(raw []byte, err error) *oversized {
	return &oversized{code: codeInvalid, why: err.Error(), head: raw[:min(len(raw), endRoom)], tail: raw[max(0, len(raw)-endRoom):]}
}

// idAtEnds returns the id of a request if the request's beginning or end contains it, else nil.
func idAtEnds(head, tail []byte) json.RawMessage {
	m := idInFront.FindSubmatch(head)
	if m == nil && callInFront.Match(head) {
		m = idAtTheEnd.FindSubmatch(tail)
	}
	if m != nil && json.Valid(m[1]) {
		return m[1]
	}
	return nil
}
