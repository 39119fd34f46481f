package address

import (
	"slices"
	"time"
	"unicode/utf8"
)

const (
	// maxSpeakers bounds the players whose conversations are known; more are not
	// learned.
	maxSpeakers = 64
	// maxSaid bounds the bytes kept of what an NPC said last: its end, where it asks.
	maxSaid = 400
)

// Talk is who talked with whom at a table: what [Detect] is told in a [State].
// It reads no clock; the times it is given never go back. NPCs are numbers that
// always mean the same one. The zero value is a table where nothing was said. It is
// not safe for concurrent use.
type Talk struct {
	last    exchange
	own     map[string]exchange // by player
	group   gathering
	said    *meaning          // the last words of the NPC last, unless it has been silent since
	before  *meaning          // the last words of whichever NPC spoke before
	fresh   bool              // nobody has spoken since it said them
	answers int               // lines to it since
	barged  bool              // a player has taken the floor from it
	asides  int               // lines for nobody since anything was said to or by an NPC
	remarks [3]remark         // the last first
	mine    map[string]remark // by player: the last line each
}

// exchange is what was said last between an NPC and someone.
type exchange struct {
	known bool
	npc   int
	at    time.Time
	to    string // the player, empty if everyone
}

// gathering are the NPCs that a player called together.
type gathering struct {
	npcs []int
	all  bool // everybody in the room was called
	at   time.Time
	by   string
	said []int // those who have answered since
}

// remark is a player's line.
type remark struct {
	line    int64
	speaker string
	at      time.Time
	to      int // an NPC; nobody below zero
	gist    Gist
}

// Renewal is what a line has changed about who talks with whom. The zero value is
// nothing.
type Renewal struct {
	line      int64
	made      exchange // by the line
	last, own exchange // of before
	said      *meaning
	barged    bool
}

// After returns the renewal by a line that had changed something before.
func (r Renewal) After(before Renewal) Renewal {
	if before.made != (exchange{}) {
		r.last, r.own, r.said, r.barged = before.last, before.own, before.said, before.barged
	}
	return r
}

// Withdraw undoes what a line has changed, which proved to be for nobody, unless
// more has been said since.
func (t *Talk) Withdraw(r Renewal) {
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

// Decided notes for whom a player's line is, and returns what that has changed.
// Lines are numbered: a line that is decided anew takes the place of what it was.
func (t *Talk) Decided(at time.Time, line int64, speaker string, d Decision) (changed Renewal) {
	changed = Renewal{line: line, last: t.last, own: t.own[speaker], said: t.said, barged: t.barged}
	defer func() {
		if len(d.NPCs) > 0 {
			changed.made = t.last
		}
	}()
	if line != 0 && t.remarks[0].line > line { // an older line, for whom it was not before
		if len(d.NPCs) > 0 {
			t.spokeWith(d.NPCs[0], speaker, at)
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
		t.spokeWith(d.NPCs[0], speaker, at)
		t.asides = 0
		if !again {
			t.answers++
		}
		if len(d.NPCs) > 1 || d.All {
			t.group = gathering{npcs: slices.Clone(d.NPCs), all: d.All, at: at, by: speaker}
		} else if t.group.said = nil; d.Route != RouteContinuation || !slices.Contains(t.group.npcs, d.NPCs[0]) {
			t.group = gathering{} // else they may yet be spoken to together
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

// Said notes what an NPC said to a player, or to everyone if player is empty.
func (t *Talk) Said(at time.Time, npc int, player, words string) {
	t.spokeWith(npc, player, at)
	t.Joined(npc)
	if t.said != nil {
		t.before = t.said
	}
	t.said, t.fresh, t.asides, t.answers = &meaning{text: endOf(words, maxSaid)}, true, 0, 0
}

// Joined notes that an NPC said something to what another answered: no conversation
// with it begins.
func (t *Talk) Joined(npc int) {
	if slices.Contains(t.group.npcs, npc) && !slices.Contains(t.group.said, npc) {
		t.group.said = append(t.group.said, npc)
	}
}

// spokeWith notes an exchange between an NPC and a player.
func (t *Talk) spokeWith(npc int, player string, at time.Time) {
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

// Interrupted notes that a player took the floor from an NPC.
func (t *Talk) Interrupted(npc int) {
	if t.last.known && t.last.npc == npc {
		t.barged = true
	}
}

// State is what Detect is to know at a time about a line of a speaker. place says
// where in the roster an NPC is, below zero if it has left.
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

// recent is how long a player counts as talking after a line.
const recent = 4 * time.Minute

// talkers counts the players who have spoken lately, with the speaker.
func (t *Talk) talkers(at time.Time, speaker string) int {
	n := 1
	for who, r := range t.mine {
		if who != speaker && at.Sub(r.at) < recent {
			n++
		}
	}
	return n
}

// words is the text itself, empty if there is none.
func (m *meaning) words() string {
	if m == nil {
		return ""
	}
	return m.text
}

// endOf is the end of a text, n bytes at most.
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
