package worldtool

import (
	"context"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type removeArgs struct {
	ID string `json:"id"`
}

type removed struct {
	ID      string `json:"id"`
	Removed bool   `json:"removed"`
	Seq     uint64 `json:"seq" jsonschema:"Number of the change; state/subscribe takes it as since."`
}

func (t *toolset) removeEntity() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name:        "remove_entity",
		Description: "Take an entity out of the world for good, with all its relations. Use move_entity for what only left.",
		Parameters:  object(map[string]any{"id": idField("What goes.")}, "id"),
	}, "Remove entity", tools.SchemaOf[removed](nil), tools.JSON(t.runRemove))
	x.Destructive, x.Own = true, t.own("id")
	return x
}

func (t *toolset) runRemove(ctx context.Context, a removeArgs) (removed, error) {
	who := viewer(ctx)
	id, err := t.findEntity(ctx, "id", a.ID)
	if err != nil {
		return removed{}, err
	}
	seq, err := t.change(ctx, "entity.removed", func(tx *world.Tx) error {
		if _, err := seen(tx, id, who); err != nil {
			return err
		}
		return tx.Remove(id)
	})
	if err != nil {
		return removed{}, err
	}
	return removed{ID: id, Removed: true, Seq: seq}, nil
}

type relateArgs struct {
	From   string  `json:"from"`
	Type   string  `json:"type"`
	To     string  `json:"to"`
	Note   *string `json:"note"`
	Remove bool    `json:"remove"`
}

type related struct {
	From    string `json:"from"`
	Type    string `json:"type"`
	To      string `json:"to"`
	Note    string `json:"note,omitempty"`
	Removed bool   `json:"removed"`
	Seq     uint64 `json:"seq" jsonschema:"Number of the change; state/subscribe takes it as since."`
}

func (t *toolset) relateEntities() tools.Tool {
	x := writing(llm.ToolDefinition{
		Name: "relate_entities",
		Description: "Say how one entity stands to another, such as bartok owns rusty-flagon, or with remove that it no longer does. " +
			"Use move_entity for where something is.",
		Parameters: object(map[string]any{
			"from": idField("Who or what the relation begins at."),
			"type": map[string]any{
				"type": "string", "minLength": 1, "maxLength": maxID, "pattern": "^[a-z][a-z0-9_]*$",
				"description": "A verb phrase in snake_case, such as owns or works_for.",
			},
			"to":     idField("Who or what it leads to."),
			"note":   optionalText(maxNote, "A word on it; without it, what was noted before stays."),
			"remove": map[string]any{"type": "boolean", "default": false, "description": "Take the relation away."},
		}, "from", "type", "to"),
		Idempotent: true,
	}, "Relate entities", tools.SchemaOf[related](nil), tools.JSON(t.runRelate))
	x.Destructive, x.Own = true, t.own("from")
	return x
}

func (t *toolset) runRelate(ctx context.Context, a relateArgs) (related, error) {
	who := viewer(ctx)
	from, err := t.findEntity(ctx, "from", a.From)
	if err != nil {
		return related{}, err
	}
	to, err := t.findEntity(ctx, "to", a.To)
	if err != nil {
		return related{}, err
	}
	r := memory.Relation{From: from, Type: strings.TrimSpace(a.Type), To: to}
	event := "entity.related"
	if a.Remove {
		event = "entity.unrelated"
	}
	seq, err := t.change(ctx, event, func(tx *world.Tx) error {
		for _, end := range [...]string{from, to} {
			if _, err := seen(tx, end, who); err != nil {
				return err
			}
		}
		old, known := relation(tx, r, who)
		if a.Remove {
			if !known {
				return invalid("%s does not %q %s; get_summary shows how they stand", from, r.Type, to)
			}
			return tx.Unrelate(r)
		}
		if r.Type == memory.LocatedIn {
			if err := moveInto(tx, from, to, who); err != nil {
				return err
			}
		}
		r.Note, r.Visible = old.Note, old.Visible
		if a.Note != nil {
			r.Note = tidy(*a.Note, maxNote)
		}
		return tx.Relate(r)
	})
	if err != nil {
		return related{}, err
	}
	return related{From: from, Type: r.Type, To: to, Note: r.Note, Removed: a.Remove, Seq: seq}, nil
}

// relation returns the relation with the ends and the type of r, if viewer may know about it.
func relation(tx *world.Tx, r memory.Relation, viewer string) (memory.Relation, bool) {
	for _, o := range tx.Relations(r.From) {
		if o.From == r.From && o.Type == r.Type && o.To == r.To && knows(o, viewer) {
			return o, true
		}
	}
	return memory.Relation{}, false
}
