package gemini

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxOutgoing is the maximum number of queued messages; further senders block.
	maxOutgoing = 256
	// maxEvents is the maximum number of events queued for Recv; beyond it, reading stops.
	maxEvents = 1024
	// maxAudio is the maximum number of samples per message: half a second.
	maxAudio = inputRate / 2
	// maxMalformed is the number of consecutive malformed messages after which the session ends.
	maxMalformed = 16
	// grace is how long to keep reading for the reason after a write failed.
	grace = time.Second
	// soundKind is the MIME type of sent audio.
	soundKind = "audio/pcm;rate=16000"
)

// wire is a connection. One goroutine writes and one reads; CloseNow ends both.
type wire interface {
	Write(ctx context.Context, kind websocket.MessageType, message []byte) error
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
	CloseNow() error
}

var _ wire = (*websocket.Conn)(nil)

// session implements [s2s.Session].
type session struct {
	provider *Provider
	conn     wire
	out      chan clientMessage // to the writer, in order
	stop     chan struct{}      // closed by Close
	received chan struct{}      // closed when the reader has ended
	wake     chan struct{}      // there are events, or the session ended
	room     chan struct{}      // there is room for events
	tasks    sync.WaitGroup
	close    func()

	// turn is a lock for changing the conversation and telling the service, so that both happen in the same
	// order. It holds one token.
	turn     chan struct{}
	inTurn   bool // BeginTurn was called; guarded by turn
	activity bool // the service was told that a player speaks; guarded by turn
	sounded  bool // audio was sent in the turn; guarded by turn

	mu         sync.Mutex // guards the fields below
	answers    answers
	calls      calls
	background background
	events     []s2s.Event
	ended      error // why no more events follow
	handler    s2s.ToolCallHandler
}

var _ s2s.Session = (*session)(nil)

// newSession starts a session on a connection.
func newSession(p *Provider, conn wire) *session {
	s := &session{
		provider: p, conn: conn,
		out: make(chan clientMessage, maxOutgoing), stop: make(chan struct{}), received: make(chan struct{}),
		wake: make(chan struct{}, 1), room: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		answers: answers{async: p.traits.async},
		calls:   calls{traits: p.traits, open: map[string]*openCall{}},
	}
	s.close = sync.OnceFunc(s.shutDown)
	s.tasks.Go(s.write)
	s.tasks.Go(s.read)
	return s
}

// Close implements [s2s.Session].
func (s *session) Close() error {
	s.close()
	return nil
}

func (s *session) shutDown() {
	s.end(fmt.Errorf("%w: it was closed", s2s.ErrClosed))
	close(s.stop)
	_ = s.conn.CloseNow() // the service may have closed it; unblocks reads and writes
	s.tasks.Wait()
}

// end records why the session has ended; the first reason counts.
func (s *session) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = why
	}
	wakeup.Signal(s.wake)
}

// whyEnded returns why the session has ended, or nil if it has not.
func (s *session) whyEnded() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// queueEvents queues events for Recv. The caller must hold s.mu.
func (s *session) queueEvents(events ...s2s.Event) {
	if len(events) > 0 {
		s.events = append(s.events, events...)
		wakeup.Signal(s.wake)
	}
}

// lockTurn acquires the turn lock.
func (s *session) lockTurn(ctx context.Context) error {
	if ctx.Err() != nil {
		return s.provider.service.Stopped(ctx)
	}
	if err := s.whyEnded(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return s.provider.service.Stopped(ctx)
	case <-s.stop:
		return s.whyEnded()
	}
}

func (s *session) unlockTurn() { <-s.turn }

// send queues messages for the writer, in order. It blocks while the queue is full.
func (s *session) send(ctx context.Context, messages ...clientMessage) error {
	for _, m := range messages {
		select {
		case s.out <- m:
		case <-ctx.Done():
			return s.provider.service.Stopped(ctx)
		case <-s.stop:
			return s.whyEnded()
		case <-s.received:
			return s.whyEnded()
		}
	}
	return nil
}

// write sends queued messages until the session ends.
func (s *session) write() {
	for {
		select {
		case message := <-s.out:
			if write(context.Background(), s.conn, message) != nil { // ended by Close
				s.breakOff()
				return
			}
		case <-s.stop:
			return
		case <-s.received:
			return
		}
	}
}

// breakOff closes a connection that accepts no messages, after giving the reader time to learn why.
func (s *session) breakOff() {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.received:
	case <-s.stop:
	case <-timer.C:
	}
	_ = s.conn.CloseNow() // ends the reader, if it has not ended yet
}

func inputMessage(input realtimeInput) clientMessage { return clientMessage{RealtimeInput: &input} }

func responseMessage(responses []*functionResponse) clientMessage {
	return clientMessage{ToolResponse: &toolResponse{FunctionResponses: responses}}
}

// errLost ends a session that would not answer the next question either. A new session will.
var errLost = fmt.Errorf("%w: the service did not come to the end of an answer", s2s.ErrClosed)

// startActivity tells the service that a player speaks, which ends the service's answer. It answers open
// calls first. The caller must hold the turn.
func (s *session) startActivity(ctx context.Context) error {
	s.mu.Lock()
	settled := append(s.calls.abandon(), s.calls.closeAll()...)
	lost := s.answers.indistinguishable
	s.mu.Unlock()
	if lost {
		s.end(errLost)
		return errLost
	}
	if len(settled) > 0 {
		if err := s.send(ctx, responseMessage(settled)); err != nil {
			return err
		}
	}
	if s.activity {
		return nil
	}
	s.activity = true
	return s.send(ctx, inputMessage(realtimeInput{ActivityStart: &empty{}}))
}

// BeginTurn implements [s2s.Session]. It abandons the answer in progress.
func (s *session) BeginTurn(ctx context.Context) error {
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	s.mu.Lock()
	s.queueEvents(s.answers.startQuestion()...)
	s.mu.Unlock()
	s.inTurn, s.sounded = true, false
	return s.startActivity(ctx)
}

// errNoTurn and errNothing report misuse by the caller.
var (
	errNoTurn  = errors.New("sound needs a turn that was begun")
	errNothing = errors.New("there is nothing to answer: the turn has neither sound nor text")
)

// SendAudio implements [s2s.Session].
func (s *session) SendAudio(ctx context.Context, samples []int16) error {
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	if !s.inTurn {
		return errNoTurn
	}
	for len(samples) > 0 {
		n := min(len(samples), maxAudio)
		sound := &blob{MIMEType: soundKind, Data: audio.AppendS16LE(nil, samples[:n])}
		if err := s.send(ctx, inputMessage(realtimeInput{Audio: sound})); err != nil {
			return err
		}
		s.sounded = true
		samples = samples[n:]
	}
	return nil
}

// ClearTurn implements [s2s.Session]. The service does not support it.
func (s *session) ClearTurn(context.Context) error { return s2s.ErrUnsupported }

// Respond implements [s2s.Session]. It fails for a turn without audio and text, because the service would end
// the session.
func (s *session) Respond(ctx context.Context, r s2s.Response) error {
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	if r.Text = strings.TrimSpace(r.Text); r.Text == "" && !s.sounded && r.Context == "" {
		return errNothing
	}
	if !s.inTurn {
		s.mu.Lock()
		s.queueEvents(s.answers.startQuestion()...)
		s.mu.Unlock()
	}
	if err := s.startActivity(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.queueEvents(s.answers.startAnswer()...)
	text := s.background.drain(r)
	s.mu.Unlock()
	s.inTurn, s.activity, s.sounded = false, false, false
	var messages []clientMessage
	for _, t := range []string{text, spoken(r)} {
		if t != "" {
			messages = append(messages, inputMessage(realtimeInput{Text: t}))
		}
	}
	return s.send(ctx, append(messages, inputMessage(realtimeInput{ActivityEnd: &empty{}}))...)
}

// Inject implements [s2s.Session]. The messages are sent with the next turn, because the service takes what
// arrives in between for an interruption or a question.
func (s *session) Inject(ctx context.Context, messages ...llm.Message) error {
	if ctx.Err() != nil {
		return s.provider.service.Stopped(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return s.ended
	}
	for _, m := range messages {
		s.background.add(lines([]llm.Message{m}))
	}
	return nil
}

// SetTools implements [s2s.Session].
func (s *session) SetTools(ctx context.Context, tools []llm.ToolDefinition) error {
	if !s.provider.traits.updates {
		return fmt.Errorf("%w: %s has the tools it began with", s2s.ErrUnsupported, s.provider.Name())
	}
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	update := &contextUpdate{}
	update.Tools.Tools = s.provider.tools(tools)
	return s.send(ctx, clientMessage{ContextUpdate: update})
}

// Interrupt implements [s2s.Session]. It tells the service at once, unless the service waits for results and
// therefore stays silent anyway. How much was heard is sent with the next turn.
func (s *session) Interrupt(ctx context.Context, heard time.Duration) error {
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	s.mu.Lock()
	if s.answers.number == 0 || s.answers.cut {
		s.mu.Unlock()
		return nil
	}
	s.answers.cut = true
	s.background.interrupted(heard, s.answers.received())
	s.queueEvents(s.answers.abandon()...)
	ready := s.calls.abandon()
	speaking := s.answers.open && len(s.calls.open) == 0
	s.mu.Unlock()
	if len(ready) > 0 {
		if err := s.send(ctx, responseMessage(ready)); err != nil {
			return err
		}
	}
	if !speaking || s.inTurn {
		return nil
	}
	return s.startActivity(ctx)
}
