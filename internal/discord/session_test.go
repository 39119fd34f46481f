package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// notes is a table that records its calls. While hold is not nil, Hear blocks until hold is
// closed.
type notes struct {
	hold chan struct{}
	fail error // returned by changes

	mu  sync.Mutex // guards all
	all []string
}

func (n *notes) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, fmt.Sprintf(format, args...))
}

func (n *notes) told() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.all, "; ")
}

// Hear implements hearer.
func (n *notes) Hear(ctx context.Context, u table.Utterance) error {
	if n.hold != nil {
		select {
		case <-n.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n.note("%s: %s (%s, %s)", u.Speaker, u.Text, u.User, u.Ref)
	return nil
}

// StoreUnanswered implements hearer.
func (n *notes) StoreUnanswered(_ context.Context, us ...table.Utterance) error {
	var refs []string
	for _, u := range us {
		refs = append(refs, u.Ref+" "+u.Text)
	}
	n.note("kept %s", strings.Join(refs, ", "))
	return nil
}

// Reword implements hearer.
func (n *notes) Reword(_ context.Context, ref, text string) error {
	n.note("%s is %s", ref, text)
	return n.fail
}

// Retract implements hearer.
func (n *notes) Retract(_ context.Context, ref string) error {
	n.note("%s is gone", ref)
	return n.fail
}

// newIdleSession returns a session that does not listen yet.
func newIdleSession(n *notes) *session {
	log := slog.New(slog.DiscardHandler)
	return &session{log: log, receiver: n, inbox: newInbox(), sender: newSender(&RestClient{}, log, "1", "", English)}
}

// listens lets a session listen and correct until the returned function is called.
func (r *session) listens(ctx context.Context) (deafen func()) {
	ctx, cancel := context.WithCancel(ctx)
	r.hearing.Go(func() { r.deliverMessages(ctx) })
	r.hearing.Go(func() { r.applyChanges(ctx) })
	return func() { cancel(); r.hearing.Wait() }
}

// says sends a user's message.
func (r *session) says(id, user, text string) {
	r.enqueueMessage(message{id: id, user: user, speaker: "P" + user, text: text})
}

func TestSessionKeepsOrderAndEdits(t *testing.T) {
	r := newIdleSession(&notes{})
	r.says("1", "7", "first")
	r.says("2", "8", "second")
	r.says("3", "7", "third")
	r.says("4", "7", "")                     // a picture without words
	r.changeMessage("1", "first, corrected") // an edit
	r.changeMessage("2", "")                 // a deletion
	var got []string
	for {
		m, ok := r.inbox.popMessage()
		if !ok {
			break
		}
		got = append(got, m.speaker+": "+m.text)
	}
	if want := []string{"P7: first, corrected", "P7: third"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestSessionIsBounded(t *testing.T) {
	r := newIdleSession(&notes{})
	const players = 8
	for n := range maxUnheard + 10 {
		r.says(fmt.Sprint(n), fmt.Sprint(n%players), "again")
	}
	if n := len(r.inbox.waiting); n != maxUnheard {
		t.Errorf("%d messages wait, want %d", n, maxUnheard)
	}
	for n := range maxUnchanged + 10 {
		r.changeMessage(fmt.Sprint("old", n), "")
	}
	if n := len(r.inbox.changes); n != maxUnchanged {
		t.Errorf("%d changes wait, want %d", n, maxUnchanged)
	}
	if n := len(r.sender.queue); n != players+1 {
		t.Errorf("%d notices tell of it, want one for each player and one for the changes", n)
	}
}

// TestSessionChangesWhatWasHeard checks in which order a table receives messages, edits and
// deletions.
func TestSessionChangesWhatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{}
		r := newIdleSession(n)
		defer r.listens(t.Context())()
		r.says("1", "7", "hello")
		r.says("2", "8", "hi")
		synctest.Wait()
		r.changeMessage("1", "hallo")
		r.changeMessage("2", "")
		synctest.Wait()
		if got, want := n.told(), "P7: hello (discord:7, 1); P8: hi (discord:8, 2); 1 is hallo; 2 is gone"; got != want {
			t.Errorf("the table was told %q, want %q", got, want)
		}
	})
}

// TestSessionChangesWhileTheTableIsBusy edits and deletes while the table is busy: a line
// already heard changes at once, the line in Hear changes after it, and a waiting line changes
// before the table hears it.
func TestSessionChangesWhileTheTableIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{hold: make(chan struct{})}
		r := newIdleSession(n)
		defer r.listens(t.Context())()
		r.says("1", "7", "one")
		r.says("2", "7", "two")
		r.says("3", "7", "three")
		synctest.Wait()
		r.changeMessage("1", "eins")
		r.changeMessage("1", "uno")
		r.changeMessage("2", "due")
		r.changeMessage("3", "")
		r.changeMessage("0", "") // a message from before the session
		synctest.Wait()
		if got, want := n.told(), "0 is gone"; got != want {
			t.Errorf("while it was busy the table was told %q, want %q", got, want)
		}
		close(n.hold)
		synctest.Wait()
		got := n.told()
		for _, want := range []string{"P7: one (discord:7, 1)", "1 is uno", "P7: due (discord:7, 2)"} {
			if strings.Count(got, want) != 1 {
				t.Errorf("the table was told %q, want %q once in it", got, want)
			}
		}
		if strings.Contains(got, "three") || strings.Index(got, "1 is uno") < strings.Index(got, "P7: one") {
			t.Errorf("the table was told %q", got)
		}
	})
}

// TestSessionHearsOut checks that lines that still wait at the end are stored in their last
// version.
func TestSessionHearsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{hold: make(chan struct{})}
		r := newIdleSession(n)
		deafen := r.listens(t.Context())
		want := "kept 1 uno"
		for k := 1; k <= maxUnheard; k++ {
			r.says(fmt.Sprint(k), fmt.Sprint(k%8), fmt.Sprint("line ", k))
			if k > 2 {
				want += fmt.Sprintf(", %d line %d", k, k)
			}
		}
		synctest.Wait()
		r.changeMessage("1", "uno") // the table is hearing this line
		r.changeMessage("2", "")
		deafen()
		r.changeMessage("0", "zero") // the table has heard this line
		if err := r.storeUnheard(); err != nil {
			t.Fatal(err)
		}
		if got := n.told(); got != "0 is zero; "+want {
			t.Errorf("the table was told\n%s, want\n%s", got, "0 is zero; "+want)
		}
	})
}

// TestSessionForgets drops a user's waiting messages and retracts the one that the table is
// hearing.
func TestSessionForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{hold: make(chan struct{})}
		r := newIdleSession(n)
		defer r.listens(t.Context())()
		r.says("1", "7", "one")
		r.says("2", "7", "two")
		r.says("3", "8", "three")
		synctest.Wait()
		r.inbox.dropUser("7")
		close(n.hold)
		synctest.Wait()
		got := n.told()
		if strings.Contains(got, "two") || !strings.Contains(got, "P8: three") || !strings.Contains(got, "P7: one (discord:7, 1)") || !strings.Contains(got, "1 is gone") {
			t.Errorf("the table was told %q, want the first line taken back, and the second never told", got)
		}
	})
}

// TestSessionTellsWhatItCannotChange checks that the channel reads about a failed change.
func TestSessionTellsWhatItCannotChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{fail: errors.New("disk full")}
		r := newIdleSession(n)
		defer r.listens(t.Context())()
		r.changeMessage("1", "")
		synctest.Wait()
		if len(r.sender.queue) != 1 {
			t.Fatalf("%d notices, want one", len(r.sender.queue))
		}
		if p := <-r.sender.queue; !strings.Contains(p.text, "could not update") {
			t.Errorf("the notice is %q", p.text)
		}
	})
}

// DropUnread implements hearer.
func (n *notes) DropUnread(_ context.Context, u table.Unread) error {
	n.note("nobody read %s", u.Text)
	return n.fail
}

// TestInboxTakesTurns checks that a user's single line is heard among the many lines of
// another.
func TestInboxTakesTurns(t *testing.T) {
	b := newInbox()
	for n := range maxUnheardOfOne {
		b.addMessage(message{id: fmt.Sprint(n), user: "ana", text: "again"})
	}
	if b.addMessage(message{id: "one too many", user: "ana", text: "again"}); b.countOf("ana") != maxUnheardOfOne {
		t.Errorf("%d messages of one player wait, want %d at most", b.countOf("ana"), maxUnheardOfOne)
	}
	b.addMessage(message{id: "bea's", user: "bea", text: "and I"})
	for n, want := range []string{"ana", "ana", "bea", "ana"} {
		m, _ := b.popMessage()
		b.confirmInFlight()
		if m.user != want {
			t.Errorf("message %d is %s's, want %s's", n, m.user, want)
		}
	}
}
