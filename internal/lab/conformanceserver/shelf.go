package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// The suite's addresses.
const (
	staticText   = "test://static-text"
	staticBinary = "test://static-binary"
	watched      = "test://watched-resource"
	template     = "test://template/{id}/data"
)

// shelf holds the suite's resources.
type shelf struct{}

// List lists the resources by address.
func (shelf) List(context.Context, mcpserver.LibraryView) ([]*sdk.Resource, error) {
	return []*sdk.Resource{
		{URI: staticBinary, Name: "static-binary", Description: "An image.", MIMEType: "image/png"},
		{URI: staticText, Name: "static-text", Description: "A text.", MIMEType: "text/plain"},
		{URI: watched, Name: "watched-resource", Description: "A text to subscribe to.", MIMEType: "text/plain"},
	}, nil
}

// Templates lists the only template.
func (shelf) Templates(mcpserver.LibraryView) []*sdk.ResourceTemplate {
	return []*sdk.ResourceTemplate{{URITemplate: template, Name: "template", Description: "A document for any id.", MIMEType: "application/json"}}
}

// Read returns the document at uri.
func (shelf) Read(_ context.Context, _ mcpserver.LibraryView, uri string) (*sdk.ReadResourceResult, error) {
	doc := &sdk.ResourceContents{URI: uri, MIMEType: "text/plain"}
	switch uri {
	case staticText:
		doc.Text = "This is the content of the static text resource."
	case watched:
		doc.Text = "This resource can be subscribed to."
	case staticBinary:
		doc.MIMEType, doc.Blob = "image/png", picture()
	default:
		id, ok := templated(uri)
		if !ok {
			return nil, fmt.Errorf("reading %q: %w", uri, mcpserver.ErrUnknownResource)
		}
		doc.MIMEType = "application/json"
		doc.Text = fmt.Sprintf(`{"id":%s,"templateTest":true,"data":%s}`, quoted(id), quoted("Data for ID: "+id))
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{doc}}, nil
}

// quoted returns text as JSON; text always encodes.
func quoted(text string) []byte {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return raw
}

// templated returns the id in an address that fits the template.
func templated(uri string) (id string, ok bool) {
	before, after, _ := strings.Cut(template, "{id}")
	rest, ok := strings.CutPrefix(uri, before)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, after)
	id, err := url.PathUnescape(rest)
	return id, ok && err == nil && rest != "" && !strings.Contains(rest, "/")
}

// Complete has no suggestions.
func (shelf) Complete(context.Context, mcpserver.LibraryView, string, string, string) ([]string, bool, error) {
	return nil, false, nil
}
