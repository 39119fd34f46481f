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
	return t.edit(ctx, edit{of: func(s agent.Source) bool { return s.Ref == ref }, text: text}, func(ctx context.Context) error {
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

// changeWaiting makes the edit in a line that waits to be kept, and reports whether it stays.
func (e edit) changeWaiting(l *memory.Line) bool {
	if l.NPC != "" || !e.of(sourceOf(*l)) {
		return true
	}
	l.Text = e.text
	return e.text != ""
}

// changes reports whether a turn is not yet as the edit wants it.
func (e edit) changes(tn *turn) bool {
	return e.of(tn.source()) && !tn.kept.lineTakenBack && (e.text == "" || e.text != tn.Text)
}

// edit changes what was said: in memory and in the open turns at once, then in the log, by calling
// log. That waits for the lines that are being kept right now, and for the edit before.
func (t *Table) edit(ctx context.Context, e edit, log func(ctx context.Context) error) error {
	done := make(chan error, 1)
	err := t.order(ctx, func() error {
		for _, tn := range t.turns.open {
			if a := tn.attempt; a != nil { // what its tools tell is not for the next turn
				a.basis.forget()
			}
		}
		t.cast.editHistories(e)
		t.transcript.editRecent(e)
		t.past.said.edit(e)
		t.dropGuesses()
		t.past.bases = nil // they may have it in them
		w := &logEdit{before: t.editAll(e), waiting: e.changeWaiting, log: log, done: done}
		t.startEdit(w)
		return nil
	})
	if err != nil {
		return err
	}
	return awaitError(ctx, done)
}

// logEdit is the work of changing the log.
type logEdit struct {
	before []<-chan struct{} // to wait for
	// waiting changes a line that waits to be kept, and reports whether the line stays;
	// log changes the log.
	waiting func(l *memory.Line) bool
	log     func(ctx context.Context) error
	erases  *erased       // reported to the table at the end; nil: nothing is
	over    chan struct{} // closed at the end
	done    chan<- error
}

// startEdit starts an edit of the log, after the edit before.
func (t *Table) startEdit(w *logEdit) {
	if t.transcript.lastEdit != nil {
		w.before = append(w.before, t.transcript.lastEdit)
	}
	w.over = make(chan struct{})
	t.transcript.lastEdit = w.over
	t.effects.add(w)
}

func (w *logEdit) run(ctx context.Context, t *Table) {
	defer close(w.over)
	for _, b := range w.before {
		<-b
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	err := t.transcript.keeper.change(ctx, w.waiting)
	if err == nil {
		err = w.log(ctx)
	}
	if e := w.erases; e != nil {
		e.err = err
		t.inbox.reports <- report{finding: e}
	}
	w.done <- err
}

// editAll changes the turns that have not ended. It returns a channel for each whose line is being
// kept as it was, which is closed when that turn has ended.
func (t *Table) editAll(e edit) (kept []<-chan struct{}) {
	for _, tn := range slices.Clone(t.queue.waiting) {
		if e.changes(tn) {
			t.editQueued(tn, e.text)
		}
	}
	for _, tn := range slices.Clone(t.turns.doubted) {
		if e.changes(tn) {
			t.editDoubted(tn, e.text)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(t.turns.open)) {
		tn := t.turns.open[number]
		if tn == nil || !e.changes(tn) { // nil: it waits for another NPC by now
			continue
		}
		if tn.phase == ending {
			kept = append(kept, tn.whenOver())
		}
		t.editBegun(tn, e.text)
	}
	return kept
}

// editQueued changes a turn that waits for its NPC.
func (t *Table) editQueued(tn *turn, text string) {
	if text == "" {
		t.queue.remove(tn)
		tn.kept.lineTakenBack = true
		t.endTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		return
	}
	t.rewordTurn(tn, text)
	d := t.conversation.decideAddressee(tn.number, tn.Utterance)
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.to.index {
		t.assignDecision(tn, d)
		return
	}
	t.queue.remove(tn)
	t.turns.moveTo(tn, arrived)
	t.routeTurn(tn, d)
}

// editDoubted changes a turn about which the judge is asked.
func (t *Table) editDoubted(tn *turn, text string) {
	t.undoDoubt(tn)
	if text == "" {
		t.conversation.withdraw(tn.to.renewal)
		tn.to, tn.kept.lineTakenBack = nobody, true
		t.endTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		return
	}
	t.rewordTurn(tn, text)
	tn.words.known = time.Now()
	t.routeTurn(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
}

// editBegun changes a turn that has begun.
func (t *Table) editBegun(tn *turn, text string) {
	switch {
	case text == "":
		tn.kept.lineTakenBack = true
		if tn.silent() {
			t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
		}
	case !tn.silent() || tn.leader != nil:
		tn.Text = text
	default:
		t.rewordTurn(tn, text)
		t.rerouteTurn(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
	}
}

// rerouteTurn begins a turn anew, with the same NPC or another.
func (t *Table) rerouteTurn(tn *turn, d address.Decision) {
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.to.index {
		t.assignDecision(tn, d)
		t.answerAnew(tn)
		return
	}
	t.undoAnswer(tn)
	t.queue.releaseNPC(tn)
	delete(t.turns.open, tn.number)
	t.routeTurn(tn, d)
	t.beginQueued()
}
