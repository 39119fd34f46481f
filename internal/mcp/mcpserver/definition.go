package mcpserver

import (
	"encoding/json"
	"maps"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Keys in a tool's _meta that describe the cost of a call to outside agents. Keys that our own host
// understands are named as in docs/tools.md.
const (
	metaTier      = "glyphoxa/tier"
	metaP50       = "glyphoxa/p50Ms"
	metaP99       = "glyphoxa/p99Ms"
	metaEstimated = "glyphoxa/estimatedDurationMs"
	metaMax       = "glyphoxa/maxDurationMs"
	metaSource    = "glyphoxa/source"
	metaIdempot   = "glyphoxa/idempotent"
)

// dynamic marks tools that may come and go, if names have prefixes (docs/adr/0010).
const dynamic = " [dynamic]"

// define returns the definition of a tool for clients.
func (c *catalog) define(t mcphost.Tool) *sdk.Tool {
	readOnly := c.changesNothing(&t)
	destructive, open := t.Destructive && !readOnly, t.OpenWorld
	title := t.Title
	if title == "" {
		title = strings.ReplaceAll(t.Definition.Name, "_", " ")
	}
	description := t.Definition.Description
	if c.prefixed && t.Source != mcp.SourceBuiltin && t.Source != mcp.SourceWorkflow {
		description = strings.TrimSpace(description + dynamic)
	}
	def := &sdk.Tool{
		Meta: latency(&t), Name: c.outwardName(&t), Title: title, Description: description, InputSchema: inputSchema(t.Definition.Parameters),
		Annotations: &sdk.ToolAnnotations{
			Title: title, ReadOnlyHint: readOnly, IdempotentHint: t.Definition.Idempotent,
			DestructiveHint: &destructive, OpenWorldHint: &open,
		},
	}
	if t.OutputSchema != nil {
		def.OutputSchema = t.OutputSchema
	}
	return def
}

// changesNothing reports whether a call of t changes nothing. In read-only mode, this is true of tools that
// only call others, because those that change something are refused.
func (c *catalog) changesNothing(t *mcphost.Tool) bool {
	return t.ReadOnly || t.Composite && c.policy.ReadOnly()
}

// inputSchema returns a tool's parameters with both members that clients may expect in every definition:
// properties and required.
func inputSchema(parameters map[string]any) map[string]any {
	if parameters["properties"] != nil && parameters["required"] != nil {
		return parameters
	}
	out := map[string]any{"type": "object", "properties": map[string]any{}, "required": []string{}}
	maps.Copy(out, parameters)
	return out
}

// latency describes the cost of a call. Times are in milliseconds.
func latency(t *mcphost.Tool) sdk.Meta {
	meta := sdk.Meta{
		metaTier: t.Tier.String(), metaSource: t.Source, metaMax: mcp.RoundedMillis(t.Deadline), metaIdempot: t.Definition.Idempotent,
	}
	if d := t.Latency(); d > 0 || t.Measure.Successes > 0 {
		meta[metaEstimated] = mcp.RoundedMillis(d)
	}
	if t.Measure.Successes > 0 {
		meta[metaP50], meta[metaP99] = mcp.RoundedMillis(t.Measure.P50), mcp.RoundedMillis(t.Measure.P99)
	}
	return meta
}

// render converts a result to the protocol's form. A JSON object is also returned as structured content.
func render(res mcp.Result, meta sdk.Meta) *sdk.CallToolResult {
	if native, ok := res.Native.(*sdk.CallToolResult); ok {
		out := *native
		out.Meta = sdk.Meta{}
		for _, m := range []sdk.Meta{native.Meta, meta} {
			for k, v := range m {
				out.Meta[k] = v
			}
		}
		return &out
	}
	out := &sdk.CallToolResult{Meta: meta, IsError: res.IsError}
	for _, c := range res.Content {
		out.Content = append(out.Content, content(c))
	}
	if len(out.Content) == 0 {
		out.Content = []sdk.Content{&sdk.TextContent{Text: res.Text}}
	}
	if structured := structure(res); structured != nil {
		out.StructuredContent = structured
	}
	return out
}

// structure returns the structured form of a result, or nil if it has none.
func structure(res mcp.Result) json.RawMessage {
	if res.Structured != nil {
		return res.Structured
	}
	if res.Content == nil && len(res.Text) > 0 && res.Text[0] == '{' && json.Valid([]byte(res.Text)) {
		return json.RawMessage(res.Text)
	}
	return nil
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

// maxMessage bounds an error's text, in characters.
const maxMessage = 2000

// oneLine formats text as one line of an error.
func oneLine(text string) string { return untrusted.Line(text, maxMessage) }
