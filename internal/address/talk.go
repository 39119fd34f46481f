package address

import (
	"slices"
	"time"
	"unicode/utf8"
)

const (
	// maxSpeakers is the maximum number of players whose conversations are tracked.
	maxSpeakers = 64
	// maxSaid is how many bytes of an NPC's words are kept. Their end is kept, because questions are there.
	maxSaid = 400
)

// Talk tracks who talks with whom at a table, and provides the [State] for [Detect]. It reads no clock; the
// times passed to it must not go backwards. NPCs are identified by numbers that must not change. The zero
// value is a table where nothing has been said. It is not safe for concurrent use.
type Talk struct {
	last    exchange
	own     map[string]exchange // by player
	group   gathering
	said    *meaning          // the end of the last NPC's words, unless it has been silent since
	before  *meaning          // the end of the words of the NPC before it
	fresh   bool              // no one has spoken since then
	answers int               // number of lines to the NPC since then
	barged  bool              // a player has interrupted the NPC
	asides  int               // number of lines for no NPC since an NPC last spoke or was spoken to
	remarks [3]remark         // newest first
	mine    map[string]remark // each player's last line
}

// exchange is the latest exchange between an NPC and a player.
type exchange struct {
	known bool
	npc   int
	at    time.Time
	to    string // the player; empty for everyone
}

// gathering is the group of NPCs that a player called together.
type gathering struct {
	npcs []int
	all  bool // everyone in the room was called
	at   time.Time
	by   string
	said []int // those that have answered since
}

// remark is a player's line.
type remark struct {
	line    int64
	speaker string
	at      time.Time
	to      int // the NPC; negative for none
	gist    Gist
}

// Renewal records how a line changed who talks with whom. The zero value is no change.
type Renewal struct {
	line      int64
	made      exchange // created by the line
	last, own exchange // previous values
	said      *meaning
	barged    bool
}

// After returns the renewal of a line that replaces an earlier decision about it.
func (r Renewal) After(before Renewal) Renewal {
	if before.made != (exchange{}) {
		r.last, r.own, r.said, r.barged = before.last, before.own, before.said, before.barged
	}
	return r
}

// UndoRenewal reverts the changes of a line that proved to be for no NPC, unless more has been said since.
func (t *Talk) UndoRenewal(r Renewal) {
	if r.made == (exchange{}) {
		return
	}
	if t.last == r.made {
		t.last, t.said, t.barged, t.asides = r.last, r.said, r.barged, t.asides+1
	}
	switch {
	case t.own[r.made.to] != r.made:
	case r.own == (exchange{}):
		delete(t.own, r.made.to)
	default:
		t.own[r.made.to] = r.own
	}
	if t.remarks[0].line == r.line {
		t.remarks[0].to = -1
	}
	if m := t.mine[r.made.to]; m.line == r.line && m.speaker != "" {
		m.to = -1
		t.mine[r.made.to] = m
	}
}

// RecordDecision records whom a player's line is for, and returns what that changed. Lines are numbered; a new
// decision about the same line replaces the old one.
func (t *Talk) RecordDecision(at time.Time, line int64, speaker string, d Decision) (changed Renewal) {
	changed = Renewal{line: line, last: t.last, own: t.own[speaker], said: t.said, barged: t.barged}
	defer func() {
		if len(d.NPCs) > 0 {
			changed.made = t.last
		}
	}()
	if line != 0 && t.remarks[0].line > line { // an older line that is now for an NPC
		if len(d.NPCs) > 0 {
			t.recordPartner(d.NPCs[0], speaker, at)
		}
		return changed
	}
	r := remark{line: line, speaker: speaker, at: at, to: -1, gist: d.Gist}
	again := line != 0 && t.remarks[0].line == line
	if len(d.NPCs) > 0 {
		r.to = d.NPCs[0]
		if d.Route != RouteContinuation {
			t.barged = false
		}
		t.recordPartner(d.NPCs[0], speaker, at)
		t.asides = 0
		if !again {
			t.answers++
		}
		if len(d.NPCs) > 1 || d.All {
			t.group = gathering{npcs: slices.Clone(d.NPCs), all: d.All, at: at, by: speaker}
		} else if t.group.said = nil; d.Route != RouteContinuation || !slices.Contains(t.group.npcs, d.NPCs[0]) {
			t.group = gathering{} // otherwise they may still be addressed together
		}
	} else if !d.BackChannel && !again {
		t.asides++
	}
	if !d.BackChannel {
		t.fresh = false
	}
	if !again {
		t.remarks[2], t.remarks[1] = t.remarks[1], t.remarks[0]
	}
	t.remarks[0] = r
	if _, known := t.mine[speaker]; known || len(t.mine) < maxSpeakers {
		if t.mine == nil {
			t.mine = map[string]remark{}
		}
		t.mine[speaker] = r
	}
	return changed
}

// RecordWords records an NPC's words to a player, or to everyone if player is empty.
func (t *Talk) RecordWords(at time.Time, npc int, player, words string) {
	t.recordPartner(npc, player, at)
	t.RecordReaction(npc)
	if t.said != nil {
		t.before = t.said
	}
	t.said, t.fresh, t.asides, t.answers = &meaning{text: endOf(words, maxSaid)}, true, 0, 0
}

// RecordReaction records that an NPC reacted to another's answer. This does not start a conversation with it.
func (t *Talk) RecordReaction(npc int) {
	if slices.Contains(t.group.npcs, npc) && !slices.Contains(t.group.said, npc) {
		t.group.said = append(t.group.said, npc)
	}
}

// recordPartner records an exchange between an NPC and a player.
func (t *Talk) recordPartner(npc int, player string, at time.Time) {
	if !t.last.known || t.last.npc != npc {
		if t.said != nil {
			t.before = t.said
		}
		t.said, t.fresh, t.answers = nil, false, 0
	}
	t.last = exchange{true, npc, at, player}
	if player == "" {
		return
	}
	if _, known := t.own[player]; known || len(t.own) < maxSpeakers {
		if t.own == nil {
			t.own = map[string]exchange{}
		}
		t.own[player] = t.last
	}
}

// RecordInterruption records that a player interrupted an NPC.
func (t *Talk) RecordInterruption(npc int) {
	if t.last.known && t.last.npc == npc {
		t.barged = true
	}
}

// State returns the state for a line of a speaker. place returns an NPC's index in the roster, or a negative
// number if it has left.
func (t *Talk) State(at time.Time, line int64, speaker string, place func(npc int) int) State {
	partner := func(e exchange) Partner {
		if !e.known {
			return Partner{}
		}
		i := place(e.npc)
		return Partner{Known: i >= 0, NPC: i, Ago: at.Sub(e.at)}
	}
	st := State{
		Speaker: speaker, Last: partner(t.last), LastTo: t.last.to, Own: partner(t.own[speaker]),
		Barged: t.barged, Said: t.said.words(), SaidBefore: t.before.words(), meant: t.said, meantBefore: t.before, Talkers: t.talkers(at, speaker), Fresh: t.fresh, Answered: t.answers, Asides: t.asides,
	}
	for i, n := range t.group.npcs {
		if k := place(n); k >= 0 && i < maxCalled {
			st.Group = append(st.Group, k)
		}
	}
	st.GroupAll, st.GroupBy, st.GroupSaid = t.group.all, t.group.by, len(t.group.said)
	before, earlier := t.remarks[0], t.remarks[1]
	if line != 0 && before.line == line {
		before, earlier = t.remarks[1], t.remarks[2]
	}
	told := func(r remark) Remark {
		if r.speaker == "" {
			return Remark{}
		}
		to := -1
		if r.to >= 0 {
			to = place(r.to)
		}
		return Remark{Known: true, Speaker: r.speaker, NPC: to, Ago: at.Sub(r.at), Gist: r.gist}
	}
	st.Before, st.Earlier = told(before), told(earlier)
	if m := t.mine[speaker]; line == 0 || m.line != line {
		st.Mine = told(m)
	}
	return st
}

// recent is how long a player counts as a talker after a line.
const recent = 4 * time.Minute

// talkers returns the number of players who spoke recently, including the speaker.
func (t *Talk) talkers(at time.Time, speaker string) int {
	n := 1
	for who, r := range t.mine {
		if who != speaker && at.Sub(r.at) < recent {
			n++
		}
	}
	return n
}

// words returns the text, or "" if there is none.
func (m *meaning) words() string {
	if m == nil {
		return ""
	}
	return m.text
}

// endOf returns the end of a text, at most n bytes.
func endOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	i := len(text) - n
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return text[i:]
}
