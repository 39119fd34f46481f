package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/name"
)

// maxPlayers bounds the players whose names a table knows; it does not learn more
// of them.
const maxPlayers = 64

// conversation knows who is at the table and who talked with whom, and so whom a line
// is for. It belongs to the table's goroutine.
type conversation struct {
	cast      *cast
	languages []string
	window    time.Duration
	listening address.Listening
	leads     string              // the player who leads the game
	snapshot  *address.Snapshot   // nil once somebody came, left or was muted
	npcNames  *name.Book[string]  // of the NPCs alone, with whose they are; nil as snapshot is
	known     func() []config.NPC // see Options.Known
	speakers  *speakers
	present   []int // the snapshot's NPCs, as indices of the cast
	players   []string
	talk      address.Talk     // NPCs as indices of the cast
	version   int              // of who is at the table
	others    map[int][]string // the names of all but one; empty for those not asked for yet
}

func newConversation(c *cast, o Options) *conversation {
	v := &conversation{
		cast: c, languages: o.Languages, window: time.Duration(o.Latency.Continuation), listening: o.Listening, leads: o.Leads, known: o.Known, speakers: newSpeakers(), others: map[int][]string{},
	}
	if v.window == 0 {
		v.window = -1 // no conversation at all
	}
	return v
}

// decideAddressee decides whom an utterance is for. line is the number of its turn,
// 0 as long as it has none.
func (v *conversation) decideAddressee(line int64, u Utterance) address.Decision {
	if !isMarked(u.Speaker) && !slices.Contains(v.players, u.Speaker) && len(v.players) < maxPlayers { // whom an NPC's name calls is the NPC
		v.players = append(v.players, u.Speaker)
		v.snapshot = nil
	}
	v.takeSnapshot()
	d := address.Detect(v.snapshot, v.talk.State(time.Now(), line, u.Speaker, v.placeOf), u.Text)
	v.toCast(d.NPCs)
	v.toCast(d.NotFor)
	return d
}

// toCast makes indices of the cast of those of the snapshot.
func (v *conversation) toCast(npcs []int) {
	for i, npc := range npcs {
		npcs[i] = v.present[npc]
	}
}

// leaderName is the name that the player who leads the game is shown by; empty if it is not
// known.
func (v *conversation) leaderName() string {
	if v.leads == "" {
		return ""
	}
	bare := bareName(v.leads)
	if v.posesAs(bare, true) != nil {
		return bare + leaderMark
	}
	return bare
}

// placeOf is where an NPC of the cast is in the snapshot, below zero if it has left.
func (v *conversation) placeOf(npc int) int { return slices.Index(v.present, npc) }

// takeSnapshot sees who is at the table now.
func (v *conversation) takeSnapshot() {
	if v.snapshot != nil {
		return
	}
	v.present = v.cast.present()
	r := roster(v.cast.npcsOf(v.present))
	for i, npc := range v.present {
		r.NPCs[i].Muted = v.cast.agents[npc].Muted
	}
	r.Players, r.Languages, r.Window, r.Listening, r.Leads = v.players, v.languages, v.window, v.listening, v.leaderName()
	v.snapshot = address.NewSnapshot(r)
}

// castChanged has the next line see who is at the table, and who is muted.
func (v *conversation) castChanged() {
	v.snapshot, v.npcNames = nil, nil
	v.version++
	clear(v.others)
}

// noteDecision: a player's line, which is the turn with a number, is for somebody or
// for nobody. It returns what that has changed.
func (v *conversation) noteDecision(line int64, speaker string, d address.Decision) address.Renewal {
	return v.talk.Decided(time.Now(), line, speaker, d)
}

// noteWords: an NPC said something just now, to a player, or to everyone if player is
// empty.
func (v *conversation) noteWords(npc int, player, words string) {
	v.talk.Said(time.Now(), npc, player, words)
}

// noteInterruption: a player took the floor from an NPC.
func (v *conversation) noteInterruption(npc int) { v.talk.Interrupted(npc) }

// isBackChannel reports whether an utterance is a mere sound such as "mhm".
func (v *conversation) isBackChannel(text string) bool {
	v.takeSnapshot()
	return address.Detect(v.snapshot, address.State{}, text).BackChannel
}
