package scenario

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// progress is the state of a step.
type progress int

const (
	awaiting progress = iota // its trigger may never happen
	acting                   // its time is set, or it is running
	over
)

// director runs the steps of a story. Every step has a goroutine, which ends
// with its context; the owner of the director waits for steps.
type director struct {
	*performance
	steps sync.WaitGroup
	done  []chan struct{} // closed when a step has ended

	mu       sync.Mutex // guards progress
	progress []progress
}

// directStory starts the story.
func directStory(ctx context.Context, p *performance) *director {
	n := len(p.scene.Story)
	d := &director{performance: p, done: make([]chan struct{}, n), progress: make([]progress, n)}
	for i := range d.done {
		d.done[i] = make(chan struct{})
	}
	for i, step := range p.scene.Story {
		if step.After == "" && (step.At > 0 || i == 0) {
			d.progress[i] = acting
		}
		d.steps.Go(func() { d.tellStep(ctx, i, step) })
	}
	return d
}

func (d *director) setProgress(i int, p progress) {
	d.mu.Lock()
	d.progress[i] = p
	d.mu.Unlock()
}

// tellStep waits for a step's time and performs it.
func (d *director) tellStep(ctx context.Context, i int, step Step) {
	wait, ok := d.await(ctx, i, step)
	if !ok {
		return
	}
	d.setProgress(i, acting)
	if rig.Pause(ctx, wait+time.Duration(step.Wait)) != nil {
		return
	}
	if err := d.performStep(ctx, i, step); err != nil && ctx.Err() == nil {
		d.stage.rec.noteNow(kindRefused, "text", err.Error())
	}
	if ctx.Err() != nil {
		return
	}
	d.setProgress(i, over)
	close(d.done[i])
}

// await waits for a step's trigger, and returns the remaining wait.
func (d *director) await(ctx context.Context, i int, step Step) (time.Duration, bool) {
	switch {
	case step.After != "":
		at, ok := d.happened(ctx, step.After)
		return at - time.Since(d.stage.rec.start), ok
	case step.At > 0 || i == 0:
		return time.Duration(step.At) - time.Since(d.stage.rec.start), true
	}
	select {
	case <-d.done[i-1]:
		return 0, true
	case <-ctx.Done():
		return 0, false
	}
}

// happened waits for a pattern's event, and returns the pattern's time.
func (d *director) happened(ctx context.Context, text string) (time.Duration, bool) {
	p, err := parsePattern(text)
	if err != nil {
		return 0, false // the loader rejects this
	}
	seen, hits := 0, 0
	for {
		entries, grown := d.stage.rec.entriesSince(seen)
		for _, e := range entries {
			if !p.fits(e) {
				continue
			}
			if hits++; hits >= p.nth {
				return e.At + p.shift, true
			}
		}
		seen += len(entries)
		select {
		case <-grown:
		case <-ctx.Done():
			return 0, false
		}
	}
}

// performStep performs a step and returns when it has ended.
func (d *director) performStep(ctx context.Context, i int, step Step) error {
	t := d.stage.table
	switch {
	case step.Says != "" || step.Makes != "":
		select {
		case <-d.stage.microphones[step.Who].queueSound(d.lines[i]):
		case <-ctx.Done():
		}
		return nil
	case step.Types != "":
		return t.Hear(ctx, table.Utterance{Speaker: step.Who, Text: step.Types, User: step.Who, Ref: step.Ref, Leads: strings.EqualFold(step.Who, d.stage.scene.Table.Leads)})
	case step.Edits != nil:
		return t.Reword(ctx, step.Edits.Ref, step.Edits.Text)
	case step.Deletes != "":
		return t.Retract(ctx, step.Deletes)
	case step.Joins:
		return d.stage.seatPlayer(ctx, step.Who)
	case step.Leaves:
		return d.stage.removePlayer(step.Who)
	}
	return d.order(ctx, step)
}

// order gives an order of the dungeon master.
func (d *director) order(ctx context.Context, step Step) error {
	t := d.stage.table
	d.stage.rec.noteNow(kindOrder, "what", step.actions()[0], "npc", step.npc())
	var err error
	switch {
	case step.Mute != "":
		_, err = t.Mute(ctx, step.Mute, true)
	case step.Unmute != "":
		_, err = t.Mute(ctx, step.Unmute, false)
	case step.Say != nil:
		err = t.Say(ctx, step.Say.NPC, step.Say.Text)
	case step.Direct != nil:
		_, err = t.Direct(ctx, step.Direct.NPC, step.Direct.Text, max(1, step.Direct.Turns))
	case step.Raise != nil:
		var to mcp.BudgetTier
		if to, err = mcp.ParseTier(step.Raise.Tier); err == nil {
			_, err = t.Raise(ctx, step.Raise.NPC, to, time.Duration(step.Raise.Lasts), step.Raise.Turns)
		}
	case step.Lower != nil:
		var to mcp.BudgetTier
		if to, err = mcp.ParseTier(step.Lower.Tier); err == nil {
			_, err = t.Lower(ctx, step.Lower.NPC, to)
		}
	case step.Reveal != nil:
		which := "all"
		if n := step.Reveal.Secret; n > 0 {
			which = strconv.Itoa(n)
		}
		_, err = t.Reveal(ctx, step.Reveal.NPC, which)
	case step.Conceal != "":
		_, err = t.Conceal(ctx, step.Conceal)
	case step.Unsay != nil:
		_, err = t.RetractAnswer(ctx, table.RetractionRequest{NPC: step.Unsay.NPC, Leads: true, Again: step.Unsay.Again})
	case step.Listening != "":
		var how address.Listening
		if how, err = address.ParseListening(step.Listening); err == nil {
			_, err = t.Listen(ctx, how)
		}
	case len(step.Recast) > 0:
		_, err = t.Recast(ctx, agents(d.scene, config.Default().Memory.History, step.Recast...))
	}
	return err
}

// npc returns the NPC of an order.
func (st Step) npc() string {
	switch {
	case st.Say != nil:
		return st.Say.NPC
	case st.Direct != nil:
		return st.Direct.NPC
	case st.Raise != nil:
		return st.Raise.NPC
	case st.Lower != nil:
		return st.Lower.NPC
	case st.Reveal != nil:
		return st.Reveal.NPC
	case st.Unsay != nil:
		return st.Unsay.NPC
	}
	return st.Mute + st.Unmute + st.Conceal + strings.Join(st.Recast, ", ")
}

// awaitEnd returns when the story has ended and all is quiet. It reports false
// if that does not happen, or ctx ends.
func (d *director) awaitEnd(ctx context.Context) bool {
	quiet, limit := virtualQuiet, longest
	if d.options.Speech != nil {
		quiet, limit = realQuiet, longestReal
	}
	lasts := time.Duration(d.scene.Lasts)
	for seen := 0; !d.interrupted(); {
		all, grown := d.stage.rec.entriesSince(0)
		now := time.Since(d.stage.rec.start)
		wait := quiet
		if d.told() && d.calm(all) && len(all) == seen && now >= lasts {
			return true
		}
		if now >= lasts+limit {
			return d.calm(all)
		}
		seen = len(all)
		if now < lasts {
			wait = max(quiet, lasts-now)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-grown:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
	return false
}

// told reports whether no step is running or certain to run.
func (d *director) told() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, p := range d.progress {
		if p == acting {
			return false
		}
		story := d.scene.Story
		if p == awaiting && i > 0 && story[i].After == "" && d.progress[i-1] == over {
			return false
		}
	}
	return true
}

// calm reports whether every turn has ended.
func (d *director) calm(entries []Entry) bool { return len(openTurns(entries)) == 0 }

// openTurns returns the numbers of the turns that have not ended.
func openTurns(entries []Entry) map[string]bool {
	open := map[string]bool{}
	for _, e := range entries {
		switch e.Kind {
		case table.KindUtterance, table.KindTurnStarted:
			open[e.Fields["turn"]] = true
		}
	}
	for _, e := range entries {
		if e.Kind == table.KindTurnEnded {
			delete(open, e.Fields["turn"])
		}
	}
	return open
}

// missed lists the steps that did not run.
func (p *performance) missed() []string {
	var out []string
	for i, s := range p.steps {
		if s == over {
			continue
		}
		step := p.scene.Story[i]
		why := "the scene ended before"
		if s == awaiting && step.After != "" {
			why = "there was no " + step.After
		}
		out = append(out, fmt.Sprintf("step %d (%s): %s", i+1, step.actions()[0], why))
	}
	return out
}
