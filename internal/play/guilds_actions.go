package play

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// runTool runs a built-in tool and decodes its result.
func runTool[T any](ctx context.Context, m *Member, tool string, args map[string]any) (out T, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return out, fmt.Errorf("asking %s: %w", tool, err)
	}
	text, err := m.CallTool(ctx, tool, string(raw))
	if err != nil {
		return out, toolError{tool, err}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return out, fmt.Errorf("reading what %s answered: %w", tool, err)
	}
	return out, nil
}

// toolError is an error of a tool that people know as an action. It hides the tool's name from them.
type toolError struct {
	tool string
	err  error
}

// Unwrap returns the tool's error.
func (e toolError) Unwrap() error { return e.err }

func (e toolError) Error() string {
	text := strings.TrimPrefix(e.err.Error(), fmt.Sprintf("calling %q: ", e.tool))
	return strings.TrimPrefix(text, mcp.ErrInvalidArguments.Error()+": ")
}

// RollDice rolls an expression such as 2d6+3.
func (m *Member) RollDice(ctx context.Context, expression string) (diceroller.Result, error) {
	return runTool[diceroller.Result](ctx, m, "roll", map[string]any{"expression": expression})
}

// SearchRules searches the rules.
func (m *Member) SearchRules(ctx context.Context, query string) ([]ruleslookup.Hit, error) {
	found, err := runTool[ruleslookup.SearchResult](ctx, m, "search_rules", map[string]any{"query": query})
	return found.Results, err
}

// FindEntities returns the entities of a name, or all entities if it is empty.
func (m *Member) FindEntities(ctx context.Context, name string) ([]memorytool.Entity, error) {
	args := map[string]any{}
	if name != "" {
		args["name"] = name
	}
	found, err := runTool[memorytool.FoundEntities](ctx, m, "query_entities", args)
	return found.Entities, err
}

// ListEntities returns all entities whose name, alias or id contains a text, ordered by name. It counts as a
// call of query_entities, which returns only a limited number to a model.
func (m *Member) ListEntities(ctx context.Context, name string) (all []memory.Entity, err error) {
	target := mcp.Target{Tool: "query_entities", Source: "builtin", ReadOnly: true, Permission: access.WorldRead}
	err = m.runGoverned(ctx, target, map[string]any{"name": name}, func(_ context.Context, game *Game) error {
		for _, e := range game.World.Entities("") {
			if nameRank(strings.ToLower(name), append([]string{e.Name, e.ID}, e.Aliases...)...) > 0 {
				all = append(all, e)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b memory.Entity) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return all, err
}

// SearchFacts returns at most most facts about a subject.
func (m *Member) SearchFacts(ctx context.Context, query string, most int) ([]memorytool.Fact, error) {
	found, err := runTool[memorytool.FoundFacts](ctx, m, "search_facts", map[string]any{"query": query, "top_k": most})
	return found.Facts, err
}

// SearchSessions returns lines about a subject, or the nearest ones, because people can judge them
// themselves.
func (m *Member) SearchSessions(ctx context.Context, query string) ([]memorytool.Line, error) {
	found, err := runTool[memorytool.FoundLines](ctx, m, "search_sessions", map[string]any{"query": query})
	return found.Lines, err
}

// NewEntity is an entity to add to the world. Description and Location, the name of a place, may be empty.
type NewEntity struct{ Name, Type, Description, Location string }

// PlaceEntity adds an entity to the world.
func (m *Member) PlaceEntity(ctx context.Context, e NewEntity) (worldtool.View, error) {
	args := map[string]any{"name": e.Name, "type": e.Type}
	for field, text := range map[string]string{"description": e.Description, "location": e.Location} {
		if text != "" {
			args[field] = text
		}
	}
	placed, err := runTool[worldtool.Changed](ctx, m, "place_entity", args)
	return placed.Entity, err
}

// RemoveEntity removes an entity from the world for good, by its id.
func (m *Member) RemoveEntity(ctx context.Context, id string) error {
	_, err := runTool[struct{}](ctx, m, "remove_entity", map[string]any{"id": id})
	return err
}

// PendingApprovals returns the calls that wait for approval, oldest first.
func (m *Member) PendingApprovals(ctx context.Context) ([]access.PendingApproval, error) {
	waiting, err := runTool[access.PendingApprovals](ctx, m, "list_approvals", map[string]any{})
	return waiting.Approvals, err
}

// DecideApproval grants or denies a waiting call, by its id, and returns the decision. If it was already
// decided, the error wraps a [*access.DecidedError].
func (m *Member) DecideApproval(ctx context.Context, id string, grant bool) (d access.Decision, err error) {
	if _, err = runTool[struct{}](ctx, m, "decide_approval", map[string]any{"id": id, "grant": grant}); err != nil {
		return d, err
	}
	err = m.withCampaign(ctx, func(_ context.Context, game *Game) error {
		d, _ = game.Registry.Governance.Policy.Decision(id)
		return nil
	})
	return d, err
}
