package s2s

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// handleEvent handles an event of the session.
func (c *conversation) handleEvent(ctx context.Context, r received) {
	if r.err != nil {
		c.handleSessionLoss(r.err)
		return
	}
	switch ev := r.event.(type) {
	case provider.GoingAway:
		c.live.leaving = true
	case provider.Resumable:
		c.recordResumption(ev.Handle)
	case provider.Usage:
		c.charge(ev)
	case provider.Failed:
		c.fail(ctx, ev)
	default:
		if c.turn != nil {
			c.handleAnswerEvent(ctx, c.turn, r.event)
		}
	}
}

// handleAnswerEvent handles a part of the answer.
func (c *conversation) handleAnswerEvent(ctx context.Context, tn *turn, ev provider.Event) {
	if _, begins := ev.(provider.ResponseStarted); begins {
		tn.started = true
		tn.put(engine.Answering{})
	}
	if !tn.started || c.live.dropped[itemOf(ev)] {
		return // it belongs to an earlier answer that was interrupted
	}
	switch ev := ev.(type) {
	case provider.Audio:
		tn.reportFirstToken()
		if !c.handleSound(ctx, tn, ev) {
			return
		}
	case provider.OutputTranscript:
		tn.reportFirstToken()
		tn.align.addWords(ev.Item, ev.Text)
		if tn.declaresSilence() {
			declineTurn(ctx, c)
			return
		}
	case provider.ItemDone:
		tn.align.finishItem(ev.Item)
	case provider.ToolCalled:
		tn.reportFirstToken()
		if ev.Call.Name == staySilent && tn.req.MayDecline {
			tn.recordDeclined()
			tn.staysSilent = true
		}
	case provider.ToolCancelled:
		c.live.bridge.CancelCalls(ev.IDs...)
	case provider.Delegated:
		c.delegate(tn, ev.ID)
	case provider.Interrupted:
		c.endInterrupted()
		return
	case provider.GenerationDone:
		c.endGeneration(ev)
		if tn.declines() && tn.align.total > 0 {
			c.interrupt(ctx, tn) // it said in words that it stays silent, and none of that was heard
		}
		return
	}
	c.watchQuiet(tn)
}

// cutOff ends an answer that is too long. The part that came is heard.
func (c *conversation) cutOff(ctx context.Context) {
	tn := c.turn
	c.detachTurn()
	tn.finish(engine.ErrTooLong)
	if c.send(ctx, func(ctx context.Context) error { return c.live.session.Interrupt(ctx, soundFor(tn.align.total)) }) && tn.req.Playback.Ended != nil {
		c.played = tn
	}
}

// itemOf returns the id of the part of an answer that an event is about.
func itemOf(ev provider.Event) string {
	switch ev := ev.(type) {
	case provider.Audio:
		return ev.Item
	case provider.OutputTranscript:
		return ev.Item
	case provider.ItemDone:
		return ev.Item
	}
	return ""
}

// errInterrupted ends an answer that the vendor has ended because someone spoke.
var errInterrupted = errors.New("a player interrupted the service by speaking")

// endInterrupted handles that the vendor has ended its answer because someone spoke.
func (c *conversation) endInterrupted() {
	tn := c.turn
	if tn.align.total == 0 {
		c.finishAnswer(nil) // nothing was said yet, so another engine answers
		return
	}
	c.detachTurn()
	tn.endDoubt()
	tn.finish(errInterrupted)
}

// handleSound handles sound piece by piece, so that the first frame is heard while the others are still being
// converted. It returns false if the answer has become too long.
func (c *conversation) handleSound(ctx context.Context, tn *turn, ev provider.Audio) bool {
	for samples := range slices.Chunk(ev.Samples, max(1, c.engine.able.OutputRate/piecesPerSecond)) {
		if tn.out != nil {
			samples = tn.out.Process(make([]int16, 0, 2*audio.FrameSamples), samples)
		} else {
			samples = slices.Clone(samples)
		}
		tn.align.addSound(ev.Item, samples)
		if tn.align.full {
			c.cutOff(ctx)
			return false
		}
		runtime.Gosched() // let the receiver of this piece run before the rest is converted
	}
	return true
}

// reportFirstToken reports that the model has begun to answer.
func (tn *turn) reportFirstToken() {
	if !tn.token {
		tn.token = true
		tn.put(engine.FirstToken{After: time.Since(tn.requestedAt)})
	}
}

// endGeneration handles that the model has finished, or waits for its tools.
func (c *conversation) endGeneration(ev provider.GenerationDone) {
	switch {
	case ev.Calls > 0 && ev.Status == "completed" && c.turn.staysSilent:
		c.finishAnswer(nil)
	case ev.Calls > 0 && ev.Status == "completed":
		c.live.bridge.EndGeneration()
	case ev.Err != nil:
		c.finishAnswer(ev.Err)
	default:
		if ev.Status == "completed" && c.turn.align.total == 0 {
			c.turn.recordDeclined()
		}
		c.finishAnswer(nil)
	}
}

// finishAnswer ends the answer: complete, or with the reason why it is not.
func (c *conversation) finishAnswer(err error) {
	tn := c.turn
	if tn.out != nil {
		if rest := tn.out.Flush(nil); len(rest) > 0 && len(tn.align.items) > 0 {
			tn.align.addSound(tn.align.items[0].id, rest)
		}
	}
	if err == nil {
		tn.align.finish()
		tn.endDoubt()
	}
	switch {
	case err == nil && tn.declines():
		err = engine.ErrDeclined
	case err == nil && !tn.hasOutput():
		err = engine.ErrNothingSaid
	}
	c.endTurn(err)
}

// fail handles an error that the session survives. If a retry cannot help, it ends the answer.
func (c *conversation) fail(ctx context.Context, ev provider.Failed) {
	c.engine.o.Logger.Warn("a session reports an error", "npc", c.npc.ID, "provider", c.engine.provider.Name(), "reason", ev.Err)
	tn := c.turn
	hopeless := errors.Is(ev.Err, provider.ErrRejected) || errors.Is(ev.Err, provider.ErrRateLimited)
	if tn == nil || ev.Call != "" || !hopeless {
		return
	}
	if c.finishAnswer(fmt.Errorf("it reports: %w", ev.Err)); c.live != nil {
		c.interrupt(ctx, tn) // its answer may still be on its way
	}
}

// charge charges the session's usage to the account of the last request. Usage is reported when an answer is
// complete, which may be after its turn.
func (c *conversation) charge(used provider.Usage) {
	c.account.Charge(c.engine.provider.Name(), cost.MeteredSpeech(used))
}
