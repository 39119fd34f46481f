package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// promptMethods answers requests about prompts. It is safe for concurrent use.
type promptMethods struct {
	*dispatcher
	source Prompts // nil if there are none

	mu     sync.Mutex      // guards listed
	listed map[string]bool // prompts that the SDK knows, by name
}

func (p *promptMethods) served() bool { return p.source != nil }

// updateList updates the SDK's list of prompts; the SDK notifies clients.
func (p *promptMethods) updateList(server *sdk.Server) {
	if p.source == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := map[string]bool{}
	for _, prompt := range p.source.List(all()) { // permissions are checked per request
		now[prompt.Name] = true
		server.AddPrompt(prompt, p.getPrompt)
	}
	for name := range p.listed {
		if !now[name] {
			server.RemovePrompts(name)
		}
	}
	p.listed = now
}

// all is the view of a caller who may see everything.
func all() LibraryView {
	return LibraryView{May: func(string) bool { return true }, Tool: func(string) bool { return true }}
}

func (p *promptMethods) listPrompts(ctx context.Context, req sdk.Request) (sdk.Result, error) {
	cursor := ""
	if params, ok := req.GetParams().(*sdk.ListPromptsParams); ok && params != nil {
		cursor = params.Cursor
	}
	page, next, err := paginate(p.source.List(p.viewOf(ctx)), func(entry *sdk.Prompt) string { return entry.Name }, cursor, p.pageSize)
	return &sdk.ListPromptsResult{Prompts: page, NextCursor: next, Cacheable: private}, err
}

// hasPrompt reports whether the subject of ctx may use the prompt.
func (p *promptMethods) hasPrompt(ctx context.Context, name string) bool {
	return p.source != nil && slices.ContainsFunc(p.source.List(p.viewOf(ctx)), func(entry *sdk.Prompt) bool { return entry.Name == name })
}

// refusePrompt records and answers a request for a prompt that the subject of ctx may not use.
func (p *promptMethods) refusePrompt(ctx context.Context, name string) error {
	why := notHere("there is no such prompt")
	if p.source != nil {
		v, refusal := p.viewAndRefusal(ctx)
		p.source.List(v)
		isThat := func(entry *sdk.Prompt) bool { return entry.Name == name }
		if slices.ContainsFunc(p.source.List(all()), isThat) {
			why = refusal()
		}
	}
	target := mcp.Target{Tool: methodGetPrompt, Source: sourceServer, ReadOnly: true}
	p.recordRefusal(ctx, target, oneField("name", name), why)
	return unknownPrompt(name)
}

func unknownPrompt(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", untrusted.Line(name, 200))}
}

type promptKey struct{}

// PromptRequestFrom returns the MCP request for which a prompt is prepared. Prompts that ask their client a
// question need it.
func PromptRequestFrom(ctx context.Context) *sdk.GetPromptRequest {
	r, _ := ctx.Value(promptKey{}).(*sdk.GetPromptRequest)
	return r
}

func (p *promptMethods) getPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	v, name := p.viewOf(ctx), req.Params.Name
	ctx = context.WithValue(ctx, promptKey{}, req)
	var res *sdk.GetPromptResult
	err := p.passGate(ctx, methodGetPrompt, oneField("name", name), func(ctx context.Context) (err error) {
		res, err = p.source.Get(ctx, v, name, req.Params.Arguments)
		return err
	})
	if errors.Is(err, ErrUnknownPrompt) {
		return nil, unknownPrompt(name)
	}
	if err != nil {
		return nil, p.refuse(err)
	}
	return res, nil
}
