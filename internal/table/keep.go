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

// Keep keeps typed utterances that nobody will answer any more, such as those
// that came too late. They are durable when it returns nil. Each ends in one
// [TurnEnded]: cancelled in the queue.
func (t *Table) Keep(ctx context.Context, us ...Utterance) error {
	done := make(chan error, 1)
	err := t.order(ctx, func(run context.Context) error {
		now := time.Now()
		turns := make([]*turn, len(us))
		for i, u := range us {
			turns[i] = &turn{Utterance: u, since: now, began: now, agent: -1, route: RouteNone, also: -1}
			t.number(turns[i], false)
		}
		t.keepUnanswered(run, turns, done)
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

// keepUnanswered keeps what players said in turns that will not begin, in the
// order given, and ends those. done, which has room, receives how that went.
func (t *Table) keepUnanswered(ctx context.Context, turns []*turn, done chan<- error) {
	type batch struct {
		turns []*turn
		lines []memory.Line
	}
	var all []batch
	for some := range slices.Chunk(turns, maxKept) {
		b := batch{turns: some}
		for _, tn := range some {
			tn.ending = &ending{outcome: OutcomeCancelled, stage: "queue"}
			t.open[tn.number] = tn
			if tn.Text != "" {
				b.lines = append(b.lines, t.line(tn))
			}
		}
		all = append(all, b)
	}
	t.work.Go(func() {
		var errs []error
		for _, b := range all {
			end := ending{outcome: OutcomeCancelled, stage: "queue"}
			if err := t.keep(ctx, b.lines); err != nil {
				end = ending{outcome: OutcomeFailed, stage: "commit"}
				errs = append(errs, err)
			}
			for _, tn := range b.turns {
				t.reports <- t.committed(tn, end)
			}
		}
		done <- errors.Join(errs...)
	})
}
