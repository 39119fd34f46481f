// Package web serves the console and the table in browsers. It serves their files, and passes the events of
// tables to followers: programs that read JSON lines, and consoles. All followers share one bounded buffer of
// the latest events. A table never waits for a follower. A follower that is too slow misses the oldest events
// and receives their number. The feed starts no goroutine. For example:
//
//	feed := web.NewFeed()
//	feed.Add(web.HomeRoom, event)
//	item, missed, more := feed.Follow(0).Next(ctx)
//
// [Room] is a table in browsers (files room*.go). People with its link join with a name, speak through WebRTC
// or type, hear the NPCs and the other players, and read along. A room gives guests seats at the table of a
// session that another front plays or that it starts itself, and makes no decisions about turns. Input from
// guests is untrusted and bounded. The NPCs' sound is encoded once for all guests; other players' sound is
// forwarded unchanged.
//
// [Console] is a page for watching and leading a game (files console*.go): the conversation and why an NPC
// answers, where the time of a turn went, which tools are hidden from which NPC, learnt entries, and pending
// decisions. It has no rights of its own: visitors are identified like any external client, see what their
// profile may see, and make changes through the gate of every call. It starts no goroutine. A console that
// reads too slowly misses events and shows their number; no table waits for it.
package web

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// FeedSize is the number of events kept for followers.
const FeedSize = 4096

// Item is an event of a table. It is immutable.
type Item struct {
	// ID numbers the events of a feed from 1.
	ID uint64
	// Table is the table's name, as passed to [Feed.Add].
	Table string
	table.Header
	// JSON is the event in the form of docs/events.md. It is nil if the event's words were taken back.
	JSON []byte
}

// IsPublic reports whether everyone at the table may see the event: it is about the lines said there, by
// whom, and how long they took.
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

// Feed is a buffer of the latest events. It is safe for concurrent use.
type Feed struct {
	mu      sync.Mutex // guards the fields below
	ring    [FeedSize]Item
	newest  uint64        // ID of the newest event; 0 if there is none
	changed chan struct{} // closed by the next event; nil if no one waits
	closed  bool
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{} }

// Add adds an event of a table. It never waits for a follower.
func (f *Feed) Add(from string, e table.Event) {
	raw, err := json.Marshal(e)
	if err != nil {
		raw = nil // followers skip the event, like one that was taken back
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest++
	it := Item{ID: f.newest, Table: from, Header: table.HeaderOf(e), JSON: raw}
	if it.Kind == table.KindErased {
		f.blank(func(old *Item) bool {
			return old.Table == from && old.Session == it.Session && old.Turn == it.Turn && containsWords(old.Kind)
		})
	}
	f.ring[it.ID%FeedSize] = it
	f.signalFollowers()
}

// containsWords reports whether events of a kind contain an NPC's words.
func containsWords(kind string) bool {
	switch kind {
	case table.KindSentence, table.KindCutSentence, table.KindBarge, table.KindTurnEnded:
		return true
	}
	return false
}

// Forget clears the events of a table so far.
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

func (f *Feed) signalFollowers() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Close reports that no more events will come.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.signalFollowers()
}

// Follower reads a feed from a position on. It is not safe for concurrent use.
type Follower struct {
	feed   *Feed
	next   uint64
	missed uint64 // not reported by Next yet
}

// Follow returns a follower of the events after an ID that are still in the buffer; 0 means from the
// beginning.
func (f *Feed) Follow(after uint64) *Follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after > f.newest { // the ID is from an earlier run of the program
		after = 0
	}
	return &Follower{feed: f, next: after + 1}
}

// FollowRecent is like [Feed.Follow], but if it starts at the beginning, it starts with at most most past
// events and does not count earlier ones as missed.
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

// Next returns the next event, and the number of missed events before it. It waits for an event. more is
// false when the feed is closed and all events were read, or when ctx ends.
func (l *Follower) Next(ctx context.Context) (it Item, missed uint64, more bool) {
	for {
		it, wait := l.poll()
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

// poll returns the next event if there is one, or else a channel that is closed when there may be one; nil if
// there will be none.
func (l *Follower) poll() (it Item, wait <-chan struct{}) {
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
