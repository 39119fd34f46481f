package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// grace is how long a turn may sound after its end event, because the last
// frame is still playing.
const grace = 60 * time.Millisecond

// always checks the rules that hold in every scene.
func (p *performance) always() {
	if p.stage == nil || p.stage.table == nil {
		return
	}
	type rule struct {
		expect string
		broken func() string
	}
	rules := []rule{
		{"always: the story happens", func() string { return strings.Join(few(p.missed()), "; ") }},
		{"always: every turn ends once", p.endsOnce},
		{"always: one voice at a time", p.oneVoice},
		{"always: an NPC sounds in its turn only", p.ownTurn},
		{"always: what is kept was delivered, and what was delivered was heard", p.keptIsHeard},
		{"always: it comes to rest", p.rests},
	}
	if p.stage.answering != nil && p.stage.answering.talker != nil {
		rules = append(rules, rule{"always: speech-to-speech sessions are used as their contract wants it, and closed", p.sessionsAreKept})
	}
	for _, rule := range rules {
		why := rule.broken()
		p.addVerdict(0, rule.expect, why == "", why)
	}
}

func (p *performance) rests() string {
	if p.idle {
		return ""
	}
	var open []string
	for turn := range openTurns(p.result.Entries) {
		open = append(open, turn)
	}
	if len(open) == 0 {
		return "something goes on all the time; lasts says how long a scene takes"
	}
	slices.Sort(open)
	return "turns that did not end by themselves: " + strings.Join(few(open), ", ")
}

// sessionsAreKept reports violations of the contract of speech-to-speech
// sessions, and sessions left open.
func (p *performance) sessionsAreKept() string {
	var broken []string
	for _, e := range p.result.Entries {
		if e.Kind == kindS2SViolation {
			broken = append(broken, fmt.Sprintf("session %s at %s: %s", e.Fields["session"], ms(e.At), e.Fields["text"]))
		}
	}
	if n := p.stage.answering.talker.leftOpen(); n > 0 {
		broken = append(broken, fmt.Sprintf("%d sessions were left open", n))
	}
	return strings.Join(few(broken), "; ")
}

// endsOnce reports turns that did not end exactly once.
func (p *performance) endsOnce() string {
	begun, ended := map[string]bool{}, map[string]int{}
	for _, e := range p.result.Entries {
		switch e.Kind {
		case table.KindUtterance, table.KindTurnStarted:
			begun[e.Fields["turn"]] = true
		case table.KindTurnEnded:
			ended[e.Fields["turn"]]++
		}
	}
	for _, turn := range sortedKeys(begun) {
		if ended[turn] != 1 {
			return fmt.Sprintf("turn %s ended %d times", turn, ended[turn])
		}
	}
	return ""
}

// oneVoice reports sound that belongs to more than one sentence.
func (p *performance) oneVoice() string {
	for _, v := range p.stage.wire.voices() {
		if v.npc == unknown {
			return "sound that no single sentence has at " + ms(v.from.Sub(p.stage.rec.start))
		}
	}
	return ""
}

// ownTurn reports an NPC that sounds while it has no open turn: after a cancel,
// or before the turn began.
func (p *performance) ownTurn() string {
	type turn struct {
		npc      string
		from, to time.Duration
	}
	turns := map[string]*turn{}
	for _, e := range p.result.Entries {
		switch e.Kind {
		case table.KindTurnStarted:
			turns[e.Fields["turn"]] = &turn{e.Fields["npc"], e.At, p.ended + time.Hour}
		case table.KindTurnEnded:
			if t := turns[e.Fields["turn"]]; t != nil {
				t.to = e.At + grace + p.stalled(e.At-grace, e.At+grace)
			}
		}
	}
	for _, v := range p.stage.wire.voices() {
		from, to := v.from.Sub(p.stage.rec.start), v.to.Sub(p.stage.rec.start)
		inside := func(at time.Duration) bool {
			for _, t := range turns {
				if t.npc == v.npc && t.from <= at && at <= t.to {
					return true
				}
			}
			return false
		}
		if v.npc != unknown && (!inside(from) || !inside(to)) {
			return fmt.Sprintf("%s sounds from %s to %s, outside its turns", v.npc, ms(from), ms(to))
		}
	}
	return ""
}

// keptIsHeard compares the transcript, the ends of turns, the sentence events
// and the sound. Where voices fail by the script, sentences count without
// sound.
func (p *performance) keptIsHeard() string {
	sentences, unsaid := map[string][]string{}, map[string]bool{}
	var told []string
	for _, e := range p.result.Entries {
		if e.At > p.ended {
			break // the end of the table cuts it off
		}
		turn := e.Fields["turn"]
		switch e.Kind {
		case table.KindSentence, table.KindFiller:
			sentences[turn] = append(sentences[turn], e.Fields["text"])
			told = append(told, e.Fields["text"])
		case table.KindUnsaid:
			unsaid[turn] = true
		case table.KindTurnEnded:
			if delivered := strings.Join(sentences[turn], " "); delivered != e.Fields["text"] {
				return fmt.Sprintf("turn %s ended with %q, delivered was %q", turn, e.Fields["text"], delivered)
			}
		}
	}
	for _, l := range p.npcs {
		if unsaid[l.turn] {
			return fmt.Sprintf("kept of %s in turn %s: %q, which was taken back", l.npc, l.turn, l.text)
		}
		if delivered := strings.Join(sentences[l.turn], " "); delivered != l.text {
			return fmt.Sprintf("kept of %s in turn %s: %q, delivered: %q", l.npc, l.turn, l.text, delivered)
		}
	}
	kept := map[string]bool{}
	for _, l := range p.npcs {
		kept[l.turn] = true
	}
	for turn, said := range sentences {
		if !kept[turn] && !unsaid[turn] {
			return fmt.Sprintf("turn %s delivered %q and nothing of it was kept", turn, strings.Join(said, " "))
		}
	}
	if len(p.scene.Voice.Faults) > 0 {
		return ""
	}
	heard := p.heard()
	for _, s := range told {
		i := slices.Index(heard, s)
		if i < 0 && p.stage.wire.soundedAsFar(s) {
			continue // an engine with its own voice knows where it broke off
		}
		if i < 0 {
			return fmt.Sprintf("%q was delivered but did not sound to its end", s)
		}
		heard = slices.Delete(heard, i, i+1)
	}
	return ""
}
