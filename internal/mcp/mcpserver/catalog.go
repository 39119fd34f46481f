package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// catalog decides which tools each subject sees and may call, and maps the names that clients use. Listing
// and calling use the same functions: lookup for registered tools, findOwn for the server's own. It is safe
// for concurrent use.
type catalog struct {
	host   *mcphost.Host
	policy *access.Engine
	// prefixed names tools "skill:NAME" and "workflow:NAME"; compact shows only the server's own tools.
	prefixed, compact bool
	pageSize          int
	first             firstList
	own               map[string]ownTool // the server's own tools, by name without prefix
}

// Name prefixes, used if prefixed is set (docs/adr/0010).
const (
	prefixTool     = "skill:"
	prefixWorkflow = tools.KindWorkflow + ":"
)

// outwardName returns the name under which clients know a tool.
func (c *catalog) outwardName(t *mcphost.Tool) string {
	if !c.prefixed {
		return t.Definition.Name
	}
	if t.Kind == tools.KindWorkflow {
		return prefixWorkflow + t.Definition.Name
	}
	return prefixTool + t.Definition.Name
}

// registeredName returns the registered name for a name that a client uses, or "" if the prefix is missing.
func (c *catalog) registeredName(name string) string {
	if !c.prefixed {
		return name
	}
	for _, prefix := range []string{prefixTool, prefixWorkflow} {
		if plain, ok := strings.CutPrefix(name, prefix); ok {
			return plain
		}
	}
	return ""
}

// lookup returns a registered tool that the subject of ctx may call. Listing and calling both use it, so a
// tool that lookup does not return is neither listed nor callable. Measure is zero in the returned tool.
func (c *catalog) lookup(ctx context.Context, name string) (mcphost.Tool, bool) {
	if _, ours := c.own[name]; ours || !vouched(ctx) {
		return mcphost.Tool{}, false
	}
	t, ok := c.host.Registered(name)
	if !ok || c.policy.Permits(ctx, t.Target) != nil {
		return mcphost.Tool{}, false
	}
	return t, true
}

// findOwn returns the server's own tool with an outward name, if the subject of ctx may call it.
func (c *catalog) findOwn(ctx context.Context, name string) (ownTool, bool) {
	t, ok := c.ownNamed(name)
	if !ok || !vouched(ctx) || c.policy.Permits(ctx, t.target()) != nil {
		return ownTool{}, false
	}
	return t, true
}

// ownNamed returns the server's own tool with an outward name, without a permission check.
func (c *catalog) ownNamed(name string) (ownTool, bool) {
	for _, t := range c.own {
		if t.def.Name == name {
			return t, true
		}
	}
	return ownTool{}, false
}

// viewOf returns what the subject of ctx may see of the world.
func (c *catalog) viewOf(ctx context.Context) LibraryView {
	v, _ := c.viewAndRefusal(ctx)
	return v
}

// viewAndRefusal returns the view from viewOf, and a function that explains why something was not found in
// it: the last refused permission, if there is one. Only one goroutine may use the view.
func (c *catalog) viewAndRefusal(ctx context.Context) (v LibraryView, why func() *mcp.Refusal) {
	var last error
	v = LibraryView{
		May: func(permission string) bool {
			err := c.permits(ctx, "resources", permission)
			if err != nil {
				last = err
			}
			return err == nil
		},
		Tool: func(name string) bool {
			_, ok := c.lookup(ctx, name)
			return ok
		},
	}
	if subject := access.SubjectFrom(ctx); subject != nil {
		v.Viewer = subject.Caller().Viewer()
	}
	return v, func() *mcp.Refusal {
		if no, ok := errors.AsType[*mcp.Refusal](last); ok {
			return no
		}
		return notHere("there is no such thing")
	}
}

// permits reports whether the subject of ctx holds a permission for a read-only action of the server itself.
func (c *catalog) permits(ctx context.Context, what, permission string) error {
	return c.policy.Permits(ctx, mcp.Target{Tool: what, Source: sourceServer, Permission: permission, ReadOnly: true})
}

// everything iterates over all tools by outward name, without permission checks. For the server's own tools,
// only the name is set; see defineAs.
func (c *catalog) everything() iter.Seq2[string, mcphost.Tool] {
	return func(yield func(string, mcphost.Tool) bool) {
		for _, t := range c.own {
			if !yield(t.def.Name, mcphost.Tool{}) {
				return
			}
		}
		if c.compact {
			return
		}
		for t := range c.host.ToolsAfter("") {
			if _, ours := c.own[t.Definition.Name]; !ours && !yield(c.outwardName(&t), t) {
				return
			}
		}
	}
}

// defineAs returns the definition of a tool from everything.
func (c *catalog) defineAs(name string, t *mcphost.Tool) *sdk.Tool {
	if own, ok := c.ownNamed(name); ok {
		return own.def
	}
	return c.define(*t)
}

// vouched reports whether ctx has an identified subject. Without one, no tool is visible.
func vouched(ctx context.Context) bool {
	subject := access.SubjectFrom(ctx)
	return subject != nil && subject.Name != ""
}

// listCallable lists the registered tools that the subject of ctx may call, ordered by name.
func (c *catalog) listCallable(ctx context.Context) []mcphost.Tool {
	c.first.await(ctx)
	return slices.DeleteFunc(c.host.Tools(mcp.BudgetDeep), func(t mcphost.Tool) bool {
		_, ok := c.lookup(ctx, t.Definition.Name)
		return !ok
	})
}

// findDirect returns the tool with an outward name, if the subject of ctx may call it directly.
func (c *catalog) findDirect(ctx context.Context, name string) (mcphost.Tool, bool) {
	if c.compact {
		return mcphost.Tool{}, false
	}
	return c.findByOutwardName(ctx, name)
}

// findByOutwardName returns the tool with an outward name, if the subject of ctx may call it, directly or
// through another tool.
func (c *catalog) findByOutwardName(ctx context.Context, name string) (mcphost.Tool, bool) {
	t, ok := c.lookup(ctx, c.registeredName(name))
	if !ok || c.outwardName(&t) != name {
		return mcphost.Tool{}, false
	}
	return t, true
}

// allTools makes listDefinitions return all tools.
const allTools = math.MaxInt

// listDefinitions lists the tools visible to the subject of ctx, ordered by name, that come after a given
// name. It returns at most most registered tools. Its cost grows with the number of tools that it passes.
func (c *catalog) listDefinitions(ctx context.Context, after string, most int) []*sdk.Tool {
	c.first.await(ctx)
	var all []*sdk.Tool
	for _, own := range c.own {
		if _, ok := c.findOwn(ctx, own.def.Name); ok && own.def.Name > after {
			all = append(all, own.def)
		}
	}
	if !c.compact {
		for _, name := range c.callableAfter(ctx, after, most) {
			if t, ok := c.host.Tool(name); ok {
				all = append(all, c.define(t))
			}
		}
	}
	slices.SortFunc(all, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// callableAfter lists the registered names of tools that the subject of ctx may call, ordered by outward
// name, whose outward names come after a given name.
func (c *catalog) callableAfter(ctx context.Context, after string, most int) (names []string) {
	prefixes := []string{""}
	if c.prefixed {
		prefixes = []string{prefixTool, prefixWorkflow}
	}
	for _, prefix := range prefixes {
		from, within := strings.CutPrefix(after, prefix)
		if !within {
			if from = ""; after > prefix {
				continue
			}
		}
		for t := range c.host.ToolsAfter(from) {
			if len(names) >= most {
				return names
			}
			if !strings.HasPrefix(c.outwardName(&t), prefix) {
				continue
			}
			if _, ok := c.lookup(ctx, t.Definition.Name); ok {
				names = append(names, t.Definition.Name)
			}
		}
	}
	return names
}

// unknownTool is the answer to a name that does not exist or that the caller may not see.
func unknownTool(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", untrusted.Line(name, 200))}
}

// listTools answers tools/list for the subject of ctx.
func (c *catalog) listTools(ctx context.Context, params *sdk.ListToolsParams) (*sdk.ListToolsResult, error) {
	cursor := ""
	if params != nil {
		cursor = params.Cursor
	}
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, err
	}
	page, next := cutPage(c.listDefinitions(ctx, after, c.pageSize+1), func(t *sdk.Tool) string { return t.Name }, c.pageSize)
	return &sdk.ListToolsResult{Tools: page, NextCursor: next, Cacheable: private}, nil
}

// private marks lists that depend on the caller.
var private = sdk.Cacheable{CacheScope: "private"}

// cursorMark begins all our cursors, so that foreign ones are detected.
const cursorMark = "after:"

// paginate cuts a sorted list into pages. A cursor names the last key of the previous page, so it stays valid
// when entries are added or removed.
func paginate[T any](all []T, key func(T) string, cursor string, size int) (page []T, next string, err error) {
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	if cursor != "" {
		all = all[firstAfter(all, key, after):]
	}
	page, next = cutPage(all, key, size)
	return page, next, nil
}

// parseCursor returns the key after which a page begins; an empty cursor means the first page.
func parseCursor(cursor string) (after string, err error) {
	if cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	after, ok := strings.CutPrefix(string(raw), cursorMark)
	if err != nil || !ok {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of ours; list again without one"}
	}
	return after, nil
}

// cutPage returns the first size entries of a sorted list, and the cursor for the rest.
func cutPage[T any](all []T, key func(T) string, size int) (page []T, next string) {
	if len(all) <= size {
		return slices.Concat([]T{}, all), "" // never null
	}
	return all[:size], base64.RawURLEncoding.EncodeToString([]byte(cursorMark + key(all[size-1])))
}

func firstAfter[T any](all []T, key func(T) string, after string) int {
	i, found := slices.BinarySearchFunc(all, after, func(e T, k string) int { return strings.Compare(key(e), k) })
	if found {
		i++
	}
	return i
}
