package worldtool

import (
	"encoding/json"
	"strings"
)

// own returns an Own of a tool: whether the argument called field names the NPC's own
// entity, which has the NPC's id.
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

// isEntity reports whether a name as [toolset.findEntity] takes it means the entity of
// that id. It looks at no other process's changes.
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
