package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// connectServers registers the external servers in parallel, in the background.
func (r *Registry) connectServers() {
	var g errgroup.Group
	for _, cfg := range r.config.MCP.Servers {
		if cfg.Disabled {
			continue
		}
		g.Go(func() error {
			err := r.Host.RegisterServer(r.life, cfg)
			switch {
			case err != nil && r.life.Err() == nil:
				r.notify(err.Error())
				r.recordRefused(cfg.Name, err)
			case err == nil:
				r.notifyLeftOut(cfg.Name)
			}
			return nil
		})
	}
	r.work.Go(func() {
		_ = g.Wait() // the functions return no error
		close(r.tried)
	})
}

// notifyLeftOut sends a notice if tools, or parts of tools, of a server cannot be used.
func (r *Registry) notifyLeftOut(server string) {
	switch all := leftOutOf(r.Host, server); len(all) {
	case 0:
	case 1:
		r.notify(all[0])
	default:
		r.notify(fmt.Sprintf("%s (and %d more; see \"glyphoxa tools\")", all[0], len(all)-1))
	}
}

// LeftOut says, one sentence each, which tools of external servers cannot be used, and without which parts of
// their definitions others are used.
func LeftOut(h *mcphost.Host) []string { return leftOutOf(h, "") }

// leftOutOf is LeftOut for one server, or for all of them if server is empty.
func leftOutOf(h *mcphost.Host, server string) (all []string) {
	for _, s := range h.Servers() {
		for _, what := range s.Unusable {
			if server == "" || s.Name == server {
				all = append(all, fmt.Sprintf("server %s lists what cannot be used: %s", s.Name, what))
			}
		}
	}
	for _, t := range h.Status() {
		if len(t.LeftOut) > 0 && (server == "" || t.Source == server) {
			all = append(all, fmt.Sprintf("tool %s of server %s is used without %s", t.Name, t.Source, strings.Join(t.LeftOut, ", ")))
		}
	}
	return all
}

// recordRefused records an external server that the host rejected.
func (r *Registry) recordRefused(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = append(r.refused, mcphost.ServerStatus{Name: name, State: "down", Reason: err.Error()})
}

// Servers describes the external servers, with the reasons why some are down.
func (r *Registry) Servers() []mcphost.ServerStatus {
	all := r.Host.Servers()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, down := range r.refused {
		if !slices.ContainsFunc(all, func(s mcphost.ServerStatus) bool { return s.Name == down.Name }) {
			all = append(all, down)
		}
	}
	return all
}

// ForgetName releases the name of a tool whose server was removed from the configuration, see
// [mcphost.Host.ForgetName].
func (r *Registry) ForgetName(ctx context.Context, name string) ([]mcphost.Forgotten, error) {
	return r.Host.ForgetName(ctx, name, func(server string) bool {
		return slices.ContainsFunc(r.config.MCP.Servers, func(s config.MCPServerConfig) bool { return s.Name == server })
	})
}

// Tried returns a channel that is closed once every external server was tried.
func (r *Registry) Tried() <-chan struct{} { return r.tried }

// readyPatience is how long Ready waits before it reports which servers it waits for.
const readyPatience = time.Second

// Ready waits until every external server was tried once, or ctx ends. It calls say during a wait that people
// notice.
func (r *Registry) Ready(ctx context.Context, say func(string)) {
	timer := time.NewTimer(readyPatience)
	defer timer.Stop()
	for {
		select {
		case <-r.tried:
			return
		case <-ctx.Done():
			return
		case <-timer.C:
			var slow []string
			for _, s := range r.Host.Servers() {
				if s.State == "connecting" {
					slow = append(slow, s.Name)
				}
			}
			if len(slow) > 0 {
				say("waiting for external servers: " + strings.Join(slow, ", "))
			}
		}
	}
}
