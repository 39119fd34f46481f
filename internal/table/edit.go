package table

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Retract takes back what was written in a message, which is ref. A turn of
// which nothing was heard yet is cancelled, and its line not kept; of any other
// the answer stands. The line is deleted from the log, and no NPC is given it
// any more. An unknown ref changes nothing.
func (t *Table) Retract(ctx context.Context, ref string) error {
	if ref == "" {
		return nil
	}
	return t.edit(ctx, edit{of: func(s agent.Source) bool { return s.Ref == ref }}, func(ctx context.Context) error {
		_, err := t.o.Log.Retract(ctx, t.o.Session.ID, ref)
		return err
	})
}

// Reword gives what was written in a message, which is ref, another text. A turn
// of which nothing was heard yet is for whom the new text is for, and is
// answered anew; of any other the answer stands. The line is changed in the log,
// and in what NPCs are given. No text takes it back. An unknown ref or the text
// that is there already changes nothing.
func (t *Table) Reword(ctx context.Context, ref, text string) error {
	text = untrusted.Clean(text, maxText)
	if ref == "" || strings.TrimSpace(text) == "" {
		return t.Retract(ctx, ref)
	}
	return t.edit(ctx, edit{func(s agent.Source) bool { return s.Ref == ref }, text}, func(ctx context.Context) error {
		_, err := t.o.Log.Reword(ctx, t.o.Session.ID, ref, text)
		return err
	})
}

// Forget has the NPCs forget what a user said. Turns go as with [Table.Retract].
// What is in the log is the caller's to delete: once Forget has returned, no
// line from before is added to it.
func (t *Table) Forget(ctx context.Context, user string) error {
	if user == "" {
		return nil
	}
	return t.edit(ctx, edit{of: func(s agent.Source) bool { return s.User == user }}, func(context.Context) error { return nil })
}

// edit is a change of what was said.
type edit struct {
	of   func(agent.Source) bool
	text string // in place of what was said; empty takes it back
}

// changes reports whether a turn is not yet as the edit wants it.
func (e edit) changes(tn *turn) bool {
	return e.of(tn.source()) && !tn.takenBack && (e.text == "" || e.text != tn.Text)
}

// edit changes what was said: in mind and in the turns under way at once, then
// in the log, by what log does there. That waits for the lines that are being
// kept right now, and for the edit before.
func (t *Table) edit(ctx context.Context, e edit, log func(ctx context.Context) error) error {
	done := make(chan error, 1)
	err := t.order(ctx, func(run context.Context) error {
		t.reconsider(e)
		t.dropGuesses(run)
		before := t.editTurns(run, e)
		if t.edited != nil {
			before = append(before, t.edited)
		}
		over := make(chan struct{})
		t.edited = over
		t.work.Go(func() {
			defer close(over)
			for _, b := range before {
				<-b
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(run), farewell)
			defer cancel()
			done <- log(ctx)
		})
		return nil
	})
	if err != nil {
		return err
	}
	return await(ctx, done)
}

// reconsider changes what the NPCs have in mind. Those at work keep what they
// were given; what their tools tell is not for the next turn.
func (t *Table) reconsider(e edit) {
	for _, tn := range t.open {
		if a := tn.attempt; a != nil {
			a.found, a.stale = nil, true
		}
	}
	for _, a := range t.agents {
		if e.text == "" {
			a.TakeBack(e.of)
		} else {
			a.Reword(e.of, e.text)
		}
	}
	recent := make([]memory.Line, 0, len(t.recent))
	for _, l := range t.recent {
		if l.NPC == "" && e.of(agent.Source{User: l.User, Ref: l.Ref}) {
			if e.text == "" {
				continue
			}
			l.Text = e.text
		}
		recent = append(recent, l)
	}
	t.recent = recent
}

// editTurns changes the turns that have not ended. It returns what is closed
// once those of them have ended whose lines are being kept as they were.
func (t *Table) editTurns(ctx context.Context, e edit) (kept []<-chan struct{}) {
	for _, tn := range slices.Clone(t.waiting) {
		if e.changes(tn) {
			t.editWaiting(ctx, tn, e.text)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(t.open)) {
		tn := t.open[number]
		if tn == nil || !e.changes(tn) { // nil: it waits for another NPC by now
			continue
		}
		if tn.phase == ending {
			kept = append(kept, tn.whenOver())
		}
		t.editTurn(ctx, tn, e.text)
	}
	return kept
}

// editWaiting changes a turn that waits for its NPC.
func (t *Table) editWaiting(ctx context.Context, tn *turn, text string) {
	if text == "" {
		t.unqueue(tn)
		tn.takenBack = true
		t.ended(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		return
	}
	t.reword(tn, text)
	d := t.hearing.decide(tn.Utterance)
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.agent {
		t.aim(tn, d)
		return
	}
	t.unqueue(tn)
	t.move(tn, arrived)
	t.route(ctx, tn, d)
}

// unqueue takes a turn from those that wait.
func (t *Table) unqueue(tn *turn) {
	t.waiting = slices.DeleteFunc(t.waiting, func(o *turn) bool { return o == tn })
}

// editTurn changes a turn that has begun.
func (t *Table) editTurn(ctx context.Context, tn *turn, text string) {
	a := tn.attempt
	silent := tn.phase.answering() && !tn.audible && len(tn.texts) == 0
	switch {
	case text == "":
		tn.takenBack = true
		if silent {
			t.abandon(ctx, a, turnEnd{outcome: OutcomeCancelled})
		}
	case !silent || tn.leader != nil:
		tn.Text = text
	default:
		t.reword(tn, text)
		t.answerAnew(ctx, tn, t.hearing.decide(tn.Utterance))
	}
}

// reword gives a turn another text, from now on.
func (t *Table) reword(tn *turn, text string) {
	tn.Text, tn.since = text, time.Now()
	t.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: text, Continued: true})
}

// answerAnew begins a turn anew, be it by another NPC.
func (t *Table) answerAnew(ctx context.Context, tn *turn, d address.Decision) {
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.agent {
		t.aim(tn, d)
		t.restart(ctx, tn)
		return
	}
	t.undo(ctx, tn)
	delete(t.busy, tn.agent)
	delete(t.open, tn.number)
	t.route(ctx, tn, d)
	t.freed(ctx)
}
