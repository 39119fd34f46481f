// Package web is what the pages of the console and of the table in browsers share. It serves their
// files, and hands the events of tables to whoever follows them: programs that read JSON lines,
// and consoles. All followers share one bounded record of the latest events.
// A table never waits for a follower; one that is too slow misses the oldest events and
// is told how many. It starts no goroutine.
//
// [Room] is a table in browsers (files room*.go): whoever has its link joins with a name, speaks through
// WebRTC or types, hears the NPCs and the other players, and reads along. It gives guests seats at the
// table of a session that another front plays, or that it starts itself, and decides nothing about turns.
// What guests send is untrusted and bounded. The sound of the NPCs is encoded once for all of them; that
// of other players is passed on as it came.
//
// [Console] is a page at which a game is watched and led (files console*.go): what is said and why who
// answers, where the time of a turn went, which tools are hidden from whom, what was learnt, and what
// waits for a decision. It has no rights of its own: who looks is identified like any outside client, what
// is shown is what the profile may see, and what is changed passes the gate of every call. It starts no
// goroutine. A console that reads slowly misses events and is told how many; no table waits for it.
package web

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// FeedSize is how many events are kept for who has not read them yet.
const FeedSize = 4096

// Item is one event of a table. It is not changed once it is made.
type Item struct {
	// ID numbers the events of a feed from 1.
	ID uint64
	// Table is whose event it is, as [Feed.Add] was told.
	Table string
	table.Header
	// JSON is the event as docs/events.md has it. It is nil if what it said was taken
	// back since.
	JSON []byte
}

// IsPublic reports whether everybody who sits at the table may see the event: it tells of
// what is heard there, by whom, and how long it took.
func (it Item) IsPublic() bool {
	if it.Whisper {
		return false
	}
	switch it.Kind {
	case table.KindUtterance, table.KindTurnStarted, table.KindSentence, table.KindCutSentence, table.KindAudioStarted, table.KindFiller,
		table.KindBarge, table.KindTurnEnded, table.KindUnsaid, table.KindErased, table.KindListening:
		return true
	}
	return false
}

// Feed is the record of the latest events. It is safe for concurrent use.
type Feed struct {
	mu      sync.Mutex // guards the fields below
	ring    [FeedSize]Item
	newest  uint64        // the ID of the newest; 0 if there is none
	changed chan struct{} // closed with the next event; nil if nobody waits
	closed  bool
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{} }

// Add takes an event of a table. It never waits for a follower.
func (f *Feed) Add(from string, e table.Event) {
	raw, err := json.Marshal(e)
	if err != nil {
		raw = nil // what cannot be told is missing, as what was taken back is
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest++
	it := Item{ID: f.newest, Table: from, Header: table.HeaderOf(e), JSON: raw}
	if it.Kind == table.KindErased {
		f.blank(func(old *Item) bool {
			return old.Table == from && old.Session == it.Session && old.Turn == it.Turn && saysWords(old.Kind)
		})
	}
	f.ring[it.ID%FeedSize] = it
	f.wake()
}

// saysWords reports whether an event of that kind has an NPC's words.
func saysWords(kind string) bool {
	switch kind {
	case table.KindSentence, table.KindCutSentence, table.KindBarge, table.KindTurnEnded:
		return true
	}
	return false
}

// Forget takes out what a table's events said so far.
func (f *Feed) Forget(from string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blank(func(old *Item) bool { return old.Table == from })
}

func (f *Feed) blank(which func(*Item) bool) {
	for i := range f.ring {
		if old := &f.ring[i]; old.ID != 0 && which(old) {
			old.JSON = nil
		}
	}
}

func (f *Feed) wake() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Close says that no event will come any more.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.wake()
}

// Follower reads a feed from some point on. It is for one goroutine.
type Follower struct {
	feed   *Feed
	next   uint64
	missed uint64 // that Next has not told yet
}

// Follow returns a follower of all that comes after the event of an ID, as far as it
// is still kept; 0 is the beginning.
func (f *Feed) Follow(after uint64) *Follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after > f.newest { // of an earlier run of the program
		after = 0
	}
	return &Follower{feed: f, next: after + 1}
}

// FollowRecent is [Feed.Follow] for who wants most events of before now at most, and does
// not count those that are gone as missed if it begins.
func (f *Feed) FollowRecent(after uint64, most int) *Follower {
	l := f.Follow(after)
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.next == 1 {
		l.next = max(f.oldest(), f.newest+1-min(f.newest, uint64(most)))
	}
	return l
}

func (f *Feed) oldest() uint64 { return max(f.newest, FeedSize) - FeedSize + 1 }

// Next returns the next event, and how many before it were missed. It waits until
// there is one: more is false once the feed is closed and all is read, or ctx ends.
func (l *Follower) Next(ctx context.Context) (it Item, missed uint64, more bool) {
	for {
		it, wait := l.take()
		if it.ID != 0 {
			missed, l.missed = l.missed, 0
			return it, missed, true
		}
		if wait == nil {
			return it, 0, false
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return it, 0, false
		}
	}
}

// take returns the next event if there is one, else what is closed when there may be;
// nil if there will be none.
func (l *Follower) take() (it Item, wait <-chan struct{}) {
	f := l.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	for ; l.next <= f.newest; l.next++ {
		if oldest := f.oldest(); l.next < oldest {
			l.missed, l.next = l.missed+oldest-l.next, oldest
		}
		if it = f.ring[l.next%FeedSize]; it.JSON == nil {
			continue
		}
		l.next++
		return it, nil
	}
	if f.closed {
		return Item{}, nil
	}
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return Item{}, f.changed
}
