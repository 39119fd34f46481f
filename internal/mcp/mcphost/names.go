package mcphost

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

const (
	// maxName is the longest tool name that model APIs accept.
	maxName = 64
	// maxNames bounds how many names and measurements are remembered.
	maxNames = 20_000
)

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func validName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return true
}

// safeName replaces every character that model APIs do not accept with "_" (docs/adr/0010). A changed or
// shortened name ends in a hash of the original, so that different tools get different names and each tool
// always gets the same one. For example, "skill:roll" becomes "skill_roll_" followed by eight hexadecimal
// digits.
func safeName(name string) string {
	out := strings.Map(func(r rune) rune {
		if r < 0x80 && isNameByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	if len(out) <= maxName && out == name && out != "" {
		return out
	}
	return withHash(out, name)
}

// withHash appends a hash of unique to a name, shortening the name to make room.
func withHash(name, unique string) string {
	const digits = 8
	sum := sha256.Sum256([]byte(unique))
	return name[:min(len(name), maxName-digits-1)] + "_" + hex.EncodeToString(sum[:])[:digits]
}

// freeName chooses the registered name of a server's tool: its own name if that is free, else server_tool,
// else server_tool with a hash.
func freeName(server, name string, used func(string) bool) string {
	long := safeName(server + "_" + name)
	for _, candidate := range []string{safeName(name), long} {
		if !used(candidate) {
			return candidate
		}
	}
	for unique := server + "\x00" + name; ; unique += "\x00" {
		if candidate := withHash(long, unique); !used(candidate) {
			return candidate
		}
	}
}

// ownerOf returns the identity of a server's tool, "server/tool".
func ownerOf(server, tool string) string { return server + "/" + tool }

// nameTable remembers the registered name of every external tool. A tool keeps its first name across
// reconnects and restarts, whatever the order in which servers connect, so that a name on an NPC's whitelist
// never starts to mean another server's tool.
type nameTable struct {
	byOwner map[string]string // registered name by owner
	byName  map[string]string // owner by registered name
	unsaved map[string]bool   // owners whose names are not saved yet
}

func newNameTable() *nameTable {
	return &nameTable{byOwner: map[string]string{}, byName: map[string]string{}, unsaved: map[string]bool{}}
}

// nameOf returns the registered name of a server's tool and remembers it. External tools never get a name for
// which builtin returns true.
func (n *nameTable) nameOf(server, tool string, builtin func(string) bool) string {
	owner := ownerOf(server, tool)
	if name, ok := n.byOwner[owner]; ok && !builtin(name) {
		return name
	}
	name := freeName(server, tool, func(name string) bool {
		holder, held := n.byName[name]
		return builtin(name) || held && holder != owner
	})
	if len(n.byOwner) < maxNames {
		n.assign(owner, name)
		n.unsaved[owner] = true
	}
	return name
}

func (n *nameTable) assign(owner, name string) {
	delete(n.byName, n.byOwner[owner])
	n.byOwner[owner], n.byName[name] = name, owner
}

func (n *nameTable) release(owner string) {
	delete(n.byName, n.byOwner[owner])
	delete(n.byOwner, owner)
	delete(n.unsaved, owner)
}

// ownersOf returns the owners that the operator's input matches: a registered name, "server/tool", or a
// server.
func (n *nameTable) ownersOf(name string) []string {
	if owner, ok := n.byName[name]; ok {
		return []string{owner}
	}
	if _, ok := n.byOwner[name]; ok {
		return []string{name}
	}
	var all []string
	for _, owner := range slices.Sorted(maps.Keys(n.byOwner)) {
		if strings.HasPrefix(owner, ownerOf(name, "")) {
			all = append(all, owner)
		}
	}
	return all
}

// nameReason explains why a server's tool is not registered under its own name. Callers hold mu.
func (h *Host) nameReason(e *entry) string {
	want := safeName(e.Definition.Name)
	if want == e.def.Name {
		return "models do not accept its own name"
	}
	if h.isBuiltin(want) {
		return fmt.Sprintf("%q is Glyphoxa's own tool", want)
	}
	holder := h.names.byName[want]
	if holder == "" {
		return fmt.Sprintf("it keeps the name it got first, though %q is free", want)
	}
	if s := h.serverOf(holder); s != nil {
		return fmt.Sprintf("%q is the name of %s", want, holder)
	}
	return fmt.Sprintf("%q is still the name of %s, whose server is gone; if it does not come back: glyphoxa tools forget %s", want, holder, want)
}

func (h *Host) isBuiltin(name string) bool {
	return slices.ContainsFunc(h.builtins, func(t *tool) bool { return t.Definition.Name == name })
}

// serverOf returns the registered server of an owner, or nil. Callers hold mu.
func (h *Host) serverOf(owner string) *server {
	for _, s := range h.servers {
		if strings.HasPrefix(owner, ownerOf(s.Name(), "")) {
			return s
		}
	}
	return nil
}

// Forgotten is a name that [Host.ForgetName] released.
type Forgotten struct {
	// Name is the released name of Owner, "server/tool".
	Name, Owner string
	// Heir is the tool of another server that has taken over the name, and HeirWas is its former name. Both
	// are empty if there is none.
	Heir, HeirWas string
}

// ForgetName releases a name that is remembered for a server's tool. name is a registered name,
// "server/tool", or a server, which means all of its tools. If another tool had to use a longer name because
// of it, that tool gets the name. ForgetName fails for a name that is in use or that a configured server may
// use again. configured reports whether the configuration contains a server, connected or not.
func (h *Host) ForgetName(ctx context.Context, name string, configured func(server string) bool) ([]Forgotten, error) {
	h.mu.Lock()
	given, released, err := h.namesToForget(name, configured)
	h.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("forgetting %q: %w", name, err)
	}
	values := map[string][]byte{}
	for owner := range released {
		values[owner] = nil
	}
	if err := h.opts.keeper.SaveState(ctx, nameSpace, values); err != nil {
		return nil, fmt.Errorf("forgetting %q: %w", name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for owner := range released {
		h.names.release(owner)
	}
	if !h.closed {
		h.replaceSnapshot()
	}
	for i := range given {
		f := &given[i]
		f.Heir = h.names.byName[f.Name]
		f.HeirWas = released[f.Heir]
	}
	return given, nil
}

// namesToForget finds the names that ForgetName releases. released maps the owners of these names and of
// possible heirs to their current names. Callers hold mu.
func (h *Host) namesToForget(name string, configured func(string) bool) (given []Forgotten, released map[string]string, err error) {
	owners := h.names.ownersOf(name)
	if len(owners) == 0 {
		return nil, nil, h.unknownNameError(name, configured)
	}
	released = map[string]string{}
	for _, owner := range owners {
		if err := h.mayForget(owner, configured); err != nil {
			return nil, nil, err
		}
		f := Forgotten{Name: h.names.byOwner[owner], Owner: owner}
		released[owner] = f.Name
		for _, s := range h.servers {
			for _, t := range slices.Concat(s.tools, s.formerTools) {
				heir := ownerOf(s.Name(), t.Definition.Name)
				if now := h.names.byOwner[heir]; now != "" && heir != owner && safeName(t.Definition.Name) == f.Name {
					released[heir] = now
				}
			}
		}
		given = append(given, f)
	}
	return given, released, nil
}

// mayForget returns nil if the name of a tool may be released, else the reason why not. Callers hold mu.
func (h *Host) mayForget(owner string, configured func(string) bool) error {
	if s := h.serverOf(owner); s != nil {
		offers := func(t *tool) bool { return ownerOf(s.Name(), t.Definition.Name) == owner }
		switch {
		case s.state.Phase != PhaseReady && s.state.Phase != PhaseAsleep:
			return fmt.Errorf("%s may offer it again, because its server is configured and only away now; remove the server from mcp.servers first", owner)
		case slices.ContainsFunc(s.tools, offers), slices.ContainsFunc(s.awaitingApproval, func(t unapprovedTool) bool { return offers(t.tool) }):
			return fmt.Errorf("%s has it, because its server is configured; remove the server from mcp.servers first", owner)
		}
		return nil
	}
	for i := range owner {
		if owner[i] == '/' && configured(owner[:i]) {
			return fmt.Errorf("%s may offer it again, because its server is configured, but not connected; remove the server from mcp.servers first", owner)
		}
	}
	return nil
}

// unknownNameError is the error for a name that is not remembered. It suggests names that can be forgotten.
// Callers hold mu.
func (h *Host) unknownNameError(name string, configured func(string) bool) error {
	if h.isBuiltin(name) {
		return errors.New("it is Glyphoxa's own tool")
	}
	var free []string
	for _, owner := range slices.Sorted(maps.Keys(h.names.byOwner)) {
		if h.mayForget(owner, configured) == nil {
			free = append(free, h.names.byOwner[owner])
		}
	}
	if configured(name) {
		return fmt.Errorf("%w: no name is remembered for this server", mcp.ErrUnknownTool)
	}
	if near := userfile.Nearest(name, free); near != "" {
		return fmt.Errorf("%w: nothing is remembered under this name; did you mean %q?", mcp.ErrUnknownTool, near)
	}
	if len(free) == 0 {
		return fmt.Errorf("%w: nothing is remembered under this name, and every name that is remembered is in use; \"glyphoxa tools\" lists them", mcp.ErrUnknownTool)
	}
	return fmt.Errorf("%w: nothing is remembered under this name; these could be forgotten: %s", mcp.ErrUnknownTool, strings.Join(free, ", "))
}
