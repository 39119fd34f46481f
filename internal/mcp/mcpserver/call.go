package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// answer is what a call ended in.
type answer struct {
	result mcp.Result
	events []string
	err    error
	// gone marks a name that is none for the caller: nothing was run.
	gone bool
}

// execute runs a tool by its registered name for the subject of ctx. What the
// subject may not see does not exist for it.
func (s *Server) execute(ctx context.Context, name, args string) answer {
	if _, ok := s.look(ctx, name); !ok {
		return answer{err: noTool(name), gone: true}
	}
	start := time.Now()
	var events mcp.Events
	ctx = mcp.WithEvents(ctx, &events)
	res, err := door{s}.Execute(ctx, name, args)
	if res.Duration == 0 {
		res.Duration = time.Since(start)
	}
	s.note(name, err)
	return answer{result: res, events: events.Names(), err: err}
}

// note logs what went wrong inside a tool, since its caller is not told.
func (s *Server) note(tool string, err error) {
	if _, inside := mcp.Telling(err); inside {
		s.o.Log.Error("a tool failed", "tool", tool, "reason", err)
	}
}

// door leads to the tools the subject of the context may call, and to no
// other. Workflows go through it as well as clients do.
type door struct{ server *Server }

func (d door) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	subject := policy.SubjectFrom(ctx)
	if subject == nil {
		return mcp.Result{}, fmt.Errorf("calling %q: %w: nobody vouches for the call", name, mcp.ErrNotAllowed)
	}
	t, ok := d.server.look(ctx, name)
	if !ok { // clients that batch calls know the outward names alone
		t, ok = d.server.known(ctx, name)
	}
	if !ok {
		return mcp.Result{}, noTool(name)
	}
	if t.Composite {
		ctx = mcp.WithDoor(ctx, d)
	}
	return d.server.host.ExecuteTool(ctx, t.Definition.Name, args)
}

// noTool is the error for a name that does not exist, or not for this caller.
func noTool(name string) error {
	return fmt.Errorf("%w %q", mcp.ErrUnknownTool, untrusted.Line(name, 200))
}

type requestKey struct{}

// run calls whatever the subject of ctx knows by an outward name.
func (s *Server) run(ctx context.Context, name string, args json.RawMessage) answer {
	if own, ok := s.ours(ctx, name); ok {
		return s.ask(ctx, own, args)
	}
	t, ok := s.reach(ctx, name)
	if !ok {
		return answer{err: noTool(name), gone: true}
	}
	return s.execute(ctx, t.Definition.Name, string(args))
}

// RequestFrom returns the MCP request a tool runs for, nil if it runs for
// another caller. Tools that ask their client something need it.
func RequestFrom(ctx context.Context) *sdk.CallToolRequest {
	r, _ := ctx.Value(requestKey{}).(*sdk.CallToolRequest)
	return r
}

// call answers tools/call. Failures of a tool are results with isError, so
// that a model can read them; an unknown name is a protocol error.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p, err := peerOf(req)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(p.attend(ctx), requestKey{}, req)
	if token := req.Params.GetProgressToken(); token != nil {
		relay := newRelay(ctx, req.Session, token)
		defer relay.close()
		ctx = mcp.WithProgress(ctx, relay.report)
	}
	name, args := req.Params.Name, req.Params.Arguments
	if own, ok := s.ours(ctx, name); ok {
		a := s.ask(ctx, own, args)
		tell(ctx, req.Session, name, a)
		return a.render(false), nil
	}
	t, ok := s.reach(ctx, name)
	if !ok {
		return nil, unknown(name)
	}
	a := s.execute(ctx, t.Definition.Name, string(args))
	if a.gone { // since we looked
		return nil, unknown(name)
	}
	tell(ctx, req.Session, name, a)
	if wire, ok := a.result.Native.(*jsonrpc.Error); ok && a.err == nil {
		return nil, wire // a tool that speaks the protocol itself
	}
	return a.render(t.OutputSchema == nil), nil
}

// render is the answer in the protocol's form. A failure travels as text for
// the model, in _meta for programs, and as structured content where no output
// schema forbids it.
func (a answer) render(free bool) *sdk.CallToolResult {
	meta := a.meta()
	if a.err == nil {
		return render(a.result, meta)
	}
	f := failureOf(a.err)
	meta[metaError] = f
	if _, ok := a.result.Native.(*sdk.CallToolResult); ok {
		return render(a.result, meta) // the tool has put its failure into its own words
	}
	out := &sdk.CallToolResult{
		Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: f.text()}},
	}
	switch {
	case a.result.Structured != nil: // what was done before it failed
		out.StructuredContent = a.result.Structured
		out.Content = append(out.Content, &sdk.TextContent{Text: string(a.result.Structured)})
	case free:
		out.StructuredContent = map[string]any{"ok": false, "error": f}
	}
	return out
}

// meta is what every answer carries (ruling 12).
func (a answer) meta() sdk.Meta {
	events := a.events
	if events == nil {
		events = []string{}
	}
	return sdk.Meta{"executionTimeMs": elapsed.Rounded(a.result.Duration), "eventsEmitted": events}
}

// ownTool is a tool of the server itself.
type ownTool struct {
	name string // without prefix
	def  *sdk.Tool
	// run returns what is to be answered as JSON. A *sdk.CallToolResult is the
	// answer itself, also beside an error.
	run func(ctx context.Context, args json.RawMessage) (any, error)
}

// target is one of the server's own tools as decisions about rights see it.
func (t ownTool) target() mcp.Target {
	return mcp.Target{Tool: t.name, Source: sourceServer, ReadOnly: true}
}

// ours returns the server's own tool behind an outward name, if the subject of
// ctx may call it.
func (s *Server) ours(ctx context.Context, name string) (ownTool, bool) {
	if !vouched(ctx) {
		return ownTool{}, false
	}
	for _, t := range s.own {
		if t.def.Name == name && s.o.Policy.Permits(ctx, t.target()) == nil {
			return t, true
		}
	}
	return ownTool{}, false
}

// ask runs one of the server's own tools through the gate.
func (s *Server) ask(ctx context.Context, t ownTool, args json.RawMessage) answer {
	var events mcp.Events
	a := answer{}
	start := time.Now()
	a.err = s.govern(mcp.WithEvents(ctx, &events), t.name, string(args), func(ctx context.Context) error {
		value, err := t.run(ctx, args)
		if done, ok := value.(*sdk.CallToolResult); ok {
			a.result = mcp.Result{Native: done, Text: firstText(done), IsError: done.IsError}
			return err
		}
		if err != nil {
			return err
		}
		a.result.Text, err = encode(value)
		return err
	})
	a.result.Duration, a.events = time.Since(start), events.Names()
	return a
}

// encode is v as JSON that people can read.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func firstText(r *sdk.CallToolResult) string {
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// govern lets something the server does itself pass the gate like a tool: it
// changes nothing and needs no permission of its own.
func (s *Server) govern(ctx context.Context, what, args string, do func(context.Context) error) error {
	if s.o.Gate == nil {
		return do(ctx)
	}
	subject := policy.SubjectFrom(ctx)
	if subject == nil {
		return fmt.Errorf("%w: nobody vouches for the call", mcp.ErrNotAllowed)
	}
	if args == "" {
		args = "{}"
	}
	start := time.Now()
	c := &mcp.Call{Target: mcp.Target{Tool: what, Source: "server", ReadOnly: true}, Caller: subject.Caller(), Args: args}
	err := s.o.Gate.Admit(ctx, c)
	if err == nil {
		c.Admitted = true
		err = do(ctx)
	}
	s.o.Gate.Settle(ctx, c, mcp.Result{Duration: time.Since(start)}, err)
	return err
}
