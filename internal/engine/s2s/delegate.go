package s2s

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/engine"
	provider "github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// tasks are the voice's delegations in a turn.
type tasks struct {
	ids       []string
	cancel    context.CancelFunc
	work      sync.WaitGroup
	open      chan struct{} // holds a token while a delegation runs; nil before the first
	textBytes atomic.Int64  // bytes of text that the voice was told to say
}

// stop cancels the running delegation and waits for it.
func (t *tasks) stop() {
	if t.cancel != nil {
		t.cancel()
	}
	t.work.Wait()
}

// busy reports whether a delegation is running.
func (t *tasks) busy() bool { return len(t.open) > 0 }

// delegate makes the fallback engine, which has the tools, answer the voice's question, and makes the
// voice say the answer. A delegation that is reported twice is answered once.
func (c *conversation) delegate(tn *turn, id string) {
	voice, ok := c.live.session.(provider.Delegator)
	if !ok || slices.Contains(tn.tasks.ids, id) {
		return
	}
	tn.tasks.ids = append(tn.tasks.ids, id)
	if tn.tasks.busy() {
		return // the voice repeats a request before it was answered
	}
	if tn.tasks.open == nil {
		tn.tasks.open = make(chan struct{}, 1)
	}
	tn.tasks.open <- struct{}{}
	// The turn's caller and account apply to the tools.
	ctx, cancel := context.WithCancel(tn.ctx)
	tn.tasks.cancel = cancel
	req := tn.req
	req.Spoken, req.Playback = nil, engine.Playback{}
	tn.beginTask()
	declined := false
	tn.tasks.work.Go(func() {
		defer cancel()
		defer func() {
			<-tn.tasks.open
			tn.endTask()
			select { // not order: dropping this function would leave the answer without an end
			case c.orders <- func(context.Context) {
				if declined {
					declineDelegated(c, tn)
				}
				c.watchQuiet(tn)
			}:
			case <-ctx.Done():
			}
		}()
		for ev, err := range c.engine.fallback.Answer(ctx, req) {
			if declined = errors.Is(err, engine.ErrDeclined); declined {
				sendSilence(ctx, func(ctx context.Context, text string, silent bool) error { return voice.Tell(ctx, id, text, silent) })
				return
			}
			if err != nil {
				c.engine.o.Logger.Warn("what a voice delegated was not answered", "npc", req.NPC.ID, "reason", err)
				return
			}
			switch ev := ev.(type) {
			case engine.Sentence:
				sending, cancel := context.WithTimeout(ctx, sendTime)
				err := voice.Tell(sending, id, ev.Text, false)
				cancel()
				if err != nil {
					return // Recv reports the end of the session
				}
				tn.tasks.textBytes.Add(int64(len(ev.Text)))
			case engine.FirstToken:
			default:
				tn.put(ev)
			}
		}
	})
}

// watchQuiet makes an answer end after a silence, if nothing else reports its end.
func (c *conversation) watchQuiet(tn *turn) {
	if c.engine.able.EndsTurns || c.turn != tn || tn.align.total == 0 || tn.tasks.busy() {
		return
	}
	after := duplexQuiet
	if 4*int64(tn.align.written) < 3*tn.tasks.textBytes.Load() {
		after = duplexPause
	}
	if tn.quiet == nil {
		tn.quiet = time.NewTimer(after)
		return
	}
	tn.quiet.Reset(after)
}

// finishQuiet ends an answer after a silence.
func (c *conversation) finishQuiet() {
	tn := c.turn
	if !tn.tasks.busy() && !tn.awaitsTools() {
		c.finishAnswer(nil)
	}
}
