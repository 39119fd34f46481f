package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// followEvents sends the table's public events to guests until ctx ends.
func (r *Room) followEvents(ctx context.Context) {
	events := r.o.Feed.Follow(0)
	for {
		it, missed, more := events.Next(ctx)
		if !more {
			return
		}
		if missed > 0 {
			r.broadcast(newNotice("Some of what was said is missing here."))
		}
		if it.Table == r.o.Table && it.IsPublic() {
			r.sendEvent(it)
		}
	}
}

// event has the fields of all events that captions need.
type event struct {
	NPC       string        `json:"npc"`
	Speaker   string        `json:"speaker"`
	Text      string        `json:"text"`
	Route     table.Route   `json:"route"`
	Outcome   table.Outcome `json:"outcome"`
	Continued bool          `json:"continued"`
}

// sendEvent sends an event to guests.
func (r *Room) sendEvent(it Item) {
	var e event
	if json.Unmarshal(it.JSON, &e) != nil {
		return
	}
	turn := fmt.Sprintf("%s-%d", it.Session, it.Turn) // turn numbers restart in each session
	asked, told := "u"+turn, "t"+turn
	switch it.Kind {
	case table.KindUtterance:
		r.updateLine(asked, func(l *lineMessage) { l.Speaker, l.Text, l.Final = e.Speaker, e.Text, true })
	case table.KindTurnStarted:
		if e.NPC != "" && r.hasLine(asked) {
			r.updateLine(asked, func(l *lineMessage) { l.Addressed = []string{e.NPC} })
		}
	case table.KindSentence, table.KindCutSentence, table.KindFiller:
		r.updateLine(told, func(l *lineMessage) {
			l.Speaker, l.NPC = e.NPC, true
			if l.Text != "" {
				l.Text += " "
			}
			l.Text += e.Text
		})
	case table.KindAudioStarted:
		r.broadcast(speakingMessage{"speaking", e.NPC, true})
	case table.KindTurnEnded:
		if e.NPC != "" {
			r.broadcast(speakingMessage{"speaking", e.NPC, false})
		}
		if r.hasLine(told) {
			r.updateLine(told, func(l *lineMessage) { l.Final = true })
		} else if e.Outcome == table.OutcomeFailed {
			r.broadcast(newNotice(e.NPC + " could not answer just now."))
		}
	case table.KindUnsaid, table.KindErased:
		r.removeLine(told)
	}
}

// hasLine reports whether a line is among the latest.
func (r *Room) hasLine(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.lines, func(l lineMessage) bool { return l.ID == id })
}

// updateLine changes or adds a line, and sends it to all guests.
func (r *Room) updateLine(id string, change func(*lineMessage)) {
	r.mu.Lock()
	i := slices.IndexFunc(r.lines, func(l lineMessage) bool { return l.ID == id })
	if i < 0 {
		if len(r.lines) >= linesBefore {
			r.lines = slices.Delete(r.lines, 0, 1)
		}
		r.lines = append(r.lines, lineMessage{Type: "line", ID: id})
		i = len(r.lines) - 1
	}
	change(&r.lines[i])
	told := r.lines[i]
	r.mu.Unlock()
	r.broadcast(told)
}

// removeLine removes a line for all guests.
func (r *Room) removeLine(id string) {
	r.mu.Lock()
	r.lines = slices.DeleteFunc(r.lines, func(l lineMessage) bool { return l.ID == id })
	r.mu.Unlock()
	r.broadcast(removedMessage{"gone", id})
}

// greet sends the table's state to a guest whose page is ready.
func (g *guest) greet() {
	r := g.room
	r.mu.Lock()
	lines := slices.Clone(r.lines)
	r.mu.Unlock()
	g.send(stateMessage{Type: "state", Players: r.players(), NPCs: r.played().npcs(), You: g.name})
	for _, l := range lines {
		g.send(l)
	}
	for _, text := range g.missing() {
		g.send(newNotice(text))
	}
}

// missing describes what does not work at this table.
func (g *guest) missing() (all []string) {
	if p := g.room.opened.Load(); p.missing != nil {
		all = append(all, "You cannot hear the NPCs here, so you read what they say: "+p.missing.Error()+". The host can install libopus0.")
	} else if !g.at.Speaks {
		all = append(all, "The NPCs have no voice at this table, so you read what they say. The host can install espeak-ng, or set providers.tts.")
	}
	if g.seat == nil {
		all = append(all, "The NPCs cannot hear you, because no speech recognition is set up (providers.stt): type to them. The other players hear you.")
	}
	return all
}
