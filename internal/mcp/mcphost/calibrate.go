package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
func (h *Host) recalibrate() {
	tick := time.NewTicker(h.opts.recalibrate)
	defer tick.Stop()
	for {
		select {
		case <-h.life.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeoutCause(h.life, h.opts.recalibrate, errors.New("it is time for the next one"))
		if err := h.calibrate(ctx, asleep); err != nil && h.life.Err() == nil {
			h.opts.log.LogAttrs(ctx, slog.LevelWarn, "calibration cut short", slog.Any("reason", err))
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
	return h.calibrate(ctx, func(*tool) bool { return false })
}

func (h *Host) calibrate(ctx context.Context, leaveOut func(*tool) bool) error {
	snap := h.snap.Load()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(probesAtOnce)
	for i := range snap.entries {
		t := snap.entries[i].tool
		if t.skip != "" || leaveOut(t) {
			continue
		}
		g.Go(func() error {
			for range probesPerTool {
				if res := h.probe(ctx, t); !res.ok {
					t.setNote(res.note)
					break
				}
				t.setNote("")
			}
			return context.Cause(ctx)
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("calibrating: %w", err)
	}
	return nil
}

// probeResult is whether a probe succeeded, and why not.
type probeResult struct {
	ok   bool
	note string
}

// probe calls a tool once to measure it. What is not registered is not called.
func (h *Host) probe(ctx context.Context, t *tool) probeResult {
	e := entry{tool: t, def: t.Definition}
	if h.snap.Load().heir(t) != t {
		return probeResult{note: "it is not there"}
	}
	ctx = upstream.Measuring(ctx)
	if err := t.input.CheckArguments(t.Probe); err != nil {
		return probeResult{note: "its probe does not fit its own schema"}
	}
	res, err := h.measured(ctx, &e, t.Probe, func(res mcp.Result, err error) bool {
		// The tool itself turned the made-up input down: no failure.
		return res.IsError || errors.Is(err, mcp.ErrInvalidArguments)
	})
	switch {
	case err != nil:
		return probeResult{note: strings.TrimPrefix(err.Error(), fmt.Sprintf("calling %q: ", e.def.Name))}
	case res.IsError:
		return probeResult{note: "rejected the probe: " + shortLine(res.Text)}
	}
	return probeResult{ok: true}
}
