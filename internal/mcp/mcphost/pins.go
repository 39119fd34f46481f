package mcphost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// Keeper keeps what a host should know at its next start. It is safe for
// concurrent use; a nil value removes its key.
type Keeper interface {
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	SaveState(ctx context.Context, space string, values map[string][]byte) error
}

// WithKeeper makes pins and latencies outlive the process. machine tells apart
// the machines that share a keeper, since their latencies differ.
func WithKeeper(k Keeper, machine string) Option {
	return func(o *options) { o.keeper, o.machine = k, machine }
}

// Reasons a tool is held.
const (
	holdNew     = "is new"
	holdChanged = "changed"
)

// pin is the approved definition of a tool, and the one that waits.
type pin struct {
	Hash              string          `json:"hash"`
	Definition        json.RawMessage `json:"definition"`
	Pending           string          `json:"pending,omitempty"`
	PendingDefinition json.RawMessage `json:"pending_definition,omitempty"`
}

// maxPins bounds the definitions remembered of one server. One that invents
// names beyond it gets nothing approved and nothing kept.
const maxPins = 4 * maxServerTools

// pinSet is the pins of a server, by the tool's own name.
type pinSet struct {
	pins     map[string]pin
	baseline bool // the server was never listed before
	changed  map[string]bool
}

func pinSpace(server string) string { return "tool pins/" + server }

// listedSpace is where the servers are noted that were listed before: one that
// had no tools then has no pins, and yet its baseline.
const listedSpace = "listed servers"

func (h *Host) loadPins(ctx context.Context, cfg config.MCPServerConfig) (*pinSet, error) {
	set := &pinSet{pins: map[string]pin{}, changed: map[string]bool{}}
	raw, err := h.opts.keeper.LoadState(ctx, pinSpace(cfg.Name))
	if err != nil {
		return nil, fmt.Errorf("reading the pins of its tools: %w", err)
	}
	for name, value := range raw {
		var p pin
		if err := json.Unmarshal(value, &p); err != nil {
			return nil, fmt.Errorf("reading the pin of tool %q: %w", name, err)
		}
		set.pins[name] = p
	}
	if len(raw) > 0 {
		return set, nil
	}
	before, err := h.opts.keeper.LoadState(ctx, listedSpace)
	if err != nil {
		return nil, fmt.Errorf("reading whether it was listed before: %w", err)
	}
	set.baseline = before[cfg.Name] == nil
	return set, nil
}

func (h *Host) savePins(ctx context.Context, cfg config.MCPServerConfig, set *pinSet) error {
	values := map[string][]byte{}
	for name := range set.changed {
		raw, err := json.Marshal(set.pins[name])
		if err != nil {
			return fmt.Errorf("encoding the pin of tool %q: %w", name, err)
		}
		values[name] = raw
	}
	if len(values) > 0 {
		if err := h.opts.keeper.SaveState(ctx, pinSpace(cfg.Name), values); err != nil {
			return fmt.Errorf("keeping the pins of its tools: %w", err)
		}
	}
	if set.baseline {
		if err := h.opts.keeper.SaveState(ctx, listedSpace, map[string][]byte{cfg.Name: []byte("true")}); err != nil {
			return fmt.Errorf("keeping that it was listed: %w", err)
		}
	}
	return nil
}

// fingerprint returns a definition in canonical form with its hash: name,
// title, description, schemas, annotations and whether it may be tried twice,
// as the server sent them. Other hints may move with every measurement.
func fingerprint(d *sdk.Tool) (hash string, definition json.RawMessage) {
	parts := map[string]any{
		"name": d.Name, "title": d.Title, "description": d.Description,
		"inputSchema": d.InputSchema, "outputSchema": d.OutputSchema, "annotations": d.Annotations,
	}
	if idempotent, ok := d.Meta[metaIdempot]; ok {
		parts[metaIdempot] = idempotent
	}
	definition, err := json.Marshal(parts)
	if err != nil { // what came as JSON goes as JSON
		definition = json.RawMessage("null")
	}
	sum := sha256.Sum256(definition)
	return hex.EncodeToString(sum[:]), definition
}

// check compares a definition with its pin. It returns "" if they agree, else
// why not; with hold, the new definition then waits for approval, otherwise it
// becomes the pin (ruling 11).
func (s *pinSet) check(d *sdk.Tool, hold bool) string {
	hash, definition := fingerprint(d)
	p, known := s.pins[d.Name]
	why := holdChanged
	switch {
	case known && p.Hash == hash:
		if p.Pending != "" { // it went back to what was approved
			s.put(d.Name, pin{Hash: hash, Definition: definition})
		}
		return ""
	case !known && s.baseline:
		s.put(d.Name, pin{Hash: hash, Definition: definition})
		return ""
	case !known || p.Hash == "":
		why = holdNew
	}
	if !hold {
		s.put(d.Name, pin{Hash: hash, Definition: definition})
		return why
	}
	if p.Pending != hash {
		p.Pending, p.PendingDefinition = hash, definition
		s.put(d.Name, p)
	}
	return why
}

func (s *pinSet) put(name string, p pin) {
	if _, known := s.pins[name]; known || len(s.pins) < maxPins {
		s.pins[name], s.changed[name] = p, true
	}
}

// Held is a tool that waits for the operator's approval.
type Held struct {
	// Name is the server's name for the tool, cleaned for printing.
	Name, Server string
	// Why is "is new" or "changed".
	Why string
	// Hash begins the hash of the offered definition. Approving "name@hash"
	// approves this definition and no later one.
	Hash string
	// Approved and Offered are the definitions as JSON; Approved is empty for a
	// new tool. They are cleaned for printing.
	Approved, Offered string

	key     string // the server's name for the tool as it is
	pending string // hash of the offered definition
}

// shownHash is how much of a hash tells definitions apart.
const shownHash = 12

// called reports whether the operator means this tool.
func (w Held) called(name string) bool {
	if at := strings.LastIndexByte(name, '@'); at > 0 && len(name)-at > shownHash && strings.HasPrefix(w.pending, name[at+1:]) {
		name = name[:at]
	}
	return name == w.Name || name == w.Server+"/"+w.Name
}

// Held lists the tools that wait for approval, by server and name.
func (h *Host) Held(ctx context.Context) ([]Held, error) {
	var all []Held
	for _, u := range h.upstreams() {
		set, err := h.loadPins(ctx, u.cfg)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", u.cfg.Name, err)
		}
		for _, name := range slices.Sorted(maps.Keys(set.pins)) {
			p := set.pins[name]
			if p.Pending == "" {
				continue
			}
			held := Held{
				Name: cleanLine(name), Server: u.cfg.Name, Why: holdChanged, Hash: p.Pending[:min(len(p.Pending), shownHash)],
				Approved: pretty(p.Definition), Offered: pretty(p.PendingDefinition), key: name, pending: p.Pending,
			}
			if p.Hash == "" {
				held.Why = holdNew
			}
			all = append(all, held)
		}
	}
	return all, nil
}

func (h *Host) upstreams() []*upstream {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.servers)
}

func pretty(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return untrusted.Clean(out.String(), 0)
}

// Approve takes the waiting definition of a tool as its new pin, on every
// server that offers one under that name, and lists those servers again.
// "server/tool" means one server alone; "tool@hash" and "server/tool@hash" mean
// the definition of that [Held.Hash], so that nothing else is approved than
// what was looked at.
func (h *Host) Approve(ctx context.Context, name string) error {
	held, err := h.Held(ctx)
	if err != nil {
		return err
	}
	var done bool
	for _, w := range held {
		if !w.called(name) {
			continue
		}
		if err := h.approve(ctx, w); err != nil {
			return fmt.Errorf("approving %q: %w", name, err)
		}
		done = true
	}
	if done {
		return nil
	}
	var waiting []string
	for _, w := range held {
		waiting = append(waiting, w.Server+"/"+w.Name+"@"+w.Hash)
	}
	if len(waiting) == 0 {
		return fmt.Errorf("approving %q: %w: no tool waits for approval", name, mcp.ErrUnknownTool)
	}
	return fmt.Errorf("approving %q: %w: these wait for approval: %s", name, mcp.ErrUnknownTool, strings.Join(waiting, ", "))
}

func (h *Host) approve(ctx context.Context, w Held) error {
	for _, u := range h.upstreams() {
		if u.cfg.Name != w.Server {
			continue
		}
		set, err := h.loadPins(ctx, u.cfg)
		if err != nil {
			return err
		}
		p := set.pins[w.key]
		if p.Pending != w.pending {
			return errors.New("the server has changed it again meanwhile")
		}
		set.put(w.key, pin{Hash: p.Pending, Definition: p.PendingDefinition})
		if err := h.savePins(ctx, u.cfg, set); err != nil {
			return err
		}
		wakeup.Signal(u.relist)
		wakeup.Signal(u.wake) // a server that sleeps cannot be listed
	}
	return nil
}

// forgetful is the keeper of a host without one: what it keeps lasts as long
// as the host.
type forgetful struct {
	mu    sync.Mutex // guards state
	state map[string]map[string][]byte
}

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
