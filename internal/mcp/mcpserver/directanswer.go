package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// completeCall is the result of a call which says that nothing more is to come. The SDK
// lets nobody say so but by decoding it.
var completeCall = func() (r sdk.CallToolResult) {
	_ = r.UnmarshalJSON([]byte(`{"content":[],"resultType":"complete"}`)) // it is one
	return r
}()

// errEncoding is the answer where there is none that could be sent.
var errEncoding = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}

// encodeCall is what a call ended in as its client reads it. In the newest revision it
// says that nothing more is to come, and from whom it is.
func (d *direct) encodeCall(res *sdk.CallToolResult, newest bool) ([]byte, error) {
	var out sdk.CallToolResult
	if newest {
		out = completeCall
	}
	out.Meta, out.Content, out.StructuredContent, out.IsError = res.Meta, res.Content, res.StructuredContent, res.IsError
	if out.Content == nil {
		out.Content = []sdk.Content{}
	}
	if newest {
		out.Meta = signed(out.Meta, d.identity)
	}
	if raw, ok := appendPlainCall(make([]byte, 0, 512), &out, newest); ok && res.InputRequests == nil {
		return raw, nil
	}
	raw, err := out.MarshalJSON()
	if err != nil || res.InputRequests != nil {
		return nil, d.failEncoding(err)
	}
	return raw, nil
}

// encodeList is a page of tools as its client reads it. In the newest revision it says
// from whom it is.
func (d *direct) encodeList(res *sdk.ListToolsResult, newest bool) ([]byte, error) {
	if newest {
		res.ResultType, res.Meta = "complete", signed(res.Meta, d.server.identity)
	}
	raw, err := encodeAsSDK(res)
	if err != nil {
		return nil, d.failEncoding(err)
	}
	return raw, nil
}

// failEncoding logs why something cannot be encoded, and hides it.
func (d *direct) failEncoding(err error) error {
	d.server.dispatcher.log.Error("an answer could not be encoded", "reason", err)
	return errEncoding
}

// signed is meta, which is the caller's own, with who answers in it.
func signed(meta sdk.Meta, by any) sdk.Meta {
	if meta == nil {
		meta = sdk.Meta{}
	}
	if _, named := meta[metaServer]; !named {
		meta[metaServer] = by
	}
	return meta
}

// encode is the response to a request: its result, or the error of the protocol that it
// ended in.
func (q *directRequest) encode(result []byte, err error) []byte {
	if err != nil {
		return encodeError(q.ID, err)
	}
	return encodeResult(q.ID, result)
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
	raw, _ := encodeAsSDK(wire) // a number, a text and what is JSON already
	b := make([]byte, 0, len(id)+len(raw)+48)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"error":`...)
	b = append(b, raw...)
	return append(b, '}')
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

// writeEvents answers a request of a session. Its events are kept for a client that loses
// the connection and comes back for them; the first tells it what to come back with.
func (d *direct) writeEvents(rw http.ResponseWriter, r *http.Request, q *directRequest, answer func(context.Context) ([]byte, error)) {
	h := rw.Header()
	h["Cache-Control"] = []string{"no-cache, no-transform"}
	h["Connection"] = []string{"keep-alive"}
	ctx, stream, end, ok := q.session.begin(r.Context(), q.ID)
	if !ok {
		h["Content-Type"] = []string{"application/json"}
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = rw.Write(encodeError(q.ID, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidRequest, Message: "duplicate in-flight request ID " + strings.Trim(string(q.ID), `"`),
		}))
		return
	}
	defer end()
	h["Content-Type"] = []string{"text/event-stream"}
	late := &lateFlush{ResponseWriter: rw}
	defer late.endResponse()
	next := 0
	if q.protocol >= "2025-11-25" {
		q.session.keep(d.events.MemoryEventStore, q.id, stream, nil)
		_, _ = late.Write(event("prime", stream, next, nil))
		_ = late.FlushError()
		next++
	}
	response := q.encode(answer(ctx))
	q.session.keep(d.events.MemoryEventStore, q.id, stream, response)
	_, _ = late.Write(event("message", stream, next, response)) // whoever left comes back for it, or needs nothing
}

// event is the nth event of a stream.
func event(name, stream string, n int, data []byte) []byte {
	b := make([]byte, 0, len(name)+len(stream)+len(data)+40)
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\nid: "...)
	b = append(b, stream...)
	b = append(b, '_')
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, "\ndata: "...)
	b = append(b, data...)
	return append(b, "\n\n"...)
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
