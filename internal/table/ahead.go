package table

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
)

// listenAhead has the engine of the NPC listen to whom a player seems to talk, if
// it can: less is left to do once it is known whom the line is for.
func (l *listener) listenAhead(s *Seat, p *passage) {
	if p.sound == nil || p.ahead >= 0 || p.turn != nil {
		return
	}
	npc := l.conversation.likelyAddressee(s.speaker)
	if npc < 0 {
		return
	}
	a := l.cast.agents[npc]
	if a.NPC.Engine != config.EngineS2S || a.Muted {
		return
	}
	p.ahead = npc
	l.effects.add(listenAhead{engine.Ahead{NPC: a.NPC, Messages: a.Snapshot().Conversation(), Edits: a.Edits(), Tools: l.planner.lowestToolset(a.NPC), Sound: p.sound}})
}

// declineSound tells an engine that what it listened to was not for its NPC, once
// that is known.
func (l *listener) declineSound(p *passage) {
	tn := p.turn
	switch {
	case p.ahead < 0 || p.isPending():
		return
	case tn != nil && (tn.agent == p.ahead || tn.phase == undecided):
		return // it is, or may yet be
	}
	l.effects.add(declineSound{l.cast.agents[p.ahead].NPC, p.sound})
	p.ahead = -1
}

// likelyAddressee is whom a player is likely to talk to who has just begun: the
// NPC of their conversation, or the only one; -1 if there is none, or the NPCs take calls
// alone.
func (v *conversation) likelyAddressee(player string) int {
	v.takeSnapshot()
	if len(v.present) == 1 && v.listening != address.CalledOnly {
		return v.present[0]
	}
	st := v.talk.State(time.Now(), 0, player, v.placeOf)
	if st.Barged || v.listening == address.CalledOnly {
		return -1
	}
	for _, p := range []address.Partner{st.Own, st.Last} {
		if p.Known && p.Ago <= v.window {
			return v.present[p.NPC]
		}
	}
	return -1
}

// lowestToolset is what an NPC may use in a turn of the lowest tier.
func (p *planner) lowestToolset(npc config.NPC) *mcphost.Toolset {
	return p.host.Toolset(mcphost.ToolsetOptions{
		Tier: mcp.BudgetFast, Ceiling: time.Duration(p.latency.Ceilings.Get(mcp.BudgetFast)),
		Caller: mcp.Caller{NPC: npc.ID, Session: p.session, Blind: npc.Senses.Blind}, Allow: npc.Tools, MayChange: npc.MayChange,
	})
}
