package mcpserver

//lint:file-ignore SA1019 clients of the older revisions know no other way to see what happens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Methods that only the SDK handles.
const (
	methodPing     = "ping"
	methodDiscover = "server/discover"
)

// codeNoResource is the error code for a missing resource in revisions before the newest.
const codeNoResource = -32002

// paramsOf returns what the SDK decodes the parameters of each known method into. It is nil where a schema of
// ours checks more.
var paramsOf = map[string]func() any{
	methodInitialize:    func() any { return new(sdk.InitializeParams) },
	methodPing:          func() any { return new(sdk.PingParams) },
	methodDiscover:      func() any { return new(struct{}) },
	methodSetLevel:      func() any { return new(sdk.SetLoggingLevelParams) },
	methodCallTool:      nil,
	methodListTools:     func() any { return new(sdk.ListToolsParams) },
	methodListResources: func() any { return new(sdk.ListResourcesParams) },
	methodListTemplates: func() any { return new(sdk.ListResourceTemplatesParams) },
	methodReadResource:  func() any { return new(sdk.ReadResourceParams) },
	methodSubscribe:     func() any { return new(sdk.SubscribeParams) },
	methodUnsubscribe:   func() any { return new(sdk.UnsubscribeParams) },
	methodListen:        func() any { return new(sdk.SubscriptionsListenParams) },
	methodListPrompts:   func() any { return new(sdk.ListPromptsParams) },
	methodGetPrompt:     func() any { return new(sdk.GetPromptParams) },
	methodComplete:      func() any { return new(sdk.CompleteParams) },
}

// revisionOf returns the revision in a request's _meta, or "" if there is none.
func revisionOf(params json.RawMessage) string {
	var p struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // other code reports errors in it
	return p.Meta.Version
}

// judgeRequest checks a request that the SDK would refuse without an explanation or with an internal one, and
// returns the error or nil. opened says that the session was initialised.
func (s *Server) judgeRequest(req *jsonrpc.Request, opened bool) *jsonrpc.Error {
	if !req.IsCall() {
		return nil
	}
	params, known := paramsOf[req.Method]
	switch req.Method {
	case MethodSubscribe, MethodPoll, MethodDeclare:
		known = s.sync.world != nil
	}
	switch {
	case !known:
		return unknownMethod(req.Method)
	case req.Method == methodInitialize || req.Method == methodPing || req.Method == methodDiscover:
	case !opened && revisionOf(req.Params) < newestProtocol:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(
			"%s came before initialize; call initialize first, or name revision %s in the _meta of every request", req.Method, newestProtocol)}
	}
	return judgeParams(req, params)
}

// unknownMethod is the answer to an unknown method.
func unknownMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q", untrusted.Line(method, 200))}
}

// judgeParams returns an error if a request's parameters have wrong types.
func judgeParams(req *jsonrpc.Request, into func() any) *jsonrpc.Error {
	var says string
	switch {
	case len(req.Params) == 0:
		return nil // some methods need none
	case req.Method == methodCallTool:
		says = misfitCall(req.Params)
	case into != nil:
		says = misfitParams(req.Params, into())
	}
	if says == "" {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: says}
}

// misfitCall says which parameter of tools/call has the wrong type. It does not decode the arguments; that
// happens after the permission check.
func misfitCall(params json.RawMessage) string {
	var p struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(params, &p) != nil {
		return "the params must be an object"
	}
	switch {
	case len(p.Name) > 0 && p.Name[0] != '"':
		return "`name` must be a string"
	case len(p.Arguments) > 0 && p.Arguments[0] != '{' && string(p.Arguments) != "null":
		return "`arguments` must be an object"
	}
	return ""
}

// misfitParams says which parameter does not fit the SDK's type.
func misfitParams(params json.RawMessage, into any) string {
	err := json.Unmarshal(params, into)
	if err == nil {
		return ""
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return mcphost.WrongType(wrong.Field, wrong.Type)
	}
	return "the params are not what the method takes"
}

// checkedConn is a connection whose requests are checked before the SDK sees them. Requests that are refused
// before the point where requests are charged are charged here.
type checkedConn struct {
	*Conn
	server *Server
	peer   *peer
	opened bool // owned by the reader
	// begin is called for each request that belongs to a session or opens one.
	begin func()

	mu       sync.Mutex               // guards underWay
	underWay map[jsonrpc.ID]*passedOn // requests that the SDK must answer; the connection bounds them
}

// passedOn is a request that the SDK must answer.
type passedOn struct {
	method  string
	reached atomic.Bool
}

// Connect implements [sdk.Transport].
func (c *checkedConn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// Read returns the next message for the SDK.
func (c *checkedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Conn.Read(ctx)
		req, ok := msg.(*jsonrpc.Request)
		if err != nil || !ok {
			return msg, err
		}
		wrong := c.server.judgeRequest(req, c.opened)
		if wrong == nil {
			c.opened = c.opened || req.Method == methodInitialize
			if req.IsCall() && req.Method != methodPing && req.Method != methodDiscover {
				c.begin()
			}
			c.passOn(req)
			return msg, nil
		}
		if limited := c.server.chargeRefused(c.peer.attend(ctx), req.Method); limited != nil {
			wrong = limited
		}
		if err := c.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: wrong}); err != nil {
			return nil, fmt.Errorf("refusing a request: %w", err)
		}
	}
}

// passOn attaches the peer to a request for the SDK and starts to track it.
func (c *checkedConn) passOn(req *jsonrpc.Request) {
	passed := &passedOn{method: req.Method}
	req.Extra = &sdk.RequestExtra{TokenInfo: c.peer.tokenInfo(&passed.reached)}
	if !req.IsCall() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay == nil {
		c.underWay = map[jsonrpc.ID]*passedOn{}
	}
	c.underWay[req.ID] = passed
}

// Write writes a message. If the SDK has refused a request itself, Write charges it first.
func (c *checkedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		passed := c.underWay[resp.ID]
		delete(c.underWay, resp.ID)
		c.mu.Unlock()
		if passed != nil && resp.Error != nil && !passed.reached.Load() {
			if limited := c.server.chargeRefused(c.peer.attend(ctx), passed.method); limited != nil {
				msg = &jsonrpc.Response{ID: resp.ID, Error: limited}
			}
		}
	}
	return c.Conn.Write(ctx, msg)
}

// judged answers HTTP requests that judgeRequest finds wrong and those whose header names a different
// revision; next serves the others. Requests that are refused before the point where requests are charged are
// charged here.
func (s *Server) judged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, ok := r.Body.(*readBody)
		if !ok || body.err != nil || r.Method != http.MethodPost {
			s.serveCharged(rw, r, nil, next)
			return
		}
		req, ok := ParseRequest(body.whole)
		if !ok {
			s.serveCharged(rw, r, nil, next)
			return
		}
		header := r.Header.Get(protocolHeader)
		wrong := otherRevision(req, header)
		if wrong == nil {
			wrong = s.judgeRequest(req, header >= newestProtocol || r.Header.Get(sessionHeader) != "")
		}
		limited := (*jsonrpc.Error)(nil)
		if wrong != nil || refusesDiscovery(req, header) {
			limited = s.chargeRefused(r.Context(), req.Method)
		}
		switch {
		case limited != nil:
			writeError(rw, req.ID, limited, http.StatusOK)
			return
		case wrong == nil:
			s.serveCharged(rw, r, req, next)
			return
		}
		writeError(rw, req.ID, wrong, statusOfMisfit(wrong, header))
	})
}

// otherRevision returns an error if a request belongs to the newest revision and its header does not say so.
func otherRevision(req *jsonrpc.Request, header string) *jsonrpc.Error {
	if !req.IsCall() || req.Method == methodDiscover || header >= newestProtocol {
		return nil
	}
	revision := revisionOf(req.Params)
	if revision < newestProtocol {
		return nil
	}
	says := fmt.Sprintf("the request's _meta names revision %s, its header %s names %s; send the same in both",
		untrusted.Line(revision, 20), protocolHeader, untrusted.Line(header, 20))
	if header == "" {
		says = fmt.Sprintf("the request's _meta names revision %s; send the header %s with it", untrusted.Line(revision, 20), protocolHeader)
	}
	return &jsonrpc.Error{Code: sdk.CodeHeaderMismatch, Message: says}
}

// statusOfMisfit returns the HTTP status for an error. Clients of older revisions read the error of a request
// only if the status is 200.
func statusOfMisfit(wrong *jsonrpc.Error, header string) int {
	switch {
	case wrong.Code == jsonrpc.CodeMethodNotFound && header >= newestProtocol:
		return http.StatusNotFound
	case wrong.Code == jsonrpc.CodeMethodNotFound, wrong.Code == jsonrpc.CodeInvalidParams && header < newestProtocol:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

func writeError(rw http.ResponseWriter, id jsonrpc.ID, wrong *jsonrpc.Error, status int) {
	raw, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: wrong})
	if err != nil {
		http.Error(rw, wrong.Message, status)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_, _ = rw.Write(raw) // an error means that the client has gone
}

// ofItsRevision wraps all methods. It translates error codes to the revision of the request, and refuses
// requests that the SDK accepts wrongly or refuses with an unclear message.
func (s *Server) ofItsRevision(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if wrong := misused(method, req); wrong != nil {
			p, err := peerOf(req)
			if err != nil {
				return nil, err
			}
			markReached(req)
			if limited := s.chargeRefused(p.attend(ctx), method); limited != nil {
				return nil, limited
			}
			return nil, wrong
		}
		res, err := next(ctx, method, req)
		if wrong, ok := errors.AsType[*jsonrpc.Error](err); ok && isNoResource(wrong) && !isNewest(req) {
			older := *wrong
			older.Code = codeNoResource
			return res, &older
		}
		return res, err
	}
}

// misused returns an error for a request that the SDK accepts wrongly or refuses with an unclear message.
func misused(method string, req sdk.Request) error {
	if session, ok := req.GetSession().(*sdk.ServerSession); ok && method == methodInitialize && session.InitializeParams() != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session is initialised already"}
	}
	if params, ok := req.GetParams().(*sdk.SetLoggingLevelParams); ok && params != nil {
		return checkLevel(params.Level)
	}
	return nil
}

// isNoResource reports whether an error means that a resource was not found.
func isNoResource(wrong *jsonrpc.Error) bool {
	var missing *jsonrpc.Error
	return errors.As(sdk.ResourceNotFoundError(""), &missing) && wrong.Code == missing.Code && wrong.Message == missing.Message
}

// isNewest reports whether a request belongs to the newest revision.
func isNewest(req sdk.Request) bool {
	params := req.GetParams()
	if params == nil {
		return false
	}
	revision, _ := params.GetMeta()[sdk.MetaKeyProtocolVersion].(string)
	return revision >= newestProtocol
}
