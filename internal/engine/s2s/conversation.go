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
	// maxOrders is how many orders may wait; an order that finds no room is dropped:
	// listening ahead saves time, and nothing depends on it.
	maxOrders = 16
	// maxReceived is how much of what a session tells may wait; then its reader does.
	maxReceived = 16
	// piecesPerSecond is into how many pieces a second of sound is cut: each has a frame
	// in it, also when the conversion has held back what it does first.
	piecesPerSecond = 40
	// sendTime bounds what is told to a session.
	sendTime = 5 * time.Second
	// lastUsage bounds the wait for what a closed session says it has used.
	lastUsage = time.Second
	// retryAfter is how long a provider is left alone that could not be reached.
	retryAfter = 10 * time.Second
	// maxDropped bounds the items that are remembered because they were interrupted.
	maxDropped = 1024
	// shortLived is a session whose end counts as if it could not be opened.
	shortLived = 2 * time.Second
	// heardSlack is how much sound may count as unheard without being unheard: the
	// last frame.
	heardSlack = 2 * audio.FrameDuration
	// duplexQuiet is after how much silence an answer counts as ended where nothing
	// says so.
	duplexQuiet = 1200 * time.Millisecond
	// duplexPause is the same while the voice has not said what it was told: it says
	// that in its own words, so anything below three quarters of it counts as unsaid.
	duplexPause = 4 * time.Second
)

// conversation is what one NPC's players and the model have to say to each other,
// over as many sessions as it takes. One goroutine, run, owns it: it alone speaks to
// the session, but for the results of tools.
type conversation struct {
	engine  *Engine
	npc     config.NPC
	answers chan *answer
	orders  chan func(context.Context)

	// Owned by run.
	live     *live            // nil if no session is open
	ahead    *ahead           // being listened to; nil if nothing is
	told     *ahead           // what the session was asked to answer last; nil if nothing spoken
	turn     *turn            // being answered; nil if none is
	played   *turn            // answered, and still being heard; nil if none is
	pace     float64          // of the voice, see aligner
	out      *audio.Resampler // of the turn under way; made for the first
	knows    knowledge        // what the session does
	resumes  resumption       // where a new one can go on
	account  *cost.Account    // of who asked last
	rejected error            // why there will be no session any more
	retry    time.Time        // no session is opened before
}

// turn is the answer a session is asked for.
type turn struct {
	*answer
	align   *aligner
	out     *audio.Resampler // nil if the voice has our rate
	asked   time.Time
	line    *question   // nil until the session is asked
	started bool        // its answer is being made
	token   bool        // something came
	stays   bool        // the model has called the tool to stay silent with
	quiet   *time.Timer // ends it, where nothing else does
	tasks   tasks       // delegations
	left    bool        // nobody takes anything of it any more
}

// received is what a session told.
type received struct {
	event provider.Event
	err   error
}

func newConversation(e *Engine, npc config.NPC) *conversation {
	return &conversation{
		engine: e, npc: npc, answers: make(chan *answer), orders: make(chan func(context.Context), maxOrders), pace: usualPace,
	}
}

// order has the conversation's goroutine do something, if there is room.
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
			gone = c.turn.gone
			if c.turn.quiet != nil {
				quiet = c.turn.quiet.C
			}
		} else {
			more = c.sendAhead(ctx)
		}
		if c.played != nil {
			over = c.played.req.Playback.Over
			if !c.played.left {
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
			c.hear(ctx, r)
		case <-gone:
			c.abandon(ctx)
		case <-over:
			c.settlePlayback(ctx)
		case <-left:
			if c.played.left = true; c.played.isWithheld() { // what is still to come of it is not meant
				c.settlePlayback(ctx)
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

// endIdle closes a session that nobody uses.
func (c *conversation) endIdle() {
	if c.turn == nil && c.played == nil {
		c.endSession("nobody has used it for a while")
	}
}

// send tells the session something. One that cannot be told has ended.
func (c *conversation) send(ctx context.Context, tell func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := tell(ctx); err != nil {
		c.loseSession(err)
		return false
	}
	return true
}

// begin has the session answer a turn.
func (c *conversation) begin(ctx context.Context, a *answer) {
	c.npc, c.account = a.req.NPC, cost.AccountOf(a.ctx)
	if c.turn != nil { // its player has gone on
		c.abandon(ctx)
	}
	c.settlePlayback(ctx)
	line, facts := lineOf(a.req.Messages)
	facts = c.engine.ruleOf(facts)
	typed := a.req.Spoken == nil || !a.req.Spoken.IsWhole() // what is not whole lacks its end
	if typed && !c.engine.able.Typed {
		a.finish(errTyped)
		return
	}
	if err := c.prepare(ctx, a); err != nil {
		a.finish(err)
		return
	}
	tn := &turn{answer: a, asked: time.Now(), align: &aligner{pace: c.pace, put: a.put, read: a.req.Playback.Heard == nil}}
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
	tn.asked = time.Now()
	c.live.mayDecline.Store(a.req.MayDecline)
	if c.send(ctx, func(ctx context.Context) error { return c.live.session.Respond(ctx, ask) }) {
		tn.line = &question{line: line, typed: a.req.Spoken == nil}
		c.knows.asked = tn.line
	}
}

var errTyped = errors.New("it takes no typed lines")

// prepare opens a session that knows what the turn needs it to know.
func (c *conversation) prepare(ctx context.Context, a *answer) error {
	opening, cancel := c.engine.boundOpening(a.ctx)
	defer cancel()
	c.dropUnkept(a.req.Messages, a.req.Background.Edits)
	if err := c.openSession(ctx, opening, a.req.Messages, a.req.Background.Edits, a.req.Tools); err != nil {
		return err
	}
	return c.live.bridge.BeginTurn(opening, c.offer(a.req.Tools), a.req.Rounds, func(ev engine.Event) { a.put(ev) })
}

// dropUnkept ends a session that was asked a typed line of which nothing was kept: it
// may have been taken back, or worded anew. Messages are the prompt of a new turn, and
// the one before has ended.
func (c *conversation) dropUnkept(messages []llm.Message, edits int) {
	if c.live == nil || c.knows.asked == nil || !c.knows.asked.typed {
		return
	}
	_, history := historyOf(messages)
	if _, answered, _ := c.knows.missing(history, edits); !answered {
		c.resumes = resumption{}
		c.endSession("a line it knows was not kept")
	}
}

// offer is what of the tools the session is given: a voice that delegates takes
// none.
func (c *conversation) offer(ts *mcphost.Toolset) *mcphost.Toolset {
	if c.engine.able.Duplex {
		return c.engine.host.Toolset(mcphost.ToolsetOptions{Tier: ts.Tier()})
	}
	return ts
}

// lineOf returns the player's line of a prompt, and what the NPC knows right now.
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

// historyOf returns what was said before a prompt's line, and who the NPC is.
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

// abandon ends an answer that nobody waits for any more.
func (c *conversation) abandon(ctx context.Context) {
	tn := c.turn
	c.leaveTurn()
	if tn.wasGivenUp() {
		tn.noteInstead()
	}
	tn.noteWithheld()
	c.interrupt(ctx, tn)
}

// noteInstead notes that another engine ends an answer, of which the session has to be
// told.
func (tn *turn) noteInstead() {
	if q := tn.line; q != nil {
		q.instead, q.began = true, tn.hasSaid()
	}
}

// noteWithheld notes, if that is so, that what the session has said of an answer is to
// count as never said: not every vendor forgets what was not heard.
func (tn *turn) noteWithheld() {
	if q := tn.line; q != nil && tn.isWithheld() {
		q.instead, q.began = true, true
	}
}

// isWithheld reports whether another engine goes on with an answer since it said what
// may not be said.
func (tn *turn) isWithheld() bool { return errors.Is(context.Cause(tn.ctx), engine.ErrWithheld) }

// interrupt has the session forget what was not heard of an answer.
func (c *conversation) interrupt(ctx context.Context, tn *turn) {
	if c.live == nil {
		return
	}
	for _, id := range tn.align.seen {
		if len(c.live.dropped) < maxDropped {
			c.live.dropped[id] = true
		}
	}
	heard := tn.told() // where nobody listens it is read
	if f := tn.req.Playback.Heard; f != nil {
		heard = f()
	}
	heard = min(heard, soundFor(tn.align.total))
	c.send(ctx, func(ctx context.Context) error { return c.live.session.Interrupt(ctx, heard) })
}

// settlePlayback takes in that an answer is not heard any further.
func (c *conversation) settlePlayback(ctx context.Context) {
	tn := c.played
	c.played = nil
	if tn == nil {
		return
	}
	tn.noteWithheld()
	if tn.req.Playback.Heard == nil {
		return
	}
	if tn.req.Playback.Heard()+heardSlack < soundFor(tn.align.total) {
		c.interrupt(ctx, tn)
	}
}

// leaveTurn leaves the turn that is being answered.
func (c *conversation) leaveTurn() {
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

// endTurn ends the turn that is being answered; err says why there is no more of its
// answer.
func (c *conversation) endTurn(err error) {
	tn := c.turn
	if tn == nil {
		return
	}
	c.leaveTurn()
	c.pace = tn.align.pace
	if err != nil {
		tn.noteInstead()
	}
	tn.finish(err)
	if errors.Is(err, provider.ErrRejected) {
		c.noteFailure(err)
		c.endSession("it is refused")
	}
	if err == nil && tn.req.Playback.Over != nil {
		c.played = tn
	}
}

func soundFor(samples int) time.Duration { return audio.Duration(samples, audio.SampleRate) }
