package openai

import (
	"cmp"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Statuses of a finished generation.
const (
	completed = "completed"
	cancelled = "cancelled"
	failed    = "failed"
)

// receive handles a message from the service. It reports a malformed message as an event and otherwise
// ignores it.
func (c *conversation) receive(data []byte) {
	e, err := parse(data)
	if err != nil {
		c.fail(err)
		return
	}
	switch e.Type {
	case "": // not in use
	case sessionCreated, sessionUpdated:
		// A basic server does not confirm the setup.
		c.ready = c.ready || e.Type == sessionUpdated || c.provider.isBasic()
		c.endNoticeAt = e.Session.warnAt(c.endNoticeAt)
	case errorReported:
		c.handleError(e.Error)
	case responseCreated:
		c.begin(e.Response)
	case responseDone:
		c.finish(e.Response)
	case inputTranscriptDelta:
		c.queueEvent(s2s.InputTranscript{Text: untrusted.Clean(e.Delta, 0)})
	case inputTranscriptDone:
		c.queueEvent(s2s.InputTranscript{Text: untrusted.Clean(e.Transcript, 0), Final: true})
	case inputTranscriptLost:
		c.queueEvent(s2s.Failed{Err: fmt.Errorf("transcribing what was said: %v", c.provider.failure(e.Error))}) // no answer depends on it
	default:
		if r := c.responseOf(e.ResponseID); r != nil {
			c.receivePiece(r, &e)
		}
	}
}

// fail reports an error that the session survives.
func (c *conversation) fail(err error) {
	c.queueEvent(s2s.Failed{Err: fmt.Errorf("%w: %w", c.provider.service.Unavailable, err)})
}

// responseOf returns our response that an event belongs to, or nil.
func (c *conversation) responseOf(id string) *response {
	r := c.current
	switch {
	case r == nil:
		return nil
	case r.isAwaited():
		if c.announces || id != "" && id == c.ended {
			return nil
		}
		c.adopt(r, id) // the server does not announce responses
		return r
	case id == r.id, id == "", r.id == "":
		return r
	}
	return nil
}

// begin handles the start of a response.
func (c *conversation) begin(o *outcome) {
	c.announces = true
	tag := string(o.Metadata[tagKey])
	c.echoes = c.echoes || tag != ""
	r := c.current
	switch {
	case r != nil && r.isAwaited() && (tag == r.tag || tag == "" && (r.answer.own || !c.echoes)):
		c.adopt(r, o.ID)
	case r != nil && !r.isAwaited() && r.id == o.ID, c.unrequested[o.ID]: // repeated
	case len(c.unrequested) == maxStrangers:
		c.final = fmt.Errorf("%w: it makes responses that nobody asked for", c.provider.service.Unavailable)
	default:
		c.unrequested[o.ID] = true
		c.unseen = false // this is the unseen one
		c.cancel(o.ID)
	}
}

// adopt assigns the ID of a response that has started, and cancels the response if it is no longer wanted.
func (c *conversation) adopt(r *response, id string) {
	r.id = id
	if r.phase == unwanted {
		r.phase = stopping
		c.cancel(id)
		return
	}
	r.phase = running
	c.start(r.answer)
}

// start reports the start of an answer, once.
func (c *conversation) start(a *answer) {
	if !a.started {
		a.started = true
		c.queueEvent(s2s.ResponseStarted{})
	}
}

// receivePiece handles an event of a response in progress.
func (c *conversation) receivePiece(r *response, e *event) {
	switch e.Type {
	case itemAdded, itemDone:
		c.receiveItem(r, e.Item, e.Type == itemDone)
		return
	case argumentsDone:
		if e.Name != "" {
			c.call(r, &outItem{ID: e.ItemID, CallID: e.CallID, Name: e.Name, Arguments: e.Arguments})
		}
		return
	}
	p := c.partOf(r, e.ItemID)
	if p == nil {
		c.fail(fmt.Errorf("an answer has more than %d parts", maxParts))
		return
	}
	if r.isHidden() || p.done {
		return
	}
	switch e.Type {
	case audioDelta:
		c.receiveAudio(p, e)
	case transcriptDelta, textDelta:
		c.receiveTranscript(p, e.Delta)
	case transcriptDone, textDone:
		if !p.spoken {
			c.receiveTranscript(p, cmp.Or(e.Transcript, e.Text))
		}
	}
}

func (c *conversation) receiveAudio(p *part, e *event) {
	samples, left, odd, err := decodeAudio(e.Delta, p.left, p.odd)
	if err != nil {
		c.fail(err)
		return
	}
	p.left, p.odd, p.content = left, odd, e.Content
	p.received += int64(len(samples))
	if len(samples) > 0 {
		c.queueEvent(s2s.Audio{Item: p.id, Samples: samples})
	}
}

func (c *conversation) receiveTranscript(p *part, text string) {
	if text = untrusted.Clean(text, 0); text != "" {
		p.spoken = true
		c.queueEvent(s2s.OutputTranscript{Item: p.id, Text: text})
	}
}

// receiveItem handles a conversation item that starts or is complete.
func (c *conversation) receiveItem(r *response, item *outItem, done bool) {
	switch item.Type {
	case "message":
		p := c.partOf(r, item.ID)
		if p != nil && done && !p.done && !r.isHidden() {
			p.done = true
			c.queueEvent(s2s.ItemDone{Item: p.id})
		}
	case "function_call":
		if item.ID != "" && len(r.loose) < maxCalls {
			r.loose[item.ID] = true
		}
		if done {
			c.call(r, item)
		}
	}
}

// call reports a tool call, once.
func (c *conversation) call(r *response, item *outItem) {
	id := item.CallID
	if r.named[id] {
		delete(r.loose, item.ID)
		return
	}
	if r.isHidden() || id == "" || item.Status == "incomplete" || item.Status == "in_progress" {
		return
	}
	if c.calls[id] != nil || len(r.named) == maxCalls || len(c.calls) == maxOpenCalls {
		c.queueEvent(s2s.Failed{Err: fmt.Errorf("%w: it calls too many tools, or one twice", c.provider.service.Unavailable), Call: id})
		return
	}
	delete(r.loose, item.ID)
	r.named[id] = true
	r.called++
	r.answer.open++
	c.calls[id] = r.answer
	c.queueEvent(s2s.ToolCalled{Call: llm.ToolCall{ID: id, Name: item.Name, Arguments: item.Arguments}})
}

// finish handles the end of a response.
func (c *conversation) finish(o *outcome) {
	if used := o.Usage.count(); used != (s2s.Usage{}) {
		c.queueEvent(used)
	}
	if c.unrequested[o.ID] {
		delete(c.unrequested, o.ID)
	} else if r := c.responseOf(o.ID); r != nil {
		c.finishOurs(r, o)
	} else {
		c.unseen = false
	}
	c.requestQueued()
}

func (c *conversation) finishOurs(r *response, o *outcome) {
	for i := range o.Output[:min(len(o.Output), maxParts)] {
		c.receiveItem(r, &o.Output[i], true)
	}
	c.current, c.ended = nil, r.id
	a := r.answer
	a.generating = false
	done := s2s.GenerationDone{Calls: r.called, Status: cmp.Or(o.Status, completed)}
	switch {
	case r.isHidden():
		done.Status = cancelled
		c.dropUnheard(r)
	case o.Status == failed:
		done.Err = c.provider.responseFailure(o)
		a.over = true
	case o.Status == cancelled: // by the service itself
		a.over = true
		c.queueEvent(s2s.Interrupted{})
	}
	if !r.isHidden() {
		c.closeParts(a)
	}
	if !r.reported {
		c.queueEvent(done)
	}
	c.proceed(a)
}

// closeParts reports the end of the remaining parts.
func (c *conversation) closeParts(a *answer) {
	for _, p := range a.parts {
		if !p.done {
			p.done = true
			c.queueEvent(s2s.ItemDone{Item: p.id})
		}
	}
}
