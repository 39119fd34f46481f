// Package mcp holds what every part of the tool world shares: budget tiers,
// the caller's identity, call results, the errors a call can end in, and what
// travels with a call's context. It does no I/O.
//
// Latencies are reported in milliseconds: see [Millis] (file elapsed.go).
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BudgetTier is a latency class: of a tool, how slow it is; of a turn, how
// slow a tool may be. The order is FAST < STANDARD < DEEP.
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

// MarshalText renders the tier's name.
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

// ParseTier returns the tier called s, in any case.
func ParseTier(s string) (BudgetTier, error) {
	for _, t := range Tiers() {
		if strings.EqualFold(s, t.String()) {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%q is no tier; use fast, standard or deep", s)
}

// Caller is who a tool runs for. A zero Caller is the operator, who sees all.
type Caller struct {
	// NPC is the id of the NPC whose turn it is, or with whose eyes an outside
	// client sees; else empty.
	NPC string
	// Session is the id of the running session; empty outside sessions.
	Session string
	// Client is the name of the outside client that calls; empty for NPCs and
	// the operator.
	Client string
	// Blind says that the NPC sees nothing: it is told neither what is around nor where
	// things are.
	Blind bool
	// Sees is the viewer for whom memory is read if there is no NPC: empty sees
	// all, memory.Anyone what everybody may know.
	Sees string
}

// Viewer is for whom memory is read: the NPC, else Sees.
func (c Caller) Viewer() string {
	if c.NPC != "" {
		return c.NPC
	}
	return c.Sees
}

// Name is how a caller is written in policies and in the audit log: the
// client's name, "npc:ID", or "operator".
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

// WithCaller returns a context that names who the call is for.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns who the call is for; the zero Caller if nobody said.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Result is what a tool call yields.
type Result struct {
	// Text is what a model is given: the tool's content as text.
	Text string
	// Structured is the tool's structured content, nil if it has none.
	Structured json.RawMessage
	// Content is the tool's content item by item; nil means Text alone.
	Content []Content
	// IsError marks a failure reported by the tool itself; Text then says why.
	IsError bool
	// Duration is the wall-clock time of the call, queueing included.
	Duration time.Duration
	// Cached marks a result that was not computed for this call.
	Cached bool
	// Native is the answer in the form of the protocol it was made for, such as
	// a *CallToolResult of the MCP SDK; nil if the fields above say it all. Only
	// the outward server looks at it.
	Native any
}

// Content is one item of a tool's answer (MCP 2025-11-25, "Tool Result").
type Content struct {
	// Type is "text", "image", "audio", "resource_link" or "resource".
	Type string
	// Text is the text of a text item or of an embedded text resource.
	Text string
	// Data is the decoded bytes of an image, sound or binary resource.
	Data     []byte
	MIMEType string
	// URI and Name identify a resource or a link to one.
	URI, Name string
}

// Errors a call can end in; test with errors.Is.
var (
	// ErrUnknownTool means no tool of that name is registered.
	ErrUnknownTool = errors.New("unknown tool")
	// ErrNotAllowed means the toolset does not contain the tool.
	ErrNotAllowed = errors.New("tool is not allowed here")
	// ErrInvalidArguments means the arguments do not fit the tool. It never
	// counts against the tool's health. Handlers wrap it to reject input.
	ErrInvalidArguments = errors.New("invalid arguments")
	// ErrUnavailable means the tool's server is down.
	ErrUnavailable = errors.New("tool is unavailable")
	// ErrBusy means too many calls are under way; nothing was done.
	ErrBusy = errors.New("too busy")
	// ErrTimeout means the call outlived its deadline.
	ErrTimeout = errors.New("tool call timed out")
	// ErrPanicked means the handler panicked; the process goes on.
	ErrPanicked = errors.New("tool panicked")
	// ErrClosed means the host is closed.
	ErrClosed = errors.New("host is closed")
)
