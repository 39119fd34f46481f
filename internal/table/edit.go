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

// Retract takes back the message ref. A turn whose answer has not been heard is cancelled, and its line is
// not stored; any other answer stands. The line is deleted from the log, and no NPC is given it from now on.
// An unknown ref changes nothing.
func (t *Table) Retract(ctx context.Context, ref string) error {
	if ref == "" {
		return nil
	}
	return t.edit(ctx, edit{matches: func(s agent.Source) bool { return s.Ref == ref }}, func(ctx context.Context) error {
		_, err := t.o.Log.Retract(ctx, t.o.Session.ID, ref)
		return err
	})
}

// Reword replaces the text of the message ref. A turn whose answer has not been heard goes to whom the new
// text is for, and is answered again; any other answer stands. The line is changed in the log, and in the
// NPCs' prompts. An empty text is the same as [Table.Retract]. An unknown ref or an unchanged text changes
// nothing.
func (t *Table) Reword(ctx context.Context, ref, text string) error {
	text = untrusted.Clean(text, maxText)
	if ref == "" || strings.TrimSpace(text) == "" {
		return t.Retract(ctx, ref)
	}
	return t.edit(ctx, edit{matches: func(s agent.Source) bool { return s.Ref == ref }, text: text}, func(ctx context.Context) error {
		_, err := t.o.Log.Reword(ctx, t.o.Session.ID, ref, text)
		return err
	})
}

// Forget makes the NPCs forget a user's lines. It changes turns as [Table.Retract] does. The caller deletes
// the user's lines from the log: once Forget has returned, no earlier line is added to it.
func (t *Table) Forget(ctx context.Context, user string) error {
	if user == "" {
		return nil
	}
	return t.edit(ctx, edit{matches: func(s agent.Source) bool { return s.User == user }}, func(context.Context) error { return nil })
}

// edit is a change of stored lines.
type edit struct {
	matches func(agent.Source) bool
	text    string // the new text; empty takes the line back
}

// applyToPending applies the edit to a line that waits to be stored, and reports whether the line stays.
func (e edit) applyToPending(l *memory.Line) bool {
	if l.NPC != "" || !e.matches(sourceOf(*l)) {
		return true
	}
	l.Text = e.text
	return e.text != ""
}

// affects reports whether the edit would change a turn.
func (e edit) affects(tn *turn) bool {
	return e.matches(tn.source()) && !tn.retention.lineRetracted && (e.text == "" || e.text != tn.Text)
}

// edit changes lines: in memory and in the open turns at once, then in the log, by calling log. It waits
// for lines that are being stored, and for the previous edit.
func (t *Table) edit(ctx context.Context, e edit, log func(ctx context.Context) error) error {
	done := make(chan error, 1)
	err := t.order(ctx, func() error {
		for _, tn := range t.turns.open {
			if a := tn.attempt; a != nil { // its tool results are not for the next turn
				a.basis.dropResults()
			}
		}
		t.cast.editHistories(e)
		t.transcript.editRecent(e)
		t.recentSpeech.lines.edit(e)
		t.dropGuesses()
		t.recentSpeech.bases = nil // they may contain the line
		w := &logEdit{waitFor: t.editAll(e), editPending: e.applyToPending, editLog: log, result: done}
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
	waitFor []<-chan struct{} // channels to wait for
	// editPending changes a line that waits to be stored, and reports whether the line stays. log changes the log.
	editPending func(l *memory.Line) bool
	editLog     func(ctx context.Context) error
	erasure     *erasure      // reported to the table at the end; may be nil
	finished    chan struct{} // closed at the end
	result      chan<- error
}

// startEdit starts an edit of the log, which runs after the previous one.
func (t *Table) startEdit(w *logEdit) {
	if t.transcript.lastEdit != nil {
		w.waitFor = append(w.waitFor, t.transcript.lastEdit)
	}
	w.finished = make(chan struct{})
	t.transcript.lastEdit = w.finished
	t.effects.add(w)
}

func (w *logEdit) run(ctx context.Context, t *Table) {
	defer close(w.finished)
	for _, b := range w.waitFor {
		<-b
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	err := t.transcript.writer.editPending(ctx, w.editPending)
	if err == nil {
		err = w.editLog(ctx)
	}
	if e := w.erasure; e != nil {
		e.err = err
		t.inbox.reports <- report{finding: e}
	}
	w.result <- err
}

// editAll changes the turns that have not ended. For each turn whose line is already being stored, it returns
// a channel that is closed when that turn has ended.
func (t *Table) editAll(e edit) (kept []<-chan struct{}) {
	for _, tn := range slices.Clone(t.queue.waiting) {
		if e.affects(tn) {
			t.editQueued(tn, e.text)
		}
	}
	for _, tn := range slices.Clone(t.turns.doubted) {
		if e.affects(tn) {
			t.editDoubted(tn, e.text)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(t.turns.open)) {
		tn := t.turns.open[number]
		if tn == nil || !e.affects(tn) { // nil: it was queued for another NPC meanwhile
			continue
		}
		if tn.phase == ending {
			kept = append(kept, tn.whenEnded())
		}
		t.editOpenTurn(tn, e.text)
	}
	return kept
}

// editQueued changes a turn that waits for its NPC.
func (t *Table) editQueued(tn *turn, text string) {
	if text == "" {
		t.queue.remove(tn)
		tn.retention.lineRetracted = true
		t.endTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		return
	}
	t.rewordTurn(tn, text)
	d := t.conversation.decideAddressee(tn.number, tn.Utterance)
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.addressee.index {
		t.assignDecision(tn, d)
		return
	}
	t.queue.remove(tn)
	t.turns.moveTo(tn, arrived)
	t.routeTurn(tn, d)
}

// editDoubted changes a turn that waits for the judge.
func (t *Table) editDoubted(tn *turn, text string) {
	t.undoDoubt(tn)
	if text == "" {
		t.conversation.undoRenewal(tn.addressee.renewal)
		tn.addressee, tn.retention.lineRetracted = noAddressee, true
		t.endTurn(tn, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
		return
	}
	t.rewordTurn(tn, text)
	tn.words.knownAt = time.Now()
	t.routeTurn(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
}

// editOpenTurn changes a turn that has begun.
func (t *Table) editOpenTurn(tn *turn, text string) {
	switch {
	case text == "":
		tn.retention.lineRetracted = true
		if tn.isUnheard() {
			t.cutTurn(tn, turnEnd{outcome: OutcomeCancelled})
		}
	case !tn.isUnheard() || tn.leader != nil:
		tn.Text = text
	default:
		t.rewordTurn(tn, text)
		t.rerouteTurn(tn, t.conversation.decideAddressee(tn.number, tn.Utterance))
	}
}

// rerouteTurn begins a turn again, with the same NPC or another.
func (t *Table) rerouteTurn(tn *turn, d address.Decision) {
	if len(d.NPCs) > 0 && d.NPCs[0] == tn.addressee.index {
		t.assignDecision(tn, d)
		t.restartAnswer(tn)
		return
	}
	t.undoAnswer(tn)
	t.queue.releaseNPC(tn)
	delete(t.turns.open, tn.number)
	t.routeTurn(tn, d)
	t.beginQueued()
}
