package table

import (
	"slices"

	"github.com/MrWong99/glyphoxa/internal/engine"
)

// backgroundOf is what the answer to a turn is held to.
func (v *conversation) backgroundOf(tn *turn) engine.Background {
	b := engine.Background{
		Cast: v.version, Others: v.othersThan(tn.agent), Players: v.players[:len(v.players):len(v.players)],
		Asked: tn.Text, Before: tn.npc.Said(), Told: tn.npc.Told(), Found: tn.npc.Found(), Edits: tn.npc.Edits(), Turn: tn.number,
	}
	if tn.isAskedAgain() {
		b.Before = append(slices.Concat(tn.again.unwanted...), b.Before...)
	}
	if tn.leader != nil {
		b.Remark = true
		b.Asked += " " + tn.leader.attempt.text()
	}
	return b
}

// othersThan are the names and aliases of the NPCs at the table but one. They are not
// changed any more.
func (v *conversation) othersThan(npc int) []string {
	names, known := v.others[npc]
	if known {
		return names
	}
	for _, i := range v.cast.present() {
		if i != npc {
			names = append(names, v.cast.agents[i].Names()...)
		}
	}
	v.others[npc] = names
	return names
}

// latestFirst turns what is given the latest last around.
func latestFirst(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Reverse(texts)
	return texts
}
