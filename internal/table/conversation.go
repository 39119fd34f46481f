package table

import (
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// maxPlayers bounds the players whose names and conversations a table knows;
// it does not learn more of them.
const maxPlayers = 64

// exchange is what was said last between an NPC and someone.
type exchange struct {
	npc int // -1 for nobody
	at  time.Time
	to  string // the player, empty if everyone
}

// conversation knows who talked with whom, and so whom a line is for. It belongs
// to the table's goroutine.
type conversation struct {
	cast      *cast
	languages []string
	window    time.Duration
	listening address.Listening
	snapshot  *address.Snapshot // nil once somebody came, left or was muted
	present   []int             // the snapshot's NPCs, as indices of the cast
	players   []string
	last      exchange
	own       map[string]exchange // by player
	barged    bool                // a player has taken the floor from the last NPC
	version   int                 // of who is at the table
	others    map[int][]string    // the names of all but one; empty for those not asked for yet
}

func newConversation(c *cast, o Options) *conversation {
	v := &conversation{
		cast: c, languages: o.Languages, window: time.Duration(o.Latency.Continuation),
		listening: o.Listening, last: exchange{npc: -1}, own: map[string]exchange{}, others: map[int][]string{},
	}
	if v.window == 0 {
		v.window = -1 // no conversation at all
	}
	return v
}

// decideAddressee decides whom an utterance is for.
func (v *conversation) decideAddressee(u Utterance) address.Decision {
	if !slices.Contains(v.players, u.Speaker) && len(v.players) < maxPlayers {
		v.players = append(v.players, u.Speaker)
		v.snapshot = nil
	}
	v.takeSnapshot()
	st := address.State{Speaker: u.Speaker, Last: v.partner(v.last), LastTo: v.last.to, Barged: v.barged}
	if own, ok := v.own[u.Speaker]; ok {
		st.Own = v.partner(own)
	}
	d := address.Detect(v.snapshot, st, u.Text)
	for i, npc := range d.NPCs {
		d.NPCs[i] = v.present[npc]
	}
	return d
}

// partner is the NPC of an exchange, nobody if it has left.
func (v *conversation) partner(e exchange) address.Partner {
	i := slices.Index(v.present, e.npc)
	return address.Partner{Known: i >= 0, NPC: i, Ago: time.Since(e.at)}
}

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
	r.Players, r.Languages, r.Window, r.Listening = v.players, v.languages, v.window, v.listening
	v.snapshot = address.NewSnapshot(r)
}

// castChanged has the next line see who is at the table, and who is muted.
func (v *conversation) castChanged() {
	v.snapshot = nil
	v.version++
	clear(v.others)
}

// renewal is what a line has changed about who talks with whom.
type renewal struct {
	made      exchange // by the line; the zero value if it has changed nothing
	last, own exchange // of before
	barged    bool
}

// after returns the renewal by a line that had changed something before.
func (r renewal) after(before renewal) renewal {
	if before.made != (exchange{}) {
		r.last, r.own, r.barged = before.last, before.own, before.barged
	}
	return r
}

// withdrawExchange undoes what a line has changed, unless more has been said since.
func (v *conversation) withdrawExchange(r renewal) {
	if r.made == (exchange{}) {
		return
	}
	if v.last == r.made {
		v.last, v.barged = r.last, r.barged
	}
	switch {
	case v.own[r.made.to] != r.made:
	case r.own == (exchange{}):
		delete(v.own, r.made.to)
	default:
		v.own[r.made.to] = r.own
	}
}

// noteExchange: an NPC was spoken to, or spoke, just now. player is empty if the
// NPC spoke to everyone. It returns what that has changed.
func (v *conversation) noteExchange(npc int, player string, route Route) renewal {
	r := renewal{last: v.last, own: v.own[player], barged: v.barged}
	if route != RouteContinuation {
		v.barged = false
	}
	v.last = exchange{npc, time.Now(), player}
	if slices.Contains(v.players, player) {
		v.own[player] = v.last
	}
	r.made = v.last
	return r
}

// noteInterruption: a player took the floor from an NPC. The conversation is
// over until someone is named.
func (v *conversation) noteInterruption(npc int) {
	if v.last.npc == npc {
		v.barged = true
	}
}

// isBackChannel reports whether an utterance is a mere sound such as "mhm".
func (v *conversation) isBackChannel(text string) bool {
	v.takeSnapshot()
	return address.Detect(v.snapshot, address.State{}, text).BackChannel
}
