package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Keeper keeps what should be known at the next start. It is safe for
// concurrent use; a nil value removes its key.
type Keeper interface {
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	SaveState(ctx context.Context, space string, values map[string][]byte) error
	// StateSpaces lists the spaces in which something is kept and whose names begin
	// with prefix.
	StateSpaces(ctx context.Context, prefix string) ([]string, error)
}

// pinStore keeps the pins of servers.
type pinStore struct{ keeper Keeper }

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

func (p pinStore) load(ctx context.Context, server string) (*pinSet, error) {
	set := &pinSet{pins: map[string]pin{}, changed: map[string]bool{}}
	raw, err := p.keeper.LoadState(ctx, pinSpace(server))
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
	before, err := p.keeper.LoadState(ctx, listedSpace)
	if err != nil {
		return nil, fmt.Errorf("reading whether it was listed before: %w", err)
	}
	set.baseline = before[server] == nil
	return set, nil
}

func (p pinStore) save(ctx context.Context, server string, set *pinSet) error {
	values := map[string][]byte{}
	for name := range set.changed {
		raw, err := json.Marshal(set.pins[name])
		if err != nil {
			return fmt.Errorf("encoding the pin of tool %q: %w", name, err)
		}
		values[name] = raw
	}
	if len(values) > 0 {
		if err := p.keeper.SaveState(ctx, pinSpace(server), values); err != nil {
			return fmt.Errorf("keeping the pins of its tools: %w", err)
		}
	}
	if set.baseline {
		if err := p.keeper.SaveState(ctx, listedSpace, map[string][]byte{server: []byte("true")}); err != nil {
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

// compare compares a definition with its pin. It returns "" if they agree, else
// why not; with hold, the new definition then waits for approval, otherwise it
// becomes the pin (docs/adr/0011).
func (s *pinSet) compare(d *sdk.Tool, hold bool) string {
	hash, definition := fingerprint(d)
	p, known := s.pins[d.Name]
	why := holdChanged
	switch {
	case known && p.Hash == hash:
		if p.Pending != "" { // it went back to what was approved
			s.setPin(d.Name, pin{Hash: hash, Definition: definition})
		}
		return ""
	case !known && s.baseline:
		s.setPin(d.Name, pin{Hash: hash, Definition: definition})
		return ""
	case !known || p.Hash == "":
		why = holdNew
	}
	if !hold {
		s.setPin(d.Name, pin{Hash: hash, Definition: definition})
		return why
	}
	if p.Pending != hash {
		p.Pending, p.PendingDefinition = hash, definition
		s.setPin(d.Name, p)
	}
	return why
}

func (s *pinSet) setPin(name string, p pin) {
	if _, known := s.pins[name]; known || len(s.pins) < maxPins {
		s.pins[name], s.changed[name] = p, true
	}
}
