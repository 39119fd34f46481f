package upstream

import (
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// nativeResult is a result in the protocol's own form, nil unless it has hints that a
// [mcp.Result] does not hold: whom content is for, and what a link is about.
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

// hasHints reports whether content has hints.
func hasHints(c sdk.Content) bool {
	link, ok := c.(*sdk.ResourceLink)
	return knownAnnotations(c) != nil || ok && (link.Title != "" || link.Description != "" || link.Size != nil)
}

// addHints is an item of a result with the hints of what it was made from.
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

// knownAnnotations returns the annotations of content as far as the protocol knows
// them, nil if there are none.
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
	if a.Priority >= 0 && a.Priority <= 1 { // which NaN is not
		out.Priority = a.Priority
	}
	return out
}
