package fakerealtime

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// play is a response in progress.
type play struct {
	session  *session
	id       string
	metadata any
	beside   bool // not part of the conversation
	answer   Answer
	created  bool
	stopped  chan struct{}
	reason   string // why it stopped
	output   []object
	items    []*item
	request  Request
	inWords  bool // text instead of speech
}

// respond begins a response unless one is in progress.
func (c *session) respond(ctx context.Context, wanted *clientResponse) *fault {
	if wanted == nil {
		wanted = &clientResponse{}
	}
	output := wanted.Output
	if c.server.script.Beta {
		output = wanted.Modalities
	}
	if len(output) > 1 && !c.server.script.Beta || len(output) == 1 && output[0] != "text" && output[0] != "audio" {
		return &fault{"invalid_value", "Invalid modalities. Supported combinations are: ['text'] and ['audio']."}
	}
	if c.active != nil && wanted.Conversation != "none" {
		return &fault{"conversation_already_has_active_response",
			"Conversation already has an active response in progress: " + c.active.id + ". Wait until the response is finished before creating a new one."}
	}
	request := c.request(wanted)
	answer := c.server.nextAnswer(request)
	if answer.Refuse != "" {
		return &fault{answer.Refuse, "The response is refused with " + answer.Refuse + "."}
	}
	c.begin(ctx, wanted, request, answer, len(output) == 1 && output[0] == "text")
	return nil
}

// request returns the script's view of the request.
func (c *session) request(wanted *clientResponse) Request {
	r := Request{Session: c.number, Tools: c.tools(), Outputs: c.outputs, Entries: len(c.items)}
	r.Instructions, _ = c.config["instructions"].(string)
	if wanted.Instructions != nil {
		r.Instructions = *wanted.Instructions
	}
	for _, it := range slices.Backward(c.items) {
		if it.role == "user" {
			r.Text = it.text
			break
		}
	}
	c.outputs = nil
	return r
}

func (c *session) begin(ctx context.Context, wanted *clientResponse, request Request, answer Answer, inWords bool) {
	p := &play{
		session: c, id: c.id("resp"), answer: answer, stopped: make(chan struct{}), beside: wanted.Conversation == "none",
		request: request, inWords: inWords,
	}
	if wanted.Metadata != nil && !c.server.script.Forgetful {
		p.metadata = wanted.Metadata
	}
	c.playing[p.id] = p
	if !p.beside {
		c.active = p
	}
	c.conn.Go(func() { p.run(ctx) })
}

// cancel stops a response that has been created.
func (c *session) cancel(id string) *fault {
	p := c.active
	if id != "" {
		p = c.playing[id]
	}
	if p == nil || !p.created || p.reason != "" {
		return &fault{"response_cancel_not_active", "Cancellation failed: no active response found"}
	}
	p.stop("client_cancelled")
	return nil
}

// stop ends p at its current place. The session's lock must be held.
func (p *play) stop(reason string) {
	if p.reason == "" {
		p.reason = reason
		close(p.stopped)
	}
}

// run plays a response to the end.
func (p *play) run(ctx context.Context) {
	a := p.answer
	if !p.wait(ctx, a.Delay, a.HoldCreated, true) {
		return
	}
	p.step(func() {
		p.created = true
		p.session.say("response.created", object{"response": p.wire("in_progress", nil)})
		p.session.say("rate_limits.updated", object{"rate_limits": []any{
			object{"name": "tokens", "limit": 40000, "remaining": 39000, "reset_seconds": 1.5},
		}})
		for _, raw := range a.Raw {
			p.session.conn.Send(raw)
		}
	})
	whole := p.playParts(ctx) && p.wait(ctx, 0, a.HoldEnd, false)
	if ctx.Err() != nil {
		return
	}
	c := p.session
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole && p.reason == "" {
		if a.Close != 0 || a.Break {
			c.conn.Close(a.Close, "")
			return
		}
		p.playCalls()
	}
	p.end()
}

// step changes the session unless p was stopped, and reports whether it did.
func (p *play) step(do func()) bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if p.reason != "" {
		return false
	}
	do()
	return true
}

// wait pauses, and waits for the release if hold is set. It reports whether to
// continue; a response that has not been created cannot be stopped.
func (p *play) wait(ctx context.Context, delay time.Duration, hold, deaf bool) bool {
	stopped := p.stopped
	if deaf {
		stopped = nil
	}
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-stopped:
			return false
		case <-ctx.Done():
			return false
		}
	}
	if hold {
		select {
		case <-p.session.server.release:
		case <-stopped:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

// playParts speaks, and reports whether it reached the end.
func (p *play) playParts(ctx context.Context) bool {
	parts := p.answer.Parts
	if p.answer.Interleaved && len(parts) > 1 {
		last := p.openPart(0)
		if last == nil || !p.playSound(ctx, last, 0) {
			return false
		}
		next := p.openPart(1)
		if next == nil || !p.playPiece(next, 1, 0) || !p.step(func() { p.closePart(last, 0, "completed") }) {
			return false
		}
		if !p.playSound(ctx, next, 1) || !p.step(func() { p.closePart(next, 1, "completed") }) {
			return false
		}
		return true
	}
	for i := range parts {
		it := p.openPart(i)
		if it == nil || !p.playSound(ctx, it, i) || !p.step(func() { p.closePart(it, i, "completed") }) {
			return false
		}
	}
	return true
}

// openPart begins an item, or returns nil if p was stopped.
func (p *play) openPart(i int) *item {
	c := p.session
	var it *item
	p.step(func() {
		it = &item{id: c.id("item"), kind: "message", role: "assistant", status: "in_progress", spoken: !p.inWords}
		p.items = append(p.items, it)
		c.say("response.output_item.added", object{"response_id": p.id, "output_index": i, "item": it.wire(c.server.script.Beta)})
		if !p.beside {
			c.add(it, "")
		}
		kind, part := "response.output_audio_transcript.delta", object{"type": "audio", "transcript": ""}
		if p.inWords {
			kind, part = "response.output_text.delta", object{"type": "text", "text": ""}
		}
		c.say("response.content_part.added", p.about(it, i, object{"part": part}))
		for word := range strings.FieldsSeq(p.answer.Parts[i].Text) {
			delta := word
			if it.text != "" {
				delta = " " + word
			}
			it.text += delta
			c.say(kind, p.about(it, i, object{"delta": delta}))
		}
	})
	return it
}

// about returns the fields of an event about an item's content.
func (p *play) about(it *item, index int, more object) object {
	more["response_id"], more["item_id"], more["output_index"], more["content_index"] = p.id, it.id, index, 0
	return more
}

// playSound sends the rest of a part's sound.
func (p *play) playSound(ctx context.Context, it *item, i int) bool {
	if p.inWords {
		return true
	}
	all := int(p.answer.Parts[i].Sound * Rate / time.Second)
	lacks := func() bool {
		p.session.mu.Lock()
		defer p.session.mu.Unlock()
		return it.samples < all
	}
	for first := true; lacks(); first = false {
		if !first && !p.wait(ctx, p.answer.Every, false, false) || !p.playPiece(it, i, all) {
			return false
		}
	}
	return true
}

// playPiece sends one piece of a part's sound; all is the length of the sound,
// 0 if it fills the piece.
func (p *play) playPiece(it *item, i, all int) bool {
	return p.step(func() {
		n := PieceSamples
		if all > 0 {
			n = min(n, all-it.samples)
		}
		data := audio.AppendS16LE(nil, Tone(it.samples, n))
		it.samples += n
		p.session.spoke = true
		p.session.say("response.output_audio.delta", p.about(it, i, object{"delta": base64.StdEncoding.EncodeToString(data)}))
	})
}

// closePart ends an item. Like all functions below it must be called under the
// lock.
func (p *play) closePart(it *item, i int, status string) {
	c := p.session
	it.status = status
	if p.inWords {
		c.say("response.output_text.done", p.about(it, i, object{"text": it.text}))
		c.say("response.content_part.done", p.about(it, i, object{"part": object{"type": "text", "text": it.text}}))
		p.closeItem(it, i)
		return
	}
	c.say("response.output_audio.done", p.about(it, i, object{}))
	c.say("response.output_audio_transcript.done", p.about(it, i, object{"transcript": it.text}))
	c.say("response.content_part.done", p.about(it, i, object{"part": object{"type": "audio", "transcript": it.text}}))
	p.closeItem(it, i)
}

func (p *play) closeItem(it *item, i int) {
	c := p.session
	wire := it.wire(c.server.script.Beta)
	p.output = append(p.output, wire)
	c.say("response.output_item.done", object{"response_id": p.id, "output_index": i, "item": wire})
	if at, _ := c.find(it.id); at != nil {
		c.finish(it)
	}
}

// playCalls sends the answer's tool calls.
func (p *play) playCalls() {
	c := p.session
	for n, call := range p.answer.Calls {
		i := len(p.answer.Parts) + n
		c.calls++
		it := &item{
			id: c.id("item"), kind: "function_call", status: "in_progress", name: call.Name, callID: fmt.Sprintf("call_%d", c.calls),
		}
		c.say("response.output_item.added", object{"response_id": p.id, "output_index": i, "item": it.wire(c.server.script.Beta)})
		if !p.beside {
			c.add(it, "")
		}
		about := object{"response_id": p.id, "item_id": it.id, "output_index": i, "call_id": it.callID}
		for _, piece := range []string{call.Arguments[:len(call.Arguments)/2], call.Arguments[len(call.Arguments)/2:]} {
			about["delta"] = piece
			c.say("response.function_call_arguments.delta", about)
		}
		delete(about, "delta")
		it.arguments, it.status = call.Arguments, "completed"
		about["arguments"], about["name"] = it.arguments, it.name
		c.say("response.function_call_arguments.done", about)
		p.closeItem(it, i)
	}
}

// end sends the end of p.
func (p *play) end() {
	c := p.session
	status, details := "completed", any(nil)
	switch {
	case p.reason != "":
		status, details = "cancelled", object{"type": "cancelled", "reason": p.reason}
		for i, it := range p.items {
			if it.status == "in_progress" {
				p.closePart(it, i, "incomplete")
			}
		}
	case p.answer.Fail != "":
		status = "failed"
		details = object{"type": "failed", "error": object{
			"type": "server_error", "code": p.answer.Fail, "message": "The response failed with " + p.answer.Fail + ".",
		}}
	case p.answer.Incomplete:
		status, details = "incomplete", object{"type": "incomplete", "reason": "max_output_tokens"}
	}
	delete(c.playing, p.id)
	if c.active == p {
		c.active = nil
	}
	c.say("response.done", object{"response": p.wire(status, details)})
}

// wire returns a response in wire format.
func (p *play) wire(status string, details any) object {
	c := p.session
	o := object{
		"id": p.id, "object": "realtime.response", "status": status, "status_details": details, "output": p.output,
		"metadata": p.metadata, "conversation_id": "conv_1", "usage": nil,
	}
	if p.output == nil || c.server.script.Basic {
		o["output"] = []any{}
	}
	if status != "in_progress" {
		o["usage"] = p.usage()
	}
	return o
}

// usage counts a word as a text token, and a tenth of a second heard or a
// twentieth spoken as an audio token. Everything billed before counts as
// cached.
func (p *play) usage() object {
	c := p.session
	text, sound := len(strings.Fields(p.request.Instructions)), 0
	for _, it := range c.items {
		if slices.Contains(p.items, it) {
			continue
		}
		text += len(strings.Fields(it.text + " " + it.output))
		sound += it.samples * 10 / Rate
	}
	words, spoken := 0, 0
	for _, it := range p.items {
		words += len(strings.Fields(it.text))
		spoken += it.samples * 20 / Rate
	}
	cached := min(c.billed, text+sound)
	c.billed = text + sound
	return object{
		"total_tokens": text + sound + words + spoken, "input_tokens": text + sound, "output_tokens": words + spoken,
		"input_token_details":  object{"text_tokens": text, "audio_tokens": sound, "image_tokens": 0, "cached_tokens": cached},
		"output_token_details": object{"text_tokens": words, "audio_tokens": spoken},
	}
}
