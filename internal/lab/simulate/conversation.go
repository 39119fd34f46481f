package simulate

import (
	"context"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
)

const (
	// How players behave, as shares of their lines or of the NPCs' answers.
	pausing     = 0.2  // lines with a pause inside
	sameNPC     = 0.3  // lines to the NPC that spoke last
	bargingIn   = 0.15 // answers that are interrupted
	coughing    = 0.15 // answers somebody coughs into
	staggeredBy = 4 * time.Second

	// patience is how long players wait for an answer before they go on, and
	// listening how long for its end.
	patience  = 12 * time.Second
	listening = time.Minute
)

// conversation is the talk of one table: players speak in turn to one of the
// NPCs, hear the answer out or interrupt it, and think before they go on. One
// goroutine runs it.
type conversation struct {
	dice    *dice
	watch   *watch
	players []*player
	npcs    []string
	spoke   int // the NPC that was spoken to last
	ended   int // turns that had ended when its answer was awaited
}

// converse talks until ctx ends.
func (c *conversation) converse(ctx context.Context) {
	if rig.Pause(ctx, c.dice.between(0, staggeredBy)) != nil {
		return
	}
	interrupts := false
	for ctx.Err() == nil {
		if c.sayLine(ctx, interrupts) != nil {
			return
		}
		if interrupts = c.listen(ctx, interrupts); interrupts {
			continue
		}
		if rig.Pause(ctx, c.dice.between(400*time.Millisecond, 2*time.Second)) != nil {
			return
		}
	}
}

// sayLine lets somebody say a line to an NPC and returns when it has been said. Who interrupts
// speaks to the NPC that speaks, because what is said to another lets it go on.
func (c *conversation) sayLine(ctx context.Context, interrupts bool) error {
	if len(c.npcs) > 1 && !interrupts && !c.dice.chance(sameNPC) {
		c.spoke = (c.spoke + 1 + c.dice.one(len(c.npcs)-1)) % len(c.npcs)
	}
	u := utterance{text: c.dice.drawLine(c.npcs[c.spoke])}
	if c.dice.chance(pausing) {
		u.pause = c.dice.between(200*time.Millisecond, 600*time.Millisecond)
	}
	return c.anyone().sayUtterance(ctx, u)
}

func (c *conversation) anyone() *player { return c.players[c.dice.one(len(c.players))] }

// listen waits for the answer to a line that has just been said. It reports
// whether the NPC is to be interrupted now.
func (c *conversation) listen(ctx context.Context, interrupts bool) (interrupt bool) {
	ended, _ := c.watch.state()
	if interrupts { // the turn ends as well that is interrupted, as soon as the words are known
		ended = max(ended, c.ended+1)
	}
	c.ended = ended
	audible := func(now int, audible bool) bool { return audible || now > ended }
	over := func(now int, _ bool) bool { return now > ended }
	if !c.await(ctx, patience, audible) {
		return false
	}
	if now, _ := c.watch.state(); now > ended {
		return false
	}
	switch {
	case c.dice.chance(bargingIn):
		return !c.await(ctx, c.dice.between(400*time.Millisecond, 2*time.Second), over) && ctx.Err() == nil
	case c.dice.chance(coughing):
		if !c.await(ctx, c.dice.between(300*time.Millisecond, 1500*time.Millisecond), over) && ctx.Err() == nil {
			_ = c.anyone().sayUtterance(ctx, utterance{}) // its only error is ctx's, which the caller sees
		}
	}
	c.await(ctx, listening, over)
	return false
}

// await waits until what has become of the table fits, at most so long, and
// reports whether it does.
func (c *conversation) await(ctx context.Context, most time.Duration, fits func(ended int, audible bool) bool) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for {
		if fits(c.watch.state()) {
			return true
		}
		select {
		case <-c.watch.changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
