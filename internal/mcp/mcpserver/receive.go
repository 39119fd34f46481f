package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
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
			s.enter(req.GetSession(), p.subject.Caller().Viewer())
			s.audience.prune(s.sdk.Sessions())
		case methodListTools:
			params, _ := req.GetParams().(*sdk.ListToolsParams)
			return s.listTools(ctx, params)
		case methodListResources, methodListTemplates:
			if s.o.Resources != nil {
				return s.resources(ctx, req)
			}
		case methodReadResource:
			if params, ok := req.GetParams().(*sdk.ReadResourceParams); ok && params != nil {
				params.URI = spelling(params.URI)
			}
		case methodUnsubscribe:
			if params, ok := req.GetParams().(*sdk.UnsubscribeParams); ok && params != nil {
				params.URI = spelling(params.URI)
			}
		case methodSubscribe:
			if params, ok := req.GetParams().(*sdk.SubscribeParams); ok && params != nil {
				params.URI = spelling(params.URI)
				if err := s.readable(ctx, params.URI); err != nil {
					return nil, err
				}
			}
		case methodListen:
			if params, ok := req.GetParams().(*sdk.SubscriptionsListenParams); ok {
				if err := s.listens(ctx, params); err != nil {
					return nil, err
				}
			}
			s.enter(req.GetSession(), p.subject.Caller().Viewer())
			defer s.audience.leave(req.GetSession())
		case methodListPrompts:
			if s.o.Prompts != nil {
				return s.listPrompts(ctx, req)
			}
		case methodGetPrompt:
			if params, ok := req.GetParams().(*sdk.GetPromptParams); ok && params != nil && !s.hasPrompt(ctx, params.Name) {
				return nil, unknownPrompt(params.Name)
			}
		}
		return next(ctx, method, req)
	}
}

// view is what the subject of ctx may see of the world.
func (s *Server) view(ctx context.Context) resource.View {
	v := resource.View{
		May: func(permission string) bool {
			t := mcp.Target{Tool: "resources", Source: sourceServer, Permission: permission, ReadOnly: true}
			return s.o.Policy.Permits(ctx, t) == nil
		},
		Tool: func(name string) bool {
			_, ok := s.look(ctx, name)
			return ok
		},
	}
	if subject := policy.SubjectFrom(ctx); subject != nil {
		v.Viewer = subject.Caller().Viewer()
	}
	return v
}

// sourceServer is the source of what the server does itself.
const sourceServer = "server"

func (s *Server) resources(ctx context.Context, req sdk.Request) (sdk.Result, error) {
	v := s.view(ctx)
	switch params := req.GetParams().(type) {
	case *sdk.ListResourcesParams:
		var all []*sdk.Resource
		err := s.govern(ctx, methodListResources, "", func(ctx context.Context) (err error) {
			all, err = s.o.Resources.List(ctx, v)
			return err
		})
		if err != nil {
			return nil, s.refusal(err)
		}
		cursor := ""
		if params != nil {
			cursor = params.Cursor
		}
		page, next, err := paginate(all, func(r *sdk.Resource) string { return r.URI }, cursor, s.o.PageSize)
		return &sdk.ListResourcesResult{Resources: page, NextCursor: next, Cacheable: private}, err
	case *sdk.ListResourceTemplatesParams:
		cursor := ""
		if params != nil {
			cursor = params.Cursor
		}
		page, next, err := paginate(s.o.Resources.Templates(v), func(t *sdk.ResourceTemplate) string { return t.URITemplate }, cursor, s.o.PageSize)
		return &sdk.ListResourceTemplatesResult{ResourceTemplates: page, NextCursor: next, Cacheable: private}, err
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request has no params"}
}

// addresses matches every address: which of them there are is decided per
// request.
const addresses = "{+uri}"

// addResources has the SDK ask us for every resource. It is never listed.
func (s *Server) addResources() {
	if s.o.Resources != nil {
		s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{Name: "any", URITemplate: addresses}, s.readResource)
	}
}

// spelling is the one way to write an address: what changes is announced by
// it, and the SDK takes no other for an address.
func spelling(uri string) string {
	if canonical, ok := resource.Canonical(uri); ok {
		return canonical
	}
	return uri
}

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	v, uri := s.view(ctx), req.Params.URI
	var res *sdk.ReadResourceResult
	err := s.govern(ctx, methodReadResource, object("uri", uri), func(ctx context.Context) (err error) {
		res, err = s.o.Resources.Read(ctx, v, uri)
		return err
	})
	if err != nil {
		return nil, s.resourceError(uri, err)
	}
	res.CacheScope = private.CacheScope
	return res, nil
}

// object is a JSON object with one text in it.
func object(key, value string) string {
	raw, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// resourceError is the answer to a URI that cannot be read. What is hidden
// does not exist.
func (s *Server) resourceError(uri string, err error) error {
	if errors.Is(err, resource.ErrUnknown) {
		return sdk.ResourceNotFoundError(untrusted.Line(uri, 500))
	}
	return s.refusal(err)
}

// refusal is an error as a JSON-RPC error: a client sees why, not what we look
// like inside.
func (s *Server) refusal(err error) error {
	f := failureOf(err)
	if f.Code == mcp.CodeInvalidInput {
		f.Hint = "correct the request"
	}
	data, _ := json.Marshal(f) // plain strings and numbers
	switch f.Code {
	case mcp.CodeHandlerError:
		return s.internal(err)
	case mcp.CodeInvalidInput:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: f.Message, Data: data}
	case mcp.CodeCapacityExceeded:
		return &jsonrpc.Error{Code: codeCapacity, Message: f.Message, Data: data}
	}
	return &jsonrpc.Error{Code: codeForbidden, Message: f.Message, Data: data}
}

// Codes for refusals, in the range that JSON-RPC leaves to servers.
const (
	codeForbidden = -32001
	codeCapacity  = -32010 // older clients take -32002 for a missing resource
)

// internal logs what went wrong inside, and hides it.
func (s *Server) internal(err error) error {
	s.o.Log.Error("a request could not be answered", "reason", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}
}

// readable reports whether the subject of ctx may read uri.
func (s *Server) readable(ctx context.Context, uri string) error {
	if s.o.Resources == nil {
		return nil // the SDK refuses it
	}
	err := s.govern(ctx, methodSubscribe, object("uri", uri), func(ctx context.Context) error {
		_, err := s.o.Resources.Read(ctx, s.view(ctx), uri)
		return err
	})
	if err != nil {
		return s.resourceError(uri, err)
	}
	return nil
}

// listens checks a subscription of the newest protocol before the SDK makes
// it.
func (s *Server) listens(ctx context.Context, params *sdk.SubscriptionsListenParams) error {
	if params == nil || params.Notifications == nil {
		return nil // the SDK refuses it
	}
	uris := params.Notifications.ResourceSubscriptions
	for i, uri := range uris {
		uris[i] = spelling(uri)
		if err := s.readable(ctx, uris[i]); err != nil {
			return err
		}
	}
	return nil
}

// subscribe agrees to what receive has checked already.
func (s *Server) subscribe(context.Context, *sdk.SubscribeRequest) error { return nil }
