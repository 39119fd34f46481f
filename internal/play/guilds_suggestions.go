package play

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxChoices bounds the number of suggestions.
const maxChoices = 25

// Suggestion is the kind of thing to suggest.
type Suggestion int

// Kinds of suggestions.
const (
	SuggestEntity   Suggestion = iota // an entity of the world, by its id
	SuggestApproval                   // a call that waits for approval, by its id
	SuggestHeldTool                   // see [Guild.ToolsAwaitingApproval], in the form that [Member.ApproveTool] accepts
	SuggestCampaign                   // by its id, which may be empty
	SuggestPlace                      // a place in the world, by its id
	SuggestSubject                    // an NPC or an entity, by its name
	SuggestRule                       // a rule, by its name; also for players
	SuggestVoice                      // a voice of the first voice provider, as an NPC's file names it
)

// Choice is a suggestion: Name is for people, and Value for the command.
type Choice struct {
	Name, Value string
	// Kind is the type of an entity.
	Kind string
	// New says that a held tool is new; otherwise its definition has changed.
	New bool
	// Call is the call that waits for approval.
	Call *access.Approval
}

// Suggest returns at most 25 suggestions for the member's typed text, the nearest first. Players get only
// rules. It looks only in memory. If the campaign is closed, it is opened for the next call, even if ctx ends
// before.
func (m *Member) Suggest(ctx context.Context, what Suggestion, typed string) ([]Choice, error) {
	if !m.DM && what != SuggestRule {
		return nil, nil
	}
	l, err := m.guild.acquireInBackground(ctx)
	if err != nil {
		return nil, err
	}
	out, err := m.findChoices(ctx, l.Game, what, strings.ToLower(strings.TrimSpace(typed)))
	if closed := l.release(); err == nil {
		err = closed
	}
	return out[:min(len(out), maxChoices)], err
}

// findChoices finds suggestions, if the member may see them.
func (m *Member) findChoices(ctx context.Context, game *Game, what Suggestion, typed string) ([]Choice, error) {
	target := mcp.Target{Source: "builtin", ReadOnly: true, Tool: "query_entities", Permission: access.WorldRead}
	find := func() ([]Choice, error) { return suggestEntities(game, "", typed), nil }
	switch what {
	case SuggestApproval:
		target.Tool, target.Permission = "list_approvals", access.SessionControl
		find = func() ([]Choice, error) { return suggestApprovals(game, typed), nil }
	case SuggestHeldTool:
		target.Tool, target.Source, target.Permission = "approve_tool", "server", access.SessionControl
		find = func() ([]Choice, error) { return suggestHeld(ctx, game, typed) }
	case SuggestPlace:
		find = func() ([]Choice, error) { return suggestEntities(game, placeType, typed), nil }
	case SuggestSubject:
		find = func() ([]Choice, error) { return suggestSubjects(game, typed), nil }
	case SuggestRule:
		target.Tool, target.Permission = "search_rules", access.RulesRead
		find = func() ([]Choice, error) { return suggestRules(game, typed) }
	case SuggestVoice:
		target.Tool, target.Source, target.Permission = "voices", "server", access.SessionControl
		find = func() ([]Choice, error) { return suggestNames(game.VoiceIDs(), typed), nil }
	case SuggestCampaign:
		target.Tool, target.Source, target.Permission = "campaign_switch", "server", access.SessionControl
		find = func() ([]Choice, error) { return m.guild.suggestCampaigns(ctx, typed) }
	}
	ctx, err := m.asSubject(ctx, game)
	if err == nil {
		err = game.Registry.Governance.Policy.Permits(ctx, target)
	}
	if err != nil {
		return nil, err
	}
	return find()
}

// placeType is the type of entities that can contain others.
const placeType = "location"

// suggestNames suggests those names that match the typed text, the nearest first.
func suggestNames(names []string, typed string) (out []Choice) {
	slices.SortStableFunc(names, func(a, b string) int { return nameRank(typed, a) - nameRank(typed, b) })
	for _, n := range names {
		if nameRank(typed, n) > 0 && !slices.Contains(out, Choice{Name: n, Value: n}) {
			out = append(out, Choice{Name: n, Value: n})
		}
	}
	return out
}

// suggestRules suggests rules by their names.
func suggestRules(game *Game, typed string) ([]Choice, error) {
	all, err := game.Registry.Rules.List()
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return suggestNames(names, typed), err
}

// suggestSubjects suggests NPCs of the cast, then entities of the world.
func suggestSubjects(game *Game, typed string) []Choice {
	var cast []string
	for _, n := range game.Cast() {
		cast = append(cast, n.Name)
	}
	out := suggestNames(cast, typed)
	for _, c := range suggestEntities(game, "", typed) {
		if !slices.Contains(cast, c.Name) {
			out = append(out, Choice{Name: c.Name, Kind: c.Kind, Value: c.Name})
		}
	}
	return out
}

// suggestEntities suggests entities of the world: first those whose name begins with the typed text, then
// those with a word that does, then the rest. If kind is not empty, only entities of that type are suggested.
func suggestEntities(game *Game, kind, typed string) []Choice {
	type found struct {
		memory.Entity
		rank int
	}
	var all []found
	for _, e := range game.World.Entities("") {
		if kind != "" && e.Type != kind {
			continue
		}
		if r := nameRank(typed, append([]string{e.Name, e.ID}, e.Aliases...)...); r > 0 {
			all = append(all, found{e, r})
		}
	}
	slices.SortFunc(all, func(x, y found) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.Name, y.Name), strings.Compare(x.ID, y.ID))
	})
	var out []Choice
	for _, f := range all[:min(len(all), maxChoices)] {
		out = append(out, Choice{Name: f.Name, Kind: f.Type, Value: f.ID})
	}
	return out
}

// nameRank returns how well the best of some names matches the typed text, which must be in lower case: 1 is
// the best match, 0 is none.
func nameRank(typed string, names ...string) (best int) {
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

func suggestApprovals(game *Game, typed string) (out []Choice) {
	for _, p := range game.Registry.Governance.Policy.Pending() {
		if nameRank(typed, p.ID, p.Tool, p.Caller) > 0 {
			out = append(out, Choice{Name: p.Tool, Value: p.ID, Call: &p})
		}
	}
	return out
}

func suggestHeld(ctx context.Context, game *Game, typed string) (out []Choice, err error) {
	held, err := game.Registry.Host.Held(ctx)
	for _, w := range held {
		if nameRank(typed, w.Name, w.Server) > 0 {
			name := w.Server + "/" + w.Name
			out = append(out, Choice{Name: name, Value: name + "@" + w.Hash, New: w.Approved == ""})
		}
	}
	return out, err
}

func (g *Guild) suggestCampaigns(ctx context.Context, typed string) (out []Choice, err error) {
	all, err := g.Campaigns(ctx)
	for _, c := range all {
		if nameRank(typed, c.Name, c.ID) > 0 {
			out = append(out, Choice{Name: c.Name, Value: c.ID})
		}
	}
	return out, err
}
