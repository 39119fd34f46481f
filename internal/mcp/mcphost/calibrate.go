package mcphost

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const (
	// probesPerTool is how often calibration calls each tool.
	probesPerTool = 3
	// probesAtOnce bounds concurrent calibration.
	probesAtOnce = 8
)

// Calibrate measures every tool that may be probed, several at once, and so
// places it in its tier. Only idempotent, read-only tools are probed, with
// their own probe arguments or minimal valid ones; arguments a tool rejects
// say nothing about its health (ruling 1). It returns an error only when ctx
// ends first; what a probe found is in [Host.Status].
func (h *Host) Calibrate(ctx context.Context) error {
	snap := h.snap.Load()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(probesAtOnce)
	for i := range snap.entries {
		t := snap.entries[i].tool
		if t.skip != "" {
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

// probe calls a tool once to measure it.
func (h *Host) probe(ctx context.Context, t *tool) probeResult {
	e := entry{tool: t, def: t.Definition}
	if err := t.input.check(t.Probe); err != nil {
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
		return probeResult{note: "rejected the probe: " + res.Text}
	}
	return probeResult{ok: true}
}
