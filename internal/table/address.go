package table

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/problem"
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

// hearing knows who is at the table and who talked with whom, and so whom a
// line is for. It belongs to the table's goroutine.
type hearing struct {
	agents    []*agent.Agent
	languages []string
	window    time.Duration
	snapshot  *address.Snapshot // nil once somebody came, left or was muted
	present   []int             // the snapshot's NPCs, as indices of agents
	players   []string
	last      exchange
	own       map[string]exchange // by player
	barged    bool                // a player has taken the floor from the last NPC
}

func newHearing(o Options) *hearing {
	h := &hearing{
		agents: o.Agents, languages: o.Languages, window: time.Duration(o.Latency.Continuation),
		last: exchange{npc: -1}, own: map[string]exchange{},
	}
	if h.window == 0 {
		h.window = -1 // no conversation at all
	}
	return h
}

// decide decides whom an utterance is for.
func (h *hearing) decide(u Utterance) address.Decision {
	if !slices.Contains(h.players, u.Speaker) && len(h.players) < maxPlayers {
		h.players = append(h.players, u.Speaker)
		h.snapshot = nil
	}
	h.look()
	st := address.State{Speaker: u.Speaker, Last: h.partner(h.last), LastTo: h.last.to, Barged: h.barged}
	if own, ok := h.own[u.Speaker]; ok {
		st.Own = h.partner(own)
	}
	d := address.Detect(h.snapshot, st, u.Text)
	for i, npc := range d.NPCs {
		d.NPCs[i] = h.present[npc]
	}
	return d
}

// partner is the NPC of an exchange, nobody if it has left.
func (h *hearing) partner(e exchange) address.Partner {
	i := slices.Index(h.present, e.npc)
	return address.Partner{Known: i >= 0, NPC: i, Ago: time.Since(e.at)}
}

// look sees who is at the table now.
func (h *hearing) look() {
	if h.snapshot != nil {
		return
	}
	h.present = present(h.agents)
	r := roster(castOf(h.agents, h.present))
	for i, npc := range h.present {
		r.NPCs[i].Muted = h.agents[npc].Muted
	}
	r.Players, r.Languages, r.Window = h.players, h.languages, h.window
	h.snapshot = address.NewSnapshot(r)
}

// present returns the indices of the NPCs that have not left.
func present(agents []*agent.Agent) []int {
	var who []int
	for i, a := range agents {
		if !a.Left {
			who = append(who, i)
		}
	}
	return who
}

// castOf returns who some of the NPCs are.
func castOf(agents []*agent.Agent, who []int) []config.NPC {
	var cast []config.NPC
	for _, i := range who {
		cast = append(cast, agents[i].NPC)
	}
	return cast
}

// talked notes that an NPC was spoken to, or spoke, just now. player is empty
// if the NPC spoke to everyone.
func (h *hearing) talked(npc int, player string, route Route) {
	if route != RouteContinuation {
		h.barged = false
	}
	h.last = exchange{npc, time.Now(), player}
	if slices.Contains(h.players, player) {
		h.own[player] = h.last
	}
}

// interrupted notes that a player took the floor from an NPC: the conversation
// is over until someone is named.
func (h *hearing) interrupted(npc int) {
	if h.last.npc == npc {
		h.barged = true
	}
}

// backChannel reports whether an utterance is a mere sound such as "mhm".
func (h *hearing) backChannel(text string) bool {
	h.look()
	return address.Detect(h.snapshot, address.State{}, text).BackChannel
}

// changed has the next line see who is at the table, and who is muted.
func (h *hearing) changed() { h.snapshot = nil }

func roster(cast []config.NPC) address.Roster {
	var r address.Roster
	for _, n := range cast {
		r.NPCs = append(r.NPCs, address.NPC{ID: n.ID, Name: n.Name, Aliases: n.Aliases, AddressOnly: n.AddressOnly})
	}
	return r
}

// Lookup returns the index of the NPC called name: by id, name, alias, or a word
// of its name that belongs to it alone. The error names the nearest.
func Lookup(cast []config.NPC, name string) (int, error) {
	name = strings.TrimSpace(name)
	var names, known []string
	for i, npc := range cast {
		for _, n := range append([]string{npc.Name, npc.ID}, npc.Aliases...) {
			if name != "" && strings.EqualFold(n, name) {
				return i, nil
			}
		}
		names = append(names, npc.Name)
		known = append(append(known, npc.Name), npc.Aliases...)
		for _, word := range strings.Fields(npc.Name) {
			if len(word) > len("the") {
				known = append(known, word)
			}
		}
	}
	if i, ok := address.NewSnapshot(roster(cast)).Named(name); ok {
		return i, nil
	}
	if near := problem.Nearest(name, known); near != "" {
		return 0, fmt.Errorf("no NPC is called %q; did you mean %q?", name, near)
	}
	return 0, fmt.Errorf("no NPC is called %q; there are %s", name, strings.Join(names, ", "))
}
