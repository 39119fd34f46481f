package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/wire"
)

// Headers in which a request of the newest revision says what it is.
const (
	methodHeader    = "Mcp-Method"
	nameHeader      = "Mcp-Name"
	lastEventHeader = "Last-Event-Id"
)

// direct answers tools/call and tools/list over HTTP without the SDK's decoding and
// encoding, through the same rights, limits and records; docs/adr/0050 says why. It takes
// requests alone of which it is certain what the SDK would answer; the rest is the
// SDK's, errors of the protocol among them. It is safe for concurrent use.
type direct struct {
	server   *Server
	identity json.RawMessage // what it tells clients it is
	events   directEvents
	sessions sync.Map // id to *directSession

	definitions definitions
}

// newDirect returns the direct way to a server.
func newDirect(s *Server) *direct {
	d := &direct{server: s}
	d.identity, _ = json.Marshal(s.identity) // of texts
	d.events = directEvents{sdk.NewMemoryEventStore(nil), d}
	d.events.SetMaxBytes(eventBytes)
	return d
}

// directly has d answer what it can, and next the rest.
func (d *direct) directly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		p, ok := r.Context().Value(vouchKey{}).(*peer)
		if !ok {
			next.ServeHTTP(rw, r)
			return
		}
		if !d.serve(rw, r, p) {
			d.passOn(rw, r, p, next)
		}
	})
}

// serve answers r, or reports false and leaves it as it was.
func (d *direct) serve(rw http.ResponseWriter, r *http.Request, p *peer) bool {
	body, ok := r.Body.(*readBody)
	if !ok || body.err != nil || !plainHeaders(r.Header) {
		return false
	}
	q := directRequest{protocol: onlyValue(r.Header, protocolHeader)}
	switch q.protocol {
	case newestProtocol:
	case "2025-11-25", "2025-06-18":
		if q.session, q.id = d.findSession(r, p); q.session == nil || !q.session.mayTake() {
			return false
		}
	default:
		return false
	}
	if q.Plain, ok = wire.ReadPlain(body.whole); !ok || q.session == nil && onlyValue(r.Header, methodHeader) != q.Method {
		return false
	}
	answer := d.answerTo(r, &q)
	if answer == nil {
		return false
	}
	if q.session == nil {
		raw, err := answer(r.Context())
		writeWhole(rw, q.encode(raw, err), err)
		return true
	}
	d.writeEvents(rw, r, &q, answer)
	return true
}

// directRequest is a request that may be answered directly.
type directRequest struct {
	wire.Plain
	protocol string
	session  *directSession // nil in the newest revision
	id       string         // of the session
}

// answerTo returns what answers a request, with a result that is encoded or an error; nil
// if that is for the SDK.
func (d *direct) answerTo(r *http.Request, q *directRequest) func(context.Context) ([]byte, error) {
	switch q.Method {
	case methodCallTool:
		c, ok := readCall(q.Params, q.protocol)
		if !ok || q.session == nil && onlyValue(r.Header, nameHeader) != c.name {
			return nil
		}
		c.asks = c.asks || q.session != nil && q.session.asks
		if !d.server.dispatcher.knows(r.Context(), c.name) {
			return func(ctx context.Context) ([]byte, error) { return nil, d.server.refuseName(ctx, c) }
		}
		if !d.server.callsDirectly(r.Context(), c) {
			return nil
		}
		return func(ctx context.Context) ([]byte, error) {
			ctx, span := d.server.dispatcher.tracer.StartServed(ctx, nil, c.name, q.protocol, q.id)
			res, _, err := d.server.dispatcher.callTool(ctx, c.name, c.args)
			span.End(callFailure(res, err))
			if err != nil {
				return nil, err
			}
			return d.encodeCall(res, q.session == nil)
		}
	case methodListTools:
		cursor, ok := readList(q.Params, q.protocol)
		if !ok {
			return nil
		}
		return func(ctx context.Context) ([]byte, error) {
			if err := d.server.dispatcher.chargeRequest(ctx, methodListTools); err != nil {
				return nil, d.server.dispatcher.refuse(err)
			}
			return d.encodeTools(ctx, cursor, q.session == nil)
		}
	}
	return nil
}

// onlyValue returns the value of a header that is there once, else nothing.
func onlyValue(h http.Header, name string) string {
	if values := h[name]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// plainHeaders reports whether a request has what every client sends, as everybody
// reads it.
func plainHeaders(h http.Header) bool {
	switch onlyValue(h, "Content-Type") {
	case "application/json", "application/json; charset=utf-8":
	default:
		return false
	}
	asJSON, asStream := false, false
	for kind := range strings.SplitSeq(onlyValue(h, "Accept"), ",") {
		switch strings.TrimSpace(kind) {
		case "application/json":
			asJSON = true
		case "text/event-stream":
			asStream = true
		}
	}
	_, resumes := h[lastEventHeader]
	return asJSON && asStream && !resumes
}

// directCall is a call as it came.
type directCall struct {
	name string
	args []byte // an object, or nil
	asks bool   // its client can be asked something
}

// readCall reads the parameters of a plain tools/call, and reports false if they are
// anything else.
func readCall(params []byte, protocol string) (c directCall, ok bool) {
	var name, meta []byte
	ok = params != nil && wire.PlainMembers(params, func(key string, value []byte) bool {
		switch key {
		case "name":
			return once(&name, value)
		case "arguments":
			return value[0] == '{' && once(&c.args, value)
		case "_meta":
			return value[0] == '{' && once(&meta, value)
		}
		return false
	})
	if !ok {
		return c, false
	}
	if c.name, ok = wire.PlainText(name); !ok {
		return c, false
	}
	c.asks, ok = readMeta(meta, protocol)
	return c, ok
}

// readList reads the cursor of a plain tools/list, and reports false if that is anything
// else.
func readList(params []byte, protocol string) (after string, ok bool) {
	if params == nil {
		return "", protocol != newestProtocol
	}
	var cursor, meta []byte
	ok = wire.PlainMembers(params, func(key string, value []byte) bool {
		switch key {
		case "cursor":
			return once(&cursor, value)
		case "_meta":
			return value[0] == '{' && once(&meta, value)
		}
		return false
	})
	if ok && cursor != nil {
		after, ok = wire.PlainText(cursor)
	}
	if ok {
		_, ok = readMeta(meta, protocol)
	}
	return after, ok
}

// once sets a part of a request, and reports false if it was set before.
func once(part *[]byte, value []byte) bool {
	fresh := *part == nil
	*part = value
	return fresh
}

// refuseName is the answer to a call of what the subject of ctx does not know.
func (s *Server) refuseName(ctx context.Context, c directCall) error {
	if err := s.dispatcher.chargeRequest(ctx, methodCallTool); err != nil {
		return s.dispatcher.refuse(err)
	}
	s.dispatcher.recordUnseen(ctx, c.name, string(c.args))
	return unknownTool(c.name)
}

// callsDirectly reports whether the subject of ctx may call something that needs nothing
// of the SDK for it.
func (s *Server) callsDirectly(ctx context.Context, c directCall) bool {
	if !(*s.plain.Load())[c.name] {
		return false
	}
	if _, ours := s.dispatcher.findOwn(ctx, c.name); ours {
		return !c.asks || !s.o.Compact
	}
	t, ok := s.dispatcher.findDirect(ctx, c.name)
	return ok && !t.AsksClient && (!c.asks || t.Source == mcp.SourceBuiltin && !t.Composite)
}
