package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxKept is how many lines are kept at once, each time within the farewell.
const maxKept = 256

// Keep keeps typed utterances that nobody will answer any more, before the table
// is closed. So that all is kept in order, it cancels the turns at work and ends
// what waits, as closing does. The utterances are durable when it returns nil.
// Each ends in one [TurnEnded]: cancelled in the queue.
func (t *Table) Keep(ctx context.Context, us ...Utterance) error {
	if len(us) == 0 {
		return nil
	}
	done := make(chan error, 1)
	err := t.order(ctx, func(run context.Context) error {
		now := time.Now()
		turns := make([]*turn, len(us))
		for i, u := range us {
			turns[i] = &turn{Utterance: u, since: now, began: now, agent: -1, route: RouteNone, also: -1}
			t.number(turns[i], false)
		}
		t.leaveOff(run, turns, done)
		return nil
	})
	if err != nil {
		return err
	}
	return await(ctx, done)
}

// await returns what done receives, or ctx's error.
func await(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leaveOff cancels what is at work and keeps what waits, then more. done, which
// has room, receives how that went.
func (t *Table) leaveOff(ctx context.Context, more []*turn, done chan<- error) {
	t.dropGuesses(ctx)
	for _, tn := range slices.Clone(t.nobodys) {
		t.forNobody(ctx, tn)
	}
	for _, a := range t.attempts {
		t.abandon(ctx, a, turnEnd{outcome: OutcomeCancelled})
	}
	waiting := t.waiting
	t.waiting = nil
	t.keepUnanswered(ctx, append(waiting, more...), done)
}

// whenOver returns what is closed when a turn has ended.
func (tn *turn) whenOver() <-chan struct{} {
	if tn.done == nil {
		tn.done = make(chan struct{})
	}
	return tn.done
}

// keepUnanswered keeps what players said in turns that will not begin, in the
// order given and after what is being kept already, and ends those. done, which
// has room, receives how that went.
func (t *Table) keepUnanswered(ctx context.Context, turns []*turn, done chan<- error) {
	var before []<-chan struct{}
	for _, tn := range t.open {
		before = append(before, tn.whenOver())
	}
	type batch struct {
		turns []*turn
		lines []memory.Line
	}
	var all []batch
	for some := range slices.Chunk(turns, maxKept) {
		b := batch{turns: some}
		for _, tn := range some {
			tn.end = turnEnd{outcome: OutcomeCancelled, stage: "queue"}
			t.move(tn, ending)
			t.open[tn.number] = tn
			if tn.Text != "" {
				b.lines = append(b.lines, t.line(tn))
			}
		}
		all = append(all, b)
	}
	t.work.Go(func() {
		for _, b := range before {
			<-b
		}
		var errs []error
		for _, b := range all {
			end := turnEnd{outcome: OutcomeCancelled, stage: "queue"}
			if err := t.keep(ctx, b.lines); err != nil {
				end = turnEnd{outcome: OutcomeFailed, stage: "commit"}
				errs = append(errs, err)
			}
			for _, tn := range b.turns {
				t.reports <- report{turn: tn, finding: committed{end}}
			}
		}
		done <- errors.Join(errs...)
	})
}
