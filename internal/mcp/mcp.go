// Package mcp holds the types that all packages for tools share: budget tiers, callers, results, the errors
// of calls, and the values in a call's context. It does no I/O.
//
// Latencies are reported in milliseconds, see [Millis] (file elapsed.go).
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BudgetTier is a latency class. For a tool, it says how slow the tool is; for a turn, how slow its tools may
// be. The order is FAST < STANDARD < DEEP.
type BudgetTier int

const (
	BudgetFast     BudgetTier = iota // p50 <= 500ms
	BudgetStandard                   // p50 <= 1500ms
	BudgetDeep                       // all remaining tools
)

// TierCount is the number of tiers, for arrays indexed by tier.
const TierCount = 3

// Tiers lists all tiers, fastest first.
func Tiers() [TierCount]BudgetTier { return [...]BudgetTier{BudgetFast, BudgetStandard, BudgetDeep} }

// String returns "fast", "standard" or "deep".
func (t BudgetTier) String() string {
	switch t {
	case BudgetFast:
		return "fast"
	case BudgetStandard:
		return "standard"
	case BudgetDeep:
		return "deep"
	}
	return fmt.Sprintf("tier(%d)", int(t))
}

// Valid reports whether t is one of the three tiers.
func (t BudgetTier) Valid() bool { return t >= BudgetFast && t <= BudgetDeep }

// MarshalText returns the tier's name.
func (t BudgetTier) MarshalText() ([]byte, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("no tier %d", int(t))
	}
	return []byte(t.String()), nil
}

// UnmarshalText accepts a tier's name in any case.
func (t *BudgetTier) UnmarshalText(b []byte) error {
	p, err := ParseTier(string(b))
	if err != nil {
		return err
	}
	*t = p
	return nil
}

// ParseTier returns the tier with name s, in any case.
func ParseTier(s string) (BudgetTier, error) {
	for _, t := range Tiers() {
		if strings.EqualFold(s, t.String()) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%q is no tier; use fast, standard or deep", s)
}

// Caller identifies for whom a tool runs. The zero Caller is the operator, who sees everything.
type Caller struct {
	// NPC is the id of the NPC whose turn it is, or whose view an outside client has; otherwise empty.
	NPC string
	// Session is the id of the running session; empty outside sessions.
	Session string
	// Client is the name of the calling outside client; empty for NPCs and the operator.
	Client string
	// Blind says that the NPC cannot see, so it gets neither its surroundings nor positions.
	Blind bool
	// Sees is the viewer for reading memory if there is no NPC: empty for everything, memory.Anyone for
	// public knowledge.
	Sees string
}

// Viewer returns the viewer for reading memory: the NPC, else Sees.
func (c Caller) Viewer() string {
	if c.NPC != "" {
		return c.NPC
	}
	return c.Sees
}

// Name returns the caller's name in policies and in the audit log: the client's name, "npc:ID", or
// "operator".
func (c Caller) Name() string {
	switch {
	case c.Client != "":
		return c.Client
	case c.NPC != "":
		return "npc:" + c.NPC
	}
	return "operator"
}

type callerKey struct{}

// WithCaller returns a context with the caller c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller in ctx, or the zero Caller.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Result is the result of a tool call.
type Result struct {
	// Text is the content for a model, as text.
	Text string
	// Structured is the tool's structured content, nil if it has none.
	Structured json.RawMessage
	// Content is the content item by item; nil means that Text is all.
	Content []Content
	// IsError marks a failure reported by the tool itself; Text then says why.
	IsError bool
	// Duration is the wall-clock time of the call, including queueing.
	Duration time.Duration
	// Cached marks a result from the cache.
	Cached bool
	// Native is the result as a type of the protocol, such as a *CallToolResult of the MCP SDK; nil if the
	// fields above are complete. Only the outward server uses it.
	Native any
}

// Content is one item of a tool's answer (MCP 2025-11-25, "Tool Result").
type Content struct {
	// Type is "text", "image", "audio", "resource_link" or "resource".
	Type string
	// Text is the text of a text item or of an embedded text resource.
	Text string
	// Data holds the decoded bytes of an image, sound or binary resource.
	Data     []byte
	MIMEType string
	// URI and Name identify a resource or a link to one.
	URI, Name string
}

// Errors of calls; test with errors.Is.
var (
	// ErrUnknownTool means no tool with that name is registered.
	ErrUnknownTool = errors.New("unknown tool")
	// ErrNotAllowed means the toolset does not contain the tool.
	ErrNotAllowed = errors.New("tool is not allowed here")
	// ErrInvalidArguments means the arguments do not fit the tool. Handlers wrap it to reject input. It never
	// counts against the tool's health.
	ErrInvalidArguments = errors.New("invalid arguments")
	// ErrUnavailable means the tool's server is down.
	ErrUnavailable = errors.New("tool is unavailable")
	// ErrBusy means too many calls are in progress; nothing was done.
	ErrBusy = errors.New("too busy")
	// ErrTimeout means the call exceeded its deadline.
	ErrTimeout = errors.New("tool call timed out")
	// ErrPanicked means the handler panicked; the process continues.
	ErrPanicked = errors.New("tool panicked")
	// ErrClosed means the host is closed.
	ErrClosed = errors.New("host is closed")
)
