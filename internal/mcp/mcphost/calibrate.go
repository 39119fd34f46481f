package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// probesPerTool is how often one calibration calls each tool.
	probesPerTool = 3
	// probesAtOnce bounds how many tools are probed at the same time.
	probesAtOnce = 8
)

// WithRecalibration repeats [Host.Calibrate] every interval until the host is closed. It skips the tools of
// sleeping servers, so that they are not woken. The default, 0, disables it; the shortest interval is one
// second.
func WithRecalibration(interval time.Duration) Option {
	return func(o *options) {
		if o.recalibrate = interval; interval > 0 {
			o.recalibrate = max(interval, time.Second)
		}
	}
}

// recalibrate measures the tools at every interval until the host is closed.
func (h *Host) recalibrate() {
	tick := time.NewTicker(h.opts.recalibrate)
	defer tick.Stop()
	for {
		select {
		case <-h.lifetime.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeoutCause(h.lifetime, h.opts.recalibrate, errors.New("the next calibration is due"))
		if err := h.calibrate(ctx, isDisconnectedIdle); err != nil && h.lifetime.Err() == nil {
			h.opts.log.LogAttrs(ctx, slog.LevelWarn, "calibration cut short", slog.Any("reason", err))
		}
		cancel()
	}
}

// isDisconnectedIdle reports whether calling the tool would wake its server.
func isDisconnectedIdle(t *tool) bool { return t.remote != nil && t.remote.Server.Asleep() }

// Calibrate measures every tool that may be probed, several at a time, so that each gets its tier. It probes
// only idempotent, read-only tools, with the probe arguments they declare or with minimal valid ones.
// Arguments that a tool rejects do not count against its health (docs/adr/0003). Calibrate returns an error
// only if ctx ends first; [Host.Status] reports the results of the probes.
func (h *Host) Calibrate(ctx context.Context) error {
	return h.calibrate(ctx, func(*tool) bool { return false })
}

func (h *Host) calibrate(ctx context.Context, skip func(*tool) bool) error {
	defer h.gatherMoves()()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(probesAtOnce)
	for _, e := range h.snap.Load().entries {
		t := e.tool
		if t.noProbe != "" || skip(t) {
			continue
		}
		g.Go(func() error {
			h.calibrateTool(ctx, t)
			return context.Cause(ctx)
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("calibrating: %w", err)
	}
	return nil
}

// calibrateTool probes a tool several times. It demotes a tool that fails every probe at once,
// because three probes are too few for [Host.reviewHealth] to do so.
func (h *Host) calibrateTool(ctx context.Context, t *tool) {
	var failures int
	var problem string
	for range probesPerTool {
		p := h.probeTool(ctx, t)
		if p.problem != "" {
			problem = p.problem
		}
		if p.outcome == probeVoid {
			break
		}
		if p.outcome == probeFailed {
			failures++
		}
	}
	t.probeProblem.Store(&problem)
	if failures == probesPerTool {
		h.demote(t, t.measure())
		h.showTier(t)
	}
}

type probeOutcome int

const (
	probeVoid   probeOutcome = iota // the probe says nothing about the tool's health
	probeOK                         // the tool answered
	probeFailed                     // the tool failed
)

// probeResult is the outcome of one probe.
type probeResult struct {
	outcome  probeOutcome
	rejected bool // the tool rejected the probe's arguments
	problem  string
}

// probeTool calls a tool once to measure it. It does nothing if t has been replaced or unregistered.
func (h *Host) probeTool(ctx context.Context, t *tool) probeResult {
	if h.snap.Load().latest(t) != t {
		return probeResult{problem: "the tool is gone"}
	}
	if err := t.input.CheckArguments(t.Probe); err != nil {
		return probeResult{problem: "its probe does not fit its own schema"}
	}
	ctx = Measuring(ctx)
	e := entry{tool: t, def: t.Definition}
	var p probeResult
	res, err := h.callMeasured(ctx, &e, t.Probe, func(res mcp.Result, err error) bool {
		p.rejected = errors.Is(err, mcp.ErrInvalidArguments) || err == nil && t.rejectsProbe(res)
		return p.rejected
	})
	if err == nil && !res.IsError {
		p.outcome = probeOK
		return p
	}
	if counts, _ := h.classifyOutcome(ctx, t, res, err); counts && !p.rejected {
		p.outcome = probeFailed
	}
	switch {
	case err != nil:
		p.problem = strings.TrimPrefix(err.Error(), fmt.Sprintf("calling %q: ", e.def.Name))
	case p.rejected:
		p.problem = "rejected the probe: " + shortLine(res.Text)
	default:
		p.problem = "answered the probe with an error: " + shortLine(res.Text)
	}
	return p
}

// complaint matches the words in which tools reject arguments.
var complaint = regexp.MustCompile(`(?i)\b(?:invalid|not valid|validation|illegal|malformed|unknown|unrecogni[sz]ed|unsupported|no such|not found|` +
	`not exist|does ?n[o']t exist|nonexistent|no (?:results?|match(?:es)?|entry|entries)|could(?: not|n't) find|cannot find|can't find|` +
	`required|missing|must|should be|expected|expects|out of range|too (?:short|long|small|large|few|many)|pars(?:e|ing)|` +
	`arguments?|parameters?|inputs?|bad request|40[04]|422)\b`)

// rejectsProbe reports whether an error answer to a probe is about its arguments. It is false unless the host
// made up some of the arguments, because the tool itself declares all other values.
func (t *tool) rejectsProbe(res mcp.Result) bool {
	if !res.IsError || !t.probeInvented {
		return false
	}
	if complaint.MatchString(res.Text) {
		return true
	}
	for name := range t.input.Properties() {
		if len(name) > 1 && strings.Contains(res.Text, name) {
			return true
		}
	}
	return false
}
