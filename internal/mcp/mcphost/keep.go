package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
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

// latencySpaces is what the names of the spaces begin with in which machines keep their
// latencies.
const latencySpaces = "tool latency/"

// latencySpace is where a machine's latencies are kept.
func (h *Host) latencySpace() string { return latencySpaces + h.opts.machine }

// keptVitals are a tool's vitals as they are kept.
type keptVitals struct {
	// Calls are the slots of the window, oldest first.
	Calls []uint32 `json:"calls"`
	// Demoted says that the tool had not proved itself again.
	Demoted bool `json:"demoted,omitempty"`
	// Late is in nanoseconds, as [vitals.late].
	Late int64 `json:"late,omitempty"`
	// At is when the tool was last there, in seconds since 1970; 0 is unknown.
	At int64 `json:"at,omitempty"`
}

// readVitals reads what was kept of a tool. Former versions kept successes only,
// as a list.
func readVitals(value []byte) (keptVitals, error) {
	var kept keptVitals
	if err := json.Unmarshal(value, &kept.Calls); err == nil {
		return kept, nil
	}
	kept = keptVitals{}
	err := json.Unmarshal(value, &kept)
	return kept, err
}

// vitals returns what kept stands for.
func (kept keptVitals) vitals() *vitals {
	v := &vitals{}
	for _, slot := range kept.Calls[max(0, len(kept.Calls)-windowSize):] {
		v.record(time.Duration(slot&^failed)*time.Microsecond, slot&failed == 0)
	}
	if kept.Demoted {
		v.health.move(healthy, demoted)
	}
	v.late.Store(max(kept.Late, 0))
	v.kept = kept.At
	return v
}

// keep returns what is kept of a tool that was last there at a time.
func (v *vitals) keep(at int64) keptVitals {
	return keptVitals{v.calls(), healthState(v.health.state.Load()) != healthy, v.late.Load(), at}
}

// Restore brings back the names of external tools, and what was measured on this
// machine before, so that tools begin in the tier they belong to. A tool that was
// demoted still is, and is healed like any other. It is called before tools are
// registered; without a keeper it does nothing. A latency that cannot be read is
// dropped with a warning.
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
		kept, err := readVitals(value)
		if err != nil {
			h.opts.log.Warn("latency dropped", "tool", key, "reason", err)
			continue
		}
		h.vitals[key] = kept.vitals()
	}
	return nil
}

// Keep writes down names and latencies for the next start. What it has not needed for
// six weeks is forgotten: latencies of tools that were not there, and those of other
// machines, of which sixteen are remembered at most.
func (h *Host) Keep(ctx context.Context) error {
	values, names := map[string][]byte{}, map[string][]byte{}
	now := time.Now()
	h.mu.Lock()
	registered := h.snap.Load().current
	for who := range h.names.fresh { // others may have been given up by another process
		names[who] = []byte(h.names.names[who])
	}
	for key, v := range h.vitals {
		if _, there := registered[v]; there || v.kept == 0 {
			v.kept = now.Unix()
		}
		kept := v.keep(v.kept)
		if len(kept.Calls) == 0 {
			continue
		}
		if outdated(v.kept, now) {
			values[key] = nil
			continue
		}
		raw, err := json.Marshal(kept)
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
	if err := forgetMachines(ctx, h.opts.keeper, h.latencySpace(), now); err != nil {
		return fmt.Errorf("forgetting the latencies of other machines: %w", err)
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

func (f *forgetful) StateSpaces(_ context.Context, prefix string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var spaces []string
	for space, kept := range f.state {
		if len(kept) > 0 && strings.HasPrefix(space, prefix) {
			spaces = append(spaces, space)
		}
	}
	return spaces, nil
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
