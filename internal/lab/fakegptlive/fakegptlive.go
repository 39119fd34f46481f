// Package fakegptlive is OpenAI's GPT-Live on the loopback interface, for
// tests: a voice that listens while it talks and delegates its work to the
// client. It serves
//
//	GET /v1/live/sessions   the primary WebSocket
//
// It accepts session.start, session.update, session.input_audio.append, mute
// and unmute, session.instructions.append, thinking.append and
// commentary.append and session.close, and sends session.started, updated and
// closed, session.output_audio.delta, session.input_transcript.delta,
// session.output_transcript.delta, session.delegation.created,
// session.usage.updated, the acknowledgements of accepted commands, and error.
//
// It does not support delegation to Responses or Decisions (response.*,
// decision.*), no fixtures (session.output_audio.fixture.*), triggers, info,
// forks, sidebands, stored sessions, WebRTC or SIP (transport.*), or G.711: it
// refuses them, with the real service's error where documented.
//
// Like the real service, it runs on the time of its input: for each tenth of a
// second of input, silence included, it sends a tenth of a second of sound.
// Unlike the real one it keeps up with faster input. It does not recognise
// speech, only sound and silence: any speech is the next turn of the script.
//
// It connects only to 127.0.0.1.
package fakegptlive

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

const (
	// WordTime is the length of a spoken word.
	WordTime = 200 * time.Millisecond
	// TurnEnd is the silence after which the voice considers a turn ended.
	TurnEnd = 200 * time.Millisecond
	// YieldTime is how long a user must speak until the voice falls silent.
	YieldTime = 200 * time.Millisecond
	// maxMessage bounds one message of a client in bytes.
	maxMessage = 4 << 20
)

// Turn is the voice's reaction to speech.
type Turn struct {
	// Heard is the recognised text.
	Heard string
	// Says is the voice's own reply; it may be empty.
	Says string
	// Delegates is how many times the service announces this turn's delegation;
	// 0 means no delegation.
	Delegates int
}

// Error is the service's error message.
type Error struct {
	Type          string `json:"type"`
	Code          string `json:"code"`
	Message       string `json:"message"`
	Param         string `json:"param,omitempty"`
	ClientEventID string `json:"client_event_id,omitempty"`
}

// Script is the behaviour of a service.
type Script struct {
	// Turns are the turns of each session, in order. Speech after the last one
	// gets no answer.
	Turns []Turn
	// CommentaryLag is the session time from commentary to its first sound.
	CommentaryLag time.Duration
	// UsageEvery is the session time between two usage reports. Zero means a
	// minute.
	UsageEvery time.Duration
	// Key is the only accepted key. If empty, every key is accepted.
	Key string
	// RefuseStatus refuses every connection with a status and RefuseError.
	RefuseStatus int
	// RefuseError alone refuses only session.start.
	RefuseError Error
}

// Server is a running service. Its methods are safe for concurrent use.
type Server struct {
	script  Script
	sockets *fakesocket.Server

	news     fakesocket.News // guards sessions and the fields that sessions guard with it
	sessions []*Session
}

// Start starts a service that ends with t.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	if script.UsageEvery == 0 {
		script.UsageEvery = time.Minute
	}
	s := &Server{script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/live/sessions", s.accept)
	s.sockets = fakesocket.Start(t, mux)
	return s
}

// URL is the API's root, ending in /v1.
func (s *Server) URL() string { return s.sockets.URL() + "/v1" }

// Sessions returns the sessions started so far.
func (s *Server) Sessions() []*Session {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.sessions)
}

// Await waits until ready accepts the latest session, and returns it. It fails
// the test if ctx ends first.
func (s *Server) Await(t testing.TB, ctx context.Context, what string, ready func(*Session) bool) (latest *Session) {
	t.Helper()
	if !s.news.Await(ctx, func() bool {
		all := s.Sessions()
		if len(all) == 0 {
			return false
		}
		latest = all[len(all)-1]
		return ready(latest)
	}) {
		t.Fatalf("the service waits in vain for %s", what)
	}
	return latest
}

// accept serves one connection.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	key, ok := fakesocket.Key(r, "Authorization", "Bearer ")
	switch {
	case !ok || s.script.Key != "" && key != s.script.Key:
		refuse(w, http.StatusUnauthorized, Error{Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + key})
		return
	case s.script.RefuseStatus != 0:
		refuse(w, s.script.RefuseStatus, s.script.RefuseError)
		return
	case r.URL.RawQuery != "":
		refuse(w, http.StatusBadRequest, Error{Type: "invalid_request_error", Code: "unknown_parameter", Message: "This endpoint takes no query parameters."})
		return
	}
	s.sockets.Accept(w, r, maxMessage, func(ctx context.Context, conn *fakesocket.Conn) {
		c := &Session{server: s, conn: conn, delegations: map[string]bool{}}
		for c.phase != over {
			m, ok := conn.Receive(ctx)
			if !ok {
				return
			}
			if m.Binary {
				c.complain(*invalid("invalid_message", "", "Only text messages are understood."), "")
				continue
			}
			c.take(m.Data)
		}
		conn.Close(1000, "")
	})
}

func refuse(w http.ResponseWriter, status int, e Error) {
	fakesocket.Answer(w, status, object{"error": e})
}

type object map[string]any

// Command is a client's command, except sound.
type Command struct {
	Type         string
	EventID      string
	DelegationID string // empty for null
	Content      string
}

// String returns the command in the form of test messages.
func (c Command) String() string { return fmt.Sprintf("%s(%s) %q", c.Type, c.DelegationID, c.Content) }
