// Package mcpserver offers the host's registry to outside agents as an MCP
// server.
//
// Imported by internal/app.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"reflect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// Options configures a Server. The zero value works.
type Options struct {
	// Version is told to clients.
	Version string
	// Instructions are told to clients.
	Instructions string
	// Logger receives the SDK's messages. If nil, they are discarded.
	Logger *slog.Logger
}

// Server hands the tools of a host to MCP clients and keeps the list up to
// date. It is safe for concurrent use.
type Server struct {
	host   *mcphost.Host
	sdk    *sdk.Server
	listed map[string]mcphost.Tool // owned by follow
}

// New returns a server over host. Run serves it.
func New(host *mcphost.Host, o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	info := &sdk.Implementation{Name: "glyphoxa", Title: "Glyphoxa", Version: o.Version}
	return &Server{
		host: host,
		sdk: sdk.NewServer(info, &sdk.ServerOptions{
			Instructions: o.Instructions, Logger: o.Logger,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		}),
		listed: map[string]mcphost.Tool{},
	}
}

// Run serves one client over t until the client leaves or ctx ends. It is
// called once.
func (s *Server) Run(ctx context.Context, t sdk.Transport) error {
	changed := s.host.Changed()
	s.list()
	ctx, cancel := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		s.follow(ctx, changed)
	}()
	err := s.sdk.Run(ctx, t)
	cancel()
	<-followed
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil // we were told to stop, or the client has left
	}
	return err
}

// follow lists the tools anew whenever the registry changes; the SDK then
// notifies clients.
func (s *Server) follow(ctx context.Context, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			changed = s.host.Changed()
			s.list()
		}
	}
}

// list brings the served list up to the registry's. Only what differs is
// touched, so that a tool moving between tiers is no change of the list.
func (s *Server) list() {
	now := map[string]mcphost.Tool{}
	for _, t := range s.host.Tools(mcp.BudgetDeep) {
		name := t.Definition.Name
		now[name] = t
		if old, ok := s.listed[name]; ok && same(old, t) {
			continue
		}
		s.sdk.AddTool(definition(t), s.call)
	}
	for name := range s.listed {
		if _, ok := now[name]; !ok {
			s.sdk.RemoveTools(name)
		}
	}
	s.listed = now
}

// same reports whether two tools look the same to a client.
func same(a, b mcphost.Tool) bool {
	return reflect.DeepEqual(definition(a), definition(b))
}

func definition(t mcphost.Tool) *sdk.Tool {
	input := t.Definition.Parameters
	if input == nil {
		input = map[string]any{"type": "object"}
	}
	def := &sdk.Tool{
		Name: t.Definition.Name, Title: t.Title, Description: t.Definition.Description, InputSchema: input,
		Annotations: &sdk.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.ReadOnly, IdempotentHint: t.Definition.Idempotent,
			DestructiveHint: &t.Destructive, OpenWorldHint: &t.OpenWorld,
		},
	}
	if t.OutputSchema != nil {
		def.OutputSchema = t.OutputSchema
	}
	return def
}

// call runs a tool for a client. Failures of a tool are results with isError,
// so that a model can read them; an unknown name is a protocol error.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	res, err := s.host.ExecuteTool(ctx, req.Params.Name, string(req.Params.Arguments))
	meta := sdk.Meta{"executionTimeMs": float64(res.Duration.Microseconds()) / 1000}
	if err != nil {
		return &sdk.CallToolResult{
			Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}},
		}, nil
	}
	return render(res, meta), nil
}

// render turns a result into the protocol's form. JSON objects also travel as
// structured content.
func render(res mcp.Result, meta sdk.Meta) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Meta: meta, IsError: res.IsError}
	for _, c := range res.Content {
		out.Content = append(out.Content, content(c))
	}
	if len(out.Content) == 0 {
		out.Content = []sdk.Content{&sdk.TextContent{Text: res.Text}}
	}
	structured := res.Structured
	if structured == nil && res.Content == nil && len(res.Text) > 0 && res.Text[0] == '{' && json.Valid([]byte(res.Text)) {
		structured = json.RawMessage(res.Text)
	}
	if structured != nil {
		out.StructuredContent = structured
	}
	return out
}

func content(c mcp.Content) sdk.Content {
	switch c.Type {
	case "image":
		return &sdk.ImageContent{Data: c.Data, MIMEType: c.MIMEType}
	case "audio":
		return &sdk.AudioContent{Data: c.Data, MIMEType: c.MIMEType}
	case "resource_link":
		return &sdk.ResourceLink{URI: c.URI, Name: c.Name, MIMEType: c.MIMEType}
	case "resource":
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Blob: c.Data}}
	}
	return &sdk.TextContent{Text: c.Text}
}
