package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// close ends the running and waiting turns, and stores the lines of those that waited. came are reports that
// were received already.
func (t *Table) close(ctx context.Context, came ...report) {
	t.turns.closing = true
	kept := make(chan error, 1)
	t.cancelAll(nil, kept)
	t.applyEffects(ctx)
	for _, r := range came {
		t.handleReport(r)
	}
	for t.applyEffects(ctx); t.turns.working > 0 || len(t.turns.open) > 0 || t.transcript.erasing > 0; t.applyEffects(ctx) {
		t.handleReport(<-t.inbox.reports)
	}
	<-kept // the keeper has reported errors
	t.flushTranscript(ctx)
	t.leases.revokeAll()
	t.applyEffects(ctx)
}

// flushTranscript lets the keeper try a last time to write waiting lines, and receives reports meanwhile.
func (t *Table) flushTranscript(ctx context.Context) {
	for done := t.transcript.writer.close(); ; t.applyEffects(ctx) {
		select {
		case r := <-t.inbox.reports:
			t.handleReport(r)
		case <-done:
			return
		}
	}
}

// maxKept is how many lines are stored at once, each batch within storeTimeout.
const maxKept = 256

// StoreUnanswered stores typed utterances that no NPC will answer any more, before the table is closed. To store
// everything in order, it cancels the running turns and ends the waiting ones, as closing does. The
// utterances are durable when it returns nil. Each ends in one [TurnEnded] with the outcome cancelled and the
// stage "queue".
func (t *Table) StoreUnanswered(ctx context.Context, us ...Utterance) error {
	if len(us) == 0 {
		return nil
	}
	done := make(chan error, 1)
	err := t.order(ctx, func() error {
		now := time.Now()
		more := make([]*turn, len(us))
		for i, u := range us {
			more[i] = newTurn(lineTurn, t.conversation.introduce(u), now)
			more[i].words.knownAt, more[i].addressee.route = now, RouteNone
			t.announceUtterance(more[i])
		}
		t.cancelAll(more, done)
		return nil
	})
	if err != nil {
		return err
	}
	return awaitError(ctx, done)
}

// awaitError returns what done receives, or ctx's error.
func awaitError(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// cancelAll cancels the running turns, and stores the lines of the waiting ones and then those of more. done
// must have room; it receives the error of storing them.
func (t *Table) cancelAll(more []*turn, done chan<- error) {
	t.dropGuesses()
	for _, tn := range slices.Clone(t.turns.undecided) {
		t.endUndecided(tn)
	}
	for _, a := range t.turns.attempts {
		t.cutTurn(a.turn, turnEnd{outcome: OutcomeCancelled})
	}
	t.cancelQueued(slices.Concat(t.queue.removeAll(), t.cancelDoubts(), more), done)
}

// cancelQueued ends turns that will not begin, and stores their lines in the order given, after the lines
// that are being stored already. done must have room; it receives the error of storing them.
func (t *Table) cancelQueued(all []*turn, done chan<- error) {
	k := &storeWork{result: done}
	for _, tn := range t.turns.open {
		k.waitFor = append(k.waitFor, tn.whenEnded())
	}
	for some := range slices.Chunk(all, maxKept) {
		b := batch{turns: some}
		for _, tn := range some {
			tn.end = turnEnd{outcome: OutcomeCancelled, stage: "queue"}
			t.turns.moveTo(tn, ending)
			t.turns.open[tn.number] = tn
			if tn.Text != "" && tn.kind != repeatTurn {
				b.lines = append(b.lines, t.transcript.playersLine(tn, t.presentAt(tn)))
			}
		}
		k.batches = append(k.batches, b)
	}
	t.effects.add(k)
}

// storeWork stores the lines of turns that no NPC answers. Its fields do not change.
type storeWork struct {
	waitFor []<-chan struct{} // to wait for
	batches []batch
	result  chan<- error
}

type batch struct {
	turns []*turn // used only in reports
	lines []memory.Line
}

func (k *storeWork) run(ctx context.Context, t *Table) {
	for _, b := range k.waitFor {
		<-b
	}
	var errs []error
	for _, b := range k.batches {
		end := turnEnd{outcome: OutcomeCancelled, stage: "queue"}
		if err := t.transcript.writer.store(ctx, b.lines); err != nil {
			end = turnEnd{outcome: OutcomeFailed, stage: "commit"}
			errs = append(errs, err)
		}
		for _, tn := range b.turns {
			t.inbox.reports <- report{turn: tn, finding: committed{end}}
		}
	}
	k.result <- errors.Join(errs...)
}
