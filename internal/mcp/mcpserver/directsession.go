package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// passEvery is how often a request of a session goes to the SDK even though it need not:
// the SDK ends sessions of which it hears nothing.
const passEvery = 2 * time.Minute

// directSession is what the direct way has to know of a session of the SDK's. It is safe
// for concurrent use.
type directSession struct {
	caller string       // whose it is
	asks   bool         // its client can be asked something
	logs   atomic.Bool  // its client has asked for messages
	passed atomic.Int64 // when the SDK last had a request of it, in nanoseconds
	busy   atomic.Int32 // requests the SDK has not answered yet
	level  atomic.Value // a sdk.LoggingLevel: from which on its client wants messages

	mu      sync.Mutex // guards the fields below
	over    bool
	calls   map[string]context.CancelFunc // under way, by id
	streams map[string]chan struct{}      // of these calls, closed at their ends, by id
}

// directEvents are the events of all sessions, for clients that come back for them. It
// forgets a session when the SDK does.
type directEvents struct {
	*sdk.MemoryEventStore
	direct *direct
}

// SessionClosed is told by the SDK.
func (e directEvents) SessionClosed(ctx context.Context, id string) error {
	if s, ok := e.direct.sessions.LoadAndDelete(id); ok {
		s.(*directSession).end()
	}
	return e.MemoryEventStore.SessionClosed(ctx, id)
}

// openSession notes a session that its client has initialized. Only then has it an entry,
// and the SDK closes none before that.
func (d *direct) openSession(p *peer, session *sdk.ServerSession) {
	params := session.InitializeParams()
	if session.ID() == "" || params == nil {
		return
	}
	c := params.Capabilities
	s := &directSession{
		caller: p.subject.Name,
		//lint:ignore SA1019 clients of the older revisions have it
		asks:  c != nil && (c.Sampling != nil || c.Elicitation != nil),
		calls: map[string]context.CancelFunc{}, streams: map[string]chan struct{}{},
	}
	s.passed.Store(time.Now().UnixNano())
	d.sessions.Store(session.ID(), s)
}

// findSession returns the session that a request belongs to, nil if it is none of its
// caller's that is known.
func (d *direct) findSession(r *http.Request, p *peer) (*directSession, string) {
	id := onlyValue(r.Header, sessionHeader)
	v, ok := d.sessions.Load(id)
	if !ok || v.(*directSession).caller != p.subject.Name {
		return nil, ""
	}
	return v.(*directSession), id
}

// passOn has the SDK answer a request of p, and learns from it what the direct way has to
// know. A client that comes back for what is under way here waits for it first.
func (d *direct) passOn(rw http.ResponseWriter, r *http.Request, p *peer, next http.Handler) {
	s, _ := d.findSession(r, p)
	switch {
	case r.Method == http.MethodPost && s != nil:
		s.busy.Add(1)
		defer s.busy.Add(-1)
		s.passed.Store(time.Now().UnixNano())
		p.session = s
	case r.Method == http.MethodPost && r.Header.Get(sessionHeader) == "":
		p.opening = append(p.opening, func(session *sdk.ServerSession, ready bool) {
			if ready {
				d.openSession(p, session)
			}
		})
	case r.Method == http.MethodGet && s != nil:
		stream, _, _ := strings.Cut(r.Header.Get(lastEventHeader), "_")
		select {
		case <-s.endOf(stream):
		case <-r.Context().Done():
		}
	}
	next.ServeHTTP(rw, r)
}

// mayTake reports whether a request of the session needs nothing of the SDK. One that the
// SDK has under way may have the same id as the next.
func (s *directSession) mayTake() bool {
	return !s.logs.Load() && s.busy.Load() == 0 && time.Now().UnixNano()-s.passed.Load() < int64(passEvery)
}

// begin notes a call, whose context ends when its client cancels it or the session ends,
// but not when the client is gone: it may come back. The stream is under which it finds
// the answer then. It reports false if a call with that id is under way.
func (s *directSession) begin(ctx context.Context, id []byte) (_ context.Context, stream string, end func(), ok bool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	key, stream, done := string(id), rand.Text(), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.calls[key]; again {
		cancel()
		return ctx, "", nil, false
	}
	s.calls[key], s.streams[stream] = cancel, done
	if s.over {
		cancel()
	}
	return ctx, stream, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, key)
		delete(s.streams, stream)
		close(done)
	}, true
}

// note notes what a request that the SDK answers means for those it does not. The session
// may be nil, of which nothing is known.
func (s *directSession) note(params sdk.Params) {
	if s == nil {
		return
	}
	switch params := params.(type) {
	case *sdk.CancelledParams:
		if params != nil {
			s.cancel(params.RequestID)
		}
	default:
		s.logs.Store(true)
	}
}

// cancel ends the call that a client no longer wants, if it is under way here.
func (s *directSession) cancel(id any) {
	key := ""
	switch id := id.(type) {
	case string:
		key = `"` + id + `"`
	case float64:
		key = strconv.FormatInt(int64(id), 10)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.calls[key]; ok {
		cancel()
	}
}

// keep keeps an event for a client that comes back, while there is a session to come back
// to.
func (s *directSession) keep(e *sdk.MemoryEventStore, id, stream string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		_ = e.Append(context.Background(), id, stream, data) // in memory
	}
}

// end ends the calls that are under way.
func (s *directSession) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for _, cancel := range s.calls {
		cancel()
	}
}

// endOf is closed when a stream has ended, or was none that is under way.
func (s *directSession) endOf(stream string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, ok := s.streams[stream]; ok {
		return done
	}
	done := make(chan struct{})
	close(done)
	return done
}
