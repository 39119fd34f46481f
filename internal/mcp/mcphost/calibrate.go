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
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
)

const (
	// probesPerTool is how often calibration calls each tool.
	probesPerTool = 3
	// probesAtOnce bounds concurrent calibration.
	probesAtOnce = 8
)

// WithRecalibration repeats [Host.Calibrate] every interval until the host is
// closed, leaving out the tools of servers that sleep. If 0, the default,
// nothing is repeated; the shortest interval is a second.
func WithRecalibration(interval time.Duration) Option {
	return func(o *options) {
		if o.recalibrate = interval; interval > 0 {
			o.recalibrate = max(interval, time.Second)
		}
	}
}

// recalibrate measures again and again until the host is closed.
func (c measurer) recalibrate() {
	tick := time.NewTicker(c.host.opts.recalibrate)
	defer tick.Stop()
	for {
		select {
		case <-c.host.life.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeoutCause(c.host.life, c.host.opts.recalibrate, errors.New("it is time for the next one"))
		if err := c.calibrateAll(ctx, asleep); err != nil && c.host.life.Err() == nil {
			c.host.opts.log.LogAttrs(ctx, slog.LevelWarn, "calibration cut short", slog.Any("reason", err))
		}
		cancel()
	}
}

// asleep reports whether calling the tool would wake its server.
func asleep(t *tool) bool {
	return t.remote != nil && t.remote.Server.Asleep()
}

// Calibrate measures every tool that may be probed, several at once, and so
// places it in its tier. Only idempotent, read-only tools are probed, with
// their own probe arguments or minimal valid ones; arguments a tool rejects
// say nothing about its health (docs/adr/0001). It returns an error only when ctx
// ends first; what a probe found is in [Host.Status].
func (h *Host) Calibrate(ctx context.Context) error {
	return measurer{h}.calibrateAll(ctx, func(*tool) bool { return false })
}

func (c measurer) calibrateAll(ctx context.Context, leaveOut func(*tool) bool) error {
	defer c.host.gatherMoves()()
	snap := c.host.snap.Load()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(probesAtOnce)
	for i := range snap.entries {
		t := snap.entries[i].tool
		if t.skip != "" || leaveOut(t) {
			continue
		}
		g.Go(func() error {
			c.calibrateTool(ctx, t)
			return context.Cause(ctx)
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("calibrating: %w", err)
	}
	return nil
}

// calibrateTool probes a tool a few times. One that fails every time is demoted
// at once, whatever it did before: the window alone would need more calls.
func (c measurer) calibrateTool(ctx context.Context, t *tool) {
	var failed int
	var note string
	for range probesPerTool {
		p := c.probeTool(ctx, t)
		if p.note != "" {
			note = p.note
		}
		if p.outcome == probeVoid {
			break
		}
		if p.outcome == probeFailed {
			failed++
		}
	}
	t.setNote(note)
	if failed == probesPerTool {
		c.demote(t, t.measure())
		c.host.showMove(t)
	}
}

type probeOutcome int

const (
	probeVoid   probeOutcome = iota // it says nothing about the tool's health
	probeOK                         // the tool answered
	probeFailed                     // the tool failed
)

// probeResult is how a probe ended, and what was wrong.
type probeResult struct {
	outcome  probeOutcome
	rejected bool // the tool turned the probe's arguments down
	note     string
}

// probeTool calls a tool once to measure it. What is not registered is not called.
func (c measurer) probeTool(ctx context.Context, t *tool) probeResult {
	e := entry{tool: t, def: t.Definition}
	if c.host.snap.Load().heir(t) != t {
		return probeResult{note: "it is not there"}
	}
	ctx = upstream.Measuring(ctx)
	if err := t.input.CheckArguments(t.Probe); err != nil {
		return probeResult{note: "its probe does not fit its own schema"}
	}
	var p probeResult
	res, err := c.callMeasured(ctx, &e, t.Probe, func(res mcp.Result, err error) bool {
		p.rejected = errors.Is(err, mcp.ErrInvalidArguments) || err == nil && t.rejects(res)
		return p.rejected
	})
	if err == nil && !res.IsError {
		p.outcome = probeOK
		return p
	}
	if counts, _ := c.judgeOutcome(ctx, t, res, err); counts && !p.rejected {
		p.outcome = probeFailed
	}
	switch {
	case err != nil:
		p.note = strings.TrimPrefix(err.Error(), fmt.Sprintf("calling %q: ", e.def.Name))
	case p.rejected:
		p.note = "rejected the probe: " + shortLine(res.Text)
	default:
		p.note = "answered the probe with an error: " + shortLine(res.Text)
	}
	return p
}

// complaint matches what tools say of arguments that they can do nothing with.
var complaint = regexp.MustCompile(`(?i)\b(?:invalid|not valid|validation|illegal|malformed|unknown|unrecogni[sz]ed|unsupported|no such|not found|` +
	`not exist|does ?n[o']t exist|nonexistent|no (?:results?|match(?:es)?|entry|entries)|could(?: not|n't) find|cannot find|can't find|` +
	`required|missing|must|should be|expected|expects|out of range|too (?:short|long|small|large|few|many)|pars(?:e|ing)|` +
	`arguments?|parameters?|inputs?|bad request|40[04]|422)\b`)

// rejects reports whether a probe's answer turns its arguments down, which says
// nothing about the tool's health. Only values that were made up can be at fault:
// others the tool itself declares.
func (t *tool) rejects(res mcp.Result) bool {
	if !res.IsError || !t.invented {
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
