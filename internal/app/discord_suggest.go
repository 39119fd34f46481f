package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxChoices bounds what is suggested.
const maxChoices = 25

// Suggest implements [discord.Office]. It looks only at what is in memory; if
// the guild's app is closed, it opens for the next to find it open, however soon
// ctx ends.
func (h *house) Suggest(ctx context.Context, guild string, by discord.Caller, what discord.Suggestion, typed string) ([]discord.Choice, error) {
	l, err := h.lodging(guild)
	if err != nil || !by.DM {
		return nil, err
	}
	a, leave, err := l.enterSoon(ctx)
	if err != nil {
		return nil, err
	}
	out, err := suggest(ctx, a, l, by, what, strings.ToLower(strings.TrimSpace(typed)))
	if left := leave(); err == nil {
		err = left
	}
	return out[:min(len(out), maxChoices)], err
}

// enterSoon is enter for those who do not wait: when ctx ends, the app goes on
// being opened without them.
func (l *lodging) enterSoon(ctx context.Context) (*play.Game, func() error, error) {
	type entered struct {
		app   *play.Game
		leave func() error
		err   error
	}
	in := make(chan entered)
	l.house.work.Go(func() {
		var e entered
		e.app, e.leave, e.err = l.enter(l.house.life)
		select {
		case in <- e:
			return
		case <-ctx.Done():
		}
		if e.err != nil {
			return // it is logged
		}
		if err := e.leave(); err != nil {
			l.house.log.Error("closing a guild's database", "guild", l.guild, "reason", err)
		}
	})
	select {
	case e := <-in:
		return e.app, e.leave, e.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

func suggest(ctx context.Context, a *play.Game, l *lodging, by discord.Caller, what discord.Suggestion, typed string) ([]discord.Choice, error) {
	target := mcp.Target{Source: "builtin", ReadOnly: true, Tool: "query_entities", Permission: policy.WorldRead}
	look := func() ([]discord.Choice, error) { return suggestEntities(a, typed), nil }
	switch what {
	case discord.SuggestApproval:
		target.Tool, target.Permission = "list_approvals", policy.SessionControl
		look = func() ([]discord.Choice, error) { return suggestApprovals(a, typed), nil }
	case discord.SuggestHeldTool:
		target.Tool, target.Source, target.Permission = "approve_tool", "server", policy.SessionControl
		look = func() ([]discord.Choice, error) { return suggestHeld(ctx, a, typed) }
	case discord.SuggestCampaign:
		target.Tool, target.Source, target.Permission = "campaign_switch", "server", policy.SessionControl
		look = func() ([]discord.Choice, error) { return l.suggestCampaigns(typed) }
	}
	ctx, err := calledBy(ctx, a, by)
	if err == nil {
		err = a.Registry.Governance.Policy.Permits(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	return look()
}

// suggestEntities names those of the world, the nearest to what was typed first:
// whose name begins so, in whose name a word does, and the rest.
func suggestEntities(a *play.Game, typed string) []discord.Choice {
	type found struct {
		memory.Entity
		rank int
	}
	var all []found
	for _, e := range a.World.Entities("") {
		if r := nearness(typed, append([]string{e.Name, e.ID}, e.Aliases...)...); r > 0 {
			all = append(all, found{e, r})
		}
	}
	slices.SortFunc(all, func(x, y found) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.Name, y.Name), strings.Compare(x.ID, y.ID))
	})
	var out []discord.Choice
	for _, f := range all[:min(len(all), maxChoices)] {
		out = append(out, discord.Choice{Name: fmt.Sprintf("%s (%s)", f.Name, f.Type), Value: f.ID})
	}
	return out
}

// nearness tells how well one of some names fits what was typed, in lower case:
// 1 is best, 0 is not at all.
func nearness(typed string, names ...string) (best int) {
	for _, n := range names {
		n = strings.ToLower(n)
		rank := 0
		switch {
		case strings.HasPrefix(n, typed):
			rank = 1
		case strings.Contains(n, " "+typed):
			rank = 2
		case strings.Contains(n, typed):
			rank = 3
		}
		if rank > 0 && (best == 0 || rank < best) {
			best = rank
		}
	}
	return best
}

func suggestApprovals(a *play.Game, typed string) (out []discord.Choice) {
	for _, p := range a.Registry.Governance.Policy.Pending() {
		if nearness(typed, p.ID, p.Tool, p.Caller) > 0 {
			out = append(out, discord.Choice{Name: fmt.Sprintf("%s: %s wants %s %s", p.ID, p.Caller, p.Tool, p.Args), Value: p.ID})
		}
	}
	return out
}

func suggestHeld(ctx context.Context, a *play.Game, typed string) (out []discord.Choice, err error) {
	held, err := a.Registry.Host.Held(ctx)
	for _, w := range held {
		if nearness(typed, w.Name, w.Server) > 0 {
			name := fmt.Sprintf("%s/%s", w.Server, w.Name)
			out = append(out, discord.Choice{Name: name + " " + w.Why, Value: name + "@" + w.Hash})
		}
	}
	return out, err
}

func (l *lodging) suggestCampaigns(typed string) (out []discord.Choice, err error) {
	all, err := l.campaigns()
	for _, c := range all {
		if nearness(typed, c.Name, c.ID) > 0 {
			out = append(out, discord.Choice{Name: c.Name, Value: c.ID})
		}
	}
	return out, err
}
