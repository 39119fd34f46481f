package mcphost

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slices"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Caps for text from external servers, in characters (ruling 11).
const (
	maxDescription = 2000
	maxTitle       = 200
	maxResult      = 20000
	maxBinary      = 16 << 20 // bytes of one image, sound or resource
	maxSchema      = 64 << 10 // bytes of an encoded schema
)

type wireError = jsonrpc.Error

const codeInvalidParams = jsonrpc.CodeInvalidParams

// foreign turns a server's definition into a tool. Its annotations are hints
// that decide only whether it may be probed. Callers hold host.mu.
func (u *upstream) foreign(d *sdk.Tool) (*tool, error) {
	input, err := objectSchema(d.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("reading its input schema: %w", err)
	}
	output, err := objectSchema(d.OutputSchema)
	if err != nil {
		return nil, fmt.Errorf("reading its output schema: %w", err)
	}
	def := tools.Tool{
		Definition: llm.ToolDefinition{
			Name:        d.Name,
			Description: untrusted.Clean(d.Description, maxDescription),
			Parameters:  input,
		},
		Title:        untrusted.Clean(d.Title, maxTitle),
		OutputSchema: output,
		Destructive:  true,
		OpenWorld:    true,
		Floor:        u.cfg.Floors[d.Name],
	}
	if a := d.Annotations; a != nil {
		def.ReadOnly = a.ReadOnlyHint
		def.Definition.Idempotent = a.IdempotentHint || a.ReadOnlyHint
		def.Destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
		def.OpenWorld = a.OpenWorldHint == nil || *a.OpenWorldHint
		if def.Title == "" {
			def.Title = untrusted.Clean(a.Title, maxTitle)
		}
	}
	hints(&def, d.Meta)
	registered := def
	registered.Definition.Name = safeName(d.Name)
	t, err := newTool(registered, u.cfg.Name, u.host.vitalsOf(u.cfg.Name, d.Name))
	if err != nil {
		return nil, err
	}
	t.Definition.Name = d.Name
	t.server = u
	if limit := time.Duration(u.cfg.CallTimeout); limit > 0 && (t.deadline > limit || def.Definition.MaxDurationMs == 0) {
		t.deadline = limit
	}
	if slices.Contains(u.cfg.Probe, d.Name) {
		t.skip = ""
		if t.Probe, err = synthesise(input); err != nil {
			t.skip = err.Error()
		}
	}
	return t, nil
}

// Keys of a tool's _meta by which its author declares latency (docs/tools.md).
const (
	metaEstimated = "glyphoxa/estimatedDurationMs"
	metaMax       = "glyphoxa/maxDurationMs"
	metaIdempot   = "glyphoxa/idempotent"
	metaCacheable = "glyphoxa/cacheableSeconds"
	metaTier      = "glyphoxa/tier"
)

// maxHint bounds declared numbers: a day in milliseconds.
const maxHint = 24 * 60 * 60 * 1000

// hints takes over what a server declares of its tool. A declared tier is a
// floor: a server can make its tool look slower, never faster.
func hints(def *tools.Tool, meta sdk.Meta) {
	number := func(key string) int {
		n, ok := meta[key].(float64)
		if !ok || !(n > 0) {
			return 0
		}
		return int(min(n, maxHint))
	}
	def.Definition.EstimatedDurationMs = number(metaEstimated)
	def.Definition.MaxDurationMs = number(metaMax)
	def.Definition.CacheableSeconds = number(metaCacheable)
	if idempotent, ok := meta[metaIdempot].(bool); ok {
		def.Definition.Idempotent = idempotent
	}
	if name, ok := meta[metaTier].(string); ok {
		if tier, err := mcp.ParseTier(name); err == nil {
			def.Floor = max(def.Floor, tier)
		}
	}
}

// objectSchema decodes a schema as the SDK hands it over; nil stays nil.
func objectSchema(v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("it has %d bytes, more than the %d allowed", len(raw), maxSchema)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	cleanStrings(m)
	return m, nil
}

// cleanStrings cleans the descriptions inside a schema, which models read too.
func cleanStrings(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && (key == "description" || key == "title") {
				v[key] = untrusted.Clean(text, maxDescription)
				continue
			}
			cleanStrings(value)
		}
	case []any:
		for _, item := range v {
			cleanStrings(item)
		}
	}
}

func rawArguments(args string) json.RawMessage { return json.RawMessage(args) }

// cleanLine makes a server's message fit for one line of an error.
func cleanLine(s string) string {
	return strings.Join(strings.Fields(untrusted.Clean(s, 500)), " ")
}

// result turns a server's answer into a result: every kind of content is kept,
// and its text says faithfully what a model cannot be given.
func result(r *sdk.CallToolResult) mcp.Result {
	res := mcp.Result{IsError: r.IsError}
	var text []string
	for _, c := range r.Content {
		item, line := content(c)
		res.Content = append(res.Content, item)
		if line != "" {
			text = append(text, line)
		}
	}
	if r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			res.Structured = raw
			if len(text) == 0 {
				text = append(text, string(raw))
			}
		}
	}
	res.Text = untrusted.Clean(strings.Join(text, "\n"), maxResult)
	return res
}

// content converts one item and puts it into words.
func content(c sdk.Content) (mcp.Content, string) {
	switch c := c.(type) {
	case *sdk.TextContent:
		text := untrusted.Clean(c.Text, maxResult)
		return mcp.Content{Type: "text", Text: text}, text
	case *sdk.ImageContent:
		return binary("image", c.Data, c.MIMEType)
	case *sdk.AudioContent:
		return binary("audio", c.Data, c.MIMEType)
	case *sdk.ResourceLink:
		item := mcp.Content{Type: "resource_link", URI: c.URI, Name: cleanLine(c.Name), MIMEType: c.MIMEType}
		return item, fmt.Sprintf("[link to %s: %s]", item.Name, cleanLine(c.URI))
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return mcp.Content{Type: "resource"}, ""
		}
		item := mcp.Content{Type: "resource", URI: c.Resource.URI, MIMEType: c.Resource.MIMEType}
		if c.Resource.Blob != nil {
			bin, line := binary("resource", c.Resource.Blob, c.Resource.MIMEType)
			item.Data = bin.Data
			return item, line
		}
		item.Text = untrusted.Clean(c.Resource.Text, maxResult)
		return item, item.Text
	}
	return mcp.Content{Type: "text"}, ""
}

func binary(kind string, data []byte, mime string) (mcp.Content, string) {
	line := fmt.Sprintf("[%s %s, %d bytes]", kind, cleanLine(mime), len(data))
	if len(data) > maxBinary {
		return mcp.Content{Type: "text", Text: line + " (too large to pass on)"}, line
	}
	return mcp.Content{Type: kind, Data: data, MIMEType: mime}, line
}
