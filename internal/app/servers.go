package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// connect registers the external servers in parallel, in the background.
func (a *App) connect() {
	var g errgroup.Group
	for _, cfg := range a.Config.MCP.Servers {
		if cfg.Disabled {
			continue
		}
		g.Go(func() error {
			if err := a.Host.RegisterServer(a.life, cfg); err != nil && a.life.Err() == nil {
				a.notice(err.Error())
				a.refuse(cfg.Name, err)
			}
			return nil
		})
	}
	a.work.Go(func() {
		_ = g.Wait() // the functions return no error
		close(a.servers)
	})
}

// refuse notes an external server that the host does not know of.
func (a *App) refuse(name string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = append(a.refused, mcphost.ServerStatus{Name: name, State: "down", Reason: err.Error()})
}

// foreign describes the external servers, and why one is down.
func (a *App) foreign() []mcphost.ServerStatus {
	all := a.Host.Servers()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.refused {
		if !slices.ContainsFunc(all, func(s mcphost.ServerStatus) bool { return s.Name == r.Name }) {
			all = append(all, r)
		}
	}
	return all
}

// patience is how long Ready waits before it says what for.
const patience = time.Second

// Ready waits until every external server was tried once, or ctx ends. A wait
// that people notice is explained by say.
func (a *App) Ready(ctx context.Context, say func(string)) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-a.servers:
			return
		case <-ctx.Done():
			return
		case <-timer.C:
			var slow []string
			for _, s := range a.Host.Servers() {
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
