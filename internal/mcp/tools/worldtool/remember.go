package worldtool

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// remember makes an entity's description available to search_facts. If that fails, it returns a note for the
// caller.
func (t *toolset) remember(ctx context.Context, e memory.Entity) (warning string) {
	if t.index == nil || e.Description == "" {
		return ""
	}
	if err := t.index.Remember(ctx, memory.DescriptionOf(e)); err != nil {
		return "the change is made; search_facts may find it only after the next start"
	}
	return ""
}
