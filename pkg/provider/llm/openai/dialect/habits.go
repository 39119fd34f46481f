package dialect

import (
	"strings"
	"sync/atomic"
)

// longestCut is the maximum length in bytes of a held answer that is spoken although it was cut off. A
// longer one is more likely a thought, because an answer that is spoken is short.
const longestCut = 1000

// Habits records how a model writes. It is shared by all answers of a model and safe for concurrent use.
type Habits struct {
	state   atomic.Int32 // a habit
	thinker bool         // known by name to think
	harmony bool         // known by name to write channels
}

// habit tells how a model's answers begin.
type habit = int32

const (
	undecided habit = iota
	streams         // with speech, or with markup that opens
	unopened        // with thoughts up to a closing tag
)

// NewHabits returns the habits that a model's name and its service's host tell.
func NewHabits(model, host string) *Habits {
	h := &Habits{thinker: knowsThinker(model), harmony: strings.Contains(strings.ToLower(model), "gpt-oss")}
	if h.harmony || separates(model, host) && !h.thinker {
		h.state.Store(streams)
	}
	return h
}

// Separate records that the server sends reasoning separately from the text.
func (h *Habits) Separate() { h.state.CompareAndSwap(undecided, streams) }

// holds reports whether an answer may begin with a thought that nothing opens.
func (h *Habits) holds() bool { return h.state.Load() != streams }

// hold is the state of an answer whose beginning is held back.
type hold struct {
	active  bool
	scanned int  // buf[:scanned] has been searched
	depth   int  // thoughts that are open
	long    bool // the beginning was dropped
}

// Holding reports whether the reader holds text back because it may be a thought that nothing opened.
func (r *Reader) Holding() bool {
	return r.hold.active && !r.hold.long && r.habits.state.Load() == undecided
}

// stopHolding looks for a sign of how the answer begins, and reports whether there is one.
func (r *Reader) stopHolding() bool {
	h := &r.hold
	for h.active && h.scanned < len(r.buf) {
		if !r.habits.holds() {
			h.active = false // another answer has shown it
			break
		}
		next := nextBracket(r.buf[h.scanned:])
		h.scanned += next
		if h.scanned == len(r.buf) {
			break
		}
		m, v := readMark(r.buf[h.scanned:], false)
		if v == wait {
			break
		}
		if v == no {
			h.scanned++
			continue
		}
		r.judgeMark(m)
	}
	if cut := min(len(r.buf)-longestBlock, h.scanned); h.active && cut > 0 {
		r.buf, h.scanned, h.long = r.buf[cut:], h.scanned-cut, true // no answer is that long
	}
	return !h.active
}

// judgeMark handles a mark in held text.
func (r *Reader) judgeMark(m mark) {
	h := &r.hold
	switch {
	case (m.kind == thought || m.kind == channel) && m.ends && h.depth == 0:
		r.drop(h.scanned + m.size)
		r.opened = true
		r.habits.state.Store(unopened)
		h.active = false
		return
	case m.kind == channel && h.depth == 0 && strings.TrimSpace(r.buf[:h.scanned]) != "" && !onlyStarts(r.buf[:h.scanned]):
		r.drop(h.scanned) // the template opened the channel of the thought
		r.habits.state.Store(unopened)
		h.active = false
		return
	case m.kind == thought && m.ends:
		h.depth--
	case m.kind == thought && strings.TrimSpace(r.buf[:h.scanned]) != "":
		h.depth++
	case m.kind == thought, m.kind == channel:
		r.habits.Separate() // the model opens its thoughts itself
		h.active = false
		return
	}
	h.scanned += m.size
}

// onlyStarts reports whether text is the beginning of a message without content, as in <|start|>assistant and
// <|start|>assistant to=functions.roll.
func onlyStarts(text string) bool {
	text = strings.TrimSpace(text)
	if text[0] != '<' {
		return false
	}
	m, v := readMark(text, true)
	if v != yes || m.kind != turnHead {
		return false
	}
	role, _, _ := strings.Cut(text[m.size:], " to=")
	return identifier(role) == len(role)
}

// endHold decides about an answer that has ended without a sign.
func (r *Reader) endHold(complete bool) {
	h := &r.hold
	h.active = false
	cut := !complete && (r.habits.thinker || r.habits.state.Load() == unopened || len(r.buf) > longestCut)
	if cut || h.long {
		r.buf = ""
		return
	}
	if at := strings.Index(r.buf, assistantWord+"final"); at > 0 { // a channel without control tokens
		r.drop(at)
		r.habits.state.Store(unopened)
		return
	}
	if complete && strings.TrimSpace(r.buf) != "" {
		r.habits.Separate()
	}
}
