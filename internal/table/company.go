package table

import (
	"slices"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// company is who is at a table when a turn begins. It does not change.
type company struct {
	npc     hotctx.Person // who answers
	others  []hotctx.Person
	players []string
}

// companyOf is who is at the table besides the NPC that answers a turn. Players are
// those who spoke lately, first who speaks now.
func (as *answers) companyOf(tn *turn) company {
	with := company{npc: personOf(tn.as), players: []string{nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads})}}
	for _, l := range slices.Backward(as.transcript.recent) {
		if name := nameOf(l); l.NPC == "" && as.o.Groups.Knows(l.Present, tn.as.ID) && !slices.Contains(with.players, name) {
			with.players = append(with.players, name)
		}
	}
	for _, npc := range as.cast.npcsOf(as.cast.present()) {
		if npc.ID != tn.as.ID {
			with.others = append(with.others, personOf(npc))
		}
	}
	return with
}

// nameOf is a player as one of those at the table: there it need not be said that they are
// players.
func nameOf(l memory.Line) string {
	if l.DM {
		return hotctx.Attribution(l)
	}
	return l.Speaker
}

func personOf(n config.NPC) hotctx.Person {
	return hotctx.Person{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Place: n.Place}
}
