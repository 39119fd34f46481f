package openai

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// failure converts an error of the service.
func (p *Provider) failure(e *problem) error {
	if e == nil {
		return fmt.Errorf("%w: no reason given", p.service.Unavailable)
	}
	return p.failureOf(p.kindOf(e), e)
}

// setupFailure is like failure during session setup, when an invalid request is permanent.
func (p *Provider) setupFailure(e *problem) error {
	kind := p.kindOf(e)
	if e.Kind == "invalid_request_error" && errors.Is(kind, p.service.Unavailable) && !e.isExpiry() && !e.isBusy() {
		kind = p.service.Rejected
	}
	return p.failureOf(kind, e)
}

func (p *Provider) failureOf(kind error, e *problem) error {
	return fmt.Errorf("%w: %s", kind, p.service.Printable(cmp.Or(string(e.Message), string(e.Code), string(e.Kind))))
}

// kindOf returns the matching error of package s2s. A refusal during a session concerns only one request; the
// next one may be accepted.
func (p *Provider) kindOf(e *problem) error {
	switch {
	case e.isFinal():
		return p.service.Rejected
	case strings.HasPrefix(string(e.Code), "rate_limit"), strings.HasPrefix(string(e.Kind), "rate_limit"):
		return p.service.RateLimited
	}
	return p.service.Unavailable
}

// responseFailure returns why a response failed.
func (p *Provider) responseFailure(o *outcome) error {
	if o.Details == nil || o.Details.Error == nil {
		return p.failure(nil)
	}
	return p.failure(o.Details.Error)
}

// handleError handles an error. An error about one of our messages fails only that message.
func (c *conversation) handleError(e *problem) {
	err := c.provider.failure(e)
	switch {
	case !c.ready:
		c.final = c.provider.setupFailure(e)
		return
	case e.isFinal(), e.isExpiry():
		c.final = err
		return
	}
	what, known := c.commands[string(e.EventID)]
	delete(c.commands, string(e.EventID))
	if r := c.current; !known && e.EventID == "" && e.isBusy() && r != nil && r.isAwaited() && !r.answer.own {
		what, known = command{kind: createResponse, tag: r.tag}, true // it cannot concern any other message
	}
	switch {
	case !known:
		c.queueEvent(s2s.Failed{Err: err})
	case what.kind == createResponse:
		c.responseRefused(what, e, err)
	case what.kind == giveInput:
		c.failAnswer(what.answer, err)
	case what.kind == dropItem: // the item no longer exists
	case what.kind == cancelResponse && e.isIdle(): // the response has already ended
	default:
		c.queueEvent(s2s.Failed{Err: err, Call: what.call})
	}
}

// responseRefused fails a request for a response, or queues it if an unknown response is in progress.
func (c *conversation) responseRefused(what command, e *problem, err error) {
	r := c.current
	if r == nil || r.tag != what.tag || !r.isAwaited() {
		c.queueEvent(s2s.Failed{Err: err})
		return
	}
	c.current = nil
	if e.isBusy() && len(c.unrequested) == 0 {
		c.unseen = true
		c.cancel("")
	}
	a := r.answer
	switch a.refused++; {
	case r.phase == unwanted:
		a.generating = false
		if !r.reported {
			c.queueEvent(s2s.GenerationDone{Status: cancelled})
		}
	case e.isBusy() && a.refused <= maxRefused:
		c.queued = a
	default:
		a.generating, a.over = false, true
		c.start(a)
		c.queueEvent(s2s.GenerationDone{Status: failed, Err: err})
	}
	c.requestQueued()
}

// failAnswer ends an answer whose question the service refused.
func (c *conversation) failAnswer(a *answer, err error) {
	if a != c.answer || a.over || !a.generating {
		c.queueEvent(s2s.Failed{Err: err})
		return
	}
	a.over = true
	if c.queued == a {
		c.queued = nil
		a.generating = false
	}
	if r := c.current; r != nil && r.answer == a {
		r.reported = true
		c.stop(r)
	}
	c.start(a)
	c.queueEvent(s2s.GenerationDone{Status: failed, Err: err})
}

// closed returns the error for a session that has ended.
func closed(cause error) error {
	if cause == nil || errors.Is(cause, s2s.ErrClosed) {
		return cmp.Or(cause, s2s.ErrClosed)
	}
	return fmt.Errorf("%w: %w", s2s.ErrClosed, cause)
}
