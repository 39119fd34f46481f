package mcpserver

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// Methods whose answers depend on the caller.
const (
	methodInitialize    = "initialize"
	methodCallTool      = "tools/call"
	methodListTools     = "tools/list"
	methodListResources = "resources/list"
	methodListTemplates = "resources/templates/list"
	methodReadResource  = "resources/read"
	methodSubscribe     = "resources/subscribe"
	methodUnsubscribe   = "resources/unsubscribe"
	methodListen        = "subscriptions/listen"
	methodListPrompts   = "prompts/list"
	methodGetPrompt     = "prompts/get"
	methodSetLevel      = "logging/setLevel"
	methodComplete      = "completion/complete"
)

// receive wraps the SDK's handlers. It identifies the caller and answers the methods whose answers depend on
// the caller.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		p, err := peerOf(req)
		if err != nil {
			return nil, err
		}
		ctx = p.attend(ctx)
		markReached(req)
		if err := s.checkRequest(ctx, method, req); err != nil {
			return nil, err
		}
		switch method {
		case methodInitialize:
			p.opens(req.GetSession())
			s.notifier.addSession(req.GetSession(), p.subject.Caller().Viewer())
			s.approvals.addSession(req.GetSession(), p.subject)
			s.notifier.pruneSessions(s.sdk.Sessions(), &s.approvals.subjects, &s.dispatcher.levels)
		case methodSetLevel:
			res, err := next(ctx, method, req)
			if err == nil {
				s.dispatcher.recordLevel(req)
			}
			return res, err
		case methodCallTool:
			if params, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && params != nil {
				s.makeCallable(params.Name)
			}
		case methodListTools:
			params, _ := req.GetParams().(*sdk.ListToolsParams)
			return s.catalog.listTools(ctx, params)
		case methodListResources, methodListTemplates:
			if s.resources.served() {
				return s.resources.listResources(ctx, req)
			}
		case methodReadResource:
			if params, ok := req.GetParams().(*sdk.ReadResourceParams); ok && params != nil {
				params.URI = canonicalURI(params.URI)
			}
		case methodUnsubscribe:
			if params, ok := req.GetParams().(*sdk.UnsubscribeParams); ok && params != nil {
				params.URI = canonicalURI(params.URI)
			}
		case methodSubscribe:
			if params, ok := req.GetParams().(*sdk.SubscribeParams); ok && params != nil {
				params.URI = canonicalURI(params.URI)
				if err := s.resources.checkReadable(ctx, params.URI); err != nil {
					return nil, err
				}
			}
		case methodListen:
			return s.serveListener(ctx, p, req, next)
		case methodListPrompts:
			if s.prompts.served() {
				return s.prompts.listPrompts(ctx, req)
			}
		}
		return next(ctx, method, req)
	}
}

// serveListener serves a subscription to notifications until its client leaves.
func (s *Server) serveListener(ctx context.Context, p *peer, req sdk.Request, next sdk.MethodHandler) (sdk.Result, error) {
	if params, ok := req.GetParams().(*sdk.SubscriptionsListenParams); ok {
		if err := s.resources.checkListening(ctx, params); err != nil {
			return nil, err
		}
	}
	free, err := s.dispatcher.acquireFor(ctx, s.streams, methodListen)
	if err != nil {
		return nil, s.dispatcher.refuse(err)
	}
	defer free()
	s.notifier.addSession(req.GetSession(), p.subject.Caller().Viewer())
	defer s.notifier.removeSession(req.GetSession())
	if ss, ok := req.GetSession().(*sdk.ServerSession); ok { // a client that asks for messages with this request gets them on its stream
		defer s.approvals.addListener(func(a access.Approval) { s.notifyDecider(ctx, ss, p.subject, a) })()
	}
	return next(ctx, methodListen, req)
}

// checkRequest charges a request to its client's budget, unless the gate will do so. A request with an
// unknown name never reaches the gate, so it is charged here.
func (s *Server) checkRequest(ctx context.Context, method string, req sdk.Request) error {
	var unknown func() error // nil if the name is known
	switch params := req.GetParams().(type) {
	case *sdk.CallToolParamsRaw:
		if params != nil && !s.dispatcher.knows(ctx, params.Name) {
			unknown = func() error {
				s.dispatcher.recordUnseen(ctx, params.Name, string(params.Arguments))
				return unknownTool(params.Name)
			}
		}
	case *sdk.GetPromptParams:
		if params != nil && !s.prompts.hasPrompt(ctx, params.Name) {
			unknown = func() error { return s.prompts.refusePrompt(ctx, params.Name) }
		}
	}
	if unknown == nil && passesGate(method) {
		return nil
	}
	if err := s.dispatcher.chargeRequest(ctx, method); err != nil {
		return s.dispatcher.refuse(err)
	}
	if unknown != nil {
		return unknown()
	}
	return nil
}

// passesGate reports whether a method is charged later by the gate, or must not be refused. Notifications
// must not be refused because they have no answer, and because a client that withdraws a request reduces the
// load.
func passesGate(method string) bool {
	switch method {
	case methodCallTool, methodListResources, methodReadResource, methodSubscribe, methodUnsubscribe,
		methodGetPrompt, methodComplete, MethodSubscribe, MethodPoll:
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}
