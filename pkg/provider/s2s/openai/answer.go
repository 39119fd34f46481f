package openai

import (
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Limits of one answer.
const (
	maxParts = 256
	maxCalls = 64
	// maxOpenCalls is the maximum number of calls of all answers without a result.
	maxOpenCalls = 256
	// maxRefused is how often a response may be refused because another is in progress.
	maxRefused = 3
)

// answer is one answer to a player: one response, and another after each round of tool
// calls.
type answer struct {
	// instructions are those of its responses; empty for the session's.
	instructions string
	silent       bool    // no one listens
	parts        []*part // in order of arrival
	own          bool    // the server starts it by itself
	started      bool    // the start has been reported
	open         int     // calls without a result
	wanted       bool    // the model is to respond to a result
	// generating: a response is queued, requested or in progress.
	generating bool
	// over: nothing follows the response in progress, if any.
	over bool
	// cut: the part that was not heard has been removed.
	cut     bool
	refused int
}

// part is one piece of an answer's audio.
type part struct {
	id       string
	content  int   // index of the audio content
	received int64 // samples
	left     byte  // first byte of an incomplete sample, if odd
	odd      bool
	spoken   bool // part of its transcript has been reported
	done     bool
	removed  bool // removed from the conversation, or truncated
}

// phase is the state of a response.
type phase uint8

const (
	// asked: requested → running, unwanted.
	asked phase = iota
	// running: in progress and reported → ends, or stopping.
	running
	// unwanted: requested, but interrupted before there was anything to cancel → stopping.
	unwanted
	// stopping: cancelled; only its end is handled.
	stopping
)

// response is the service's response to one request.
type response struct {
	phase  phase
	answer *answer
	tag    string
	id     string // once known
	// reported: the end of the generation has been reported.
	reported bool
	called   int             // number of calls reported
	named    map[string]bool // IDs of the calls reported
	loose    map[string]bool // item IDs of calls not reported
}

// isAwaited reports whether r has not started.
func (r *response) isAwaited() bool { return r.phase == asked || r.phase == unwanted }

// isHidden reports whether r is no longer reported.
func (r *response) isHidden() bool { return r.phase == unwanted || r.phase == stopping }

// partOf returns a part of a response's answer, or nil if there are too many.
func (c *conversation) partOf(r *response, id string) *part {
	a := r.answer
	for _, p := range a.parts {
		if p.id == id {
			return p
		}
	}
	if len(a.parts) == maxParts || id == "" {
		return nil
	}
	p := &part{id: id}
	a.parts = append(a.parts, p)
	return p
}

// interrupt ends the answer and removes the part that was not heard.
func (c *conversation) interrupt(heard time.Duration) {
	a := c.answer
	if a == nil || a.cut {
		return
	}
	a.cut, a.over = true, true
	if c.queued == a {
		c.queued = nil
		a.generating = false
		c.queueEvent(s2s.GenerationDone{Status: cancelled})
	}
	if r := c.current; r != nil && r.answer == a {
		c.stop(r)
	}
	c.cutParts(a, heard)
}

// stop cancels a response, at once or as soon as possible. A response that the server starts by itself may
// never start.
func (c *conversation) stop(r *response) {
	switch {
	case r.phase == asked && r.answer.own:
		c.current = nil
		r.answer.generating = false
		if !r.reported {
			c.queueEvent(s2s.GenerationDone{Status: cancelled})
		}
	case r.phase == asked:
		r.phase = unwanted
	case r.phase == running:
		r.phase = stopping
		c.cancel(r.id)
	}
}

// maxHeard is the maximum duration heard, so that its samples can be counted.
const maxHeard = 24 * time.Hour

// cutParts removes the parts that were not heard from the conversation. Parts are heard one after
// the other.
func (c *conversation) cutParts(a *answer, heard time.Duration) {
	if c.provider.isBasic() {
		return
	}
	left := int64(min(max(heard, 0), maxHeard)) * rate / int64(time.Second)
	for _, p := range a.parts {
		took := min(left, p.received)
		left -= took
		switch {
		case p.done && took == p.received && took > 0:
		case took*1000/rate == 0:
			c.drop(p)
		default:
			c.truncate(p, took*1000/rate)
		}
	}
}

// drop deletes a part that was not heard at all.
func (c *conversation) drop(p *part) {
	p.removed = true
	c.send(command{kind: dropItem}, message{Type: "conversation.item.delete", ItemID: p.id})
}

func (c *conversation) truncate(p *part, endMS int64) {
	p.removed = true
	content := p.content
	c.send(command{kind: cutItem}, message{
		Type: "conversation.item.truncate", ItemID: p.id, Content: &content, AudioEndMS: &endMS,
	})
}

// dropUnheard deletes the items that a cancelled response produced after the
// interruption.
func (c *conversation) dropUnheard(r *response) {
	if c.provider.isBasic() {
		return
	}
	for _, p := range r.answer.parts {
		if !p.removed && !p.done {
			c.drop(p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.loose)) {
		c.send(command{kind: dropItem}, message{Type: "conversation.item.delete", ItemID: id})
	}
}

// proceed continues an answer whose calls have their results.
func (c *conversation) proceed(a *answer) {
	if a.generating || a.over || a.open > 0 || !a.wanted {
		return
	}
	a.wanted = false
	c.request(a)
}

// request requests a response, at once or when possible.
func (c *conversation) request(a *answer) {
	a.generating = true
	if c.isBusy() {
		c.queued = a
		return
	}
	c.create(a)
}

// requestQueued requests the queued response.
func (c *conversation) requestQueued() {
	if a := c.queued; a != nil && !c.isBusy() {
		c.queued = nil
		c.create(a)
	}
}

// isBusy reports whether no response may be requested now.
func (c *conversation) isBusy() bool {
	return c.current != nil || len(c.unrequested) > 0 || c.unseen
}

func (c *conversation) create(a *answer) {
	c.requests++
	r := &response{answer: a, tag: tagOf(c.requests), named: map[string]bool{}, loose: map[string]bool{}}
	c.current = r
	if a.own {
		return
	}
	w := &responseRequest{Instructions: a.instructions, Metadata: map[string]string{tagKey: r.tag}}
	if a.silent {
		c.provider.opts.Dialect.inWords(w)
	}
	c.send(command{kind: createResponse, answer: a, tag: r.tag}, message{Type: "response.create", Response: w})
}

// cancel cancels a response; without an ID, the one in progress.
func (c *conversation) cancel(id string) {
	c.send(command{kind: cancelResponse}, message{Type: "response.cancel", ResponseID: id})
}
