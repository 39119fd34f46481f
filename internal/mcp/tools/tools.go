// Package tools defines the type of a built-in tool, [Tool]. Each family of tools is a subpackage with a
// constructor that returns a []Tool, ready for registration with the host.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Handler runs a tool. args is JSON text that has already been validated against the tool's schema. The
// result is JSON text, or plain text if the tool has no output schema. A Handler must be safe for concurrent
// use and must return once ctx is done. To reject its input it wraps [mcp.ErrInvalidArguments], which does
// not count against the tool's health. [mcp.CallerFrom] returns whom the call is for.
type Handler func(ctx context.Context, args string) (string, error)

// JSON returns a [Handler] that decodes the arguments into A with [Decode], calls run, and encodes its result
// with [Encode].
func JSON[A, R any](run func(ctx context.Context, args A) (R, error)) Handler {
	return func(ctx context.Context, raw string) (string, error) {
		args, err := Decode[A](ctx, raw)
		if err != nil {
			return "", err
		}
		result, err := run(ctx, args)
		if err != nil {
			return "", err
		}
		return Encode(result)
	}
}

// Decode decodes the arguments of a call into A. Blank text counts as no arguments. Decode rejects invalid
// UTF-8, because decoding would silently alter it, and does nothing once ctx is done.
func Decode[A any](ctx context.Context, raw string) (args A, err error) {
	if ctx.Err() != nil {
		return args, context.Cause(ctx)
	}
	if strings.TrimSpace(raw) == "" {
		return args, nil
	}
	if !utf8.ValidString(raw) {
		return args, fmt.Errorf("%w: arguments are not valid UTF-8 text", mcp.ErrInvalidArguments)
	}
	if err := json.Unmarshal([]byte(raw), &args); err != nil {
		return args, fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
	}
	return args, nil
}

// Encode encodes a result as JSON. It does not escape <, > and &, because plain text is easier for a model to
// read.
func Encode(result any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Respond is like [Handler], for results that are more than JSON: images, audio, links and embedded
// resources.
type Respond func(ctx context.Context, args string) (mcp.Result, error)

// KindWorkflow is the kind of tools made from workflows. They are Composite.
const KindWorkflow = "workflow"

// Effect says when a tool runs within an NPC's turn.
type Effect int

const (
	// EffectNow tools run as soon as the model calls them, because the NPC needs the result to speak.
	EffectNow Effect = iota
	// EffectAtCommit tools change something, and the NPC does not need their result to speak. The call is
	// recorded and runs when the turn is committed, so that a cancelled turn changes nothing.
	EffectAtCommit
)

// Tool is a built-in tool: its definition, its handler, and the data with which the host schedules it.
type Tool struct {
	Definition llm.ToolDefinition
	Handler    Handler
	// Respond, if set, runs the tool instead of Handler.
	Respond Respond
	// Prepare, if set, runs before the deadline of a call begins, for work such as reading data on first use.
	// Later calls of Prepare must cost nothing, and it must be safe for concurrent use.
	Prepare func()
	// DeclaredP50 is the expected median latency in milliseconds. If 0, the host uses the definition's
	// EstimatedDurationMs.
	DeclaredP50 int
	// DeclaredMax is the hard deadline in milliseconds. If 0, the host uses the definition's MaxDurationMs.
	DeclaredMax int

	// Title is the display name. If empty, the tool's name is shown.
	Title string
	// OutputSchema is the JSON Schema of the result; nil means free text.
	OutputSchema map[string]any
	// Permission is the permission that an outside client needs to call the tool, such as "dice.roll". If
	// empty, the client needs [mcp.PermissionExternal], unless the tool is Composite.
	Permission string
	// Composite marks tools that only call other tools, through their caller's door.
	Composite bool
	// Kind is [KindWorkflow], or empty for a plain tool.
	Kind string
	// Needs names the tools that this tool calls. The tool is listed only where all of them are listed.
	Needs []string
	// Expected, if set, returns the expected duration of a call until one has been measured, and replaces
	// DeclaredP50. It must be cheap and safe for concurrent use.
	Expected func() time.Duration
	// ReadOnly tools change nothing. They may be probed if they are idempotent.
	ReadOnly bool
	// Destructive tools can overwrite or remove something.
	Destructive bool
	// KeepsWorld marks tools that are not ReadOnly but change neither the game's world nor its files. An
	// NPC's call of any other tool that is not ReadOnly is a proposal (docs/adr/0051).
	KeepsWorld bool
	// Own reports whether a call concerns only things that belong to the NPC. Such a call is not a proposal
	// if the NPC's file allows the tool (may_change) or the tool KeepsWorld. If nil, no call of a built-in
	// tool counts as such.
	Own func(npc, args string) bool
	// OpenWorld tools reach systems outside Glyphoxa's own data.
	OpenWorld bool
	// Effect says when the tool runs within a turn. Read-only tools always run at once.
	Effect Effect
	// Floor is the fastest tier that the tool may be listed in, regardless of its measured latency. The zero
	// value is FAST.
	Floor mcp.BudgetTier
	// Probe is the JSON arguments used for calibration. If empty, the host makes a minimal valid input from
	// the schema.
	Probe string
	// Inline marks handlers that only compute: they do no I/O, take no contended lock, and finish in well
	// under a millisecond. The host runs them on the caller's goroutine. Every other handler runs on a
	// goroutine of its own, so that a handler which ignores its context cannot block the caller beyond the
	// deadline.
	Inline bool
	// AsksClient marks handlers that need the request of the outside client they run for, in order to ask the
	// client or report to it.
	AsksClient bool
}

// Reading completes a tool that only looks something up. It marks the tool as read-only and idempotent, and
// declares the latencies of its definition.
func Reading(t Tool) Tool {
	t.ReadOnly, t.Definition.Idempotent = true, true
	return declared(t)
}

// Writing completes a tool that changes something and whose result an NPC does not wait for. The tool runs at
// commit and declares the latencies of its definition.
func Writing(t Tool) Tool {
	t.Effect = EffectAtCommit
	return declared(t)
}

func declared(t Tool) Tool {
	t.DeclaredP50, t.DeclaredMax = t.Definition.EstimatedDurationMs, t.Definition.MaxDurationMs
	return t
}
