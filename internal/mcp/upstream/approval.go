package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

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

	server  *Server
	key     string // the server's name for the tool as it is
	pending string // hash of the offered definition
}

// shownHash is how much of a hash tells definitions apart.
const shownHash = 12

// isCalled reports whether the operator means this tool.
func (w Held) isCalled(name string) bool {
	if at := strings.LastIndexByte(name, '@'); at > 0 && len(name)-at > shownHash && strings.HasPrefix(w.pending, name[at+1:]) {
		name = name[:at]
	}
	return name == w.Name || name == w.Server+"/"+w.Name
}

// HeldBy lists the tools of servers that wait for approval, by server and name.
func HeldBy(ctx context.Context, servers []*Server) ([]Held, error) {
	var all []Held
	for _, s := range servers {
		set, err := s.pins.load(ctx, s.cfg.Name)
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

// indentJSON prints a definition over several lines.
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

// Approve takes the waiting definition of a tool as its new pin, on every one
// of the servers that offers one under that name, and lists those servers again.
// "server/tool" means one server alone; "tool@hash" and "server/tool@hash" mean
// the definition of that [Held.Hash], so that nothing else is approved than
// what was looked at.
func Approve(ctx context.Context, servers []*Server, name string) error {
	held, err := HeldBy(ctx, servers)
	if err != nil {
		return err
	}
	var done bool
	for _, w := range held {
		if !w.isCalled(name) {
			continue
		}
		if err := w.approve(ctx); err != nil {
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

func (w Held) approve(ctx context.Context) error {
	s := w.server
	set, err := s.pins.load(ctx, s.cfg.Name)
	if err != nil {
		return err
	}
	p := set.pins[w.key]
	if p.Pending != w.pending {
		return errors.New("the server has changed it again meanwhile")
	}
	set.setPin(w.key, pin{Hash: p.Pending, Definition: p.PendingDefinition})
	if err := s.pins.save(ctx, s.cfg.Name, set); err != nil {
		return err
	}
	wakeup.Signal(s.relist)
	wakeup.Signal(s.wake) // a server that sleeps cannot be listed
	return nil
}
