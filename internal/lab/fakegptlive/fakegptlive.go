// Package fakegptlive is OpenAI's GPT-Live on the loopback interface, for tests: a
// voice that listens while it talks and delegates its work to the client. It
// serves
//
//	GET /v1/live/sessions   the primary WebSocket
//
// It takes session.start, session.update, session.input_audio.append, mute and
// unmute, session.instructions.append, thinking.append and commentary.append and
// session.close, and sends session.started, updated and closed,
// session.output_audio.delta, session.input_transcript.delta,
// session.output_transcript.delta, session.delegation.created,
// session.usage.updated, the acknowledgements of what it takes, and error.
//
// It knows no delegation to Responses or Decisions (response.*, decision.*), no
// fixtures (session.output_audio.fixture.*), triggers, info, forks, sidebands,
// stored sessions, WebRTC or SIP (transport.*), and no G.711: it refuses them, with
// the real service's error where that is documented.
//
// As the real one, it lives on the time of its input: a tenth of a second of sound
// out for each tenth that comes in, silence included, and nothing without. Unlike
// the real one it keeps up with input that comes faster. It does not listen: it
// tells sound from silence. Whatever is said, it was the next turn of the script.
//
// It never reaches beyond 127.0.0.1.
package fakegptlive

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	// WordTime is how long a word of the voice sounds.
	WordTime = 200 * time.Millisecond
	// TurnEnd is the silence after which the voice takes a turn to be over.
	TurnEnd = 200 * time.Millisecond
	// YieldTime is how long somebody must speak until the voice falls silent.
	YieldTime = 200 * time.Millisecond
	// maxMessage bounds one message of a client in bytes.
	maxMessage = 4 << 20
)

// Turn is what the voice does once it has heard something.
type Turn struct {
	// Heard is what it understands.
	Heard string
	// Says is what it says by itself; it may be empty.
	Says string
	// Delegates says how often the delegation of this turn is told. With 0 there is
	// none.
	Delegates int
}

// Error is what the service says is wrong.
type Error struct {
	Type          string `json:"type"`
	Code          string `json:"code"`
	Message       string `json:"message"`
	Param         string `json:"param,omitempty"`
	ClientEventID string `json:"client_event_id,omitempty"`
}

// Script is what a service does.
type Script struct {
	// Turns are those of each session, in order. What is heard after the last of them
	// goes unanswered.
	Turns []Turn
	// CommentaryLag is how much of the session's time passes from commentary to its
	// first sound.
	CommentaryLag time.Duration
	// UsageEvery is how much of the session's time lies between two reports of it. If
	// zero, a minute.
	UsageEvery time.Duration
	// Key is the only one accepted. If empty, any is.
	Key string
	// RefuseStatus refuses every connection with a status and RefuseError.
	RefuseStatus int
	// RefuseError alone refuses session.start.
	RefuseError Error
}

// Server is a running service. Its methods are safe for concurrent use.
type Server struct {
	script Script
	http   *httptest.Server
	life   context.Context // of the connections; ends with the test
	tasks  sync.WaitGroup  // the connections' handlers

	mu       sync.Mutex // guards the fields below
	sessions []*Session
	changed  chan struct{} // closed and replaced when something happens
}

// Start starts a service that ends with t.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	life, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	if script.UsageEvery == 0 {
		script.UsageEvery = time.Minute
	}
	s := &Server{script: script, life: life, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/live/sessions", s.accept)
	s.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		cancel()
		s.http.Close()
		s.tasks.Wait()
	})
	return s
}

// URL is the API's root, ending in /v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Sessions are those that were started so far.
func (s *Server) Sessions() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions)
}

// Await waits until ready is true of the latest session, and returns it. A test
// whose ctx ends before fails.
func (s *Server) Await(t testing.TB, ctx context.Context, what string, ready func(*Session) bool) *Session {
	t.Helper()
	for {
		s.mu.Lock()
		changed := s.changed
		var latest *Session
		if len(s.sessions) > 0 {
			latest = s.sessions[len(s.sessions)-1]
		}
		s.mu.Unlock()
		if latest != nil && ready(latest) {
			return latest
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the service waits in vain for %s", what)
		}
	}
}

// announce wakes who waits in Await. s.mu is held.
func (s *Server) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// accept serves one connection.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok || key == "" || s.script.Key != "" && key != s.script.Key:
		refuse(w, http.StatusUnauthorized, Error{Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + key})
		return
	case s.script.RefuseStatus != 0:
		refuse(w, s.script.RefuseStatus, s.script.RefuseError)
		return
	case r.URL.RawQuery != "":
		refuse(w, http.StatusBadRequest, Error{Type: "invalid_request_error", Code: "unknown_parameter", Message: "This endpoint takes no query parameters."})
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	s.tasks.Add(1)
	defer s.tasks.Done()
	defer func() { _ = conn.CloseNow() }() // the client may have closed it
	conn.SetReadLimit(maxMessage)
	c := &Session{server: s, conn: conn, delegations: map[string]bool{}}
	for c.phase != over {
		kind, data, err := conn.Read(s.life)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.complain(Error{Type: "invalid_request_error", Code: "invalid_message", Message: "Only text messages are understood."}, "")
			continue
		}
		c.take(data)
	}
	_ = conn.Close(websocket.StatusNormalClosure, "") // the client may be gone
}

func refuse(w http.ResponseWriter, status int, e Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"error": e}) // the client may be gone
}

type object map[string]any

// Command is what a client sent, sound aside.
type Command struct {
	Type         string
	EventID      string
	DelegationID string // empty for null
	Content      string
}

// String is the command for messages of tests.
func (c Command) String() string { return fmt.Sprintf("%s(%s) %q", c.Type, c.DelegationID, c.Content) }
