package worldtool

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// remember lets search_facts find an entity's description. It returns what the
// caller should know if that did not work.
func (t *toolset) remember(ctx context.Context, e memory.Entity) (warning string) {
	if t.index == nil || e.Description == "" {
		return ""
	}
	if err := t.index.Remember(ctx, description(e)); err != nil {
		return "the change is made; search_facts may find it only after the next start"
	}
	return ""
}

// description is the fact that tells who or what an entity is.
func description(e memory.Entity) memory.Fact {
	return memory.Fact{Source: "entity:" + e.ID, Text: e.Name + ": " + e.Description, Visible: e.Visible}
}
