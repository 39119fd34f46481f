package table

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Places says where NPCs are and which doors there are. It answers from memory without blocking; *world.World
// implements it.
type Places interface {
	// Places returns the entity in which each id is, where viewer may know it.
	Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error)
	// Relations returns the relations from an entity that viewer may know of.
	Relations(from, viewer string) []memory.Relation
	// Scene describes the current situation.
	Scene() string
}

// presentAt returns who may know the lines of a turn, as in [memory.Line.Present]. Only its NPC hears a
// whisper, and no NPC hears an aside.
func (t *Table) presentAt(tn *turn) []string {
	if tn.retention.present == nil {
		tn.retention.present = t.o.Groups.Share(t.hearersOf(tn))
		if tn.kind != whisperTurn && !isAside(tn.Text) {
			tn.retention.present = append(tn.retention.present, memory.Anyone)
		}
	}
	return tn.retention.present
}

// hearersOf returns the ids of the NPCs that hear the lines of a turn.
func (t *Table) hearersOf(tn *turn) []string {
	switch {
	case tn.kind == whisperTurn:
		return memory.Heard(tn.addressee.npc.ID)
	case tn.addressee.agent == nil && isAside(tn.Text):
		return memory.Heard()
	}
	var people []hotctx.Person
	var ids, heard []string
	here := t.cast.npcsOf(t.cast.present())
	for _, npc := range here {
		people, ids = append(people, personOf(npc)), append(ids, npc.ID)
	}
	var shot hotctx.Earshot
	if t.o.Places != nil {
		shot.Scene = t.o.Places.Scene()
		shot.Doors = func(place string) []memory.Relation { return t.o.Places.Relations(place, "") }
		if at, err := t.o.Places.Places(context.Background(), "", ids...); err == nil {
			shot.Places = at
		}
	} else {
		shot.Scene = t.o.Scene()
	}
	var to *hotctx.Person
	if tn.addressee.agent != nil {
		p := personOf(tn.addressee.npc)
		to, heard = &p, []string{p.ID}
	}
	for _, p := range shot.Hearers(to, people) {
		if i := slices.Index(ids, p.ID); !here[i].Senses.Deaf {
			heard = append(heard, p.ID)
		}
	}
	for _, called := range tn.addressee.decision.NPCs { // an NPC that is called hears it, wherever it is
		if npc := t.cast.agents[called].NPC; !npc.Senses.Deaf {
			heard = append(heard, npc.ID)
		}
	}
	return memory.Heard(heard...)
}

// asides are the words that begin a remark outside the game.
var asides = []string{"ooc", "out of character", "out of game", "outtime", "offtopic", "off topic", "off-topic"}

// isAside reports whether a text is marked as said outside the game, so that no NPC hears it.
func isAside(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(text, "((") || strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return true
	}
	return slices.ContainsFunc(asides, func(mark string) bool {
		rest, found := strings.CutPrefix(text, mark)
		next, _ := utf8.DecodeRuneInString(rest)
		return found && !unicode.IsLetter(next) && !unicode.IsDigit(next)
	})
}
