package worldtool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// patch is a field that is left unchanged if missing, cleared by null, or otherwise set.
type patch[T any] struct {
	given bool
	value *T // nil: null
}

// UnmarshalJSON is also called for null, but not for missing fields.
func (p *patch[T]) UnmarshalJSON(data []byte) error {
	p.given = true
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	return json.Unmarshal(data, &p.value)
}

type moveArgs struct {
	ID       string           `json:"id"`
	Position patch[[]float64] `json:"position"`
	Location patch[string]    `json:"location"`
}

func (t *toolset) moveEntity() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name: "move_entity",
		Description: "Say where a person, item or creature is now: a position on the map, the place it is in, or both. " +
			"What is not given stays; null takes it off the map or out of the place.",
		Parameters: object(map[string]any{
			"id":       idField("What moves."),
			"position": nullable(position("Where on the map: x, y and z.")),
			"location": nullable(locationField()),
		}, "id"),
		Idempotent: true,
	}, "Move entity", tools.SchemaOf[Changed](nil), tools.JSON(t.runMove))
	x.Own = t.own("id")
	return x
}

func (t *toolset) runMove(ctx context.Context, a moveArgs) (Changed, error) {
	who := viewer(ctx)
	id, err := t.findEntity(ctx, "id", a.ID)
	if err != nil {
		return Changed{}, err
	}
	if !a.Position.given && !a.Location.given {
		return Changed{}, fmt.Errorf("%w: say where to: give position, location or both", mcp.ErrInvalidArguments)
	}
	var to *memory.Position
	if a.Position.value != nil {
		if to, err = readPosition(*a.Position.value); err != nil {
			return Changed{}, err
		}
	}
	location := ""
	if a.Location.value != nil {
		if location, err = t.findEntity(ctx, "location", *a.Location.value); err != nil {
			return Changed{}, err
		}
	}
	var e memory.Entity
	seq, err := t.change(ctx, "entity.moved", func(tx *world.Tx) error {
		if e, err = seen(tx, id, who); err != nil {
			return err
		}
		if a.Position.given {
			if err := tx.Move(id, to); err != nil {
				return err
			}
			e.Position = to
		}
		if a.Location.given {
			return moveInto(tx, id, location, who)
		}
		return nil
	})
	if err != nil {
		return Changed{}, err
	}
	return Changed{Entity: t.view(e, who), Seq: seq}, nil
}
