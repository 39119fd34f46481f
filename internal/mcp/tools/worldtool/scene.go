package worldtool

import (
	"context"
	"encoding/json"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type setSceneArgs struct {
	Text string `json:"text"`
}

type sceneSet struct {
	Scene string `json:"scene"`
	Seq   uint64 `json:"seq" jsonschema:"Number of the change; state/subscribe takes it as since."`
}

func (t *toolset) setScene() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name:        "set_scene",
		Description: "Say what is going on from now on: place, time, weather, mood, who is there. Everyone sees it; the old scene is replaced.",
		Parameters:  object(map[string]any{"text": textSchema(maxScene, "The scene in a few sentences.")}, "text"),
		Idempotent:  true,
	}, "Set the scene", tools.SchemaOf[sceneSet](nil), tools.JSON(t.runSetScene))
	x.Destructive = true
	return x
}

func (t *toolset) runSetScene(ctx context.Context, a setSceneArgs) (sceneSet, error) {
	scene := tidy(a.Text, maxScene)
	if scene == "" {
		return sceneSet{}, invalid("text is empty; say what is going on")
	}
	seq, err := t.change(ctx, "scene.changed", func(tx *world.Tx) error { tx.SetScene(scene); return nil })
	if err != nil {
		return sceneSet{}, err
	}
	return sceneSet{Scene: scene, Seq: seq}, nil
}

// blindScene is the description of a scene for a viewer who cannot see.
const blindScene = "You see nothing. You know what you hear and what you are told."

type describeArgs struct {
	Area     json.RawMessage `json:"area"`
	Location string          `json:"location"`
	Limit    *float64        `json:"limit"` // models like to write whole numbers as 5.0
}

type described struct {
	Scene    string `json:"scene"`
	Total    int    `json:"total" jsonschema:"How many there are; entities may be fewer."`
	Entities []View `json:"entities"`
	Seq      uint64 `json:"seq" jsonschema:"Number of the change; state/subscribe takes it as since."`
}

func (t *toolset) describeScene() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "describe_scene",
			Description: "What is going on now, and who and what is where. " +
				"Without area and location it lists everything that is somewhere.",
			Parameters: object(map[string]any{
				"area": map[string]any{
					"type": "object", "additionalProperties": false, "required": []string{"center", "radius"},
					"description": "Only what is on the map within this sphere.",
					"properties": map[string]any{
						"center": position("Its middle: x, y and z."),
						"radius": map[string]any{"type": "number", "minimum": 0, "description": "In the map's unit."},
					},
				},
				"location": textSchema(maxName, "Only what is in this entity: its id, or a name that only it has."),
				"limit": map[string]any{
					"type": "integer", "minimum": 1, "maximum": maxShown, "default": defaultShown,
					"description": "Most entities to return.",
				},
			}),
			EstimatedDurationMs: readP50, MaxDurationMs: readMax,
		},
		Title: "Describe the scene", Permission: permRead, Probe: `{"limit":1}`,
		OutputSchema: tools.SchemaOf[described](tools.Bounds{"total": {"minimum": 0}}), Handler: tools.JSON(t.runDescribe),
	})
}

func (t *toolset) runDescribe(ctx context.Context, a describeArgs) (described, error) {
	who := viewer(ctx)
	if err := t.world.Refresh(ctx); err != nil {
		return described{}, err
	}
	var area *world.Area
	if len(a.Area) > 0 && string(a.Area) != "null" {
		sphere, err := world.ParseArea(a.Area)
		if err != nil {
			return described{}, err
		}
		area = &sphere
	}
	within := ""
	if a.Location != "" {
		var err error
		if within, err = t.findEntity(ctx, "location", a.Location); err != nil {
			return described{}, err
		}
	}
	limit := defaultShown
	if a.Limit != nil {
		if limit = int(*a.Limit); float64(limit) != *a.Limit || limit < 1 || limit > maxShown {
			return described{}, invalid("limit is %v; use a whole number from 1 to %d", *a.Limit, maxShown)
		}
	}
	out := described{Seq: t.world.Seq(), Scene: t.world.Scene(), Entities: []View{}}
	if mcp.CallerFrom(ctx).Blind {
		out.Scene = blindScene
		return out, nil
	}
	for _, e := range t.world.Entities(who) {
		if area != nil && !area.Contains(e.Position) {
			continue
		}
		v := t.view(e, who)
		if within != "" && (v.Location == nil || v.Location.ID != within) || v.Position == nil && v.Location == nil {
			continue
		}
		if out.Total++; len(out.Entities) < limit {
			v.Description = untrusted.Clip(v.Description, maxBlurb)
			out.Entities = append(out.Entities, v)
		}
	}
	return out, nil
}
