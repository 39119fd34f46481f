package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Unread is an NPC's answer in a turn, or part of one, that was not shown anywhere.
type Unread struct {
	Turn int64
	Text string
}

// dropFrom removes the text from a line, and reports whether part of the line stays.
func (u Unread) dropFrom(l *memory.Line) (stays bool) {
	if l.NPC != "" && turnOf(*l) == u.Turn {
		l.Text, _ = without(l.Text, u.Text)
		return l.Text != ""
	}
	return true
}

// without returns a text without a part of it, and whether it contained that part.
func without(text, part string) (string, bool) {
	before, after, found := strings.Cut(text, part)
	if !found || part == "" {
		return text, false
	}
	return strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(after)), true
}

// DropUnread takes back text that was not shown: the NPC has not said it, and it is not stored. A text that
// is no longer known changes nothing.
func (t *Table) DropUnread(ctx context.Context, u Unread) error {
	done := make(chan error, 1)
	err := t.order(ctx, func() error {
		t.transcript.dropUnread(u)
		for _, a := range t.cast.agents {
			a.RetractText(u.Text)
		}
		w := &logEdit{result: done, editPending: u.dropFrom, editLog: func(ctx context.Context) error {
			return ForgetUnread(ctx, t.o.Log, t.o.Session.ID, u)
		}}
		if tn := t.turns.open[u.Turn]; tn != nil {
			tn.dropUnread(u.Text)
			w.waitFor = append(w.waitFor, tn.whenEnded())
		}
		t.startEdit(w)
		return nil
	})
	if err != nil {
		return err
	}
	return awaitError(ctx, done)
}

// dropUnread removes text that was not shown from a turn that has not ended.
func (tn *turn) dropUnread(text string) {
	for _, said := range []*[]string{&tn.delivered.texts, &tn.delivered.answer} {
		rest, found := without(strings.Join(*said, " "), text)
		switch {
		case found && rest == "":
			*said = nil
		case found:
			*said = []string{rest}
		}
	}
}

// ForgetUnread removes texts that were not shown from the log of a session. While a table runs in that
// session, use [Table.DropUnread] instead.
func ForgetUnread(ctx context.Context, log memory.SessionLog, session string, all ...Unread) error {
	if len(all) == 0 {
		return nil
	}
	lines, err := log.Recent(ctx, session, maxRecalled)
	if err != nil {
		return fmt.Errorf("looking for what nobody could read: %w", err)
	}
	said := map[int64]string{}
	for _, l := range lines {
		if l.NPC != "" {
			said[turnOf(l)] = l.Text
		}
	}
	for _, u := range all {
		rest, found := without(said[u.Turn], u.Text)
		switch {
		case !found:
			continue
		case rest == "":
			_, err = log.Retract(ctx, session, answerRef(u.Turn))
		default:
			_, err = log.Reword(ctx, session, answerRef(u.Turn), rest)
		}
		if err != nil {
			return fmt.Errorf("taking back what nobody could read: %w", err)
		}
		said[u.Turn] = rest
	}
	return nil
}
