package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// maxCalls is how many calls of a client may run at once. Further requests are refused, and further
	// notifications are dropped.
	maxCalls = 64
	// dialectPatience bounds the wait for running calls when a session or its stream ends.
	dialectPatience = 30 * time.Second
	// writeWithin bounds the time to write one answer.
	writeWithin = 10 * time.Second
)

// cancelled is the reason why a call was cancelled.
type cancelled string

const (
	errCancelled cancelled = "the client cancelled the call"
	errEnding    cancelled = "the session ended before the call did"
)

func (c cancelled) Error() string        { return string(c) }
func (c cancelled) Is(target error) bool { return target == context.Canceled }

// Serve serves one client until its stream or ctx ends. Calls run concurrently; all other requests are
// handled in order. When the input ends, running calls finish first; when ctx ends or the client is gone,
// they are cancelled. The end of the stream is not an error.
func Serve(ctx context.Context, conn Stream, b Backend) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &server{
		conn: conn, backend: b, stop: stop,
		slots: make(chan struct{}, maxCalls), calls: map[jsonrpc.ID]context.CancelCauseFunc{},
	}
	for {
		msg, err := conn.Read(ctx)
		if err != nil {
			return s.endConnection(err)
		}
		if req, ok := msg.(*jsonrpc.Request); ok {
			s.handle(ctx, req)
		}
	}
}

// endConnection ends the session after reading failed with err. At the end of the input the stream has
// already waited for the requests, so only calls sent as notifications get time to finish. If the client is
// gone, nothing does.
func (s *server) endConnection(err error) error {
	s.mu.Lock()
	for _, cancel := range s.calls {
		cancel(errEnding)
	}
	s.mu.Unlock()
	if !errors.Is(err, io.EOF) {
		s.unbind(0)
		return fmt.Errorf("reading a message: %w", err)
	}
	if errors.Is(err, ErrGone) {
		s.unbind(0)
	}
	s.unbind(dialectPatience)
	return nil
}

// server serves one client's connection. Serve owns the fields that no mutex guards.
type server struct {
	conn    Stream
	backend Backend
	stop    context.CancelCauseFunc // ends Serve
	bound   *bound                  // nil before initialize and after shutdown
	slots   chan struct{}           // one per running call

	mu    sync.Mutex // guards calls
	calls map[jsonrpc.ID]context.CancelCauseFunc
}

// bound is a session with its running calls.
type bound struct {
	Session
	ctx    context.Context // context of its calls
	cancel context.CancelCauseFunc
	calls  sync.WaitGroup
}

// handle handles and answers a request. Calls continue to run after it returns.
func (s *server) handle(ctx context.Context, req *jsonrpc.Request) {
	var result any
	var err error
	switch req.Method {
	case "initialize":
		result, err = s.initialize(ctx, req.Params)
	case "ping":
		result = struct{}{}
	case "shutdown":
		s.unbind(dialectPatience)
		result = ok{true}
	case "tools/list", "listTools":
		result, err = s.listTools(ctx)
	case "tools/call", "callTool":
		if err = s.startCall(req); err == nil {
			return
		}
	case "state/subscribe":
		result, err = s.subscribe(ctx, req.Params)
	case "aoi/declare":
		result, err = s.declare(ctx, req.Params)
	case "$/cancelRequest", "notifications/cancelled":
		s.cancel(req.Params)
		result = ok{true}
	default:
		err = dialectUnknownMethod(req.Method)
	}
	if err != nil {
		s.sendFailure(ctx, req.ID, failed(err, metadata{Events: []string{}}))
		return
	}
	s.sendResult(ctx, req.ID, result)
}

// ok is the result of methods without any other result.
type ok struct {
	OK bool `json:"ok"`
}

// initialize binds the client to a new session, replacing the previous one.
func (s *server) initialize(ctx context.Context, params json.RawMessage) (any, error) {
	var h handshake
	if err := decodeParams(params, &h); err != nil {
		return nil, err
	}
	if !h.complete() {
		return nil, invalid("agentId, sessionId and profile must be strings")
	}
	s.unbind(dialectPatience)
	session, err := s.backend.Initialize(ctx, *h.AgentID, *h.SessionID, *h.Profile)
	if err != nil {
		return nil, err
	}
	s.bound = &bound{Session: session}
	s.bound.ctx, s.bound.cancel = context.WithCancelCause(ctx)
	return struct {
		ProtocolVersion string    `json:"protocolVersion"`
		Session         handshake `json:"session"`
	}{ProtocolVersion, h}, nil
}

// unbind closes the session, if there is one. It waits for running calls and cancels those that take longer
// than wait.
func (s *server) unbind(wait time.Duration) {
	b := s.bound
	if b == nil {
		return
	}
	s.bound = nil
	timer := time.AfterFunc(wait, func() { b.cancel(errEnding) })
	b.calls.Wait()
	timer.Stop()
	b.cancel(errEnding)
	b.Close()
}

// listTools returns the tools that the client may call.
func (s *server) listTools(ctx context.Context) (any, error) {
	if s.bound == nil {
		return nil, errNotInitialized
	}
	tools, err := s.bound.Tools(ctx)
	if err != nil {
		return nil, err
	}
	listed := make([]listedTool, len(tools))
	for i, t := range tools {
		schema, err := draft07(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("encoding the schema of %q: %w", t.Name, err)
		}
		listed[i] = listedTool{t.Name, t.Description, schema}
	}
	return struct {
		Tools []listedTool `json:"tools"`
	}{listed}, nil
}

// startCall starts the call in req, which sends its own answer.
func (s *server) startCall(req *jsonrpc.Request) error {
	b := s.bound
	if b == nil {
		return errNotInitialized
	}
	name, args, err := callParams(req.Params)
	if err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return fmt.Errorf("%w: %d calls are under way", mcp.ErrBusy, maxCalls)
	}
	ctx, cancel := context.WithCancelCause(b.ctx)
	s.track(req.ID, cancel)
	b.calls.Go(func() {
		defer func() { <-s.slots }()
		defer cancel(nil)
		resp := invoke(ctx, b, name, args)
		s.untrack(req.ID) // before the answer, because then the client may reuse the id
		if !resp.Success {
			s.sendFailure(ctx, req.ID, resp)
			return
		}
		s.sendResult(ctx, req.ID, resp)
	})
	return nil
}

// track registers a call for cancellation.
func (s *server) track(id jsonrpc.ID, cancel context.CancelCauseFunc) {
	if id.IsValid() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls[id] = cancel
	}
}

func (s *server) untrack(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
}

// cancel cancels the running call whose id is in params, if there is one.
func (s *server) cancel(params json.RawMessage) {
	var p struct {
		RequestID any `json:"requestId"`
		ID        any `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if p.RequestID == nil {
		p.RequestID = p.ID
	}
	if n, ok := p.RequestID.(float64); ok && n != math.Trunc(n) {
		return // no request has such an id
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.calls[id]; ok {
		cancel(errCancelled)
	}
}

// subscribe starts to report the state of the world.
func (s *server) subscribe(ctx context.Context, params json.RawMessage) (any, error) {
	if s.bound == nil {
		return nil, errNotInitialized
	}
	return s.bound.Subscribe(ctx, params, s.notify)
}

// declare sets the area of interest.
func (s *server) declare(ctx context.Context, params json.RawMessage) (any, error) {
	if s.bound == nil {
		return nil, errNotInitialized
	}
	return ok{true}, s.bound.DeclareArea(ctx, params)
}

// notify implements [Notify].
func (s *server) notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	return s.conn.Write(ctx, &jsonrpc.Request{Method: method, Params: raw})
}

// sendResult answers a request. Notifications get no answer.
func (s *server) sendResult(ctx context.Context, id jsonrpc.ID, result any) {
	if !id.IsValid() {
		return
	}
	raw, err := json.Marshal(result)
	if err != nil {
		s.sendFailure(ctx, id, failed(fmt.Errorf("encoding the result: %w", err), metadata{Events: []string{}}))
		return
	}
	s.write(ctx, &jsonrpc.Response{ID: id, Result: raw})
}

// sendFailure answers a request with an error. Notifications get no answer.
func (s *server) sendFailure(ctx context.Context, id jsonrpc.ID, r response) {
	if !id.IsValid() {
		return
	}
	s.write(ctx, &jsonrpc.Response{ID: id, Error: r.rpcError()})
}

// write writes an answer even after ctx has ended. If writing fails, it ends Serve.
func (s *server) write(ctx context.Context, resp *jsonrpc.Response) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeWithin)
	defer cancel()
	if err := s.conn.Write(ctx, resp); err != nil {
		s.stop(fmt.Errorf("answering: %w", err))
	}
}
