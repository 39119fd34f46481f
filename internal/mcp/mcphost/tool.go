package mcphost

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

const (
	// defaultDeadline bounds calls of tools that declare no maximum.
	defaultDeadline = 30 * time.Second
	// maxShortLine bounds one line of a status, in characters.
	maxShortLine = 500
)

// tool is a registered tool. It is immutable apart from its stats, which later registrations of
// the same tool share.
type tool struct {
	tools.Tool
	source        string      // mcp.SourceBuiltin, mcp.SourceWorkflow or a server's name
	remote        *ServerTool // nil for built-in tools
	input         *Schema
	declared      time.Duration // declared P50; 0 is unknown
	deadline      time.Duration
	probeInvented bool   // the probe has values that the host made up
	noProbe       string // why the tool must not be probed; empty if it may be
	*stats
}

// stats is what the host has measured about a tool.
type stats struct {
	window
	health health
	// listedTier is the tier in the current snapshot. It is compared after each call to detect a change.
	listedTier atomic.Int32
	// stuck counts abandoned handlers that still run.
	stuck atomic.Int32
	// longestTimeout is the longest time, in nanoseconds, that a call waited without a result since the last
	// success.
	longestTimeout atomic.Int64
	// probeProblem is the problem found by the last calibration; nil before the first.
	probeProblem atomic.Pointer[string]
	// lastSeen is when the tool was last registered, in the unit of [savedStats.At]. Host.mu guards it.
	lastSeen int64
}

// recordTimeout records that a call was abandoned after d, so that the tool must be slower than that.
func (s *stats) recordTimeout(d time.Duration) {
	if more := int64(d) + 1; more > s.longestTimeout.Load() {
		s.longestTimeout.Store(more) // of two concurrent values, either is good enough
	}
}

// newTool checks the definition of a built-in tool and prepares it for registration.
func newTool(def tools.Tool, source string, s *stats) (*tool, error) {
	if err := checkName(def.Definition.Name); err != nil {
		return nil, err
	}
	input, err := CompileArguments(def.Definition.Parameters)
	if err != nil {
		return nil, err
	}
	return prepareTool(def, source, input, s), nil
}

// newRemoteTool prepares a server's tool for registration. Callers hold mu.
func (h *Host) newRemoteTool(remote *ServerTool) *tool {
	source := remote.Server.Name()
	t := prepareTool(remote.Tool, source, remote.Input, h.statsOf(source, remote.Definition.Name))
	t.remote = remote
	if remote.Deadline > 0 {
		t.deadline = remote.Deadline
	}
	if remote.MayProbe && t.noProbe != "" {
		t.noProbe = ""
		t.chooseProbe()
	}
	return t
}

// prepareTool derives deadline, declared latency and probe from a checked definition.
func prepareTool(def tools.Tool, source string, input *Schema, s *stats) *tool {
	t := &tool{Tool: def, source: source, input: input, stats: s, deadline: defaultDeadline}
	t.declared = time.Duration(max(def.DeclaredP50, 0)) * time.Millisecond
	if def.DeclaredP50 == 0 {
		t.declared = time.Duration(max(def.Definition.EstimatedDurationMs, 0)) * time.Millisecond
	}
	if d := def.DeclaredMax; d > 0 {
		t.deadline = time.Duration(d) * time.Millisecond
	} else if d := def.Definition.MaxDurationMs; d > 0 {
		t.deadline = time.Duration(d) * time.Millisecond
	}
	switch {
	case def.Composite:
		t.noProbe = "calls other tools"
	case !def.ReadOnly:
		t.noProbe = "not read-only"
	case !def.Definition.Idempotent:
		t.noProbe = "not idempotent"
	default:
		t.chooseProbe()
	}
	return t
}

// chooseProbe makes up probe arguments if the tool declares none.
func (t *tool) chooseProbe() {
	if t.Probe != "" {
		return
	}
	var err error
	if t.Probe, t.probeInvented, err = t.input.MakeInput(); err != nil {
		t.noProbe = err.Error()
	}
}

// checkName returns an error if model APIs would reject the name of a built-in tool.
func checkName(name string) error {
	if name == "" || len(name) > maxName || !validName(name) {
		return fmt.Errorf("tool name %q is not 1 to 64 of the characters A-Z, a-z, 0-9, _ and -", name)
	}
	return nil
}

// isDerived reports whether the tool's tier depends on other tools.
func (t *tool) isDerived() bool { return len(t.Needs) > 0 || t.Expected != nil }

// trustedReadOnly reports whether the host trusts the tool to change nothing. A server's claim
// about its own tool counts only while the server's definitions are pinned.
func (t *tool) trustedReadOnly() bool {
	return t.ReadOnly && (t.remote == nil || t.remote.Server.Pinned())
}

// changesWorld reports whether the tool itself may change the world. For a composite tool it is false,
// because the tools it calls make the changes.
func (t *tool) changesWorld() bool { return !t.ReadOnly && !t.Composite && !t.KeepsWorld }

// requiredPermission is the permission that an outside client needs to call the tool.
func (t *tool) requiredPermission() string {
	if t.Permission == "" && !t.Composite {
		return mcp.PermissionExternal
	}
	return t.Permission
}

// shortLine cleans a tool's text and cuts it to one line of a status.
func shortLine(text string) string { return untrusted.Line(text, maxShortLine) }
