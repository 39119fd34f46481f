// Package fakegemini is Google's Gemini Live service on the loopback interface
// for tests: it ignores the content of sound and has no model, but plays
// scripted answers over the real wire protocol, and closes the connection on
// messages that the real service refuses, with its code and reason. It serves,
// as WebSockets,
//
//	/ws/google.ai.generativelanguage.{v1,v1beta,v1alpha}.GenerativeService.BidiGenerateContent
//	/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained
//
// Of the client's messages it covers setup (with history, resumption,
// compression, transcription and manual activity), clientContent, realtimeInput
// with audio, text, activityStart, activityEnd and audioStreamEnd, toolResponse
// and contextUpdate. Of the service's messages it covers setupComplete,
// serverContent (modelTurn with inlineData, inputTranscription,
// outputTranscription, generationComplete, turnComplete, turnCompleteReason,
// interrupted, waitingForInput), toolCall, toolCallCancellation, usageMetadata,
// goAway, sessionResumptionUpdate, and invalid messages.
//
// Not covered: video, images and avatars; files and code execution; Google's
// own tools, such as search; thoughts; automatic detection of voice activity (a
// session that leaves it on gets answers only after audioStreamEnd or
// clientContent); interactionStatus; grounding metadata; names in snake case;
// transparent resumption; and everything of Vertex AI.
//
// What differs between models follows the model's name: 2.x accepts
// clientContent at any time and no contextUpdate; 3.0 to 3.7 accepts
// clientContent only as announced history, and no contextUpdate, behavior or
// scheduling; 3.8 accepts everything.
//
// It is for tests and connects only to 127.0.0.1.
package fakegemini

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

const (
	// InputRate and OutputRate are the sample rates of sound to and from it.
	InputRate, OutputRate = 16000, 24000
	// largestMessage bounds one message of a client in bytes.
	largestMessage = 16 << 20
)

// Options configure a [Server].
type Options struct {
	// APIKey is the only accepted key. If empty, every key is accepted.
	APIKey string
	// Models are the accepted names, without "models/". If empty, every name
	// that begins with "gemini-" is accepted.
	Models []string
	// Handles are accepted resumption handles beside those it issued.
	Handles []string
	// Turns are the answers, in order over all connections. After the last one,
	// answers are empty.
	Turns []Turn
	// Status answers the handshake with this HTTP status, if not zero.
	Status int
	// NoSetup accepts connections but never confirms the setup.
	NoSetup bool
	// Deaf stops reading once a session is ready.
	Deaf bool
	// Refuse closes a connection instead of sending the first message, if its
	// code is not zero.
	Refuse Close
}

// Message is a message from a client.
type Message struct {
	// Connection counts connections from 0 in order of arrival.
	Connection int
	// Kind is "setup", "clientContent", "audio", "text", "activityStart",
	// "activityEnd", "audioStreamEnd", "toolResponse" or "contextUpdate".
	Kind string
	// Body is the message's content as received.
	Body json.RawMessage
}

// Server is a running service. Its methods are safe for concurrent use.
type Server struct {
	opts    Options
	sockets *fakesocket.Server

	news     fakesocket.News // guards the fields below
	messages []Message
	refusals []string
	paths    []string
	open     int // connections
	turn     int // of the script
	handles  map[string]bool
}

// Start starts a service that ends with t.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	s := &Server{opts: opts, handles: map[string]bool{}}
	for _, h := range opts.Handles {
		s.handles[h] = true
	}
	s.sockets = fakesocket.Start(t, http.HandlerFunc(s.serve))
	return s
}

// URL is the service's root, without a path.
func (s *Server) URL() string { return s.sockets.URL() }

// Messages returns the clients' messages so far, including refused ones.
func (s *Server) Messages() []Message {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.messages)
}

// Kinds returns the kinds of messages on a connection so far, with runs of
// audio as one.
func (s *Server) Kinds(connection int) []string {
	var kinds []string
	for _, m := range s.Messages() {
		again := m.Kind == "audio" && len(kinds) > 0 && kinds[len(kinds)-1] == "audio"
		if m.Connection == connection && !again {
			kinds = append(kinds, m.Kind)
		}
	}
	return kinds
}

// Of returns the bodies of the messages of a kind so far.
func (s *Server) Of(kind string) []json.RawMessage {
	var bodies []json.RawMessage
	for _, m := range s.Messages() {
		if m.Kind == kind {
			bodies = append(bodies, m.Body)
		}
	}
	return bodies
}

// Await returns the bodies of a kind once there are n. It fails t if the test
// ends first.
func (s *Server) Await(t testing.TB, kind string, n int) (all []json.RawMessage) {
	t.Helper()
	if !s.news.Await(t.Context(), func() bool { all = s.Of(kind); return len(all) >= n }) {
		t.Fatalf("got %d messages of kind %s, want %d", len(all), kind, n)
	}
	return all
}

// AwaitIdle returns when no connection is open, also after the test.
func (s *Server) AwaitIdle() {
	s.news.Await(context.Background(), func() bool {
		s.news.Lock()
		defer s.news.Unlock()
		return s.open == 0
	})
}

// Refusals returns why the server closed connections; it is empty if the client
// keeps to the protocol.
func (s *Server) Refusals() []string {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.refusals)
}

// Paths returns the paths of connections, in order.
func (s *Server) Paths() []string {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.paths)
}

// change runs f under the lock and wakes waiters.
func (s *Server) change(f func()) {
	s.news.Lock()
	defer s.news.Unlock()
	f()
	s.news.Announce()
}

// nextTurn takes an answer from the script.
func (s *Server) nextTurn() Turn {
	s.news.Lock()
	defer s.news.Unlock()
	if s.turn >= len(s.opts.Turns) {
		return Turn{}
	}
	s.turn++
	return s.opts.Turns[s.turn-1]
}

// serve handles one connection.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.opts.Status != 0 {
		http.Error(w, "refused", s.opts.Status)
		return
	}
	// One client sends a path with two leading slashes.
	rest, ok := strings.CutPrefix(path.Clean("/"+r.URL.Path), "/ws/google.ai.generativelanguage.")
	version, method, _ := strings.Cut(rest, ".GenerativeService.")
	constrained := method == "BidiGenerateContentConstrained"
	if !ok || !slices.Contains([]string{"v1", "v1beta", "v1alpha"}, version) || method != "BidiGenerateContent" && (!constrained || version != "v1alpha") {
		http.NotFound(w, r)
		return
	}
	key := cmp.Or(r.URL.Query().Get("key"), r.Header.Get("X-Goog-Api-Key"))
	if constrained {
		key = cmp.Or(r.URL.Query().Get("access_token"), strings.TrimPrefix(r.Header.Get("Authorization"), "Token "))
	}
	s.sockets.Accept(w, r, largestMessage, func(ctx context.Context, conn *fakesocket.Conn) {
		s.change(func() {
			s.open++
			s.paths = append(s.paths, r.URL.Path)
		})
		defer s.change(func() { s.open-- })
		c := &connection{server: s, conn: conn, version: version, key: key, calls: map[string]call{}}
		c.run(ctx)
	})
}
