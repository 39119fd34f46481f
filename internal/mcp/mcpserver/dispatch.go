package mcpserver

import (
	"cmp"
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

// answer is the outcome of a call.
type answer struct {
	result mcp.Result
	events []string
	err    error
}

// dispatcher runs what clients call: tools through the host, and the server's own methods through the same
// gate. It is safe for concurrent use.
type dispatcher struct {
	*catalog
	gate   mcphost.Gate // if nil, the server's own methods are always admitted
	tracer *tracing.Tracer
	log    *slog.Logger
	rounds *rounds
	levels sync.Map // *sdk.ServerSession to the sdk.LoggingLevel its client wants
}

// executeTool runs a tool that the catalog found for the subject of ctx. The gate checks the permission
// again, because permissions can be withdrawn.
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
	if _, inside := mcp.PublicText(err); inside { // the caller does not see this error
		d.log.Error("a tool failed", "tool", t.Definition.Name, "reason", err)
	}
	return answer{result: res, events: events.Names(), err: err}
}

// checkRoom refuses a call that exceeds the limits before its arguments are decoded, and records the refusal
// as the host would.
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

// throughHost runs a tool through the host. A composite tool gets a door with the rights of the same subject.
func (d *dispatcher) throughHost(ctx context.Context, t *mcphost.Tool, args string) (mcp.Result, error) {
	if t.Composite {
		ctx = mcp.WithExecutor(ctx, executor{d})
	}
	return d.host.ExecuteTool(ctx, t.Definition.Name, args)
}

// executor executes exactly the tools that the subject of the context may call. Workflows call their steps
// through it.
type executor struct{ *dispatcher }

func (d executor) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	if access.SubjectFrom(ctx) == nil {
		return mcp.Result{}, fmt.Errorf("calling %q: %w: nobody vouches for the call", name, mcp.ErrNotAllowed)
	}
	t, ok := d.lookup(ctx, name)
	if !ok { // clients that batch calls know only the outward names
		t, ok = d.findByOutwardName(ctx, name)
	}
	if !ok {
		d.recordUnseen(ctx, name, args)
		return mcp.Result{}, noTool(name)
	}
	return d.throughHost(ctx, &t, args)
}

// noTool is the error for a name that does not exist or that the caller may not see.
func noTool(name string) error {
	return fmt.Errorf("%w %q", mcp.ErrUnknownTool, untrusted.Line(name, 200))
}

type requestKey struct{}

// callByName calls the tool that the subject of ctx knows by an outward name.
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

// knows reports whether the subject of ctx may call a tool with an outward name.
func (d *dispatcher) knows(ctx context.Context, name string) bool {
	if _, own := d.findOwn(ctx, name); own {
		return true
	}
	_, ok := d.findDirect(ctx, name)
	return ok
}

// RequestFrom returns the MCP request for which a tool runs, or nil for other callers. Tools that ask their
// client a question need it.
func RequestFrom(ctx context.Context) *sdk.CallToolRequest {
	r, _ := ctx.Value(requestKey{}).(*sdk.CallToolRequest)
	return r
}

// answerCall answers tools/call. The failure of a tool is a result with isError, so that a model can read it;
// an unknown name is a protocol error.
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
	if asks := d.mayAskClient(ctx, req); asks && isNewest(req) {
		res, a, err = d.rounds.answer(ctx, req, p, r)
	} else {
		if asks {
			ctx = mcp.WithClientRequests(ctx, sessionRequests(p.subject.Name, req))
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

// errNotEncodable is the answer if a call's result cannot be encoded.
var errNotEncodable = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not answer; its log says why"}

// encodable reports whether a result, which may be nil, can be encoded. The SDK sends no response for a
// result that cannot, so its client would wait for ever.
func encodable(res *sdk.CallToolResult) bool {
	if res == nil {
		return true
	}
	raw, ok := res.StructuredContent.(json.RawMessage)
	return !ok || json.Valid(raw)
}

// callTool calls the tool that the subject of ctx knows by an outward name, and returns the result in the
// protocol's form. The answer is the outcome of the call, or nil if no tool was called.
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
	if a.err == nil && !a.result.IsError && t.OutputSchema != nil && a.result.Native == nil && structure(a.result) == nil {
		// Clients refuse such a result, because the tool declares an output schema.
		a.err = mcp.PublicError(mcp.Foreign(fmt.Errorf("calling %q: %w", t.Definition.Name, mcphost.ErrMisfit), a.result.Text))
	}
	if wire, ok := a.result.Native.(*jsonrpc.Error); ok && a.err == nil {
		return nil, &a, wire // the tool answers in protocol terms itself
	}
	return a.render(t.OutputSchema == nil), &a, nil
}

// render converts the answer to the protocol's form. A failure is returned as text for the model, in _meta
// for programs and, if free is true because there is no output schema, as structured content.
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
		return render(a.result, meta) // the tool describes its failure itself
	}
	out := &sdk.CallToolResult{
		Meta: meta, IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: f.forModel()}},
	}
	if says := mcp.ForeignText(a.err); says != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: says})
	}
	switch {
	case a.result.Structured != nil: // results from before the failure
		out.StructuredContent = a.result.Structured
		out.Content = append(out.Content, &sdk.TextContent{Text: string(a.result.Structured)})
	case free:
		out.StructuredContent = map[string]any{"ok": false, "error": f}
	}
	return out
}

// meta returns the _meta of every answer (docs/adr/0024).
func (a answer) meta() sdk.Meta {
	events := a.events
	if events == nil {
		events = []string{}
	}
	return sdk.Meta{"executionTimeMs": mcp.RoundedMillis(a.result.Duration), "eventsEmitted": events}
}

// ownTool is one of the server's own tools.
type ownTool struct {
	name  string // without prefix
	def   *sdk.Tool
	input *mcphost.Schema // of def
	// run returns the answer, which is encoded as JSON. It may return a *sdk.CallToolResult, even with an
	// error, which is used as it is.
	run func(ctx context.Context, args json.RawMessage) (any, error)
}

// target describes the tool for permission checks.
func (t ownTool) target() mcp.Target {
	return mcp.Target{Tool: t.name, Source: sourceServer, ReadOnly: true}
}

// runOwn runs one of the server's own tools through the gate.
func (d *dispatcher) runOwn(ctx context.Context, t ownTool, args json.RawMessage) answer {
	var events mcp.Events
	a := answer{}
	start := time.Now()
	if fitted, err := t.input.FitArguments(cmp.Or(string(args), "{}")); err == nil {
		args = json.RawMessage(fitted)
	} // else run refuses them in its own words
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

// passGate passes an action of the server itself through the gate like a tool that is read-only and needs no
// permission. If do returns a [refusedError], it is recorded as a refusal.
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
		c.Admitted, settled, told = false, no.why, no.shown
	}
	d.gate.Record(ctx, c, mcp.Result{Duration: time.Since(start)}, settled)
	return told
}
