package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// definitions are tools as they are encoded, but for what calls cost, which moves with
// every call. They last until the registry changes. It is safe for concurrent use.
type definitions struct {
	mu      sync.Mutex      // guards the fields below
	version <-chan struct{} // [mcphost.Host.Changed] of the registry they are from
	encoded map[string][]byte
}

// forVersion returns what is encoded of a tool, by outward name, and makes it if there is
// none of that version of the registry.
func (d *definitions) forVersion(version <-chan struct{}, name string, encode func() ([]byte, error)) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.version != version {
		d.version, d.encoded = version, map[string][]byte{}
	}
	if raw, ok := d.encoded[name]; ok {
		return raw, nil
	}
	raw, err := encode()
	if err == nil {
		d.encoded[name] = raw
	}
	return raw, err
}

// encodeTools is a page of what the subject of ctx is shown as tools, as
// [catalog.listTools] returns it and the SDK encodes it.
func (d *direct) encodeTools(ctx context.Context, cursor string, newest bool) ([]byte, error) {
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, err
	}
	c := d.server.catalog
	version := d.server.host.Changed() // what is read from now on is no older
	var shown []listedTool
	for _, own := range c.own {
		if _, ok := c.findOwn(ctx, own.def.Name); ok && own.def.Name > after {
			shown = append(shown, listedTool{name: own.def.Name, own: own.def})
		}
	}
	if !c.compact {
		for _, name := range c.callableAfter(ctx, after, c.pageSize+1) {
			if t, ok := c.host.Tool(name); ok {
				shown = append(shown, listedTool{name: c.outwardName(&t), tool: t})
			}
		}
	}
	slices.SortFunc(shown, func(a, b listedTool) int { return strings.Compare(a.name, b.name) })
	page, next := cutPage(shown, func(t listedTool) string { return t.name }, c.pageSize)
	head, err := d.encodeList(&sdk.ListToolsResult{Tools: []*sdk.Tool{}, NextCursor: next, Cacheable: private}, newest)
	if err != nil {
		return nil, err
	}
	b := slices.Grow(bytes.TrimSuffix(head, []byte("]}")), 1024*len(page))
	for i, t := range page {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = d.appendTool(b, version, &t); err != nil {
			return nil, d.failEncoding(err)
		}
	}
	return append(b, "]}"...), nil
}

// listedTool is a registered tool that is listed, or one of the server's own.
type listedTool struct {
	name string
	tool mcphost.Tool
	own  *sdk.Tool
}

// appendTool appends a tool's definition.
func (d *direct) appendTool(b []byte, version <-chan struct{}, t *listedTool) ([]byte, error) {
	raw, err := d.definitions.forVersion(version, t.name, func() ([]byte, error) {
		def := t.own
		if def == nil {
			def = d.server.catalog.define(t.tool)
			def.Meta = nil
		}
		return encodeAsSDK(def)
	})
	if err != nil || t.own != nil {
		return append(b, raw...), err
	}
	meta, err := encodeAsSDK(latency(&t.tool))
	b = append(b, `{"_meta":`...)
	b = append(b, meta...)
	b = append(b, ',')
	return append(b, raw[1:]...), err // a definition is an object with a name
}

// encodeAsSDK encodes what is not within a result of a call.
func encodeAsSDK(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
