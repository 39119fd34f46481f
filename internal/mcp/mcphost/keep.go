package mcphost

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// WithKeeper makes pins, names and latencies survive a restart. machine is the name of this machine, because
// hosts on several machines may share a keeper but each needs its own latencies.
func WithKeeper(k Keeper, machine string) Option {
	return func(o *options) { o.keeper, o.machine = k, machine }
}

const (
	// nameSpace is the keeper's space for the names of external tools.
	nameSpace = "tool names"
	// latencySpaces is the prefix of each machine's space for latencies.
	latencySpaces = "tool latency/"
	// latencyAge is how long unused latencies are kept. It is long enough for a machine that is off during a
	// holiday. They are not kept for ever, because every container may have a new machine name.
	latencyAge = 6 * 7 * 24 * time.Hour
	// maxMachines bounds the other machines whose latencies are kept.
	maxMachines = 16
)

func (h *Host) latencySpace() string { return latencySpaces + h.opts.machine }

// savedStats is the stored form of a tool's [stats].
type savedStats struct {
	// Calls are the window's encoded calls, oldest first.
	Calls []uint32 `json:"calls"`
	// Demoted says that the tool was not healthy.
	Demoted bool `json:"demoted,omitempty"`
	// Late is longestTimeout, in nanoseconds.
	Late int64 `json:"late,omitempty"`
	// At is when the tool was last registered, in Unix seconds; 0 means unknown.
	At int64 `json:"at,omitempty"`
}

// readStats decodes saved stats. Earlier versions saved a plain list of successful calls.
func readStats(value []byte) (savedStats, error) {
	var saved savedStats
	if err := json.Unmarshal(value, &saved.Calls); err == nil {
		return saved, nil
	}
	saved = savedStats{}
	err := json.Unmarshal(value, &saved)
	return saved, err
}

// restore converts saved stats back to stats.
func (saved savedStats) restore() *stats {
	s := &stats{}
	for _, slot := range saved.Calls[max(0, len(saved.Calls)-windowSize):] {
		s.record(time.Duration(slot&^failedBit)*time.Microsecond, slot&failedBit == 0)
	}
	if saved.Demoted {
		s.health.transition(healthy, demoted)
	}
	s.longestTimeout.Store(max(saved.Late, 0))
	s.lastSeen = saved.At
	return s
}

// outdated reports whether latencies last used at the given Unix time, in seconds, may be deleted.
func outdated(at int64, now time.Time) bool { return now.Sub(time.Unix(at, 0)) > latencyAge }

// Restore loads the names of external tools and the latencies measured on this machine, so that tools start
// in the right tier. A tool that was demoted stays demoted and heals as usual. Call Restore before
// registering tools; without a keeper it does nothing. It logs and drops latencies that it cannot read.
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
	for owner, name := range names {
		h.names.assign(owner, string(name))
	}
	for key, value := range state {
		saved, err := readStats(value)
		if err != nil {
			h.opts.log.Warn("latency dropped", "tool", key, "reason", err)
			continue
		}
		h.stats[key] = saved.restore()
	}
	return nil
}

// Keep saves names and latencies for the next start. It deletes latencies that were not used for six weeks,
// and keeps the latencies of only the sixteen most recently used other machines.
func (h *Host) Keep(ctx context.Context) error {
	now := time.Now()
	h.mu.Lock()
	names := map[string][]byte{}
	for owner := range h.names.unsaved { // only these, because another process may have deleted the others
		names[owner] = []byte(h.names.byOwner[owner])
	}
	latencies, err := h.savedLatencies(now)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	if err := h.opts.keeper.SaveState(ctx, h.latencySpace(), latencies); err != nil {
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
	for owner := range names {
		delete(h.names.unsaved, owner)
	}
	return nil
}

// savedLatencies encodes the stats of all tools. Outdated ones become nil, which deletes them from the
// keeper. Callers hold mu.
func (h *Host) savedLatencies(now time.Time) (map[string][]byte, error) {
	values := map[string][]byte{}
	registered := h.snap.Load().byStats
	for key, s := range h.stats {
		if _, ok := registered[s]; ok || s.lastSeen == 0 {
			s.lastSeen = now.Unix()
		}
		saved := savedStats{s.slots(), s.health.current() != healthy, s.longestTimeout.Load(), s.lastSeen}
		if len(saved.Calls) == 0 {
			continue
		}
		if outdated(s.lastSeen, now) {
			values[key] = nil
			continue
		}
		raw, err := json.Marshal(saved)
		if err != nil {
			return nil, fmt.Errorf("encoding the latency of %q: %w", key, err)
		}
		values[key] = raw
	}
	return values, nil
}

// forgetMachines deletes latencies of machines other than the one with the given space: the outdated ones,
// and the oldest beyond maxMachines. Earlier versions saved no time, so their latencies count as the oldest.
func forgetMachines(ctx context.Context, keeper Keeper, space string, now time.Time) error {
	type machine struct {
		space string
		rows  map[string][]byte
		last  int64
	}
	spaces, err := keeper.StateSpaces(ctx, latencySpaces)
	if err != nil {
		return err
	}
	var others []machine
	for _, s := range spaces {
		if s == space {
			continue
		}
		m := machine{space: s}
		if m.rows, err = keeper.LoadState(ctx, s); err != nil {
			return err
		}
		for _, value := range m.rows {
			if saved, err := readStats(value); err == nil {
				m.last = max(m.last, saved.At)
			}
		}
		others = append(others, m)
	}
	slices.SortFunc(others, func(a, b machine) int {
		return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.space, b.space))
	})
	for i, m := range others {
		if i < maxMachines && !outdated(m.last, now) {
			continue
		}
		for key := range m.rows {
			m.rows[key] = nil
		}
		if err := keeper.SaveState(ctx, m.space, m.rows); err != nil {
			return err
		}
	}
	return nil
}

// memoryKeeper is the default keeper. It keeps nothing after the host is closed.
type memoryKeeper struct {
	mu    sync.Mutex // guards state
	state map[string]map[string][]byte
}

func newMemoryKeeper() *memoryKeeper { return &memoryKeeper{state: map[string]map[string][]byte{}} }

func (k *memoryKeeper) LoadState(_ context.Context, space string) (map[string][]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.state[space]), nil
}

func (k *memoryKeeper) StateSpaces(_ context.Context, prefix string) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var spaces []string
	for space, values := range k.state {
		if len(values) > 0 && strings.HasPrefix(space, prefix) {
			spaces = append(spaces, space)
		}
	}
	return spaces, nil
}

func (k *memoryKeeper) SaveState(_ context.Context, space string, values map[string][]byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := k.state[space]
	if kept == nil {
		kept = map[string][]byte{}
		k.state[space] = kept
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
