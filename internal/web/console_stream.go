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

// Limits of event streams.
const (
	maxStreams   = 64               // in total, except for each visitor's first
	mostStreams  = 4 * maxStreams   // in total, including these
	maxOwn       = 8                // per visitor
	streamWrite  = 10 * time.Second // for writing an event
	streamBeat   = 15 * time.Second // between two keep-alives
	streamTrust  = time.Second      // before a visitor is identified again
	streamBefore = 2000             // past events at the start of a new stream, at most
)

// streams counts the open streams.
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

// follow streams a room's events as server-sent events: the events of `play --json` that the visitor may see,
// each with its session. "gap" reports the number of missed events.
func (d *authenticator) follow(a *roomRequest) {
	if a.visitor.subject.NPC != "" || !a.may(access.SessionRead) {
		fail(a.w, http.StatusForbidden, "to see what is said at the table, you need the permission "+access.SessionRead)
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
	s := &stream{roomRequest: a, out: http.NewResponseController(a.w)}
	defer context.AfterFunc(ctx, s.abandonWrite)()
	_ = s.out.SetReadDeadline(time.Time{}) // ignored where unsupported
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	after, _ := strconv.ParseUint(a.r.Header.Get("Last-Event-ID"), 10, 64) // without it, start at the beginning
	s.run(ctx, d.o.Feed.FollowRecent(after, streamBefore), d.accessCheck(a))
}

// accessCheck returns a function that reports whether the visitor is unchanged and may see the table. It
// checks rules and the sign-in on each call, but the identity at most once per streamTrust, because that may
// require verifying a signature.
func (d *authenticator) accessCheck(a *roomRequest) func() bool {
	was, held, asked := a.visitor.subject, d.hasSignIn(a.r), time.Now()
	return func() bool {
		if !a.may(access.SessionRead) || d.hasSignIn(a.r) != held {
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

// stream is a visitor's event stream.
type stream struct {
	*roomRequest
	out *http.ResponseController
}

// run sends events until ctx ends, a write fails, or the visitor loses access.
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
		text := ofSession(it.Session, s.encodeItem(it))
		if text != nil && !s.send(ctx, fmt.Sprintf("id: %d\ndata: %s\n\n", it.ID, text)) {
			return
		}
	}
}

// abandonWrite aborts a blocked write when the stream ends.
func (s *stream) abandonWrite() {
	_ = s.out.SetWriteDeadline(time.Unix(1, 0)) // ignored where unsupported
}

func (s *stream) send(ctx context.Context, text string) bool {
	_ = s.out.SetWriteDeadline(time.Now().Add(streamWrite)) // ignored where unsupported
	if ctx.Err() != nil {                                   // abandonWrite was called before
		return false
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return false
	}
	return s.out.Flush() == nil
}

// encodeItem returns an event as the visitor may see it, nil if not at all.
func (s *stream) encodeItem(it Item) []byte {
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

// ofSession adds the session to an event, because turn numbers restart in each session.
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

// withoutTools removes the NPC's tools from a turn.started event.
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
