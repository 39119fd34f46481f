package bridge

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// sendTime bounds the time to send the answer to a call.
const sendTime = 2 * time.Second

// maxRefused bounds the refusals waiting to be sent. If a session makes more calls without reading the
// answers, the others are not answered.
const maxRefused = 64

// Reasons why a call is abandoned.
var (
	errTurnOver      = fmt.Errorf("%w: the turn is over", context.Canceled)
	errCallCancelled = fmt.Errorf("%w: the model took the call back", context.Canceled)
	errTooSlow       = fmt.Errorf("%w: the caller's time is up", mcp.ErrTimeout)
)

// call is one tool call. The bridge's mu guards the fields at the end.
type call struct {
	llm.ToolCall
	bridge *Bridge
	turn   *turn
	tools  *mcphost.Toolset
	round  int  // number of its round
	counts bool // counts towards its round

	// For calls that run.
	cancel context.CancelCauseFunc
	timer  *time.Timer

	answered       bool
	answerSilently bool
}

// handling is how a received call is handled.
type handling uint8

const (
	// ignored: it is a repetition, or there are too many.
	ignored handling = iota
	// run: its tool runs on a new goroutine.
	run
	// next: its tool runs on the idle goroutine.
	next
	// refused: it is answered with an error.
	refused
	// refusedAtOnce: like refused, but answered at once, because the bridge is closed.
	refusedAtOnce
)

// handleToolCall accepts a call and returns at once.
func (b *Bridge) handleToolCall(tc llm.ToolCall) {
	c := &call{ToolCall: tc, bridge: b}
	if b.o.aside != nil && tc.Name == b.o.aside.Name {
		b.handleAside(c)
		return
	}
	ctx, course, why := b.admit(c)
	if course == run || course == next || course == refused {
		c.notifyObserver(engine.ToolCalled{Round: c.round, Call: tc})
	}
	switch course {
	case run:
		go b.runCalls(ctx, c)
	case next:
		b.next <- assignment{ctx, c}
	case refused:
		go c.refuse(why)
	case refusedAtOnce:
		c.answer(mcphost.Outcome{Err: why})
	}
}

// handleAside answers a call of the aside tool, which runs nothing.
func (b *Bridge) handleAside(c *call) {
	text := b.o.answerAside()
	b.mu.Lock()
	if !b.seen.add(c.ID) || b.refused >= maxRefused && !b.closed {
		b.mu.Unlock()
		return
	}
	closed := b.closed
	b.unanswered++
	if !closed {
		b.refused++
		b.work.Add(1)
	}
	b.mu.Unlock()
	answer := func() {
		c.send(mcphost.Outcome{Result: mcp.Result{Text: text}}, text == "" || closed)
		b.mu.Lock()
		b.recordAnswer()
		b.mu.Unlock()
	}
	if closed { // no goroutine may start any more
		answer()
		return
	}
	go func() {
		defer b.work.Done()
		answer()
		b.mu.Lock()
		b.refused--
		b.mu.Unlock()
	}()
}

// admit decides how a call is handled, and why if it is refused.
func (b *Bridge) admit(c *call) (context.Context, handling, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.seen.add(c.ID) {
		return nil, ignored, nil
	}
	c.turn, c.tools, c.round = b.turn, b.turn.tools, b.turn.rounds.Next()
	b.unanswered++
	var why error
	switch {
	case b.closed:
		c.answerSilently = true
		return nil, refusedAtOnce, ErrClosed
	case b.turn.phase == over:
		c.answerSilently, why = true, errTurnOver
	case b.turn.refusesRounds():
		why = engine.ErrNoRoundsLeft
	case b.running >= mcphost.MaxRound:
		why = fmt.Errorf("calling %q: %w: %d calls at once are the most", untrusted.Clean(c.Name, 64), mcp.ErrBusy, mcphost.MaxRound)
		c.counts = true
		b.turn.addCall()
	default:
		ctx, course := b.startCall(c)
		return ctx, course, nil
	}
	if b.refused >= maxRefused {
		b.dropCall(c)
		return nil, ignored, nil
	}
	b.refused++
	b.work.Add(1)
	return nil, refused, why
}

// startCall prepares a call to run. Callers hold mu.
func (b *Bridge) startCall(c *call) (context.Context, handling) {
	c.counts = true
	b.turn.addCall()
	b.running++
	b.calls[c] = struct{}{}
	ctx, cancel := context.WithCancelCause(c.turn.base)
	c.cancel = cancel
	b.work.Add(1) // until it is known that the timer does not fire
	c.timer = time.AfterFunc(b.o.toolTimeout, c.expire)
	if b.waits {
		b.waits = false
		return ctx, next
	}
	b.work.Add(1)
	return ctx, run
}

// dropCall drops a call that cannot even be refused. Callers hold mu.
func (b *Bridge) dropCall(c *call) {
	b.recordAnswer()
	if c.counts {
		c.turn.pending--
	}
	b.o.log.Warn("tool call not answered", "tool", untrusted.Clean(c.Name, 64), "reason", "too many calls at once")
}

// refuse answers a call whose tool does not run.
func (c *call) refuse(why error) {
	b := c.bridge
	defer b.work.Done()
	c.answer(mcphost.Outcome{Err: why})
	b.mu.Lock()
	b.refused--
	b.mu.Unlock()
}

// assignment is a call for the idle goroutine; without a call, it ends the goroutine. An assignment is sent
// only while a goroutine is idle.
type assignment struct {
	ctx  context.Context
	call *call
}

// runCalls runs a call, and then stays idle for further ones unless another goroutine already is. Growing the
// stack of a new goroutine takes as long as many a call.
func (b *Bridge) runCalls(ctx context.Context, c *call) {
	defer b.work.Done()
	for {
		c.run(ctx)
		b.mu.Lock()
		b.running--
		stays := !b.waits && !b.closed
		if stays {
			b.waits = true
		}
		b.mu.Unlock()
		if !stays {
			return
		}
		a := <-b.next
		if a.call == nil {
			return
		}
		ctx, c = a.ctx, a.call
	}
}

// run runs the call and answers it, unless it was abandoned meanwhile.
func (c *call) run(ctx context.Context) {
	b := c.bridge
	o, deferred := mcphost.Outcome{}, false
	if c.turn.observe != nil {
		o, deferred = engine.DeferCall(c.tools, c.ToolCall)
	}
	if !deferred {
		o.Result, o.Err = c.tools.Execute(ctx, c.Name, c.Arguments)
	}
	if c.timer.Stop() {
		b.work.Done()
	}
	if deferred && o.Err == nil {
		c.answerWith(engine.ToolDeferred{Round: c.round, Call: c.ToolCall}, o)
	} else {
		c.answer(o)
	}
	c.cancel(nil)
}

// expire abandons a call that takes too long.
func (c *call) expire() {
	defer c.bridge.work.Done()
	c.abandon(errTooSlow)
}

// abandon abandons a call and answers it, whether or not its tool has returned.
func (c *call) abandon(why error) {
	c.cancel(why)
	c.answer(mcphost.Outcome{Err: fmt.Errorf("calling %q: %w", c.Name, why)})
}

// abandonSilently abandons the running calls for which meant is true, silently. It does not wait.
func (b *Bridge) abandonSilently(why error, meant func(*call) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.calls {
		if c.answerSilently || !meant(c) {
			continue
		}
		c.answerSilently = true
		b.work.Go(func() { c.abandon(why) }) // run has not ended, so Close still waits
	}
}

// answer answers the call with its outcome, unless it has been answered.
func (c *call) answer(o mcphost.Outcome) {
	c.answerWith(engine.ToolFinished{Round: c.round, Call: c.ToolCall, Outcome: o}, o)
}

// answerWith answers the call and reports ev, unless it has been answered.
func (c *call) answerWith(ev engine.Event, o mcphost.Outcome) {
	b := c.bridge
	b.mu.Lock()
	if c.answered {
		b.mu.Unlock()
		return
	}
	c.answered = true
	delete(b.calls, c)
	b.mu.Unlock()
	c.notifyObserver(ev)
	var ended engine.Event
	var observe func(engine.Event)
	b.mu.Lock()
	if c.counts {
		c.turn.endCall(o)
		ended, observe = c.turn.endRound()
	}
	silent := c.answerSilently || c.turn.phase == over
	b.mu.Unlock()
	observeEvent(observe, ended)
	c.send(o, silent)
	b.mu.Lock()
	b.recordAnswer()
	b.mu.Unlock()
}

// recordAnswer records that a call has been answered. Callers hold mu.
func (b *Bridge) recordAnswer() {
	if b.unanswered--; b.unanswered == 0 && b.allAnswered != nil {
		close(b.allAnswered)
		b.allAnswered = nil
	}
}

// notifyObserver reports ev to the turn's observer while the turn lasts.
func (c *call) notifyObserver(ev engine.Event) {
	c.bridge.mu.Lock()
	wanted := c.turn.phase == open
	c.bridge.mu.Unlock()
	if wanted {
		observeEvent(c.turn.observe, ev)
	}
}

// send sends the answer.
func (c *call) send(o mcphost.Outcome, silent bool) {
	b := c.bridge
	r := s2s.ToolResult{ID: c.ID, Name: c.Name, Silent: silent}
	r.Text, r.IsError = engine.DescribeOutcome(o)
	// The answer must be sent even while the bridge closes.
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	if err := b.session.SendToolResult(ctx, r); err != nil {
		b.o.log.LogAttrs(ctx, slog.LevelWarn, "tool call not answered", slog.String("tool", untrusted.Clean(c.Name, 64)), slog.Any("reason", err))
	}
}
