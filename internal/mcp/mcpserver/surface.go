package mcpserver

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Prefixes of names if they are asked for (ruling 14).
const (
	prefixTool     = "skill:"
	prefixWorkflow = tools.KindWorkflow + ":"
)

// outward returns the name clients know a tool by.
func (s *Server) outward(t *mcphost.Tool) string {
	if !s.o.Prefixed {
		return t.Definition.Name
	}
	if t.Kind == tools.KindWorkflow {
		return prefixWorkflow + t.Definition.Name
	}
	return prefixTool + t.Definition.Name
}

// inward returns the registered name behind one a client uses.
func (s *Server) inward(name string) string {
	if !s.o.Prefixed {
		return name
	}
	for _, prefix := range []string{prefixTool, prefixWorkflow} {
		if plain, ok := strings.CutPrefix(name, prefix); ok {
			return plain
		}
	}
	return ""
}

// look returns the tool the subject of ctx may call by its registered name. It
// is what listing and enforcement have in common: what it does not return is
// neither listed nor callable (ruling 13). The tool comes without its Measure.
func (s *Server) look(ctx context.Context, name string) (mcphost.Tool, bool) {
	if _, ours := s.own[name]; ours || !vouched(ctx) {
		return mcphost.Tool{}, false
	}
	t, ok := s.host.Registered(name)
	if !ok || s.o.Policy.Permits(ctx, t.Target) != nil {
		return mcphost.Tool{}, false
	}
	return t, true
}

// vouched reports whether somebody calls in ctx. Nobody sees nothing.
func vouched(ctx context.Context) bool {
	subject := policy.SubjectFrom(ctx)
	return subject != nil && subject.Name != ""
}

// programs lists the registered tools the subject of ctx may call, by name.
func (s *Server) programs(ctx context.Context) []mcphost.Tool {
	return slices.DeleteFunc(s.host.Tools(mcp.BudgetDeep), func(t mcphost.Tool) bool {
		_, ok := s.look(ctx, t.Definition.Name)
		return !ok
	})
}

// reach returns the tool behind an outward name, if the subject of ctx may
// call it directly.
func (s *Server) reach(ctx context.Context, name string) (mcphost.Tool, bool) {
	if s.o.Compact {
		return mcphost.Tool{}, false
	}
	return s.known(ctx, name)
}

// known returns the tool behind an outward name, if the subject of ctx may
// call it, be it directly or not.
func (s *Server) known(ctx context.Context, name string) (mcphost.Tool, bool) {
	t, ok := s.look(ctx, s.inward(name))
	if !ok || s.outward(&t) != name {
		return mcphost.Tool{}, false
	}
	return t, true
}

// surface is what the subject of ctx is shown as tools, by name.
func (s *Server) surface(ctx context.Context) []*sdk.Tool {
	var all []*sdk.Tool
	for _, own := range s.own {
		if _, ok := s.ours(ctx, own.def.Name); ok {
			all = append(all, own.def)
		}
	}
	if !s.o.Compact {
		for _, t := range s.programs(ctx) {
			all = append(all, s.definition(t))
		}
	}
	slices.SortFunc(all, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// unknown is the answer to a name that does not exist, or not for this caller.
func unknown(name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", untrusted.Line(name, 200))}
}

// listTools answers tools/list for the subject of ctx.
func (s *Server) listTools(ctx context.Context, params *sdk.ListToolsParams) (*sdk.ListToolsResult, error) {
	cursor := ""
	if params != nil {
		cursor = params.Cursor
	}
	page, next, err := paginate(s.surface(ctx), func(t *sdk.Tool) string { return t.Name }, cursor, s.o.PageSize)
	if err != nil {
		return nil, err
	}
	return &sdk.ListToolsResult{Tools: page, NextCursor: next, Cacheable: private}, nil
}

// private marks lists that depend on who asks.
var private = sdk.Cacheable{CacheScope: "private"}

// cursorMark tells our cursors from anything else.
const cursorMark = "after:"

// paginate cuts a sorted list into pages. A cursor names the last key of the
// page before it, so it stays good when entries come and go.
func paginate[T any](all []T, key func(T) string, cursor string, size int) (page []T, next string, err error) {
	if cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		after, ok := strings.CutPrefix(string(raw), cursorMark)
		if err != nil || !ok {
			return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of ours; list again without one"}
		}
		all = all[firstAfter(all, key, after):]
	}
	if len(all) <= size {
		return slices.Concat([]T{}, all), "", nil // never null
	}
	last := key(all[size-1])
	return all[:size], base64.RawURLEncoding.EncodeToString([]byte(cursorMark + last)), nil
}

func firstAfter[T any](all []T, key func(T) string, after string) int {
	i, found := slices.BinarySearchFunc(all, after, func(e T, k string) int { return strings.Compare(key(e), k) })
	if found {
		i++
	}
	return i
}
