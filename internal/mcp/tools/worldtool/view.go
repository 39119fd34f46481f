package worldtool

import (
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// View is an entity as callers see it.
type View struct {
	ID          string            `json:"id"`
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Aliases     []string          `json:"aliases,omitempty"`
	Description string            `json:"description,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	Position    *memory.Position  `json:"position,omitempty" jsonschema:"x, y and z on the map."`
	Location    *place            `json:"location,omitempty"`
	// KnownBy is included only for callers who see everything.
	KnownBy []string `json:"known_by,omitempty"`
}

type place struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Changed is the result of a tool that changes an entity.
type Changed struct {
	Entity  View   `json:"entity"`
	Seq     uint64 `json:"seq" jsonschema:"Number of the change; state/subscribe takes it as since."`
	Warning string `json:"warning,omitempty"`
}

func (t *toolset) view(e memory.Entity, viewer string) View {
	v := View{
		ID: e.ID, Type: e.Type, Name: e.Name, Aliases: e.Aliases, Description: e.Description,
		Attributes: e.Attributes, Position: e.Position, Location: t.location(e.ID, viewer),
	}
	if viewer == "" {
		v.KnownBy = e.Visible
	}
	return v
}

// location returns where an entity is, or nil if viewer may not know.
func (t *toolset) location(id, viewer string) *place {
	for _, r := range t.world.Relations(id, viewer) {
		if r.Type != memory.LocatedIn {
			continue
		}
		if e, ok := t.world.Entity(r.To, viewer); ok {
			return &place{e.ID, e.Name}
		}
	}
	return nil
}

// readPosition converts numbers that have passed the schema to a position.
func readPosition(p []float64) (*memory.Position, error) {
	if p == nil {
		return nil, nil
	}
	if len(p) != len(memory.Position{}) {
		return nil, invalid("position has %d numbers; give [x, y, z]", len(p))
	}
	return (*memory.Position)(p), nil
}
