package worldtool

import (
	"context"
	"fmt"
	"maps"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type updateArgs struct {
	ID          string                    `json:"id"`
	Type        *string                   `json:"type"`
	Name        *string                   `json:"name"`
	Description patch[string]             `json:"description"`
	Aliases     patch[[]string]           `json:"aliases"`
	Attributes  patch[map[string]*string] `json:"attributes"`
	KnownBy     patch[[]string]           `json:"known_by"`
}

func (t *toolset) updateEntity() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name: "update_entity",
		Description: "Change what is known of an entity. Only the given fields change; null empties a field, " +
			"and within attributes a null removes one attribute. Use move_entity for where it is.",
		Parameters: object(map[string]any{
			"id":          idField("What changes."),
			"type":        typeField(),
			"name":        textSchema(maxName, "What people call it from now on."),
			"description": nullable(optionalText(maxDescription, "One to three sentences, in place of the old ones.")),
			"aliases":     nullable(aliasesField()),
			"attributes": nullable(attributesField(nullable(attributeField()),
				"Attributes to set or, with null, to remove; null instead of an object removes all.")),
			"known_by": nullable(knownByField("Ids of the NPCs that know of it from now on; null means everyone.")),
		}, "id"),
		Idempotent: true,
	}, "Update entity", tools.SchemaOf[Changed](nil), tools.JSON(t.runUpdate))
	x.Destructive, x.Own = true, t.own("id")
	return x
}

func (t *toolset) runUpdate(ctx context.Context, a updateArgs) (Changed, error) {
	who := viewer(ctx)
	id, err := t.findEntity(ctx, "id", a.ID)
	if err != nil {
		return Changed{}, err
	}
	if a.KnownBy.given && who != "" {
		return Changed{}, fmt.Errorf("%w: known_by: only who sees everything may change who knows of something", mcp.ErrInvalidArguments)
	}
	var e memory.Entity
	seq, err := t.change(ctx, "entity.updated", func(tx *world.Tx) error {
		old, err := seen(tx, id, who)
		if err != nil {
			return err
		}
		if e, err = a.apply(old); err != nil {
			return err
		}
		return tx.Put(e)
	})
	if err != nil {
		return Changed{}, err
	}
	return Changed{Entity: t.view(e, who), Seq: seq, Warning: t.remember(ctx, e)}, nil
}

// apply returns e with the given fields changed.
func (a updateArgs) apply(e memory.Entity) (memory.Entity, error) {
	if a.Type == nil && a.Name == nil && !a.Description.given && !a.Aliases.given && !a.Attributes.given && !a.KnownBy.given {
		return e, fmt.Errorf("%w: nothing to change; give at least one field besides id", mcp.ErrInvalidArguments)
	}
	if a.Type != nil {
		e.Type = tidy(*a.Type, maxID)
	}
	if a.Name != nil {
		e.Name = tidy(*a.Name, maxName)
	}
	if set(&e.Description, a.Description) {
		e.Description = tidy(e.Description, maxDescription)
	}
	if set(&e.Aliases, a.Aliases) {
		e.Aliases = tidyAll(e.Aliases)
	}
	set(&e.Visible, a.KnownBy)
	if !a.Attributes.given {
		return e, nil
	}
	if a.Attributes.value == nil {
		e.Attributes = nil
		return e, nil
	}
	e.Attributes = maps.Clone(e.Attributes)
	given := map[string]string{}
	for k, v := range *a.Attributes.value {
		if v == nil {
			delete(e.Attributes, k)
		} else {
			given[k] = *v
		}
	}
	if e.Attributes == nil {
		e.Attributes = map[string]string{}
	}
	maps.Copy(e.Attributes, tidyMap(given))
	if len(e.Attributes) > maxAttributes {
		return e, fmt.Errorf("%w: attributes: %d of them; keep at most %d", mcp.ErrInvalidArguments, len(e.Attributes), maxAttributes)
	}
	return e, nil
}

// set applies a patch and reports whether there is one.
func set[T any](dst *T, p patch[T]) bool {
	if !p.given {
		return false
	}
	var empty T
	if *dst = empty; p.value != nil {
		*dst = *p.value
	}
	return true
}
