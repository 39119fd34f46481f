package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// Bounds of streams of events.
const (
	maxStreams   = 64               // in all, but for each visitor's first
	mostStreams  = 4 * maxStreams   // with these
	maxOwn       = 8                // of one visitor
	streamWrite  = 10 * time.Second // for one event to be taken
	streamBeat   = 15 * time.Second // between two signs of life
	streamTrust  = time.Second      // that who somebody is holds before it is asked again
	streamBefore = 2000             // events before now that a new stream begins with, at most
)

// streams counts those that are open.
type streams struct {
	mu  sync.Mutex // guards the fields below
	all int
	of  map[string]int
}

func (s *streams) open(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[who] >= maxOwn || s.all >= maxStreams && s.of[who] > 0 || s.all >= mostStreams {
		return false
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all++
	s.of[who]++
	return true
}

func (s *streams) close(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[who]--; s.of[who] == 0 {
		delete(s.of, who)
	}
}

// follow sends a room's events as they come, as server-sent events: those of `play --json`,
// each with its session, as far as the visitor may see them. "gap" tells how many are missing.
func (d *door) follow(a *asking) {
	if a.visitor.subject.NPC != "" || !a.may(access.SessionRead) {
		fail(a.w, http.StatusForbidden, "what is said at the table is shown with the permission "+access.SessionRead)
		return
	}
	who := a.visitor.subject.Name
	if !d.streams.open(who) {
		fail(a.w, http.StatusTooManyRequests, "too many consoles are open; close one")
		return
	}
	defer d.streams.close(who)
	ctx, cancel := context.WithCancel(a.r.Context())
	defer cancel()
	defer context.AfterFunc(d.ended, cancel)()
	s := &stream{asking: a, out: http.NewResponseController(a.w)}
	defer context.AfterFunc(ctx, s.abandonWrite)()
	_ = s.out.SetReadDeadline(time.Time{}) // where it is not supported there is none
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	after, _ := strconv.ParseUint(a.r.Header.Get("Last-Event-ID"), 10, 64) // none is the beginning
	s.run(ctx, d.o.Feed.FollowRecent(after, streamBefore), d.stillWelcome(a))
}

// stillWelcome returns a function that reports whether the visitor is who they were and may
// see the table: rules and whether they are signed in are looked at with each call, and who
// they are at most once in streamTrust, since a signature may have to be checked for it.
func (d *door) stillWelcome(a *asking) func() bool {
	was, held, asked := a.visitor.subject, d.holds(a.r), time.Now()
	return func() bool {
		if !a.may(access.SessionRead) || d.holds(a.r) != held {
			return false
		}
		if time.Since(asked) < streamTrust {
			return true
		}
		now, err := d.identify(a.r)
		asked = time.Now()
		return err == nil && now.subject.Name == was.Name && now.subject.NPC == was.NPC && reflect.DeepEqual(now.subject.Profile, was.Profile) && d.enters(a.r.Context(), now, a.room.id)
	}
}

// stream is one visitor's.
type stream struct {
	*asking
	out *http.ResponseController
}

// run sends events until ctx ends, the visitor takes them no more, or may not have them
// any more.
func (s *stream) run(ctx context.Context, events *Follower, still func() bool) {
	if !s.send(ctx, ": events of docs/events.md\nretry: 1000\n\n") {
		return
	}
	var missed uint64
	for {
		wait, stop := context.WithTimeout(ctx, streamBeat)
		it, n, more := events.Next(wait)
		over := wait.Err()
		stop()
		missed += n
		switch {
		case ctx.Err() != nil || !more && over == nil || !still():
			return
		case !more:
			if !s.send(ctx, ": still here\n\n") {
				return
			}
			continue
		}
		if missed > 0 {
			if !s.send(ctx, fmt.Sprintf("id: %d\nevent: gap\ndata: {\"missed\":%d}\n\n", it.ID-1, missed)) {
				return
			}
			missed = 0
		}
		text := ofSession(it.Session, s.tell(it))
		if text != nil && !s.send(ctx, fmt.Sprintf("id: %d\ndata: %s\n\n", it.ID, text)) {
			return
		}
	}
}

// abandonWrite ends a write that nobody takes, once the stream is over.
func (s *stream) abandonWrite() {
	_ = s.out.SetWriteDeadline(time.Unix(1, 0)) // where it is not supported there is none
}

func (s *stream) send(ctx context.Context, text string) bool {
	_ = s.out.SetWriteDeadline(time.Now().Add(streamWrite)) // where it is not supported there is none
	if ctx.Err() != nil {                                   // abandonWrite came before
		return false
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return false
	}
	return s.out.Flush() == nil
}

// tell is what the visitor is told of an event, nil if nothing.
func (s *stream) tell(it Item) []byte {
	if it.Table != s.room.id {
		return nil
	}
	all := s.sees(access.SessionRead)
	switch it.Kind {
	case table.KindApprovalWaits, table.KindApprovalEnded:
		if all && s.may(access.SessionControl) {
			return it.JSON
		}
		return nil
	case table.KindTurnStarted:
		if !all && !it.Whisper {
			return withoutTools(it.JSON)
		}
	}
	if all || it.IsPublic() {
		return it.JSON
	}
	return nil
}

// ofSession is an event that begins with its session: turns are numbered anew in each.
func ofSession(id string, event []byte) []byte {
	if id == "" || event == nil {
		return event
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return nil
	}
	return slices.Concat([]byte(`{"session":`), quoted, []byte(","), event[1:])
}

// withoutTools is a turn.started without what its NPC is shown.
func withoutTools(event []byte) []byte {
	var e table.TurnStarted
	if json.Unmarshal(event, &e) != nil {
		return nil
	}
	e.Tools = []string{}
	out, err := json.Marshal(&e)
	if err != nil {
		return nil
	}
	return out
}
