package memorytool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// maxSuggestions is the maximum number of ids suggested in reply to an unknown one.
const maxSuggestions = 5

type queryEntitiesArgs struct {
	Name string `json:"name,omitempty" jsonschema:"Name or part of a name; spelling may be off."`
	Type string `json:"type,omitempty" jsonschema:"Kind of entity: npc, location, faction, item or the campaign's own word."`
}

// FoundEntities is the output of query_entities.
type FoundEntities struct {
	Count    int      `json:"count"`
	Entities []Entity `json:"entities"`
}

// Entity is a short description of an entity.
type Entity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

func (t *toolset) queryEntities() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "query_entities",
			Description: "Find people, places, factions and items of the world by name and/or type. " +
				"Without both, lists what is known. Use get_summary with an id for details.",
			Parameters:          tools.SchemaOf[queryEntitiesArgs](nil),
			EstimatedDurationMs: 50, MaxDurationMs: 200,
		},
		Title: "Find entities", Permission: permWorldRead, Floor: mcp.BudgetFast, Probe: `{"name":"a"}`,
		OutputSchema: tools.SchemaOf[FoundEntities](nil), Handler: tools.JSON(t.runQueryEntities),
	})
}

func (t *toolset) runQueryEntities(ctx context.Context, args queryEntitiesArgs) (FoundEntities, error) {
	found, err := t.graph.FindEntities(ctx, memory.EntityQuery{
		Name:   untrusted.Clip(strings.TrimSpace(args.Name), maxQuery),
		Type:   strings.TrimSpace(args.Type),
		Viewer: viewer(ctx),
		Limit:  maxEntities,
	})
	if err != nil {
		return FoundEntities{}, fmt.Errorf("finding entities: %w", err)
	}
	found = found[:min(len(found), maxEntities)]
	out := FoundEntities{Count: len(found), Entities: make([]Entity, 0, len(found))}
	for _, e := range found {
		out.Entities = append(out.Entities, brief(e, maxBlurb))
	}
	return out, nil
}

func brief(e memory.Entity, description int) Entity {
	return Entity{ID: e.ID, Type: e.Type, Name: e.Name, Description: untrusted.Clip(e.Description, description)}
}

type getSummaryArgs struct {
	EntityID string `json:"entity_id" jsonschema:"The entity's id, as query_entities returns it."`
}

type getSummaryResult struct {
	ID            string            `json:"id"`
	Type          string            `json:"type"`
	Name          string            `json:"name"`
	Description   string            `json:"description"`
	Attributes    map[string]string `json:"attributes"`
	Position      *memory.Position  `json:"position,omitempty"`
	Relationships []relationship    `json:"relationships"`
	Connected     []Entity          `json:"connected"`
}

type relationship struct {
	Type string `json:"type"`
	// Direction is "out" if the entity is the subject of the relation, otherwise "in".
	Direction  string `json:"direction"`
	EntityID   string `json:"entity_id"`
	EntityName string `json:"entity_name"`
	Note       string `json:"note,omitempty"`
}

func (t *toolset) getSummary() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "get_summary",
			Description: "Retrieve everything known about one person, place, faction or item: " +
				"description, attributes, relationships and connected entities.",
			Parameters:          tools.SchemaOf[getSummaryArgs](tools.Bounds{"entity_id": said}),
			EstimatedDurationMs: 80, MaxDurationMs: 300,
		},
		Title: "Summarise entity", Permission: permWorldRead, Floor: mcp.BudgetFast, Probe: `{"entity_id":"a"}`,
		OutputSchema: tools.SchemaOf[getSummaryResult](tools.Bounds{"relationships.direction": {"enum": []string{"out", "in"}}}),
		Handler:      tools.JSON(t.runGetSummary),
	})
}

func (t *toolset) runGetSummary(ctx context.Context, args getSummaryArgs) (getSummaryResult, error) {
	id := untrusted.Clip(strings.TrimSpace(args.EntityID), maxQuery)
	if id == "" {
		return getSummaryResult{}, fmt.Errorf("%w: entity_id is empty; query_entities finds ids", mcp.ErrInvalidArguments)
	}
	n, err := t.graph.Neighbours(ctx, id, viewer(ctx), 1)
	if errors.Is(err, memory.ErrNotFound) {
		n, err = t.byName(ctx, id)
	}
	if err != nil {
		return getSummaryResult{}, err
	}
	if mcp.CallerFrom(ctx).Blind {
		n.Entity.Position = nil
	}
	return summarise(n), nil
}

// byName handles models that pass a name where an id is expected. If the name does not belong to exactly one
// entity, the error suggests ids.
func (t *toolset) byName(ctx context.Context, id string) (memory.Neighbourhood, error) {
	who := viewer(ctx)
	found, err := t.graph.FindEntities(ctx, memory.EntityQuery{Name: id, Viewer: who, Limit: maxSuggestions})
	if err != nil {
		return memory.Neighbourhood{}, fmt.Errorf("finding entity %q: %w", id, err)
	}
	named := slices.DeleteFunc(slices.Clone(found), func(e memory.Entity) bool { return !words.Match(id, append([]string{e.Name}, e.Aliases...)...) })
	if len(named) == 1 {
		return t.graph.Neighbours(ctx, named[0].ID, who, 1)
	}
	if len(found) == 0 {
		if found, err = t.graph.FindEntities(ctx, memory.EntityQuery{Viewer: who, Limit: maxSuggestions}); err != nil {
			return memory.Neighbourhood{}, fmt.Errorf("listing entities: %w", err)
		}
	}
	if len(found) == 0 {
		return memory.Neighbourhood{}, fmt.Errorf("%w: no entity %q; none is known", mcp.ErrInvalidArguments, id)
	}
	ids := make([]string, len(found))
	for i, e := range found {
		ids[i] = fmt.Sprintf("%q (%s)", e.ID, e.Name)
	}
	return memory.Neighbourhood{}, fmt.Errorf("%w: no entity %q; nearest are %s", mcp.ErrInvalidArguments, id, strings.Join(ids, ", "))
}

func summarise(n memory.Neighbourhood) getSummaryResult {
	e := n.Entity
	out := getSummaryResult{
		ID: e.ID, Type: e.Type, Name: e.Name, Description: untrusted.Clip(e.Description, maxDescription), Position: e.Position,
		Attributes:    make(map[string]string, len(e.Attributes)),
		Relationships: make([]relationship, 0, len(n.Relations)),
		Connected:     make([]Entity, 0, len(n.Connected)),
	}
	for _, k := range slices.Sorted(maps.Keys(e.Attributes)) {
		if len(out.Attributes) == maxAttributes {
			break
		}
		out.Attributes[k] = untrusted.Clip(e.Attributes[k], maxBlurb)
	}
	names := map[string]string{e.ID: e.Name}
	for _, c := range n.Connected {
		names[c.ID] = c.Name
		if len(out.Connected) < maxConnected {
			out.Connected = append(out.Connected, brief(c, maxBlurb))
		}
	}
	for _, r := range n.Relations[:min(len(n.Relations), maxRelations)] {
		rel := relationship{Type: r.Type, Direction: "out", EntityID: r.To, Note: untrusted.Clip(r.Note, maxBlurb)}
		if r.From != e.ID {
			rel.Direction, rel.EntityID = "in", r.From
		}
		rel.EntityName = names[rel.EntityID]
		out.Relationships = append(out.Relationships, rel)
	}
	return out
}
