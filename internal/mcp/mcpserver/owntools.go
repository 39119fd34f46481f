package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Bounds of a tool search.
const (
	defaultCards = 25
	maxCards     = 100
	maxSearch    = 200 // characters of a query
)

// finder implements the server's own tools: in compact mode the only tools that clients see, otherwise a way
// to find tools without listing all of them.
type finder struct {
	*dispatcher
	campaign string                      // project name in compact mode
	reread   func(context.Context) error // reloads the workflow files; nil if there are none
	pace     *refreshPace
}

// ownTools returns the finder's tools by name.
func (f *finder) ownTools() map[string]ownTool {
	list := []ownTool{
		{def: searchDefinition("search_tools", "Find tools by what they do, name or description. Returns short cards; describe_tool tells the rest."), run: f.searchTools},
		{def: describeDefinition(), run: f.describeTool},
	}
	if f.compact {
		list = []ownTool{
			{def: searchDefinition("list_programs", "List or find what this campaign offers, as short cards with a template of the call."), run: f.listPrograms},
			{def: invokeDefinition(), run: f.invokeProgram},
		}
	}
	own := map[string]ownTool{}
	for _, t := range list {
		t.name = t.def.Name
		_, t.input, _ = mcphost.CompileForeign(t.def.InputSchema.(map[string]any))
		if f.policy.ReadOnly() { // invoke_program, too, can then call only tools that change nothing
			no := false
			t.def.Annotations.ReadOnlyHint, t.def.Annotations.DestructiveHint = true, &no
		}
		own[t.name] = t
		if f.prefixed && !f.compact {
			t.def.Name = prefixTool + t.def.Name
		}
	}
	return own
}

type search struct {
	Query   string `json:"query"`
	Limit   *int   `json:"limit"`
	Cursor  string `json:"cursor"`
	Refresh bool   `json:"refresh"`
}

// decode decodes the arguments of one of our own tools.
func decode[A any](args json.RawMessage) (into A, err error) {
	if len(args) == 0 {
		return into, nil
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err = d.Decode(&into); err == nil {
		return into, nil
	}
	says := strings.TrimPrefix(err.Error(), "json: ")
	var given any
	if known, no := jsonschema.For[A](nil); no == nil && json.Unmarshal(args, &given) == nil {
		says = cmp.Or(mcphost.UnknownArgument(known, given), says)
	}
	return into, fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, says)
}

// findPage returns a page of the matching programs.
func (f *finder) findPage(ctx context.Context, args json.RawMessage) (page []mcphost.Tool, next string, total int, err error) {
	q, err := decode[search](args)
	if err != nil {
		return nil, "", 0, err
	}
	limit := defaultCards
	if q.Limit != nil {
		limit = *q.Limit
	}
	if limit < 1 || limit > maxCards {
		return nil, "", 0, fmt.Errorf("%w: limit is %d; use 1 to %d", mcp.ErrInvalidArguments, limit, maxCards)
	}
	if q.Refresh {
		if err := f.refresh(ctx); err != nil {
			return nil, "", 0, err
		}
	}
	found := matching(f.listCallable(ctx), q.Query)
	page, next, err = paginate(found, func(t mcphost.Tool) string { return t.Definition.Name }, q.Cursor, limit)
	if err != nil {
		err = fmt.Errorf("%w: the cursor is none of ours; list again without one", mcp.ErrInvalidArguments)
	}
	return page, next, len(found), err
}

// errFiles is all that a client learns about broken files, because the details may reveal things the client
// must not know.
var errFiles = mcp.PublicError(errors.New("the workflow files have problems; the operator sees them with glyphoxa check"))

// refresh reloads the files at the request of the subject of ctx.
func (f *finder) refresh(ctx context.Context) error {
	if wait := f.pace.reserve(ctx); wait > 0 {
		return &mcp.Refusal{
			Code: mcp.CodeCapacityExceeded, By: "limits", RetryAfter: wait,
			Reason: "the files were read anew for you a moment ago", Hint: "list without refresh, or wait",
		}
	}
	if !f.rereadFiles(ctx) {
		return errFiles
	}
	return nil
}

// rereadFiles reloads the files and reports whether they are valid.
func (f *finder) rereadFiles(ctx context.Context) bool {
	if f.reread == nil {
		return true
	}
	err := f.reread(ctx)
	if err != nil {
		f.log.Error("reading the workflow files", "reason", err)
	}
	return err == nil
}

// matching returns the tools whose name, title or description contain every word of the query.
func matching(all []mcphost.Tool, query string) []mcphost.Tool {
	words := strings.Fields(strings.ToLower(untrusted.Clean(query, maxSearch)))
	return slices.DeleteFunc(all, func(t mcphost.Tool) bool {
		text := strings.ToLower(t.Definition.Name + " " + t.Title + " " + t.Definition.Description)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// nullable returns next, or nil so that JSON shows null on the last page.
func nullable(next string) any {
	if next == "" {
		return nil
	}
	return next
}

func (f *finder) listPrograms(ctx context.Context, args json.RawMessage) (any, error) {
	page, next, total, err := f.findPage(ctx, args)
	if err != nil {
		return failurePayload(err, nil, args), err
	}
	cards := make([]card, 0, len(page))
	for _, t := range page {
		cards = append(cards, cardOf(t))
	}
	return map[string]any{
		"ok": true, "project": f.campaign, "count": len(cards), "total": total, "next_cursor": nullable(next), "programs": cards,
	}, nil
}

func (f *finder) searchTools(ctx context.Context, args json.RawMessage) (any, error) {
	page, next, total, err := f.findPage(ctx, args)
	if err != nil {
		return nil, err
	}
	found := make([]map[string]any, 0, len(page))
	for _, t := range page {
		found = append(found, map[string]any{
			"name": f.outwardName(&t), "title": t.Title, "description": t.Definition.Description,
			"tier": t.Tier.String(), "read_only": f.changesNothing(&t), "expected_ms": mcp.RoundedMillis(t.Latency()),
		})
	}
	return map[string]any{"count": len(found), "total": total, "next_cursor": nullable(next), "tools": found}, nil
}

type description struct {
	Name string `json:"name"`
}

func (f *finder) describeTool(ctx context.Context, args json.RawMessage) (any, error) {
	q, err := decode[description](args)
	if err != nil {
		return nil, err
	}
	if q.Name == "" {
		return nil, fmt.Errorf("%w: name is missing", mcp.ErrInvalidArguments)
	}
	t, ok := f.findDirect(ctx, q.Name)
	if !ok {
		f.recordUnseen(ctx, q.Name, string(args))
		return nil, fmt.Errorf("%w %q", mcp.ErrUnknownTool, untrusted.Line(q.Name, 200))
	}
	return map[string]any{"tool": f.define(t)}, nil
}

type invocation struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
}

// invokeProgram runs a program of the campaign. If the program is missing, it refreshes the files and looks
// again.
func (f *finder) invokeProgram(ctx context.Context, args json.RawMessage) (any, error) {
	q, err := decode[invocation](args)
	if err != nil {
		return failurePayload(err, nil, args), err
	}
	if q.ID == "" {
		err := fmt.Errorf("%w: id is missing", mcp.ErrInvalidArguments)
		return failurePayload(err, nil, args), err
	}
	if len(q.Input) == 0 || q.Input[0] != '{' {
		err := fmt.Errorf("%w: input is no JSON object", mcp.ErrInvalidArguments)
		return f.programFailure(ctx, q.ID, err, args), err
	}
	t, ok := f.lookup(ctx, q.ID)
	if !ok && f.pace.reserve(ctx) == 0 && f.rereadFiles(ctx) {
		t, ok = f.lookup(ctx, q.ID)
	}
	if !ok {
		f.recordUnseen(ctx, q.ID, string(q.Input))
		err := noTool(q.ID)
		return failurePayload(err, nil, q.Input), err
	}
	a := f.executeTool(ctx, &t, string(q.Input))
	for _, e := range a.events {
		mcp.Emit(ctx, e)
	}
	if a.err != nil {
		return f.programFailure(ctx, q.ID, a.err, q.Input), a.err
	}
	out := render(a.result, nil)
	var result any = a.result.Text
	if raw := structure(a.result); raw != nil {
		result = raw
	}
	whole := map[string]any{"ok": !a.result.IsError, "project": f.campaign, "id": q.ID, "result": result}
	raw, err := tools.Encode(whole)
	if err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	out.StructuredContent = json.RawMessage(raw)
	if a.result.Content == nil || len(a.result.Content) == 1 && a.result.Content[0].Type == "text" {
		out.Content = []sdk.Content{&sdk.TextContent{Text: raw}}
	}
	return out, nil
}

// programFailure returns a program's failure with the expected schema.
func (f *finder) programFailure(ctx context.Context, id string, err error, received json.RawMessage) *sdk.CallToolResult {
	var schema any
	if t, ok := f.lookup(ctx, id); ok && mcp.CodeOf(err) == mcp.CodeInvalidInput {
		schema = t.Definition.Parameters
	}
	return failurePayload(err, schema, received)
}

// failurePayload returns the failure of one of the server's own tools in compact mode, with the expected
// schema if it is known.
func failurePayload(err error, expected any, received json.RawMessage) *sdk.CallToolResult {
	failed := failureOf(err)
	if !json.Valid(received) || len(received) > maxMessage {
		received = json.RawMessage("null")
	}
	body := map[string]any{"ok": false, "error": map[string]any{
		"error_code": strings.ToUpper(string(failed.Code)), "error_type": failed.Code, "message": failed.Message, "details": failed,
		"expected_schema": expected, "received_payload": received, "recovery_hint": failed.Hint, "doc_ref": "docs/outward.md#errors",
	}}
	raw, merr := json.Marshal(body)
	if merr != nil {
		raw = []byte(`{"ok":false}`)
	}
	content := []sdk.Content{&sdk.TextContent{Text: string(raw)}}
	if says := mcp.ForeignText(err); says != "" {
		content = append(content, &sdk.TextContent{Text: says})
	}
	return &sdk.CallToolResult{IsError: true, StructuredContent: json.RawMessage(raw), Content: content}
}
