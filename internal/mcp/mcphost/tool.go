package mcphost

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/schema"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// enoughSamples is how many successes it takes to believe a measurement
	// over a slower declaration.
	enoughSamples = 3
	// demotionSamples is how many calls it takes to demote (docs/adr/0002).
	demotionSamples = 5
	// demotionRate is the error rate beyond which a tool is demoted.
	demotionRate = 0.30
	// defaultDeadline bounds calls of tools that declare no maximum.
	defaultDeadline = 30 * time.Second
	// maxStuck bounds the handlers of one tool that outlived their deadline.
	maxStuck = 8
)

// tool is a registered tool. It is immutable but for its vitals, which it
// shares with its later registrations.
type tool struct {
	tools.Tool
	source   string         // mcp.SourceBuiltin, mcp.SourceWorkflow or a server's name
	remote   *upstream.Tool // nil for built-in tools
	input    *schema.Schema
	declared time.Duration // declared P50; 0 is unknown
	deadline time.Duration
	invented bool   // the probe has values that were made up
	skip     string // why it may not be probed; empty if it may
	*vitals
}

// vitals is what is known of a tool by watching it.
type vitals struct {
	window
	health health
	// listed is the tier of the current snapshot, to notice when it changes.
	listed atomic.Int32
	// stuck counts handlers that outlived their calls and still run.
	stuck atomic.Int32
	// late is the longest time a call has waited in vain since one succeeded,
	// in nanoseconds.
	late atomic.Int64
	// kept is when the tool was last known to be there, as [keptVitals.At]. Host.mu
	// guards it.
	kept int64
	// note is what the last calibration found wrong; nil if nothing.
	note atomic.Pointer[string]
}

func (v *vitals) setNote(text string) { v.note.Store(&text) }

// overdue notes that a call was given up after d: the tool is slower than that.
func (v *vitals) overdue(d time.Duration) {
	if more := int64(d) + 1; more > v.late.Load() {
		v.late.Store(more) // of two at once either will do
	}
}

// verdict is the tier of a tool and why.
type verdict struct {
	tier   mcp.BudgetTier
	reason string
}

// place returns the tier of a tool: max(tier of its latency, floor), plus one
// while it is demoted (docs/adr/0003). It allocates nothing.
func (t *tool) place(ceilings [2]time.Duration, m Measure) mcp.BudgetTier {
	tier := t.assumed(ceilings, m)
	if t.believed(ceilings, m) {
		tier = tierOf(m.P50, ceilings)
	}
	tier = max(tier, t.Floor)
	if t.health.demoted() {
		tier = min(tier+1, mcp.BudgetDeep)
	}
	return tier
}

// assumed is the tier while no call has succeeded: the declared latency's, or
// STANDARD if nobody declared one. Enough calls given up prove more than a
// declaration: else a slow tool that may not be probed would be back in FAST
// with every trial.
func (t *tool) assumed(ceilings [2]time.Duration, m Measure) mcp.BudgetTier {
	tier := mcp.BudgetStandard
	if d := t.expected(); d > 0 {
		tier = tierOf(d, ceilings)
	}
	if late := t.lateness(m); late > 0 {
		tier = max(tier, tierOf(late, ceilings))
	}
	return tier
}

// expected is how long a call should take as long as none has been measured; 0
// is unknown.
func (t *tool) expected() time.Duration {
	if t.Expected != nil {
		return t.Expected()
	}
	return t.declared
}

// lateness is the longest time a call has waited in vain, if enough of them
// did; else 0.
func (t *tool) lateness(m Measure) time.Duration {
	if m.Samples < demotionSamples {
		return 0
	}
	return time.Duration(t.late.Load())
}

// believed reports whether the measurement counts: at once when it is slower
// than assumed, after some samples when it is not.
func (t *tool) believed(ceilings [2]time.Duration, m Measure) bool {
	return m.Successes >= enoughSamples || m.Successes > 0 && tierOf(m.P50, ceilings) > t.assumed(ceilings, m)
}

// assess is place with the reason in words.
func (t *tool) assess(ceilings [2]time.Duration, m Measure) verdict {
	v := verdict{tier: t.place(ceilings, m)}
	base := t.assumed(ceilings, m)
	reason := "latency unknown"
	switch {
	case t.believed(ceilings, m):
		base, reason = tierOf(m.P50, ceilings), "measured "+elapsed.Text(elapsed.Millis(m.P50))
	case t.lateness(m) > t.expected():
		reason = "took more than " + elapsed.Text(elapsed.Millis(t.lateness(m)))
	case t.Expected != nil && t.expected() > 0:
		reason = "its steps " + elapsed.Text(elapsed.Millis(t.expected()))
	case t.declared > 0:
		reason = "declared " + elapsed.Text(elapsed.Millis(t.declared))
	}
	if t.Floor > base {
		reason = "floor"
	}
	if t.health.demoted() {
		reason = fmt.Sprintf("demoted: %.0f %% errors", m.ErrorRate*100)
	}
	v.reason = reason
	return v
}

func tierOf(d time.Duration, ceilings [2]time.Duration) mcp.BudgetTier {
	for i, c := range ceilings {
		if d <= c {
			return mcp.BudgetTier(i)
		}
	}
	return mcp.BudgetDeep
}

// newTool checks a built-in definition and prepares it for registration.
func newTool(def tools.Tool, source string, v *vitals) (*tool, error) {
	if err := checkName(def.Definition.Name); err != nil {
		return nil, err
	}
	input, err := schema.OfArguments(def.Definition.Parameters)
	if err != nil {
		return nil, err
	}
	return prepareTool(def, source, input, v), nil
}

// externalTool prepares a server's tool for registration. Callers hold mu.
func (h *Host) externalTool(remote *upstream.Tool) *tool {
	source := remote.Server.Name()
	t := prepareTool(remote.Tool, source, remote.Input, h.vitalsOf(source, remote.Definition.Name))
	t.remote = remote
	if remote.Deadline > 0 {
		t.deadline = remote.Deadline
	}
	if remote.MayProbe && t.skip != "" {
		t.skip = ""
		t.chooseProbe()
	}
	return t
}

// prepareTool works out what follows from a definition that was checked.
func prepareTool(def tools.Tool, source string, input *schema.Schema, v *vitals) *tool {
	t := &tool{Tool: def, source: source, input: input, vitals: v, deadline: defaultDeadline}
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
		t.skip = "it is made of other tools"
	case !def.ReadOnly:
		t.skip = "not read-only"
	case !def.Definition.Idempotent:
		t.skip = "not idempotent"
	default:
		t.chooseProbe()
	}
	return t
}

// chooseProbe makes up the arguments of a probe if the tool has none.
func (t *tool) chooseProbe() {
	if t.Probe != "" {
		return
	}
	var err error
	if t.Probe, t.invented, err = t.input.MakeInput(); err != nil {
		t.skip = err.Error()
	}
}

func checkName(name string) error {
	if name == "" || len(name) > maxName || !validName(name) {
		return fmt.Errorf("tool name %q is not 1 to 64 of the characters A-Z, a-z, 0-9, _ and -", name)
	}
	return nil
}

// entry is a tool as a snapshot lists it.
type entry struct {
	*tool
	def llm.ToolDefinition // under its registered name
	verdict
	// own is the tier without regard to what the tool needs.
	own    mcp.BudgetTier
	target mcp.Target
	// idle tools need one that is not there: they are in no list.
	idle   bool
	number uint64 // of the state it was made for
}

// led reports whether the tool's tier follows from those of others.
func (t *tool) led() bool { return len(t.Needs) > 0 || t.Expected != nil }

// shownIn reports whether the tool is in the list of a tier.
func (e *entry) shownIn(tier mcp.BudgetTier) bool { return e.tier <= tier && !e.idle }

// holds reports whether the entry, made for an earlier state, is still right.
func (e *entry) holds(name string, ceilings [2]time.Duration) bool {
	return !e.led() && e.def.Name == name && e.own == e.place(ceilings, e.measure()) && e.target.ReadOnly == e.harmless()
}

// harmless reports whether the tool may be trusted to change nothing. What a
// server says of its own tool counts only while its definitions are pinned.
func (t *tool) harmless() bool { return t.ReadOnly && (t.remote == nil || t.remote.Server.Pinned()) }

// changesWorld reports whether the tool may change the world by itself: one that calls
// others does what those do.
func (t *tool) changesWorld() bool { return !t.ReadOnly && !t.Composite && !t.KeepsWorld }

// permission is what an outside client needs to call the tool.
func (t *tool) permission() string {
	if t.Permission == "" && !t.Composite {
		return mcp.PermissionExternal
	}
	return t.Permission
}

// shortLine makes what a tool says fit for one line of a status.
func shortLine(text string) string { return untrusted.Line(text, maxShortLine) }

// maxShortLine bounds it, in characters.
const maxShortLine = 500
