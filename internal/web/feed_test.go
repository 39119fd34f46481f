package web

import (
	"context"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/table"
)

func said(turn int64, text string) table.Event {
	return &table.Sentence{Header: table.Header{Kind: table.KindSentence, Turn: turn}, NPC: "Mira", Text: text}
}

// ended returns a context that has ended, so that nothing waits.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// rest reads the pending events.
func rest(t *testing.T, l *Follower) (texts []string, missed uint64) {
	t.Helper()
	for {
		it, n, more := l.Next(ended(t))
		if !more {
			return texts, missed
		}
		missed += n
		_, text, _ := strings.Cut(string(it.JSON), `"text":"`)
		text, _, _ = strings.Cut(text, `"`)
		texts = append(texts, it.Table+" "+text)
	}
}

func TestAllFollowersGetTheSame(t *testing.T) {
	f := NewFeed()
	early := f.Follow(0)
	f.Add("a", said(1, "one"))
	f.Add("b", said(1, "two"))
	late, again := f.Follow(0), f.Follow(1)
	for name, row := range map[string]struct {
		from *Follower
		want string
	}{"early": {early, "a one,b two"}, "late": {late, "a one,b two"}, "again": {again, "b two"}, "of_another_run": {f.Follow(77), "a one,b two"}, "the_last": {f.FollowRecent(0, 1), "b two"}} {
		if got, missed := rest(t, row.from); strings.Join(got, ",") != row.want || missed != 0 {
			t.Errorf("%s: %q and %d missed, want %q", name, got, missed, row.want)
		}
	}
}

func TestWhoIsSlowMissesTheOldest(t *testing.T) {
	f := NewFeed()
	slow := f.Follow(0)
	for range FeedSize + 7 {
		f.Add("a", said(1, "x"))
	}
	got, missed := rest(t, slow)
	if len(got) != FeedSize || missed != 7 {
		t.Errorf("%d events and %d missed, want %d and 7", len(got), missed, FeedSize)
	}
	if _, missed := rest(t, f.FollowRecent(0, FeedSize)); missed != 0 {
		t.Errorf("who comes late has missed %d, want none", missed)
	}
}

func TestWhatIsTakenBackIsToldNoMore(t *testing.T) {
	f := NewFeed()
	f.Add("a", said(1, "gone"))
	f.Add("a", said(2, "stays"))
	f.Add("b", said(1, "elsewhere"))
	f.Add("a", &table.Erased{Header: table.Header{Kind: table.KindErased, Turn: 1}, NPC: "Mira"})
	if got, _ := rest(t, f.Follow(0)); strings.Join(got, ",") != "a stays,b elsewhere,a " {
		t.Errorf("after an erased turn: %q", got)
	}
	f.Add("a", &table.Erased{Header: table.Header{Kind: table.KindErased, Turn: 2, Session: "later"}, NPC: "Mira"})
	if got, _ := rest(t, f.Follow(0)); !strings.Contains(strings.Join(got, ","), "a stays") {
		t.Errorf("after an erased turn of another session: %q", got)
	}
	f.Forget("a")
	if got, missed := rest(t, f.Follow(0)); strings.Join(got, ",") != "b elsewhere" || missed != 0 {
		t.Errorf("after somebody was forgotten: %q, %d missed", got, missed)
	}
}

func TestFollowersWakeAndEnd(t *testing.T) {
	f := NewFeed()
	l := f.Follow(0)
	got := make(chan string)
	go func() {
		for {
			it, _, more := l.Next(t.Context())
			if !more {
				close(got)
				return
			}
			got <- it.Kind
		}
	}()
	f.Add("a", said(1, "one"))
	if kind := <-got; kind != table.KindSentence {
		t.Errorf("woken by %q", kind)
	}
	f.Close()
	if _, more := <-got; more {
		t.Error("it goes on after the end")
	}
}
