package mcphost

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Limits for results of external tools (docs/adr/0010).
const (
	maxResult     = 20000    // characters of a text
	maxItems      = 256      // pieces of content
	maxBinary     = 16 << 20 // bytes of one image, sound or resource
	maxStructured = 1 << 20  // bytes of encoded structured content
	maxURI        = 2000     // characters
)

// ErrMisfit means that a tool's result does not fit the output schema that the tool declares.
var ErrMisfit = errors.New("its structured content does not fit its output schema")

// convertResult converts a server's answer. It keeps every kind of content, and describes in the text what a
// model cannot read, such as an image. It leaves out structured content that does not fit the declared output
// schema; without other content, such an answer is an error.
func (t *ServerTool) convertResult(r *sdk.CallToolResult) (mcp.Result, error) {
	if why := t.misfit(r); why != "" {
		t.Server.log.Warn("structured content left out", "tool", cleanLine(t.Definition.Name), "reason", why)
		if r.StructuredContent = nil; len(r.Content) == 0 {
			return mcp.Result{}, mcp.PublicError(fmt.Errorf("server %q answered, but %w: %s", t.Server.cfg.Name, ErrMisfit, why))
		}
	}
	if r.IsError {
		t.Server.maskFailure(r)
	} else {
		t.Server.maskSuccess(r)
	}
	return renderResult(r), nil
}

// misfit returns why the structured content does not fit the declared output schema, or "".
func (t *ServerTool) misfit(r *sdk.CallToolResult) string {
	if t.output == nil || r.IsError {
		return ""
	}
	if r.StructuredContent == nil {
		return "there is none"
	}
	if err := t.output.CheckValue(r.StructuredContent); err != nil {
		return cleanLine(err.Error())
	}
	return ""
}

func renderResult(r *sdk.CallToolResult) mcp.Result {
	res := mcp.Result{IsError: r.IsError}
	var text []string
	for i, c := range r.Content {
		if i == maxItems {
			text = append(text, fmt.Sprintf("[%d more items left out]", len(r.Content)-maxItems))
			break
		}
		item, line := convertContent(c)
		res.Content = append(res.Content, item)
		if line != "" {
			text = append(text, line)
		}
	}
	if r.StructuredContent != nil {
		raw, err := json.Marshal(cleanStrings(r.StructuredContent, 0))
		switch {
		case err != nil || len(raw) > maxStructured:
			text = append(text, fmt.Sprintf("[structured content of %d bytes left out]", len(raw)))
		case len(text) == 0:
			res.Structured = raw
			text = append(text, string(raw))
		default:
			res.Structured = raw
		}
	}
	res.Text = clipText(strings.Join(text, "\n"), maxResult)
	res.Native = nativeResult(r, res)
	return res
}

// convertContent converts one item and also returns it as text.
func convertContent(c sdk.Content) (mcp.Content, string) {
	switch c := c.(type) {
	case *sdk.TextContent:
		text := untrusted.Clean(c.Text, maxResult)
		return mcp.Content{Type: "text", Text: text}, text
	case *sdk.ImageContent:
		return convertBinary("image", c.Data, c.MIMEType)
	case *sdk.AudioContent:
		return convertBinary("audio", c.Data, c.MIMEType)
	case *sdk.ResourceLink:
		item := mcp.Content{Type: "resource_link", URI: untrusted.Clean(c.URI, maxURI), Name: cleanLine(c.Name), MIMEType: cleanLine(c.MIMEType)}
		return item, fmt.Sprintf("[link to %s: %s]", item.Name, item.URI)
	case *sdk.EmbeddedResource:
		return convertResource(c.Resource)
	}
	return mcp.Content{Type: "text"}, ""
}

func convertResource(r *sdk.ResourceContents) (mcp.Content, string) {
	if r == nil {
		return mcp.Content{Type: "resource"}, ""
	}
	item := mcp.Content{Type: "resource", URI: untrusted.Clean(r.URI, maxURI), MIMEType: cleanLine(r.MIMEType)}
	if r.Blob != nil {
		bin, line := convertBinary("resource", r.Blob, r.MIMEType)
		item.Data = bin.Data
		return item, line
	}
	item.Text = untrusted.Clean(r.Text, maxResult)
	return item, item.Text
}

func convertBinary(kind string, data []byte, mime string) (mcp.Content, string) {
	mime = cleanLine(mime)
	line := fmt.Sprintf("[%s %s, %d bytes]", kind, mime, len(data))
	if len(data) > maxBinary {
		return mcp.Content{Type: "text", Text: line + " (too large to pass on)"}, line
	}
	return mcp.Content{Type: kind, Data: data, MIMEType: mime}, line
}

// nativeResult returns a result as the SDK's own type if it has hints without a field in [mcp.Result], such
// as the audience of an item or the title of a link. Otherwise it returns nil.
func nativeResult(r *sdk.CallToolResult, res mcp.Result) any {
	if !slices.ContainsFunc(r.Content[:len(res.Content)], hasHints) {
		return nil
	}
	out := &sdk.CallToolResult{IsError: res.IsError}
	for i, item := range res.Content {
		out.Content = append(out.Content, addHints(item, r.Content[i]))
	}
	if res.Structured != nil {
		out.StructuredContent = res.Structured
	}
	return out
}

func hasHints(c sdk.Content) bool {
	link, ok := c.(*sdk.ResourceLink)
	return knownAnnotations(c) != nil || ok && (link.Title != "" || link.Description != "" || link.Size != nil)
}

// addHints returns an item of a result with the hints of its original content.
func addHints(item mcp.Content, from sdk.Content) sdk.Content {
	hints := knownAnnotations(from)
	switch item.Type {
	case "image":
		return &sdk.ImageContent{Data: item.Data, MIMEType: item.MIMEType, Annotations: hints}
	case "audio":
		return &sdk.AudioContent{Data: item.Data, MIMEType: item.MIMEType, Annotations: hints}
	case "resource":
		return &sdk.EmbeddedResource{Annotations: hints, Resource: &sdk.ResourceContents{
			URI: item.URI, MIMEType: item.MIMEType, Text: item.Text, Blob: item.Data,
		}}
	case "resource_link":
		link := &sdk.ResourceLink{URI: item.URI, Name: item.Name, MIMEType: item.MIMEType, Annotations: hints}
		if l, ok := from.(*sdk.ResourceLink); ok {
			link.Title, link.Size = untrusted.Clean(l.Title, maxTitle), l.Size
			link.Description = untrusted.Clean(l.Description, maxDescription)
		}
		return link
	}
	return &sdk.TextContent{Text: item.Text, Annotations: hints}
}

// knownAnnotations returns only the annotations that the protocol defines, or nil.
func knownAnnotations(c sdk.Content) *sdk.Annotations {
	var a *sdk.Annotations
	switch c := c.(type) {
	case *sdk.TextContent:
		a = c.Annotations
	case *sdk.ImageContent:
		a = c.Annotations
	case *sdk.AudioContent:
		a = c.Annotations
	case *sdk.ResourceLink:
		a = c.Annotations
	case *sdk.EmbeddedResource:
		a = c.Annotations
	}
	if a == nil {
		return nil
	}
	out := &sdk.Annotations{LastModified: cleanLine(a.LastModified)}
	for _, role := range []sdk.Role{"user", "assistant"} {
		if slices.Contains(a.Audience, role) {
			out.Audience = append(out.Audience, role)
		}
	}
	if a.Priority >= 0 && a.Priority <= 1 { // false for NaN
		out.Priority = a.Priority
	}
	return out
}
