package openai

import (
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Bounds of what one answer may consist of.
const (
	maxParts = 256
	maxCalls = 64
	// maxOpenCalls bounds the calls of all answers that wait for a result.
	maxOpenCalls = 256
	// maxRefused is how often a response may be refused since another is under way.
	maxRefused = 3
)

// answer is what a player gets: one response, and another after each round of tool
// calls.
type answer struct {
	// instructions are those of its responses; empty for the session's.
	instructions string
	silent       bool    // nobody listens
	parts        []*part // in the order they came
	own          bool    // the server begins it by itself
	started      bool    // that it has begun was told
	open         int     // calls without a result
	wanted       bool    // a result came that the model is to speak of
	// generating: a response of it waits, is asked for or under way.
	generating bool
	// over: nothing follows the response under way, if any.
	over bool
	// cut: what was not heard has been taken out.
	cut     bool
	refused int
}

// part is one piece of an answer's sound.
type part struct {
	id       string
	content  int   // which of its contents is the sound
	received int64 // samples
	left     byte  // of a sample that is not complete, if odd
	odd      bool
	spoken   bool // some of its transcript has been told
	done     bool
	gone     bool // the conversation is without it, or with its beginning alone
}

// phase is where a response is.
type phase uint8

const (
	// asked: the service has been asked for it. Next is running, or unwanted.
	asked phase = iota
	// running: it is under way and told. It ends, or is stopping.
	running
	// unwanted: asked, but interrupted before there was anything to cancel. Next is
	// stopping.
	unwanted
	// stopping: cancelled. Nothing of it is told but its end.
	stopping
)

// response is what the service makes of one request.
type response struct {
	phase  phase
	answer *answer
	tag    string
	id     string // once it is known
	// reported: the end of the generation has been told.
	reported bool
	called   int             // calls that were told
	named    map[string]bool // calls that were told, by their ids
	loose    map[string]bool // items of calls that were not told, by their ids
}

// isAwaited reports whether r has not begun.
func (r *response) isAwaited() bool { return r.phase == asked || r.phase == unwanted }

// isHidden reports whether nothing of r is told.
func (r *response) isHidden() bool { return r.phase == unwanted || r.phase == stopping }

// partOf returns a part of a response's answer, nil if there are too many.
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

// interrupt ends the answer and takes out what was not heard of it.
func (c *conversation) interrupt(heard time.Duration) {
	a := c.answer
	if a == nil || a.cut {
		return
	}
	a.cut, a.over = true, true
	if c.queued == a {
		c.queued = nil
		a.generating = false
		c.tell(s2s.GenerationDone{Status: cancelled})
	}
	if r := c.current; r != nil && r.answer == a {
		c.stop(r)
	}
	c.cutParts(a, heard)
}

// stop has a response cancelled now, or once it can be. One that the server begins
// by itself may never come.
func (c *conversation) stop(r *response) {
	switch {
	case r.phase == asked && r.answer.own:
		c.current = nil
		r.answer.generating = false
		if !r.reported {
			c.tell(s2s.GenerationDone{Status: cancelled})
		}
	case r.phase == asked:
		r.phase = unwanted
	case r.phase == running:
		r.phase = stopping
		c.cancel(r.id)
	}
}

// maxHeard bounds what may have been heard of an answer, so that its samples can
// be counted.
const maxHeard = 24 * time.Hour

// cutParts takes what was not heard out of the conversation: parts are heard one
// after the other.
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

// drop deletes a part of which nothing was heard.
func (c *conversation) drop(p *part) {
	p.gone = true
	c.send(command{kind: dropItem}, message{Type: "conversation.item.delete", ItemID: p.id})
}

func (c *conversation) truncate(p *part, endMS int64) {
	p.gone = true
	content := p.content
	c.send(command{kind: cutItem}, message{
		Type: "conversation.item.truncate", ItemID: p.id, Content: &content, AudioEndMS: &endMS,
	})
}

// dropUnheard deletes what a cancelled response made after it was interrupted.
func (c *conversation) dropUnheard(r *response) {
	if c.provider.isBasic() {
		return
	}
	for _, p := range r.answer.parts {
		if !p.gone && !p.done {
			c.drop(p)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.loose)) {
		c.send(command{kind: dropItem}, message{Type: "conversation.item.delete", ItemID: id})
	}
}

// proceed goes on with an answer whose calls have their results.
func (c *conversation) proceed(a *answer) {
	if a.generating || a.over || a.open > 0 || !a.wanted {
		return
	}
	a.wanted = false
	c.request(a)
}

// request asks for a response, at once or when there is room for one.
func (c *conversation) request(a *answer) {
	a.generating = true
	if c.isBusy() {
		c.queued = a
		return
	}
	c.create(a)
}

// requestQueued asks for the response that waited for room.
func (c *conversation) requestQueued() {
	if a := c.queued; a != nil && !c.isBusy() {
		c.queued = nil
		c.create(a)
	}
}

// isBusy reports whether the service may not be asked for a response.
func (c *conversation) isBusy() bool {
	return c.current != nil || len(c.strangers) > 0 || c.unseen
}

func (c *conversation) create(a *answer) {
	c.requests++
	r := &response{answer: a, tag: tagOf(c.requests), named: map[string]bool{}, loose: map[string]bool{}}
	c.current = r
	if a.own {
		return
	}
	w := &wish{Instructions: a.instructions, Metadata: map[string]string{tagKey: r.tag}}
	if a.silent {
		c.provider.opts.Dialect.inWords(w)
	}
	c.send(command{kind: createResponse, answer: a, tag: r.tag}, message{Type: "response.create", Response: w})
}

// cancel ends a response; without an id, the one under way.
func (c *conversation) cancel(id string) {
	c.send(command{kind: cancelResponse}, message{Type: "response.cancel", ResponseID: id})
}
