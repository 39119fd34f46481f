package worldtool

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type placeArgs struct {
	ID          string            `json:"id"`
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Aliases     []string          `json:"aliases"`
	Attributes  map[string]string `json:"attributes"`
	KnownBy     []string          `json:"known_by"`
	Position    []float64         `json:"position"`
	Location    string            `json:"location"`
}

func (t *toolset) placeEntity() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name: "place_entity",
		Description: "Add a person, place, faction, item or creature to the world, on the map or inside a place. " +
			"Use update_entity or move_entity for what is there already.",
		Parameters: object(map[string]any{
			"id":          textSchema(maxID, "Short unique id in lower case; made from the name if missing."),
			"type":        typeField(),
			"name":        textSchema(maxName, "What people call it."),
			"description": optionalText(maxDescription, "One to three sentences."),
			"aliases":     aliasesField(),
			"attributes":  attributesField(attributeField(), "Short facts by name, such as race or mood."),
			"known_by":    knownByField("Ids of the NPCs that know of it; without it everyone does."),
			"position":    position("Where on the map: x, y and z."),
			"location":    locationField(),
		}, "type", "name"),
	}, "Place entity", tools.SchemaOf[Changed](nil), tools.JSON(t.runPlace))
	x.Own = t.own("location") // the NPC's possessions
	return x
}

func (t *toolset) runPlace(ctx context.Context, a placeArgs) (Changed, error) {
	who := viewer(ctx)
	e := memory.Entity{
		Type: tidy(a.Type, maxID), Name: tidy(a.Name, maxName), Description: tidy(a.Description, maxDescription),
		Aliases: tidyAll(a.Aliases), Attributes: tidyMap(a.Attributes),
	}
	var err error
	if e.Position, err = readPosition(a.Position); err != nil {
		return Changed{}, err
	}
	if e.Visible, err = knownBy(a.KnownBy, who); err != nil {
		return Changed{}, err
	}
	location := ""
	if a.Location != "" {
		if location, err = t.findEntity(ctx, "location", a.Location); err != nil {
			return Changed{}, err
		}
	}
	seq, err := t.change(ctx, "entity.placed", func(tx *world.Tx) error {
		if e.ID, err = freeID(tx, a.ID, e.Name, who); err != nil {
			return err
		}
		if err := tx.Put(e); err != nil {
			return err
		}
		return moveInto(tx, e.ID, location, who)
	})
	if err != nil {
		return Changed{}, err
	}
	return Changed{Entity: t.view(e, who), Seq: seq, Warning: t.remember(ctx, e)}, nil
}

// knownBy returns who will know about an entity that the caller places. An NPC that keeps it from others
// still knows about it itself.
func knownBy(ids []string, viewer string) ([]string, error) {
	switch {
	case len(ids) == 0:
		return nil, nil
	case viewer == memory.Anyone:
		return nil, invalid("known_by: you see only what everyone knows and would not see it yourself; leave known_by out")
	case viewer != "" && !slices.Contains(ids, viewer):
		return append(slices.Clone(ids), viewer), nil
	}
	return slices.Clone(ids), nil
}

// tries limits the search for an unused id.
const tries = 1000

// freeID returns an id for a new entity: the requested one, or one derived from the name. For a caller who
// sees only part of the world it always appends a unique suffix, because refusing an id would reveal that a
// hidden entity has it.
func freeID(tx *world.Tx, asked, name, viewer string) (string, error) {
	id := config.Slug(asked)
	if asked != "" && id != asked {
		return "", invalid("id %q has to be lower-case letters and digits joined by \"-\", at most %d; %q would do", asked, maxID, id)
	}
	if id != "" {
		if e, ok := tx.Entity(id, viewer); ok {
			return "", invalid("id: %q is %s (%s); change it with update_entity or move_entity, or choose another id", id, e.Name, e.Type)
		}
	}
	if id == "" {
		if id = config.Slug(name); id == "" {
			id = "entity"
		}
	}
	if viewer != "" {
		return tailed(tx, id, func(int) string { return strings.ToLower(rand.Text()[:6]) })
	}
	if _, taken := tx.Entity(id, ""); !taken {
		return id, nil
	}
	return tailed(tx, id, func(n int) string { return strconv.Itoa(n + 2) })
}

// tailed returns the first unused id that consists of base and a suffix.
func tailed(tx *world.Tx, base string, tail func(n int) string) (string, error) {
	base = strings.TrimRight(base[:min(len(base), maxID-8)], "-")
	for n := range tries {
		id := base + "-" + tail(n)
		if _, taken := tx.Entity(id, ""); !taken {
			return id, nil
		}
	}
	return "", invalid("id: too many entities are called %q; choose another", base)
}
