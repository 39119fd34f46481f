package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/prompt"
	"github.com/MrWong99/glyphoxa/internal/mcp/resource"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// PromptsChanged tells the server that Options.Prompts lists others than
// before; clients are notified. It does nothing without prompts.
func (s *Server) PromptsChanged() {
	if s.o.Prompts == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := map[string]bool{}
	for _, p := range s.o.Prompts.List(all()) { // who may have which is decided per request
		now[p.Name] = true
		s.sdk.AddPrompt(p, s.getPrompt)
	}
	for name := range s.written {
		if !now[name] {
			s.sdk.RemovePrompts(name)
		}
	}
	s.written = now
}

// all is the view of somebody who may see everything.
func all() resource.View {
	return resource.View{May: func(string) bool { return true }, Tool: func(string) bool { return true }}
}

func (s *Server) listPrompts(ctx context.Context, req sdk.Request) (sdk.Result, error) {
	cursor := ""
	if params, ok := req.GetParams().(*sdk.ListPromptsParams); ok && params != nil {
		cursor = params.Cursor
	}
	page, next, err := paginate(s.o.Prompts.List(s.view(ctx)), func(p *sdk.Prompt) string { return p.Name }, cursor, s.o.PageSize)
	return &sdk.ListPromptsResult{Prompts: page, NextCursor: next, Cacheable: private}, err
}

// hasPrompt reports whether the subject of ctx may have the prompt.
func (s *Server) hasPrompt(ctx context.Context, name string) bool {
	return s.o.Prompts != nil && slices.ContainsFunc(s.o.Prompts.List(s.view(ctx)), func(p *sdk.Prompt) bool { return p.Name == name })
}

func unknownPrompt(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", untrusted.Line(name, 200))}
}

type promptKey struct{}

// PromptRequestFrom returns the MCP request a prompt is written for. Prompts
// that ask their client something need it.
func PromptRequestFrom(ctx context.Context) *sdk.GetPromptRequest {
	r, _ := ctx.Value(promptKey{}).(*sdk.GetPromptRequest)
	return r
}

func (s *Server) getPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	v, name := s.view(ctx), req.Params.Name
	ctx = context.WithValue(ctx, promptKey{}, req)
	var res *sdk.GetPromptResult
	err := s.govern(ctx, methodGetPrompt, object("name", name), func(ctx context.Context) (err error) {
		res, err = s.o.Prompts.Get(ctx, v, name, req.Params.Arguments)
		return err
	})
	if errors.Is(err, prompt.ErrUnknown) {
		return nil, unknownPrompt(name)
	}
	if err != nil {
		return nil, s.refusal(err)
	}
	return res, nil
}

// complete answers completion/complete.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var (
		values []string
		more   bool
		err    error
		v      = s.view(ctx)
		arg    = req.Params.Argument
	)
	ref := req.Params.Ref
	if ref == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request names nothing to complete"}
	}
	err = s.govern(ctx, methodComplete, object("argument", arg.Name), func(ctx context.Context) (err error) {
		switch {
		case ref.Type == "ref/resource" && s.o.Resources != nil:
			values, more, err = s.o.Resources.Complete(ctx, v, ref.URI, arg.Name, arg.Value)
		case ref.Type == "ref/prompt" && s.o.Prompts != nil:
			values, more, err = s.o.Prompts.Complete(ctx, v, ref.Name, arg.Name, arg.Value)
		default:
			err = resource.ErrUnknown
		}
		return err
	})
	if errors.Is(err, resource.ErrUnknown) || errors.Is(err, prompt.ErrUnknown) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is nothing of that name to complete"}
	}
	if err != nil {
		return nil, s.refusal(err)
	}
	if values == nil {
		values = []string{}
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, HasMore: more}}, nil
}
