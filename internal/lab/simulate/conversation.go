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
	bargingIn   = 0.15 // answers that players interrupt
	coughing    = 0.15 // answers with a cough over them
	staggeredBy = 4 * time.Second

	// patience bounds the wait for an answer, and listening the wait for its
	// end.
	patience  = 12 * time.Second
	listening = time.Minute
)

// conversation is the talk of one table: players speak in turn to one of the
// NPCs, listen to the answer or interrupt it, and pause to think. One goroutine
// runs it.
type conversation struct {
	dice    *dice
	watch   *watch
	players []*player
	npcs    []string
	spoke   int // the NPC addressed last
	ended   int // turns that had ended when the wait for its answer began
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

// sayLine lets a player say a line to an NPC and returns at its end. A player
// who interrupts addresses the speaking NPC, because a line to another does not
// stop it.
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

// listen waits for the answer to the latest line. It reports whether to
// interrupt the NPC now.
func (c *conversation) listen(ctx context.Context, interrupts bool) (interrupt bool) {
	ended, _ := c.watch.state()
	if interrupts { // an interrupted turn also ends, when the words are known
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
			_ = c.anyone().sayUtterance(ctx, utterance{}) // its only error is ctx's, which the caller checks
		}
	}
	c.await(ctx, listening, over)
	return false
}

// await waits, within a bound, until the table's state matches, and reports
// whether it does.
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
