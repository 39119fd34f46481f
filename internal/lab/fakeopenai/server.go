// Package fakeopenai is an OpenAI-compatible server on the loopback interface
// for tests: it plays scripted answers over the real wire protocol and refuses
// what the real API refuses. It serves
//
//	POST /v1/chat/completions   streamed and whole
//	GET  /v1/models, /v1/models/{id}
//	POST /v1/audio/speech       a deterministic sine, streamed
//	POST /v1/embeddings         deterministic vectors
//
// It is for tests and connects only to 127.0.0.1.
package fakeopenai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// largestRequest bounds a request's body in bytes.
const largestRequest = 8 << 20

// Options configure a [Server].
type Options struct {
	// APIKey is the only accepted key. If empty, every key is accepted.
	APIKey string
	// NoAuth accepts requests without a key, as local servers do.
	NoAuth bool
	// Models are the ids served. If empty, every id is served.
	Models []string
	// RefuseStreamOptions answers 400 to requests with stream_options, as some
	// older servers do.
	RefuseStreamOptions bool
	// SpeechFirst is the time to the first piece of synthesised speech.
	SpeechFirst time.Duration
	// Voice synthesises a text with a voice, at [SpeechRate]. If nil, [Speech]
	// does.
	Voice func(text, voice string) []int16
	// SpeechDelay is the time between two pieces of synthesised speech. Zero
	// sends them at once.
	SpeechDelay time.Duration
}

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	opts     Options
	script   Script
	listener net.Listener
	http     *http.Server
	served   chan struct{} // closed when the accept loop has ended
	stopping chan struct{} // closed to end hanging answers
	stop     func()

	mu       sync.Mutex // guards the fields below
	requests []Request
	active   int
	aborted  int
	idle     chan struct{} // closed and replaced when active falls to 0
}

// New starts a server that answers chat requests from script; a nil script
// answers "ok" to everything. opts may be nil. The caller closes the server.
func New(script Script, opts *Options) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening on loopback: %w", err)
	}
	s := &Server{
		script: script, listener: l,
		served: make(chan struct{}), stopping: make(chan struct{}), idle: make(chan struct{}),
	}
	s.stop = sync.OnceFunc(func() { close(s.stopping) })
	if opts != nil {
		s.opts = *opts
	}
	if s.script == nil {
		s.script = Always(Say("ok"))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.guard(s.chat))
	mux.HandleFunc("GET /v1/models", s.guard(s.models))
	mux.HandleFunc("GET /v1/models/{id...}", s.guard(s.model))
	mux.HandleFunc("POST /v1/audio/speech", s.guard(s.speech))
	mux.HandleFunc("POST /v1/embeddings", s.guard(s.embeddings))
	mux.HandleFunc("/", s.guard(func(w http.ResponseWriter, r *http.Request, _ *Request) {
		refuse(w, http.StatusNotFound, "invalid_request_error", "unknown_url",
			fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path))
	}))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { // ends in Close, which waits for it
		defer close(s.served)
		_ = s.http.Serve(l) // always http.ErrServerClosed after Close
	}()
	return s, nil
}

// Start is [New] for a test: it fails t if the server cannot start and closes
// it when t ends.
func Start(t testing.TB, script Script, opts *Options) *Server {
	t.Helper()
	s, err := New(script, opts)
	if err != nil {
		t.Fatalf("starting the fake OpenAI server: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// URL is the API's root, ending in /v1.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Close ends every running answer and waits for its handlers. It may be
// called more than once.
func (s *Server) Close() {
	s.stop()
	_ = s.http.Close() // the listener is closed either way
	<-s.served
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = s.WaitIdle(ctx) // a handler that outlives this is a goroutine leak, which the test reports
}

// Requests returns the requests so far, in order of arrival, including refused
// ones.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ChatRequests returns the chat completion requests so far.
func (s *Server) ChatRequests() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Path != "/v1/chat/completions" })
}

// Aborted returns how many clients disconnected before their answer was
// complete.
func (s *Server) Aborted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aborted
}

// WaitIdle blocks until no request is in progress.
func (s *Server) WaitIdle(ctx context.Context) error {
	for {
		s.mu.Lock()
		active, idle := s.active, s.idle
		s.mu.Unlock()
		if active == 0 {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// handler serves one endpoint. The request's body has been read.
type handler func(w http.ResponseWriter, r *http.Request, rec *Request)

// guard counts, records and authenticates.
func (s *Server) guard(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.active++
		s.mu.Unlock()
		defer s.leave()
		rec, err := readRequest(w, r)
		s.mu.Lock()
		rec.Number = len(s.requests)
		s.requests = append(s.requests, rec)
		s.mu.Unlock()
		if err != nil {
			refuse(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
			return
		}
		if !s.authenticated(w, rec.Key) {
			return
		}
		next(w, r, &rec)
	}
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	if s.active == 0 {
		close(s.idle)
		s.idle = make(chan struct{})
	}
}

func (s *Server) noteAbort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aborted++
}

func (s *Server) authenticated(w http.ResponseWriter, key string) bool {
	switch {
	case s.opts.NoAuth:
		return true
	case key == "":
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "",
			"You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.")
		return false
	case s.opts.APIKey != "" && key != s.opts.APIKey:
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key",
			"Incorrect API key provided: "+key+".")
		return false
	}
	return true
}

func readRequest(w http.ResponseWriter, r *http.Request) (Request, error) {
	rec := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		rec.Key = strings.TrimSpace(key)
	}
	if r.Method != http.MethodPost {
		return rec, nil
	}
	var raw json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestRequest)).Decode(&raw); err != nil {
		//lint:ignore ST1005 the wire's wording
		return rec, errors.New("We could not parse the JSON body of your request.")
	}
	rec.Body = raw
	_ = json.Unmarshal(raw, &rec.Chat) // the endpoint refuses invalid bodies
	return rec, nil
}

func (s *Server) serves(model string) bool {
	return len(s.opts.Models) == 0 || slices.Contains(s.opts.Models, model)
}

// refuse answers with the protocol's error object.
func refuse(w http.ResponseWriter, status int, kind, code, message string) {
	answer(w, status, map[string]any{"error": errorObject(kind, code, message)})
}

func errorObject(kind, code, message string) map[string]any {
	e := map[string]any{"message": message, "type": kind, "param": nil, "code": nil}
	if code != "" {
		e["code"] = code
	}
	return e
}

func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may be gone
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request, _ *Request) {
	list := make([]any, 0, len(s.opts.Models))
	for _, id := range s.modelIDs() {
		list = append(list, modelObject(id))
	}
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

func (s *Server) modelIDs() []string {
	if len(s.opts.Models) > 0 {
		return s.opts.Models
	}
	return []string{"gpt-4o-mini", "gpt-4o-mini-tts", "text-embedding-3-small"}
}

func (s *Server) model(w http.ResponseWriter, r *http.Request, _ *Request) {
	id := r.PathValue("id")
	if !s.serves(id) {
		refuseModel(w, id)
		return
	}
	answer(w, http.StatusOK, modelObject(id))
}

func modelObject(id string) map[string]any {
	return map[string]any{"id": id, "object": "model", "created": created, "owned_by": "fake"}
}

func refuseModel(w http.ResponseWriter, id string) {
	refuse(w, http.StatusNotFound, "invalid_request_error", "model_not_found",
		fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", id))
}
