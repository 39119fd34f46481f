package worldtool

import (
	"encoding/json"
	"strings"
)

// own returns a function for [tools.Tool.Own]. It reports whether the argument called field names the NPC's
// own entity, which has the same id as the NPC.
func (t *toolset) own(field string) func(npc, args string) bool {
	return func(npc, args string) bool {
		var given map[string]any
		if json.Unmarshal([]byte(args), &given) != nil {
			return false
		}
		named, _ := given[field].(string)
		return t.isEntity(npc, named)
	}
}

// isEntity reports whether named, as accepted by [toolset.findEntity], refers to the entity with the given
// id. It does not see changes that other processes have made since the last refresh.
func (t *toolset) isEntity(id, named string) bool {
	if named = strings.TrimSpace(named); named == id {
		return true
	}
	if _, other := t.world.Entity(named, id); other {
		return false
	}
	self, is := t.world.Entity(id, id)
	return is && named != "" && strings.EqualFold(self.Name, named)
}
