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

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// Keeper stores values across restarts, by space and key. Saving a nil value deletes the key. A Keeper must
// be safe for concurrent use.
type Keeper interface {
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	SaveState(ctx context.Context, space string, values map[string][]byte) error
	// StateSpaces lists the non-empty spaces whose names begin with prefix.
	StateSpaces(ctx context.Context, prefix string) ([]string, error)
}

// Reasons why a tool is held.
const (
	holdNew     = "is new"
	holdChanged = "changed"
)

// pin is the approved definition of a tool, with the definition that waits for approval, if any.
type pin struct {
	Hash              string          `json:"hash"`
	Definition        json.RawMessage `json:"definition"`
	Pending           string          `json:"pending,omitempty"`
	PendingDefinition json.RawMessage `json:"pending_definition,omitempty"`
}

// maxPins bounds the definitions remembered per server. Beyond it, new names are neither approved nor stored,
// because a server could invent any number of them.
const maxPins = 4 * maxServerTools

// pinSet holds the pins of a server by the tool's own name.
type pinSet struct {
	keeper   Keeper
	server   string
	pins     map[string]pin
	baseline bool            // the server is listed for the first time, so all its tools are approved
	changed  map[string]bool // names whose pins are not saved yet
}

func pinSpace(server string) string { return "tool pins/" + server }

// listedSpace is the keeper's space for servers that were listed before. It is needed because a server
// without tools has no pins, yet tools that it adds later are new.
const listedSpace = "listed servers"

// loadPins reads the pins of the server.
func (s *Server) loadPins(ctx context.Context) (*pinSet, error) {
	set := &pinSet{keeper: s.keeper, server: s.cfg.Name, pins: map[string]pin{}, changed: map[string]bool{}}
	raw, err := s.keeper.LoadState(ctx, pinSpace(set.server))
	if err != nil {
		return nil, fmt.Errorf("reading the pins of its tools: %w", err)
	}
	for name, value := range raw {
		var approved pin
		if err := json.Unmarshal(value, &approved); err != nil {
			return nil, fmt.Errorf("reading the pin of tool %q: %w", name, err)
		}
		set.pins[name] = approved
	}
	if len(raw) > 0 {
		return set, nil
	}
	before, err := s.keeper.LoadState(ctx, listedSpace)
	if err != nil {
		return nil, fmt.Errorf("reading whether it was listed before: %w", err)
	}
	set.baseline = before[set.server] == nil
	return set, nil
}

// save saves the pins that have changed.
func (p *pinSet) save(ctx context.Context) error {
	values := map[string][]byte{}
	for name := range p.changed {
		raw, err := json.Marshal(p.pins[name])
		if err != nil {
			return fmt.Errorf("encoding the pin of tool %q: %w", name, err)
		}
		values[name] = raw
	}
	if len(values) > 0 {
		if err := p.keeper.SaveState(ctx, pinSpace(p.server), values); err != nil {
			return fmt.Errorf("keeping the pins of its tools: %w", err)
		}
	}
	if p.baseline {
		if err := p.keeper.SaveState(ctx, listedSpace, map[string][]byte{p.server: []byte("true")}); err != nil {
			return fmt.Errorf("keeping that it was listed: %w", err)
		}
	}
	return nil
}

// fingerprint returns a definition in canonical form and its hash. The form contains the name, title,
// description, schemas, annotations and the idempotency hint, as the server sent them. It excludes other
// hints, because they may change with every measurement.
func fingerprint(d *sdk.Tool) (hash string, definition json.RawMessage) {
	parts := map[string]any{
		"name": d.Name, "title": d.Title, "description": d.Description,
		"inputSchema": d.InputSchema, "outputSchema": d.OutputSchema, "annotations": d.Annotations,
	}
	if idempotent, ok := d.Meta[metaIdempot]; ok {
		parts[metaIdempot] = idempotent
	}
	definition, err := json.Marshal(parts)
	if err != nil { // cannot happen, because it was decoded from JSON
		definition = json.RawMessage("null")
	}
	sum := sha256.Sum256(definition)
	return hex.EncodeToString(sum[:]), definition
}

// compare compares a definition with its pin. It returns "" if they agree, else the difference. If they
// differ, the new definition waits for approval if hold is true, and otherwise becomes the pin
// (docs/adr/0010).
func (p *pinSet) compare(d *sdk.Tool, hold bool) string {
	hash, definition := fingerprint(d)
	old, known := p.pins[d.Name]
	why := holdChanged
	switch {
	case known && old.Hash == hash:
		if old.Pending != "" { // the server returned to the approved definition
			p.setPin(d.Name, pin{Hash: hash, Definition: definition})
		}
		return ""
	case !known && p.baseline:
		p.setPin(d.Name, pin{Hash: hash, Definition: definition})
		return ""
	case !known || old.Hash == "":
		why = holdNew
	}
	if !hold {
		p.setPin(d.Name, pin{Hash: hash, Definition: definition})
		return why
	}
	if old.Pending != hash {
		old.Pending, old.PendingDefinition = hash, definition
		p.setPin(d.Name, old)
	}
	return why
}

func (p *pinSet) setPin(name string, value pin) {
	if _, known := p.pins[name]; known || len(p.pins) < maxPins {
		p.pins[name], p.changed[name] = value, true
	}
}

// Held is a tool that waits for the operator's approval.
type Held struct {
	// Name is the server's name for the tool, cleaned for printing.
	Name, Server string
	// Why is "is new" or "changed".
	Why string
	// Hash is the beginning of the offered definition's hash. Approving "name@hash" approves only this
	// definition.
	Hash string
	// Approved and Offered are the definitions as JSON, cleaned for printing. Approved is empty
	// for a new tool.
	Approved, Offered string

	server  *Server
	key     string // the server's name for the tool, as the server sent it
	pending string // hash of the offered definition
}

// shownHash is how many digits of a hash are shown.
const shownHash = 12

// matches reports whether the operator's input names this tool; see [Approve].
func (h Held) matches(name string) bool {
	if at := strings.LastIndexByte(name, '@'); at > 0 && len(name)-at > shownHash && strings.HasPrefix(h.pending, name[at+1:]) {
		name = name[:at]
	}
	return name == h.Name || name == h.Server+"/"+h.Name
}

// HeldBy lists the tools of the servers that wait for approval, by server and name.
func HeldBy(ctx context.Context, servers []*Server) ([]Held, error) {
	var all []Held
	for _, s := range servers {
		set, err := s.loadPins(ctx)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", s.cfg.Name, err)
		}
		for _, name := range slices.Sorted(maps.Keys(set.pins)) {
			p := set.pins[name]
			if p.Pending == "" {
				continue
			}
			held := Held{
				Name: cleanLine(name), Server: s.cfg.Name, Why: holdChanged, Hash: p.Pending[:min(len(p.Pending), shownHash)],
				Approved: indentJSON(p.Definition), Offered: indentJSON(p.PendingDefinition), key: name, pending: p.Pending, server: s,
			}
			if p.Hash == "" {
				held.Why = holdNew
			}
			all = append(all, held)
		}
	}
	return all, nil
}

// indentJSON formats a definition over several lines.
func indentJSON(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return untrusted.Clean(out.String(), 0)
}

// Approve makes the waiting definition of a tool its pin, on every server that offers one under that name,
// and lists those servers again. "server/tool" selects one server. "tool@hash" and "server/tool@hash" select
// only the definition with that [Held.Hash], so that the operator approves exactly what they have read.
func Approve(ctx context.Context, servers []*Server, name string) error {
	held, err := HeldBy(ctx, servers)
	if err != nil {
		return err
	}
	var done bool
	var waiting []string
	for _, h := range held {
		waiting = append(waiting, h.Server+"/"+h.Name+"@"+h.Hash)
		if !h.matches(name) {
			continue
		}
		if err := h.approve(ctx); err != nil {
			return fmt.Errorf("approving %q: %w", name, err)
		}
		done = true
	}
	switch {
	case done:
		return nil
	case len(waiting) == 0:
		return fmt.Errorf("approving %q: %w: no tool waits for approval", name, mcp.ErrUnknownTool)
	}
	return fmt.Errorf("approving %q: %w: these wait for approval: %s", name, mcp.ErrUnknownTool, strings.Join(waiting, ", "))
}

func (h Held) approve(ctx context.Context) error {
	s := h.server
	set, err := s.loadPins(ctx)
	if err != nil {
		return err
	}
	p := set.pins[h.key]
	if p.Pending != h.pending {
		return errors.New("the server has changed it again meanwhile")
	}
	set.setPin(h.key, pin{Hash: p.Pending, Definition: p.PendingDefinition})
	if err := set.save(ctx); err != nil {
		return err
	}
	wakeup.Signal(s.relist)
	wakeup.Signal(s.wake) // a sleeping server cannot be listed
	return nil
}
