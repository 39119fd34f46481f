package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/orders"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Ordered reports a spoken order of a player who leads the game. An order is no utterance: no NPC is given
// it, and it does not become a turn. The event belongs to no turn.
type Ordered struct {
	Header
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	// Order is a kind of package orders, such as "quiet".
	Order string `json:"order"`
	// NPC is the NPC that the order is about; empty for all of them and for the end of the session.
	NPC string `json:"npc,omitempty"`
	// Tier is the tier of a raise or cap. A raise ends at Until, or after Turns turns.
	Tier  string    `json:"tier,omitempty"`
	Until time.Time `json:"until,omitzero"`
	Turns int       `json:"turns,omitempty"`
	// Done describes the action, and Problem why there was none. The receiver of this event ends a
	// session.
	Done    string `json:"done,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// spokenOrder is an order to carry out.
type spokenOrder struct {
	speaker, text string
	order         orders.Order // its NPC is an index of the cast
}

// thoughtTurns is how many turns "think carefully" applies to.
const thoughtTurns = 1

// readOrder parses a player's words as an order, if the player may give orders.
func (t *Table) readOrder(s *Seat, text string) (orders.Order, bool) {
	if !s.leadsNow() {
		return orders.Order{}, false
	}
	return t.conversation.readOrder(s.speaker, text)
}

// readOrder parses a text of a player who may give orders.
func (v *conversation) readOrder(speaker, text string) (orders.Order, bool) {
	v.refreshSnapshot()
	partner := -1
	if st := v.talk.State(time.Now(), 0, speaker, v.snapshotIndex); st.Last.Known && st.Last.Ago < v.window {
		partner = st.Last.NPC
	}
	o, ok := orders.Parse(text, orders.Room{
		Named: v.snapshot.HeardAs, Partner: partner, Players: v.players,
		Silenced: func(npc int) bool {
			for i, of := range v.present {
				if v.cast.agents[of].Muted && (npc == orders.Everyone || npc == i) {
					return true
				}
			}
			return false
		},
	})
	if ok && o.Kind != orders.EndSession && o.NPC != orders.Everyone {
		o.NPC = v.present[o.NPC]
	}
	return o, ok
}

// acceptOrder enqueues a spoken order, and returns the rest of the speech, which is an utterance.
func (t *Table) acceptOrder(s *Seat, p *passage, o orders.Order, text string) (rest string) {
	t.dropGuess(p)
	t.effects.add(spokenOrder{s.speaker, text, o})
	return o.Rest
}

// executeOrder carries out a spoken order, and emits [Ordered].
func (t *Table) executeOrder(e spokenOrder) {
	o := e.order
	told := &Ordered{Speaker: e.speaker, Text: untrusted.Clean(e.text, maxText), Order: o.Kind.String()}
	who := t.cast.present()
	if o.Kind != orders.EndSession && o.NPC != orders.Everyone {
		who = []int{o.NPC}
		told.NPC = t.cast.agents[o.NPC].NPC.Name
	}
	switch o.Kind {
	case orders.Quiet, orders.Resume:
		told.Done = t.muteNPCs(who, o.Kind == orders.Quiet)
	case orders.Say:
		if err := t.queuePuppetLine(who, untrusted.Clean(o.Text, maxText), ""); err != nil {
			told.Problem = err.Error()
		} else {
			told.Done = told.NPC + " will say it"
		}
	case orders.Think:
		t.raiseByOrder(told, who, agent.Lease{Tier: mcp.BudgetDeep, Turns: thoughtTurns})
	case orders.Raise:
		t.raiseByOrder(told, who, agent.Lease{Tier: o.Tier, Turns: t.o.Latency.LeaseTurns})
	case orders.Lower:
		told.Tier = o.Tier.String()
		told.Done = t.leases.lowerNPCs(who, o.Tier)
	case orders.EndSession:
		told.Done = "the session should end"
	}
	t.effects.emit(0, KindSpokenOrder, told)
}

// raiseByOrder gives NPCs a lease of the configured length, and records that in told.
func (t *Table) raiseByOrder(told *Ordered, who []int, l agent.Lease) {
	lease := time.Duration(t.o.Latency.Lease)
	l.Until = time.Now().Add(lease)
	told.Tier, told.Until, told.Turns = l.Tier.String(), l.Until, l.Turns
	told.Done = t.leases.raiseNPCs(who, l, lease)
}
