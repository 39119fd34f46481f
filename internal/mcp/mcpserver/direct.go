package mcpserver

import (
	"context"
	"net/http"
	"strings"

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
	server *Server
}

// directly has d answer what it can, and next the rest.
func (d *direct) directly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !d.serve(rw, r) {
			next.ServeHTTP(rw, r)
		}
	})
}

// serve answers r, or reports false and leaves it as it was.
func (d *direct) serve(rw http.ResponseWriter, r *http.Request) bool {
	body, ok := r.Body.(*readBody)
	if !ok || body.err != nil || !plainHeaders(r.Header) || onlyValue(r.Header, protocolHeader) != newestProtocol {
		return false
	}
	req, ok := wire.ReadPlain(body.whole)
	if !ok || onlyValue(r.Header, methodHeader) != req.Method {
		return false
	}
	switch req.Method {
	case methodCallTool:
		c, ok := readCall(req.Params, newestProtocol)
		if !ok || onlyValue(r.Header, nameHeader) != c.name || !d.server.callsDirectly(r.Context(), c) {
			return false
		}
		res, _, err := d.server.dispatcher.callTool(r.Context(), c.name, c.args)
		writeWhole(rw, encodeCall(req.ID, res, err, d.server.identity), err)
		return true
	}
	return false
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
	once := func(part *[]byte, value []byte) bool {
		fresh := *part == nil
		*part = value
		return fresh
	}
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
