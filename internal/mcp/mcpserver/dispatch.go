package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// answer is what a call ended in.
type answer struct {
	result mcp.Result
	events []string
	err    error
}

// dispatcher runs what clients call: tools through the host, and what the
// server does itself through the same gate. It is safe for concurrent use.
type dispatcher struct {
	*catalog
	gate   mcphost.Gate // nil: what the server does itself passes
	tracer *tracing.Tracer
	log    *slog.Logger
	rounds *rounds
	levels sync.Map // *sdk.ServerSession to sdk.LoggingLevel: the least level of message its client wants
}

// executeTool runs a tool that the catalog has found for the subject of ctx. The
// gate asks for the right to it once more, since rights end.
func (d *dispatcher) executeTool(ctx context.Context, t *mcphost.Tool, args string) answer {
	start := time.Now()
	var events mcp.Events
	ctx = mcp.WithEvents(ctx, &events)
	var res mcp.Result
	err := d.checkRoom(ctx, t, args)
	if err == nil {
		res, err = d.throughHost(ctx, t, args)
	}
	if res.Duration == 0 {
		res.Duration = time.Since(start)
	}
	if _, inside := mcp.Telling(err); inside { // its caller is not told
		d.log.Error("a tool failed", "tool", t.Definition.Name, "reason", err)
	}
	return answer{result: res, events: events.Names(), err: err}
}

// checkRoom turns a call away that the limits have no room for, before anybody decodes
// its arguments, and has that recorded as the host would.
func (d *dispatcher) checkRoom(ctx context.Context, t *mcphost.Tool, args string) error {
	err := d.policy.CheckRoom(ctx, t.Target)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("calling %q: %w", t.Definition.Name, err)
	if d.gate != nil {
		d.gate.Record(ctx, &mcp.Call{Target: t.Target, Caller: mcp.CallerFrom(ctx), Args: args}, mcp.Result{}, err)
	}
	return err
}

// throughHost has the host run a tool. What that calls goes through a door of
// the same subject.
func (d *dispatcher) throughHost(ctx context.Context, t *mcphost.Tool, args string) (mcp.Result, error) {
	if t.Composite {
		ctx = mcp.WithDoor(ctx, door{d})
	}
	return d.host.ExecuteTool(ctx, t.Definition.Name, args)
}

// door leads to the tools the subject of the context may call, and to no
// other. Workflows call their steps through it.
type door struct{ *dispatcher }

func (d door) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	if access.SubjectFrom(ctx) == nil {
		return mcp.Result{}, fmt.Errorf("calling %q: %w: nobody vouches for the call", name, mcp.ErrNotAllowed)
	}
	t, ok := d.lookup(ctx, name)
	if !ok { // clients that batch calls know the outward names alone
		t, ok = d.findByOutwardName(ctx, name)
	}
	if !ok {
		d.recordUnseen(ctx, name, args)
		return mcp.Result{}, noTool(name)
	}
	return d.throughHost(ctx, &t, args)
}

// noTool is the error for a name that does not exist, or not for this caller.
func noTool(name string) error {
	return fmt.Errorf("%w %q", mcp.ErrUnknownTool, untrusted.Line(name, 200))
}

type requestKey struct{}

// callByName calls whatever the subject of ctx knows by an outward name.
func (d *dispatcher) callByName(ctx context.Context, name string, args json.RawMessage) answer {
	if own, ok := d.findOwn(ctx, name); ok {
		return d.runOwn(ctx, own, args)
	}
	t, ok := d.findDirect(ctx, name)
	if !ok {
		if err := d.chargeRequest(ctx, name); err != nil {
			return answer{err: err}
		}
		d.recordUnseen(ctx, name, string(args))
		return answer{err: noTool(name)}
	}
	return d.executeTool(ctx, &t, string(args))
}

// knows reports whether the subject of ctx may call something by an outward name.
func (d *dispatcher) knows(ctx context.Context, name string) bool {
	if _, own := d.findOwn(ctx, name); own {
		return true
	}
	_, ok := d.findDirect(ctx, name)
	return ok
}

// RequestFrom returns the MCP request a tool runs for, nil if it runs for
// another caller. Tools that ask their client something need it.
func RequestFrom(ctx context.Context) *sdk.CallToolRequest {
	r, _ := ctx.Value(requestKey{}).(*sdk.CallToolRequest)
	return r
}

// answerCall answers tools/call. Failures of a tool are results with isError, so
// that a model can read them; an unknown name is a protocol error.
func (d *dispatcher) answerCall(ctx context.Context, req *sdk.CallToolRequest) (answered *sdk.CallToolResult, err error) {
	p, err := peerOf(req)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(p.attend(ctx), requestKey{}, req)
	ctx, span := d.startTrace(ctx, req)
	defer func() { span.End(callFailure(answered, err)) }()
	var r *relay
	token, level := req.Params.GetProgressToken(), d.logLevel(req)
	if token != nil || level != "" {
		r = newRelay(ctx, req.Session, token)
		defer r.close()
	}
	var res *sdk.CallToolResult
	var a *answer
	if asks := d.asksClient(ctx, req); asks && isNewest(req) {
		res, a, err = d.rounds.answer(ctx, req, p, r)
	} else {
		if asks {
			ctx = mcp.WithAsking(ctx, askSession(p.subject.Name, req))
		}
		res, a, err = d.callTool(r.attend(ctx, p.subject.Name, level), req.Params.Name, req.Params.Arguments)
	}
	if a != nil {
		logToClient(ctx, req.Session, req.Params.Name, *a)
	}
	if !encodable(res) {
		d.log.Error("a tool's structured content is not JSON", "tool", req.Params.Name)
		return nil, errNotEncodable
	}
	return res, err
}

// errNotEncodable is the answer to a call whose result cannot be encoded.
var errNotEncodable = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}

// encodable reports whether a result, which may be nil, can be encoded. The SDK sends no
// response to a call whose result cannot, so that its client would wait for ever.
func encodable(res *sdk.CallToolResult) bool {
	if res == nil {
		return true
	}
	raw, ok := res.StructuredContent.(json.RawMessage)
	return !ok || json.Valid(raw)
}

// callTool calls for the subject of ctx what it knows by an outward name, in the
// protocol's form. The answer is what the call ended in, nil if nothing was called.
func (d *dispatcher) callTool(ctx context.Context, name string, args json.RawMessage) (*sdk.CallToolResult, *answer, error) {
	if own, ok := d.findOwn(ctx, name); ok {
		a := d.runOwn(ctx, own, args)
		return a.render(false), &a, nil
	}
	t, ok := d.findDirect(ctx, name)
	if !ok {
		d.recordUnseen(ctx, name, string(args))
		return nil, nil, unknownTool(name)
	}
	a := d.executeTool(ctx, &t, string(args))
	if wire, ok := a.result.Native.(*jsonrpc.Error); ok && a.err == nil {
		return nil, &a, wire // a tool that speaks the protocol itself
	}
	return a.render(t.OutputSchema == nil), &a, nil
}

// render is the answer in the protocol's form. A failure travels as text for
// the model, in _meta for programs, and as structured content where no output
// schema forbids it.
func (a answer) render(free bool) *sdk.CallToolResult {
	meta := a.meta()
	if a.err == nil {
		if a.result.IsError {
			meta[metaError] = reportedFailure()
		}
		return render(a.result, meta)
	}
	f := failureOf(a.err)
	meta[metaError] = f
	if _, ok := a.result.Native.(*sdk.CallToolResult); ok {
		return render(a.result, meta) // the tool has put its failure into its own words
	}
	out := &sdk.CallToolResult{
		Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: f.forModel()}},
	}
	if says := mcp.ForeignText(a.err); says != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: says})
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

// meta is what every answer carries; docs/adr/0012 says why.
func (a answer) meta() sdk.Meta {
	events := a.events
	if events == nil {
		events = []string{}
	}
	return sdk.Meta{"executionTimeMs": mcp.RoundedMillis(a.result.Duration), "eventsEmitted": events}
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

// runOwn runs one of the server's own tools through the gate.
func (d *dispatcher) runOwn(ctx context.Context, t ownTool, args json.RawMessage) answer {
	var events mcp.Events
	a := answer{}
	start := time.Now()
	a.err = d.passGate(mcp.WithEvents(ctx, &events), t.name, string(args), func(ctx context.Context) error {
		value, err := t.run(ctx, args)
		if done, ok := value.(*sdk.CallToolResult); ok {
			a.result = mcp.Result{Native: done, Text: firstText(done), IsError: done.IsError}
			return err
		}
		if err != nil {
			return err
		}
		a.result.Text, err = tools.Encode(value)
		return err
	})
	a.result.Duration, a.events = time.Since(start), events.Names()
	return a
}

func firstText(r *sdk.CallToolResult) string {
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// passGate lets something the server does itself pass the gate like a tool: it
// changes nothing and needs no permission of its own. A [refusedError] of do is recorded
// as a refusal.
func (d *dispatcher) passGate(ctx context.Context, what, args string, do func(context.Context) error) error {
	if d.gate == nil {
		return do(ctx)
	}
	subject := access.SubjectFrom(ctx)
	if subject == nil {
		return fmt.Errorf("%w: nobody vouches for the call", mcp.ErrNotAllowed)
	}
	if args == "" {
		args = "{}"
	}
	start := time.Now()
	c := &mcp.Call{Target: mcp.Target{Tool: what, Source: sourceServer, ReadOnly: true}, Caller: subject.Caller(), Args: args}
	err := d.gate.Admit(ctx, c)
	if err == nil {
		c.Admitted = true
		err = do(ctx)
	}
	settled, told := err, err
	if no, ok := errors.AsType[*refusedError](err); ok {
		c.Admitted, settled, told = false, no.why, no.told
	}
	d.gate.Record(ctx, c, mcp.Result{Duration: time.Since(start)}, settled)
	return told
}
