package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// completeCall is the result of a call which says that nothing more is to come. The SDK
// lets nobody say so but by decoding it.
var completeCall = func() (r sdk.CallToolResult) {
	_ = r.UnmarshalJSON([]byte(`{"content":[],"resultType":"complete"}`)) // it is one
	return r
}()

// encodeCall is the response to a call in the newest revision: its result, or the error
// of the protocol that it ended in.
func encodeCall(id []byte, res *sdk.CallToolResult, err error, server *sdk.Implementation) []byte {
	if err != nil {
		return encodeError(id, err)
	}
	out := completeCall
	out.Meta, out.Content, out.StructuredContent, out.IsError = res.Meta, res.Content, res.StructuredContent, res.IsError
	if out.Content == nil {
		out.Content = []sdk.Content{}
	}
	if _, named := out.Meta[metaServer]; !named {
		out.Meta[metaServer] = server
	}
	raw, err := out.MarshalJSON()
	if err != nil || res.InputRequests != nil {
		return encodeError(id, errors.New("the answer cannot be encoded"))
	}
	return encodeResult(id, raw)
}

// encodeResult is the response that has raw as its result.
func encodeResult(id, raw []byte) []byte {
	b := make([]byte, 0, len(id)+len(raw)+48)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":`...)
	b = append(b, raw...)
	return append(b, '}')
}

// encodeError is the response that says what went wrong with a request.
func encodeError(id []byte, err error) []byte {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		wire = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer"}
	}
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	b.Write(id)
	b.WriteString(`,"error":`)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(wire) // a number, a text and what is JSON already
	return append(bytes.TrimRight(b.Bytes(), "\n"), '}')
}

// writeWhole writes the one response to a request of the newest revision: as an event,
// or with the status that this revision has for some errors.
func writeWhole(rw http.ResponseWriter, response []byte, err error) {
	h := rw.Header()
	h["Cache-Control"] = []string{"no-cache, no-transform"}
	h["Connection"] = []string{"keep-alive"}
	if status := statusOf(err); status != 0 {
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = []string{strconv.Itoa(len(response))}
		rw.WriteHeader(status)
		_, _ = rw.Write(response) // whoever left needs nothing
		return
	}
	const before, behind = "event: message\ndata: ", "\n\n"
	h["Content-Type"] = []string{"text/event-stream"}
	h["Content-Length"] = []string{strconv.Itoa(len(before) + len(response) + len(behind))}
	event := make([]byte, 0, len(before)+len(response)+len(behind))
	event = append(event, before...)
	event = append(event, response...)
	_, _ = rw.Write(append(event, behind...)) // whoever left needs nothing
}

// statusOf is the status that the newest revision has for an error of the protocol; 0 is
// that of an answer.
func statusOf(err error) int {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return 0
	}
	switch wire.Code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeInvalidParams, sdk.CodeUnsupportedProtocolVersion, sdk.CodeMissingRequiredClientCapabilities:
		return http.StatusBadRequest
	}
	return 0
}
