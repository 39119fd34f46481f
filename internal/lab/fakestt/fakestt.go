// Package fakestt is a speech recognition service on the loopback interface for
// tests. It recognises nothing: it counts samples and returns its script's
// lines, in the wire protocols of three vendors. It serves
//
//	GET  /v1/listen                    Deepgram's WebSocket
//	GET  /v1/speech-to-text/realtime   ElevenLabs' WebSocket
//	POST /v1/audio/transcriptions      OpenAI's endpoint
//	GET  /v1/models                    an empty list
//
// It is for tests and connects only to 127.0.0.1.
package fakestt

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

const (
	// Rate is the service's sample rate.
	Rate = 16000
	// WordSamples is the length of one scripted word (0.25 s).
	WordSamples = Rate / 4
)

// Fault is a failure of the service.
type Fault int

// Faults.
const (
	None Fault = iota
	// Unauthorized and RateLimited refuse the request.
	Unauthorized
	RateLimited
	// Down answers with status 503.
	Down
	// Break ends the connection after half a second of sound, or during the
	// answer.
	Break
	// Garbage sends an invalid event.
	Garbage
	// Mute never sends a final.
	Mute
	// Empty sends finals without text.
	Empty
	// Duplicate sends every final twice.
	Duplicate
	// Complain sends the vendor's error instead of a final. The error contains
	// the key.
	Complain
	// Deaf accepts the connection and then reads nothing.
	Deaf
)

// Script is the behaviour of a service.
type Script struct {
	// Lines are the utterances of each connection in order; after the last one,
	// finals are empty. Requests to OpenAI's endpoint share them.
	Lines []string
	// GoesOn is the time after a final within which new sound continues its
	// line: a final then contains the words that the sound has reached and no
	// earlier final contained. At OpenAI's endpoint a recording continues a
	// line if it begins with the sound of the previous request. If zero, each
	// final is a whole line.
	GoesOn time.Duration
	// Understand returns the words in an utterance's sound so far, at [Rate],
	// instead of Lines, for Deepgram's protocol and OpenAI's. It may be called
	// concurrently for several connections. Deepgram's protocol then has no
	// faults, and continues to hear while a final is due.
	Understand func(sound []int16) string
	// Interim is the delay of an interim transcript after the sound of its last
	// word, with Understand.
	Interim time.Duration
	// Delay is the time from the request for a final to its arrival.
	Delay time.Duration
	// Hold keeps all finals back until [Server.Release].
	Hold bool
	// Fault applies to the first Times connections or requests; zero Times
	// means all.
	Fault Fault
	Times int
}

// Request is a client's request.
type Request struct {
	Path   string
	Query  url.Values
	Header http.Header
	// Form holds the fields of a transcription request, File its recording.
	Form map[string][]string
	File []byte
}

// Server is a running service. Its methods are safe for concurrent use.
type Server struct {
	script  Script
	sockets *fakesocket.Server
	free    chan struct{} // closed when finals may be sent

	mu       sync.Mutex // guards the fields below
	requests []Request
	samples  int
	kept     int    // keep-alives
	line     int    // of OpenAI's endpoint
	last     []byte // the sound of the newest request there
}

// Start starts a service that ends with t.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{script: script, free: make(chan struct{})}
	if !script.Hold {
		close(s.free)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/listen", s.socket("Authorization", "Token ", refuseDeepgram, s.deepgram))
	mux.HandleFunc("GET /v1/speech-to-text/realtime", s.socket("Xi-Api-Key", "", refuseElevenLabs, s.elevenLabs))
	mux.HandleFunc("POST /v1/audio/transcriptions", s.transcriptions)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fakesocket.Answer(w, http.StatusOK, object{"object": "list", "data": []any{}})
	})
	s.sockets = fakesocket.Start(t, mux)
	return s
}

// URL returns the service's root, without a path.
func (s *Server) URL() string { return s.sockets.URL() }

// Release releases the held finals. Call it once.
func (s *Server) Release() { close(s.free) }

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Samples returns the number of samples received.
func (s *Server) Samples() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.samples
}

// KeptAlive returns the number of keep-alive messages.
func (s *Server) KeptAlive() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

type object map[string]any

// record stores a request and returns its fault.
func (s *Server) record(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if s.script.Times > 0 && len(s.requests) > s.script.Times {
		return None
	}
	return s.script.Fault
}

func (s *Server) count(samples int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples += samples
}

// refusedWith are the statuses of the faults that refuse a request.
var refusedWith = map[Fault]int{
	Unauthorized: http.StatusUnauthorized, RateLimited: http.StatusTooManyRequests, Down: http.StatusServiceUnavailable,
}

// refusal is a vendor's error response.
type refusal func(status int, key string) any

func refuseDeepgram(status int, key string) any {
	return object{"err_code": http.StatusText(status), "err_msg": "No for " + key, "request_id": "1"}
}

func refuseElevenLabs(status int, key string) any {
	return object{"detail": object{"status": http.StatusText(status), "message": "No for " + key}}
}

// session is one connection.
type session struct {
	*fakesocket.Conn
	server *Server
	fault  Fault
	key    string
	line   int       // of the script
	final  time.Time // the time of the newest final; zero once new sound arrives
}

// goOn records sound, and reports whether it begins another line.
func (c *session) goOn() (another bool) {
	another = !c.final.IsZero() && time.Since(c.final) >= c.server.script.GoesOn
	if another {
		c.line++
	}
	c.final = time.Time{}
	return another
}

// text returns the current line as far as samples of sound reach, or all of it
// if samples is negative.
func (c *session) text(samples int) string {
	if c.line >= len(c.server.script.Lines) {
		return ""
	}
	words := strings.Fields(c.server.script.Lines[c.line])
	if samples >= 0 {
		words = words[:min(len(words), samples/WordSamples)]
	}
	return strings.Join(words, " ")
}

// pause waits before a final and reports whether it is still wanted.
func (s *Server) pause(ctx context.Context) bool {
	select {
	case <-s.free:
	case <-ctx.Done():
		return false
	}
	select {
	case <-time.After(s.script.Delay):
		return true
	case <-ctx.Done():
		return false
	}
}

// socket accepts a vendor's connections.
func (s *Server) socket(header, prefix string, no refusal, serve func(context.Context, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault := s.record(Request{Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone()})
		key, authorised := fakesocket.Key(r, header, prefix)
		status := refusedWith[fault]
		if !authorised {
			status = http.StatusUnauthorized
		}
		if status != 0 {
			fakesocket.Answer(w, status, no(status, key))
			return
		}
		s.sockets.Accept(w, r, 1<<20, func(ctx context.Context, conn *fakesocket.Conn) {
			if fault == Deaf {
				<-ctx.Done()
				return
			}
			serve(ctx, &session{Conn: conn, server: s, fault: fault, key: key})
		})
	}
}
