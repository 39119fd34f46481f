package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
)

// Keeper keeps what a host should know at its next start.
type Keeper = upstream.Keeper

// WithKeeper makes pins, names and latencies outlive the process. machine tells
// apart the machines that share a keeper, since their latencies differ.
func WithKeeper(k Keeper, machine string) Option {
	return func(o *options) { o.keeper, o.machine = k, machine }
}

// nameSpace is where the names of external tools are kept.
const nameSpace = "tool names"

// latencySpace is where a machine's latencies are kept.
func (h *Host) latencySpace() string { return "tool latency/" + h.opts.machine }

// Restore brings back the names of external tools, and the latencies measured
// on this machine before, so that tools begin in the tier they belong to.
// Failures are not brought back: a restart is a new chance. It is called before
// tools are registered; without a keeper it does nothing. A latency that cannot
// be read is dropped with a warning.
func (h *Host) Restore(ctx context.Context) error {
	state, err := h.opts.keeper.LoadState(ctx, h.latencySpace())
	if err != nil {
		return fmt.Errorf("reading the tools' latencies: %w", err)
	}
	names, err := h.opts.keeper.LoadState(ctx, nameSpace)
	if err != nil {
		return fmt.Errorf("reading the tools' names: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for who, name := range names {
		h.names.assign(who, string(name))
	}
	for key, value := range state {
		var samples []uint32
		if err := json.Unmarshal(value, &samples); err != nil {
			h.opts.log.Warn("latency dropped", "tool", key, "reason", err)
			continue
		}
		v := h.vitals[key]
		if v == nil {
			v = &vitals{}
			h.vitals[key] = v
		}
		for _, us := range samples[max(0, len(samples)-windowSize):] {
			v.record(time.Duration(us&^failed)*time.Microsecond, true)
		}
	}
	return nil
}

// Keep writes down names and latencies for the next start.
func (h *Host) Keep(ctx context.Context) error {
	values, names := map[string][]byte{}, map[string][]byte{}
	h.mu.Lock()
	for who := range h.names.fresh { // others may have been given up by another process
		names[who] = []byte(h.names.names[who])
	}
	for key, v := range h.vitals {
		samples := v.successes()
		if len(samples) == 0 {
			continue
		}
		raw, err := json.Marshal(samples)
		if err != nil {
			h.mu.Unlock()
			return fmt.Errorf("encoding the latency of %q: %w", key, err)
		}
		values[key] = raw
	}
	h.mu.Unlock()
	if err := h.opts.keeper.SaveState(ctx, h.latencySpace(), values); err != nil {
		return fmt.Errorf("keeping the tools' latencies: %w", err)
	}
	if err := h.opts.keeper.SaveState(ctx, nameSpace, names); err != nil {
		return fmt.Errorf("keeping the tools' names: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for who := range names {
		delete(h.names.fresh, who)
	}
	return nil
}

// forgetful is the keeper of a host without one: what it keeps lasts as long
// as the host.
type forgetful struct {
	mu    sync.Mutex // guards state
	state map[string]map[string][]byte
}

func newForgetful() *forgetful { return &forgetful{state: map[string]map[string][]byte{}} }

func (f *forgetful) LoadState(_ context.Context, space string) (map[string][]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.state[space]), nil
}

func (f *forgetful) SaveState(_ context.Context, space string, values map[string][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.state[space]
	if kept == nil {
		kept = map[string][]byte{}
		f.state[space] = kept
	}
	for key, value := range values {
		if value == nil {
			delete(kept, key)
		} else {
			kept[key] = value
		}
	}
	return nil
}
