package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods of the protocol whose answers depend on who asks.
const (
	methodInitialize    = "initialize"
	methodListTools     = "tools/list"
	methodListResources = "resources/list"
	methodListTemplates = "resources/templates/list"
	methodReadResource  = "resources/read"
	methodSubscribe     = "resources/subscribe"
	methodUnsubscribe   = "resources/unsubscribe"
	methodListen        = "subscriptions/listen"
	methodListPrompts   = "prompts/list"
	methodGetPrompt     = "prompts/get"
	methodComplete      = "completion/complete"
)

// receive stands before the SDK's own handlers: it finds out who asks, and
// answers itself what depends on that.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		p, err := peerOf(req)
		if err != nil {
			return nil, err
		}
		ctx = p.attend(ctx)
		switch method {
		case methodInitialize:
			s.notifier.addSession(req.GetSession(), p.subject.Caller().Viewer())
			s.notifier.pruneSessions(s.sdk.Sessions())
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
			if params, ok := req.GetParams().(*sdk.SubscriptionsListenParams); ok {
				if err := s.resources.checkListening(ctx, params); err != nil {
					return nil, err
				}
			}
			s.notifier.addSession(req.GetSession(), p.subject.Caller().Viewer())
			defer s.notifier.removeSession(req.GetSession())
		case methodListPrompts:
			if s.prompts.served() {
				return s.prompts.listPrompts(ctx, req)
			}
		case methodGetPrompt:
			if params, ok := req.GetParams().(*sdk.GetPromptParams); ok && params != nil && !s.prompts.hasPrompt(ctx, params.Name) {
				return nil, unknownPrompt(params.Name)
			}
		}
		return next(ctx, method, req)
	}
}
