package mcphost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/upstream"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// nameReason says why a server's tool is not registered under its own name.
// Callers hold mu.
func (h *Host) nameReason(e *entry) string {
	want := safeName(e.Definition.Name)
	if want == e.def.Name {
		return "models cannot be given its own name"
	}
	if h.isBuiltin(want) {
		return fmt.Sprintf("%q is Glyphoxa's own tool", want)
	}
	holder := h.names.owners[want]
	if holder == "" {
		return fmt.Sprintf("it keeps the name it got first, though %q is free", want)
	}
	if s := h.serverOf(holder); s != nil {
		return fmt.Sprintf("%q is the name of %s", want, holder)
	}
	return fmt.Sprintf("%q is still the name of %s, whose server is not there; if that is over: glyphoxa tools forget %s", want, holder, want)
}

func (h *Host) isBuiltin(name string) bool {
	return slices.ContainsFunc(h.builtins, func(t *tool) bool { return t.Definition.Name == name })
}

// serverOf returns the server whose tool an owner is, nil if it is not
// registered.
func (h *Host) serverOf(who string) *server {
	for _, s := range h.servers {
		if strings.HasPrefix(who, owner(s.Name(), "")) {
			return s
		}
	}
	return nil
}

// Forgotten is a name that was given up.
type Forgotten struct {
	// Name was the name of Owner, "server/tool".
	Name, Owner string
	// Heir is the tool of another server that has the name from now on, and
	// HeirWas what it was called; empty if there is none.
	Heir, HeirWas string
}

// ForgetName gives up a name that is remembered for a server's tool: name is the
// name itself, "server/tool", or a server, which means all of its tools. Tools
// that had to do with a longer name because of it get it. A name that a tool has
// now, or may have as soon as its server is back, is not given up; configured
// reports the servers that the configuration names, connected or not.
func (h *Host) ForgetName(ctx context.Context, name string, configured func(server string) bool) ([]Forgotten, error) {
	h.mu.Lock()
	given, released, err := naming{h}.forgetName(name, configured)
	h.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("forgetting %q: %w", name, err)
	}
	values := map[string][]byte{}
	for who := range released {
		values[who] = nil
	}
	if err := h.opts.keeper.SaveState(ctx, nameSpace, values); err != nil {
		return nil, fmt.Errorf("forgetting %q: %w", name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.names.release(slices.Collect(maps.Keys(released)))
	if !h.closed {
		h.replaceSnapshot()
	}
	for i := range given {
		f := &given[i]
		f.Heir = h.names.owners[f.Name]
		f.HeirWas = released[f.Heir]
	}
	return given, nil
}

// naming decides which names may be given up. Its methods are called with
// Host.mu held.
type naming struct{ host *Host }

// forgetName finds out which names are given up, and which are released with
// them, by owner.
func (n naming) forgetName(name string, configured func(string) bool) (given []Forgotten, released map[string]string, err error) {
	owners := n.ownersCalled(name)
	if len(owners) == 0 {
		return nil, nil, n.unknownName(name, configured)
	}
	released = map[string]string{}
	for _, who := range owners {
		if err := n.mayForget(who, configured); err != nil {
			return nil, nil, err
		}
		f := Forgotten{Name: n.host.names.names[who], Owner: who}
		released[who] = f.Name
		for _, s := range n.host.servers {
			for _, t := range slices.Concat(s.tools, s.lost) {
				heir := owner(s.Name(), t.Definition.Name)
				if now := n.host.names.names[heir]; now != "" && heir != who && safeName(t.Definition.Name) == f.Name {
					released[heir] = now
				}
			}
		}
		given = append(given, f)
	}
	return given, released, nil
}

// ownersCalled returns the owners that are meant by a name.
func (n naming) ownersCalled(name string) []string {
	if who, ok := n.host.names.owners[name]; ok {
		return []string{who}
	}
	if _, ok := n.host.names.names[name]; ok {
		return []string{name}
	}
	var all []string
	for _, who := range slices.Sorted(maps.Keys(n.host.names.names)) {
		if strings.HasPrefix(who, owner(name, "")) {
			all = append(all, who)
		}
	}
	return all
}

// mayForget says why the name of a tool cannot be given up.
func (n naming) mayForget(who string, configured func(string) bool) error {
	if s := n.host.serverOf(who); s != nil {
		own := strings.TrimPrefix(who, owner(s.Name(), ""))
		offers := func(t *tool) bool { return t.Definition.Name == own }
		switch {
		case s.state.Phase != upstream.PhaseReady && s.state.Phase != upstream.PhaseAsleep:
			return fmt.Errorf("%s may offer it again: its server is configured and away; take the server out of mcp.servers first", who)
		case slices.ContainsFunc(s.tools, offers), slices.ContainsFunc(s.held, func(t heldTool) bool { return offers(t.tool) }):
			return fmt.Errorf("%s has it: its server is configured; take the server out of mcp.servers first", who)
		}
		return nil
	}
	for i := range who {
		if who[i] == '/' && configured(who[:i]) {
			return fmt.Errorf("%s may offer it again: its server is configured, but not connected; take the server out of mcp.servers first", who)
		}
	}
	return nil
}

// unknownName says that nothing is remembered under a name, and what is.
func (n naming) unknownName(name string, configured func(string) bool) error {
	if n.host.isBuiltin(name) {
		return errors.New("it is Glyphoxa's own tool")
	}
	var free []string
	for _, who := range slices.Sorted(maps.Keys(n.host.names.names)) {
		if n.mayForget(who, configured) == nil {
			free = append(free, n.host.names.names[who])
		}
	}
	if configured(name) {
		return fmt.Errorf("%w: no name is remembered for this server", mcp.ErrUnknownTool)
	}
	if near := problem.Nearest(name, free); near != "" {
		return fmt.Errorf("%w: nothing is remembered under this name; did you mean %q?", mcp.ErrUnknownTool, near)
	}
	if len(free) == 0 {
		return fmt.Errorf("%w: nothing is remembered under this name, and every name that is remembered is in use; \"glyphoxa tools\" lists them", mcp.ErrUnknownTool)
	}
	return fmt.Errorf("%w: nothing is remembered under this name; these could be forgotten: %s", mcp.ErrUnknownTool, strings.Join(free, ", "))
}
