// Package fakerealtime is OpenAI's Realtime service on the loopback interface
// for tests: GET /v1/realtime, a WebSocket. It recognises no speech; its
// model's answers are in its script, and its voice sounds like [Tone]. It
// refuses what the real service refuses.
//
// Of the client's events it accepts session.update, input_audio_buffer.append,
// .commit and .clear, conversation.item.create, .retrieve, .truncate and
// .delete, response.create and response.cancel. It sends session.created and
// .updated, conversation.item.added, .done, .retrieved, .truncated, .deleted
// and .input_audio_transcription.delta and .completed,
// input_audio_buffer.committed, .cleared, .speech_started and .speech_stopped,
// response.created and .done, response.output_item, .content_part,
// .output_audio, .output_audio_transcript, .output_text and
// .function_call_arguments with their pieces and ends, rate_limits.updated and
// error. [Script].Beta uses the names of the service's beta, [Script].Basic
// supports only some of the events.
//
// It does not support images, MCP servers and approvals, prompts, transcription
// sessions, translation, WebRTC and its output_audio_buffer, telephone calls,
// DTMF, input_audio_buffer.timeout_triggered, transcription segments, semantic
// turn detection (it detects loudness, as for server_vad), formats other than
// 16-bit PCM, truncation of conversations that are too long, and ephemeral
// keys.
//
// It is for tests and connects only to 127.0.0.1.
package fakerealtime

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/fakesocket"
)

const (
	// Key is the clients' key.
	Key = "sk-fake-0123456789abcdef"
	// Rate is the sample rate in both directions.
	Rate = 24000
	// PieceSamples is the number of samples in one event (100 ms).
	PieceSamples = Rate / 10
)

// Script is the behaviour of a service.
type Script struct {
	// Beta uses the protocol before general availability.
	Beta bool
	// Basic supports no more of the protocol than Hugging Face's
	// speech-to-speech: it detects turns itself, confirms no session.update,
	// cancels, truncates and deletes nothing, and reports no items.
	Basic bool
	// Answers are the model's answers to response requests, in order, over all
	// sessions. After the last one, responses are empty.
	Answers []Answer
	// Answer, if set, replaces Answers. Each session calls it from one
	// goroutine at a time.
	Answer func(Request) Answer
	// Hears are the transcripts of committed sound, in order.
	Hears []string
	// Status, if set, refuses every connection, with Code in the body.
	Status int
	Code   string
	// Mute does not confirm session.update.
	Mute bool
	// Forgetful does not echo metadata, like some servers.
	Forgetful bool
	// Sending, if set, is called with each message before it is sent. Each
	// session calls it from one goroutine at a time.
	Sending func(session int, message []byte)
	// Stranger starts an unrequested response after each function_call_output.
	Stranger bool
}

// Answer is one response of the model.
type Answer struct {
	// Parts are spoken, one item each.
	Parts []Part
	// Interleaved starts the second part before the end of the first one is
	// sent.
	Interleaved bool
	// Calls are made after the parts.
	Calls []Call
	// Delay is the pause before the response is created, Every the pause
	// between pieces of sound.
	Delay, Every time.Duration
	// HoldCreated and HoldEnd hold back response.created, or everything after
	// the parts, until [Server.Release]. A cancel also ends HoldEnd.
	HoldCreated, HoldEnd bool
	// Refuse is the code of an error sent instead of the response.
	Refuse string
	// Fail is the code of the error that ends the response.
	Fail string
	// Incomplete ends the response as incomplete.
	Incomplete bool
	// Raw are messages sent unchanged after the response's beginning.
	Raw []string
	// Close closes the connection with this code after the parts; Break cuts it.
	Close int
	Break bool
}

// Part is a spoken piece of an answer.
type Part struct {
	Text string
	// Sound is the length of its sound.
	Sound time.Duration
}

// Call is a tool call. Its id is "call_" and its number in the session, from 1.
type Call struct{ Name, Arguments string }

// Request is the request for an answer.
type Request struct {
	// Session is the number of the connection, from 0.
	Session int
	// Instructions and Tools apply to the response.
	Instructions string
	Tools        []string
	// Text is the newest user entry, or its transcript.
	Text string
	// Outputs are the tools' outputs since the last response.
	Outputs []string
	// Entries is the length of the conversation.
	Entries int
}

// Message is a client's message.
type Message struct {
	Session int
	Type    string
	Data    json.RawMessage
}

// Entry is a part of a conversation.
type Entry struct {
	ID, Type, Role, Text string
	// Sound is the length of its sound.
	Sound time.Duration
	// Output is a tool's output.
	Output string
}

// Server is a running service. Its methods are safe for concurrent use.
type Server struct {
	script  Script
	sockets *fakesocket.Server
	release chan struct{}

	news     fakesocket.News // guards the fields below
	sessions []*session
	messages []Message
	refused  []string
	answered int
	heard    int
}

// Start starts a service that ends with t.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{script: script, release: make(chan struct{}, 64)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/realtime", s.accept)
	s.sockets = fakesocket.Start(t, mux)
	return s
}

// URL is the API's root.
func (s *Server) URL() string { return s.sockets.URL() + "/v1" }

// Release releases what an answer holds back, now or later.
func (s *Server) Release() { s.release <- struct{}{} }

// Messages returns the clients' messages so far, of the given types if there
// are any.
func (s *Server) Messages(types ...string) []Message {
	s.news.Lock()
	defer s.news.Unlock()
	var of []Message
	for _, m := range s.messages {
		if len(types) == 0 || slices.Contains(types, m.Type) {
			of = append(of, m)
		}
	}
	return of
}

// Await waits until n messages of a type were received and answered, and
// returns them. It fails if the test ends first.
func (s *Server) Await(t testing.TB, n int, kind string) (of []Message) {
	t.Helper()
	if !s.news.Await(t.Context(), func() bool { of = s.Messages(kind); return len(of) >= n }) {
		t.Fatalf("%d messages of %s came, want %d", len(of), kind, n)
	}
	return of
}

// Refused returns the error codes sent so far.
func (s *Server) Refused() []string {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.refused)
}

// Sessions returns how many connections were accepted.
func (s *Server) Sessions() int {
	s.news.Lock()
	defer s.news.Unlock()
	return len(s.sessions)
}

// Conversation returns a session's entries, oldest first.
func (s *Server) Conversation(number int) []Entry {
	s.news.Lock()
	c := s.sessions[number]
	s.news.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := make([]Entry, len(c.items))
	for i, item := range c.items {
		entries[i] = Entry{
			ID: item.id, Type: item.kind, Role: item.role, Text: item.text, Output: item.output,
			Sound: time.Duration(item.samples) * time.Second / Rate,
		}
	}
	return entries
}

// Drop closes every connection with a code; 0 cuts it.
func (s *Server) Drop(code int) {
	for _, c := range s.open() {
		c.conn.Close(code, "")
	}
}

// Expire ends every session as at its time limit.
func (s *Server) Expire() {
	for _, c := range s.open() {
		c.expire()
	}
}

func (s *Server) open() []*session {
	s.news.Lock()
	defer s.news.Unlock()
	return slices.Clone(s.sessions)
}

// record stores an answered message.
func (s *Server) record(m Message) {
	s.news.Lock()
	defer s.news.Unlock()
	s.messages = append(s.messages, m)
	s.news.Announce()
}

func (s *Server) recordRefusal(code string) {
	s.news.Lock()
	defer s.news.Unlock()
	s.refused = append(s.refused, code)
}

// nextAnswer returns the model's answer to a request.
func (s *Server) nextAnswer(r Request) Answer {
	if s.script.Answer != nil {
		return s.script.Answer(r)
	}
	s.news.Lock()
	defer s.news.Unlock()
	s.answered++
	if s.answered > len(s.script.Answers) {
		return Answer{}
	}
	return s.script.Answers[s.answered-1]
}

// nextTranscript returns the transcript of sound.
func (s *Server) nextTranscript() string {
	s.news.Lock()
	defer s.news.Unlock()
	s.heard++
	if s.heard > len(s.script.Hears) {
		return ""
	}
	return s.script.Hears[s.heard-1]
}

// accept accepts a connection, or refuses it as the service would.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	key, _ := fakesocket.Key(r, "Authorization", "Bearer ")
	switch {
	case s.script.Status != 0:
		refuse(w, s.script.Status, s.script.Code, "No for "+key)
		return
	case key != Key:
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+key)
		return
	case r.URL.Query().Get("model") == "":
		refuse(w, http.StatusBadRequest, "missing_model", "You must provide a model parameter.")
		return
	}
	s.sockets.Accept(w, r, maxMessage, func(ctx context.Context, conn *fakesocket.Conn) {
		c := newSession(s, conn, r.URL.Query().Get("model"))
		s.news.Lock()
		c.number = len(s.sessions)
		s.sessions = append(s.sessions, c)
		s.news.Unlock()
		c.serve(ctx)
	})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	fakesocket.Answer(w, status, object{"error": object{
		"message": message, "type": "invalid_request_error", "code": code, "param": nil,
	}})
}

// Tone returns samples of the voice's sound from an offset; each part begins at
// 0.
func Tone(from, samples int) []int16 {
	tone := make([]int16, samples)
	for i := range tone {
		tone[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(from+i)/Rate))
	}
	return tone
}
