package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Profiles of those who give commands.
const (
	dmProfile     = "dm"
	playerProfile = "player.limited"
)

// Call implements [discord.Office].
func (h *house) Call(ctx context.Context, guild string, by discord.Caller, tool, args string) (text string, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if ctx, err = calledBy(ctx, a, by); err != nil {
		return "", err
	}
	// The first look into the rule book would count as the call's own time.
	if err := a.Registry.Rules.Warm(); err != nil {
		return "", err
	}
	res, err := a.Registry.Host.ExecuteTool(ctx, tool, args)
	if err != nil {
		return "", err
	}
	if res.IsError {
		return "", errors.New(res.Text)
	}
	return res.Text, nil
}

// calledBy returns a context whose calls are those of who gave a command.
func calledBy(ctx context.Context, a *play.Game, by discord.Caller) (context.Context, error) {
	name := playerProfile
	if by.DM {
		name = dmProfile
	}
	profile, ok := a.Registry.Governance.Policy.Profile(name)
	if !ok {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	return policy.WithSubject(ctx, &policy.Subject{Name: caller(by.ID), Profile: profile, Transport: "discord", Crowd: "discord"}), nil
}

// Import implements [discord.Office].
func (h *house) Import(ctx context.Context, guild string, by discord.Caller, name string, data []byte) (n int, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if ctx, err = calledBy(ctx, a, by); err != nil {
		return 0, err
	}
	target := mcp.Target{Tool: "entity_import", Source: "server", Permission: policy.WorldWrite}
	return n, governed(ctx, a, target, attached(name, data), func(ctx context.Context) error {
		imported, err := h.parse(ctx, name, data)
		if err != nil {
			return err
		}
		if err := imported.Apply(ctx, a.Store, a.Store); err != nil {
			return err
		}
		n = len(imported.Entities)
		return a.World.Renew(ctx)
	})
}

// attached are the arguments of a call that came with a file: which one it was,
// so that leave for one is none for another.
func attached(name string, data []byte) map[string]any {
	return map[string]any{"file": name, "sha256": fmt.Sprintf("%x", sha256.Sum256(data))}
}

// governed does what a command asks for that is no tool, by the rules of every
// call: the policy may refuse it, it is counted, and it is in the audit log.
func governed(ctx context.Context, a *play.Game, t mcp.Target, args map[string]any, do func(context.Context) error) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("recording %s: %w", t.Tool, err)
	}
	c := &mcp.Call{Target: t, Caller: mcp.CallerFrom(ctx), Args: string(raw)}
	start := time.Now()
	if err = a.Registry.Governance.Gate.Admit(ctx, c); err == nil {
		c.Admitted = true
		start = time.Now()
		err = do(ctx)
	}
	a.Registry.Governance.Gate.Settle(ctx, c, mcp.Result{Duration: time.Since(start)}, err)
	return err
}

// Servers implements [discord.Office].
func (h *house) Servers(ctx context.Context, guild string) (all []mcphost.ServerStatus, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	a.Registry.Ready(ctx, func(string) {})
	return a.Registry.Servers(), nil
}

// HeldTools implements [discord.Office].
func (h *house) HeldTools(ctx context.Context, guild string) (held []mcphost.Held, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	a.Registry.Ready(ctx, func(string) {})
	return a.Registry.Host.Held(ctx)
}

// ApproveTool implements [discord.Office].
func (h *house) ApproveTool(ctx context.Context, guild string, by discord.Caller, name string) (err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if ctx, err = calledBy(ctx, a, by); err != nil {
		return err
	}
	target := mcp.Target{Tool: "approve_tool", Source: "server", Permission: policy.SessionControl}
	return governed(ctx, a, target, map[string]any{"name": name}, func(ctx context.Context) error {
		a.Registry.Ready(ctx, func(string) {})
		return a.Registry.Host.Approve(ctx, name)
	})
}

// Tools implements [discord.Office].
func (h *house) Tools(ctx context.Context, guild string, measure bool) (all []mcphost.Status, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	a.Registry.Ready(ctx, func(string) {})
	if measure {
		if err := errors.Join(a.Registry.Rules.Warm(), a.Registry.Host.Calibrate(ctx)); err != nil {
			return nil, err
		}
	}
	return a.Registry.Host.Status(), nil
}

// Recall implements [discord.Records].
func (h *house) Recall(ctx context.Context, guild string, most int) (s memory.Session, said []memory.Line, err error) {
	a, leave, err := h.enter(ctx, guild)
	if err != nil {
		return s, nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	all, err := a.Store.Sessions(ctx, recalled)
	if err != nil {
		return s, nil, err
	}
	for _, s := range all {
		if s.Lines > 0 {
			said, err = a.Store.Recent(ctx, s.ID, most)
			return s, said, err
		}
	}
	return s, nil, nil
}

// recalled is how many sessions are looked through for one in which anything
// was said.
const recalled = 20
