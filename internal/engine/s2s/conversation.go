package s2s

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxOrders bounds the waiting orders. Further orders are dropped, because listening ahead only saves time
	// and nothing depends on it.
	maxOrders = 16
	// maxReceived bounds the waiting events of a session. When it is reached, the session's reader blocks.
	maxReceived = 16
	// piecesPerSecond is how many pieces a second of sound is cut into. Each contains a frame, even if the
	// converter holds back its first samples.
	piecesPerSecond = 40
	// sendTime bounds each call that sends to a session.
	sendTime = 5 * time.Second
	// lastUsage bounds the wait for the last usage of a closed session.
	lastUsage = time.Second
	// retryAfter is the pause after a provider could not be reached.
	retryAfter = 10 * time.Second
	// maxDropped bounds the interrupted items that are remembered.
	maxDropped = 1024
	// shortLived is the age of a session below which its end counts as a failure to open it.
	shortLived = 2 * time.Second
	// heardSlack is how much sound may be missing although all of it was heard: the last frames.
	heardSlack = 2 * audio.FrameDuration
	// duplexQuiet is the silence after which an answer counts as ended, if nothing else reports its end.
	duplexQuiet = 1200 * time.Millisecond
	// duplexPause is the same while the voice has not yet said its text. The voice uses its own words, so
	// that it counts as said from three quarters of the length on.
	duplexPause = 4 * time.Second
)

// conversation is the conversation of one NPC with the model, over as many sessions as it needs. The
// goroutine of run owns it. Only this goroutine sends to the session, except for tool results.
type conversation struct {
	engine  *Engine
	npc     config.NPC
	answers chan *answer
	orders  chan func(context.Context)

	// Owned by run.
	live              *live            // nil if no session is open
	ahead             *ahead           // being listened to; nil if there is none
	answeredRecording *ahead           // the recording that the session was asked to answer last; nil if there is none
	turn              *turn            // being answered; nil if there is none
	played            *turn            // answered and still being heard; nil if there is none
	pace              float64          // of the voice, see aligner
	out               *audio.Resampler // for the current turn; created for the first
	sessionKnowledge  knowledge        // the session's knowledge
	resumption        resumption       // where a new session can resume
	account           *cost.Account    // of the last request
	rejected          error            // why no session can be opened any more
	retry             time.Time        // no session is opened before
}

// turn is an answer that a session was asked for.
type turn struct {
	*answer
	align       *aligner
	out         *audio.Resampler // nil if the voice already has audio.SampleRate
	requestedAt time.Time
	line        *question   // nil until the session is asked
	started     bool        // the session is answering
	token       bool        // the first part of the answer came
	staysSilent bool        // the model has called the tool to stay silent
	quiet       *time.Timer // ends the turn if nothing else does
	tasks       tasks       // delegations
	detached    bool        // its events are no longer received
}

// received is an event or error of a session.
type received struct {
	event provider.Event
	err   error
}

func newConversation(e *Engine, npc config.NPC) *conversation {
	return &conversation{
		engine: e, npc: npc, answers: make(chan *answer), orders: make(chan func(context.Context), maxOrders), pace: defaultPace,
	}
}

// order makes the conversation's goroutine call f, if there is room.
func (c *conversation) order(f func(context.Context)) {
	select {
	case c.orders <- f:
	default:
	}
}

// run owns the conversation until ctx ends.
func (c *conversation) run(ctx context.Context) {
	defer func() { c.endSession("the table closes") }()
	defer c.endTurn(errClosed)
	idle := time.NewTimer(c.engine.o.Idle)
	defer idle.Stop()
	for {
		var events <-chan received
		var gone, over, left, more <-chan struct{}
		var quiet <-chan time.Time
		if c.live != nil {
			events = c.live.events
		}
		if c.turn != nil {
			gone = c.turn.abandoned
			if c.turn.quiet != nil {
				quiet = c.turn.quiet.C
			}
		} else {
			more = c.sendAhead(ctx)
		}
		if c.played != nil {
			over = c.played.req.Playback.Ended
			if !c.played.detached {
				left = c.played.ctx.Done()
			}
		}
		select {
		case <-ctx.Done():
			return
		case a := <-c.answers:
			c.begin(ctx, a)
		case f := <-c.orders:
			f(ctx)
		case r := <-events:
			c.handleEvent(ctx, r)
		case <-gone:
			c.abandon(ctx)
		case <-over:
			c.recordPlayback(ctx)
		case <-left:
			if c.played.detached = true; c.played.isWithheld() { // the rest of it is no longer wanted
				c.recordPlayback(ctx)
			}
		case <-quiet:
			c.finishQuiet()
		case <-more:
		case <-idle.C:
			c.endIdle()
			idle.Reset(c.engine.o.Idle)
			continue
		}
		if c.live != nil {
			idle.Reset(c.engine.o.Idle)
		}
	}
}

// endIdle closes a session that is not in use.
func (c *conversation) endIdle() {
	if c.turn == nil && c.played == nil {
		c.endSession("nobody has used it for a while")
	}
}

// send sends something to the session. If that fails, the session has ended.
func (c *conversation) send(ctx context.Context, tell func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := tell(ctx); err != nil {
		c.handleSessionLoss(err)
		return false
	}
	return true
}

// begin makes the session answer a turn.
func (c *conversation) begin(ctx context.Context, a *answer) {
	c.npc, c.account = a.req.NPC, cost.AccountOf(a.ctx)
	if c.turn != nil { // its player has gone on
		c.abandon(ctx)
	}
	c.recordPlayback(ctx)
	line, facts := lineOf(a.req.Messages)
	facts = c.engine.ruleOf(facts)
	typed := a.req.Spoken == nil || !a.req.Spoken.IsComplete() // an incomplete recording lacks its end
	if typed && !c.engine.able.Typed {
		a.finish(errTyped)
		return
	}
	if err := c.prepare(ctx, a); err != nil {
		a.finish(err)
		return
	}
	tn := &turn{answer: a, requestedAt: time.Now(), align: &aligner{pace: c.pace, put: a.put, read: a.req.Playback.Heard == nil}}
	if c.engine.able.OutputRate != audio.SampleRate {
		if c.out == nil {
			out, err := audio.NewResampler(c.engine.able.OutputRate, audio.SampleRate)
			if err != nil {
				a.finish(fmt.Errorf("converting the voice: %w", err))
				return
			}
			c.out = out
		}
		c.out.Reset()
		tn.out = c.out
	}
	c.turn = tn
	ask := provider.Response{Speaker: line.Name, Context: facts, Silent: tn.align.read}
	if typed {
		c.clearAhead(ctx)
		ask.Text = line.Content
	} else if !c.sendRest(ctx, a.req.Spoken) {
		return // the turn has ended with the session
	}
	tn.requestedAt = time.Now()
	c.live.mayDecline.Store(a.req.MayDecline)
	if c.send(ctx, func(ctx context.Context) error { return c.live.session.Respond(ctx, ask) }) {
		tn.line = &question{line: line, typed: a.req.Spoken == nil}
		c.sessionKnowledge.asked = tn.line
	}
}

var errTyped = errors.New("it accepts no typed lines")

// prepare opens a session with the knowledge that the turn requires.
func (c *conversation) prepare(ctx context.Context, a *answer) error {
	opening, cancel := c.engine.boundOpening(a.ctx)
	defer cancel()
	c.dropUnrecorded(a.req.Messages, a.req.Background.Edits)
	if err := c.openSession(ctx, opening, a.req.Messages, a.req.Background.Edits, a.req.Tools); err != nil {
		return err
	}
	return c.live.bridge.BeginTurn(opening, c.offer(a.req.Tools), a.req.Rounds, func(ev engine.Event) { a.put(ev) })
}

// dropUnrecorded ends a session that received a typed line without keeping any of it, because the line may have
// been taken back or reworded. messages are the prompt of a new turn; the previous one has ended.
func (c *conversation) dropUnrecorded(messages []llm.Message, edits int) {
	if c.live == nil || c.sessionKnowledge.asked == nil || !c.sessionKnowledge.asked.typed {
		return
	}
	_, history := historyOf(messages)
	if _, answered, _ := c.sessionKnowledge.missing(history, edits); !answered {
		c.resumption = resumption{}
		c.endSession("a line it knows was not saved")
	}
}

// offer returns the tools that the session is given. A voice that delegates gets none.
func (c *conversation) offer(ts *mcphost.Toolset) *mcphost.Toolset {
	if c.engine.able.Duplex {
		return c.engine.host.Toolset(mcphost.ToolsetOptions{Tier: ts.Tier()})
	}
	return ts
}

// lineOf returns the player's line of a prompt, and the NPC's current facts.
func lineOf(messages []llm.Message) (line llm.Message, facts string) {
	i := len(messages) - 1
	if i < 0 {
		return line, ""
	}
	line = messages[i]
	if i > 1 && messages[i-1].Role == llm.RoleSystem {
		facts = messages[i-1].Content
	}
	return line, facts
}

// historyOf returns the system prompt, and the messages before a prompt's line.
func historyOf(messages []llm.Message) (system string, history []llm.Message) {
	if len(messages) > 0 && messages[0].Role == llm.RoleSystem {
		system, messages = messages[0].Content, messages[1:]
	}
	for i, m := range messages {
		if m.Role == llm.RoleSystem || m.Role == llm.RoleUser && i == len(messages)-1 {
			break
		}
		history = append(history, m)
	}
	return system, slices.Clip(history)
}

// abandon ends an answer that is no longer wanted.
func (c *conversation) abandon(ctx context.Context) {
	tn := c.turn
	c.detachTurn()
	if tn.isReplaced() {
		tn.recordReplacement()
	}
	tn.recordWithheld()
	c.interrupt(ctx, tn)
}

// recordReplacement records that another engine completes an answer, which the session must be told.
func (tn *turn) recordReplacement() {
	if q := tn.line; q != nil {
		q.replaced, q.began = true, tn.hasOutput()
	}
}

// recordWithheld marks a withheld answer as never said by the session, because not every vendor forgets
// words that were not heard.
func (tn *turn) recordWithheld() {
	if q := tn.line; q != nil && tn.isWithheld() {
		q.replaced, q.began = true, true
	}
}

// isWithheld reports whether another engine continues an answer because it said something forbidden.
func (tn *turn) isWithheld() bool { return errors.Is(context.Cause(tn.ctx), engine.ErrWithheld) }

// interrupt makes the session forget the part of an answer that was not heard.
func (c *conversation) interrupt(ctx context.Context, tn *turn) {
	if c.live == nil {
		return
	}
	for _, id := range tn.align.seen {
		if len(c.live.dropped) < maxDropped {
			c.live.dropped[id] = true
		}
	}
	heard := tn.reportedDuration() // if it is only shown
	if f := tn.req.Playback.Heard; f != nil {
		heard = f()
	}
	heard = min(heard, soundFor(tn.align.total))
	c.send(ctx, func(ctx context.Context) error { return c.live.session.Interrupt(ctx, heard) })
}

// recordPlayback records how much of an answer was played before it stopped.
func (c *conversation) recordPlayback(ctx context.Context) {
	tn := c.played
	c.played = nil
	if tn == nil {
		return
	}
	tn.recordWithheld()
	if tn.req.Playback.Heard == nil {
		return
	}
	if tn.req.Playback.Heard()+heardSlack < soundFor(tn.align.total) {
		c.interrupt(ctx, tn)
	}
}

// detachTurn leaves the current turn.
func (c *conversation) detachTurn() {
	tn := c.turn
	c.turn = nil
	tn.tasks.stop()
	if tn.quiet != nil {
		tn.quiet.Stop()
	}
	if c.live != nil {
		c.live.bridge.EndTurn()
	}
}

// endTurn ends the current turn. err says why its answer is incomplete.
func (c *conversation) endTurn(err error) {
	tn := c.turn
	if tn == nil {
		return
	}
	c.detachTurn()
	c.pace = tn.align.pace
	if err != nil {
		tn.recordReplacement()
	}
	tn.finish(err)
	if errors.Is(err, provider.ErrRejected) {
		c.recordFailure(err)
		c.endSession("it is refused")
	}
	if err == nil && tn.req.Playback.Ended != nil {
		c.played = tn
	}
}

func soundFor(samples int) time.Duration { return audio.Duration(samples, audio.SampleRate) }
