// Package tools defines the shape of a built-in tool. Each family of tools is
// a sub-package whose constructor returns a []Tool, ready for registration
// with the host.
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

// Handler runs a tool. args is JSON text that has passed the tool's schema;
// the result is JSON text (or plain text where the tool has no output schema).
// A Handler is safe for concurrent use and returns once ctx is done. It wraps
// [mcp.ErrInvalidArguments] to reject input, which says nothing about the
// tool's health. Who the call is for is in [mcp.CallerFrom].
type Handler func(ctx context.Context, args string) (string, error)

// JSON returns the [Handler] that reads arguments into A and writes what run
// makes of them, see [Decode] and [Encode].
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

// Decode reads the arguments of a call into A, blank ones as none. It refuses
// text that is no valid UTF-8, which decoding would silently alter, and does
// nothing once ctx is done.
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

// Encode writes a result as JSON. It leaves <, > and & as they are: a model
// reads plain text better.
func Encode(result any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Respond is a [Handler] for answers that are more than JSON: images, sound,
// links and embedded resources.
type Respond func(ctx context.Context, args string) (mcp.Result, error)

// KindWorkflow is the kind of named sequences of calls. They are Composite.
const KindWorkflow = "workflow"

// Effect says when a tool runs within an NPC's turn.
type Effect int

const (
	// EffectNow tools run when the model asks: the NPC needs the result to speak.
	EffectNow Effect = iota
	// EffectAtCommit tools change something and their result is not needed to
	// speak: the intent is recorded and runs when the turn is committed, so
	// that a cancelled turn leaves no trace.
	EffectAtCommit
)

// Tool is a built-in tool: its definition, its handler, and what the host
// needs to schedule it.
type Tool struct {
	Definition llm.ToolDefinition
	Handler    Handler
	// Respond runs the tool in place of Handler if it is set.
	Respond Respond
	// Prepare, if set, is waited for before the deadline of a call begins, as for what is
	// read once. It costs nothing from then on and is safe for concurrent use.
	Prepare func()
	// DeclaredP50 is the expected median latency in milliseconds. If 0, the
	// definition's EstimatedDurationMs counts.
	DeclaredP50 int
	// DeclaredMax is the hard deadline in milliseconds. If 0, the definition's
	// MaxDurationMs counts.
	DeclaredMax int

	// Title is the name shown to people. If empty, the tool's name.
	Title string
	// OutputSchema is the JSON Schema of the result; nil means free text.
	OutputSchema map[string]any
	// Permission is what an outside client needs to call the tool, such as
	// "dice.roll". A tool that names none needs [mcp.PermissionExternal], unless
	// it is Composite.
	Permission string
	// Composite tools do nothing but call others, through their caller's door.
	Composite bool
	// Kind is [KindWorkflow] or empty for a plain tool.
	Kind string
	// Needs names the tools that this one calls. It is listed only where all of
	// them are.
	Needs []string
	// Expected, if set, says how long a call should take while none has been
	// measured, in place of DeclaredP50. It is cheap and safe for concurrent use.
	Expected func() time.Duration
	// ReadOnly tools change nothing and may be probed when idempotent.
	ReadOnly bool
	// Destructive tools can overwrite or remove something.
	Destructive bool
	// KeepsWorld says that a tool which is not ReadOnly changes neither the game's world
	// nor its files. An NPC's call of any other is a proposal (docs/adr/0051).
	KeepsWorld bool
	// Own reports whether a call concerns nothing but what is an NPC's own: such a call
	// is no proposal if the NPC's file allows the tool (may_change), or the tool
	// KeepsWorld. If nil, no call of a built-in tool does.
	Own func(npc, args string) bool
	// OpenWorld tools reach outside Glyphoxa's own data.
	OpenWorld bool
	// Effect says when the tool acts within a turn. Read-only tools always act
	// at once.
	Effect Effect
	// Floor is the fastest tier the tool may be listed in, however fast it
	// measures. The zero value is FAST.
	Floor mcp.BudgetTier
	// Probe is the arguments JSON used for calibration. If empty, a minimal
	// valid input is made from the schema.
	Probe string
	// Inline handlers only compute: they do no I/O, take no contended lock and
	// finish in well under a millisecond. The host runs them on the caller's
	// goroutine; every other handler runs on one of its own, so that a handler
	// which ignores its context cannot hold the caller beyond the deadline.
	Inline bool
	// AsksClient handlers need the request of the outside client they run for, to ask
	// or tell it something.
	AsksClient bool
}

// Reading completes a tool that only looks something up: it changes nothing,
// may be called twice and declares the latencies of its definition.
func Reading(t Tool) Tool {
	t.ReadOnly, t.Definition.Idempotent = true, true
	return declared(t)
}

// Writing completes a tool that changes something and whose result an NPC does
// not wait for: it acts at commit and declares the latencies of its definition.
func Writing(t Tool) Tool {
	t.Effect = EffectAtCommit
	return declared(t)
}

func declared(t Tool) Tool {
	t.DeclaredP50, t.DeclaredMax = t.Definition.EstimatedDurationMs, t.Definition.MaxDurationMs
	return t
}
