package openai

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// setupTimeout is how long to wait for confirmation of the setup; some servers send none.
	setupTimeout = 3 * time.Second
	// writeTimeout is how long a write may block before the service counts as gone.
	writeTimeout = 10 * time.Second
	// maxQueued is the maximum number of queued bytes; beyond it, callers block. Replies to the service have
	// as much room again.
	maxQueued = 4 << 20
	// maxPiece is the maximum number of samples per message.
	maxPiece = 2 * rate
)

// Causes for ending the wait for the next message early.
var (
	errWoken = errors.New("there is something to tell")
	errGoing = errors.New("the session's end is near")
)

// transport carries messages; [*vendor.Conn] implements it. Only one goroutine may call Recv at a time.
// Cancelling Recv loses no message.
type transport interface {
	Send(ctx context.Context, message []byte) error
	Recv(ctx context.Context) ([]byte, error)
	Close() error
	Abort()
}

var _ transport = (*vendor.Conn)(nil)

// Session implements [s2s.Session]. A goroutine sends the messages of its methods in the order of the calls;
// Close ends it and waits for it. Methods block while more than 4 MiB are queued.
type Session struct {
	service *vendor.Service
	conn    transport
	tasks   sync.WaitGroup
	ended   <-chan struct{} // closed when nothing more can be sent
	cancel  context.CancelFunc
	close   func()
	work    chan struct{} // holds a token while there is something to send

	mu           sync.Mutex // guards the fields below
	conversation *conversation
	handle       s2s.ToolCallHandler
	queue        [][]byte
	queued       int           // bytes in queue
	room         chan struct{} // closed when there is room in queue
	wake         context.CancelCauseFunc
	over         bool  // nothing more can be received
	err          error // why nothing more can be sent
}

var _ s2s.Session = (*Session)(nil)

// newSession starts a session on conn and takes ownership of it.
func newSession(p *Provider, conn transport, o s2s.SessionOptions) *Session {
	life, cancel := context.WithCancel(context.Background())
	s := &Session{
		service: &p.service, conn: conn, ended: life.Done(), cancel: cancel, work: make(chan struct{}, 1),
		conversation: newConversation(p, o), room: make(chan struct{}),
	}
	s.close = sync.OnceFunc(s.shutDown)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queueMessages()
	s.tasks.Go(func() { s.write(life) })
	return s
}

// awaitSetup waits until the service has accepted the setup.
func (s *Session) awaitSetup(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, setupTimeout)
	defer cancel()
	for {
		s.mu.Lock()
		if ctx.Err() != nil && parent.Err() == nil {
			s.conversation.ready = true
		}
		ready, final, err := s.conversation.ready, s.conversation.final, s.err
		s.mu.Unlock()
		switch {
		case final != nil:
			return final
		case err != nil:
			return err
		case ready:
			return nil
		case parent.Err() != nil:
			return s.service.Stopped(parent)
		}
		_ = s.receive(ctx) // checked above
	}
}

// speak calls say on the conversation once there is room in the queue.
func (s *Session) speak(ctx context.Context, say func(*conversation) error) error {
	for {
		if ctx.Err() != nil {
			return s.service.Stopped(ctx)
		}
		s.mu.Lock()
		if s.err != nil || s.queued < maxQueued {
			break
		}
		room := s.room
		s.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
		case <-s.ended:
		}
	}
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	err := say(s.conversation)
	s.queueMessages()
	if (s.over || len(s.conversation.events) > 0) && s.wake != nil {
		s.wake(errWoken)
	}
	return err
}

// queueMessages queues the conversation's messages. The caller must hold the lock.
func (s *Session) queueMessages() {
	for _, m := range s.conversation.out {
		s.queued += len(m)
	}
	s.queue = append(s.queue, s.conversation.out...)
	s.conversation.out = nil
	if s.queued > 2*maxQueued {
		s.over = true
		s.end(fmt.Errorf("%w: it takes no messages", s.service.Unavailable))
	}
	select {
	case s.work <- struct{}{}:
	default:
	}
}

// end ends the session for senders. The caller must hold the lock.
func (s *Session) end(cause error) {
	if s.err == nil {
		s.err = closed(cause)
	}
	s.cancel()
}

// write sends queued messages until the session ends.
func (s *Session) write(life context.Context) {
	for {
		select {
		case <-s.work:
		case <-life.Done():
			return
		}
		s.mu.Lock()
		batch := s.queue
		s.queue, s.queued = nil, 0
		close(s.room)
		s.room = make(chan struct{})
		s.mu.Unlock()
		for _, m := range batch {
			if err := s.sendMessage(life, m); err != nil {
				s.mu.Lock()
				s.end(err)
				s.mu.Unlock()
				s.conn.Abort()
				return
			}
		}
	}
}

func (s *Session) sendMessage(life context.Context, m []byte) error {
	ctx, cancel := context.WithTimeout(life, writeTimeout)
	defer cancel()
	err := s.conn.Send(ctx, m)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && life.Err() == nil:
		return fmt.Errorf("%w: it took nothing for %s", s.service.Unavailable, writeTimeout)
	}
	return s.broken(err)
}

// broken returns the error for a lost connection.
func (s *Session) broken(err error) error {
	return fmt.Errorf("%w: the connection was lost: %s", s.service.Unavailable, s.service.Printable(vendor.Transport(err)))
}

// Recv implements [s2s.Session].
func (s *Session) Recv(ctx context.Context) (s2s.Event, error) {
	for {
		e, err := s.nextEvent()
		if e != nil || err != nil {
			return e, err
		}
		if err := s.receive(ctx); err != nil {
			return nil, err
		}
	}
}

// nextEvent returns the next event, nil if there is none, or the session's error once all events have been
// returned. It passes a tool call to the handler first.
func (s *Session) nextEvent() (s2s.Event, error) {
	s.mu.Lock()
	c := s.conversation
	if len(c.events) == 0 {
		defer s.mu.Unlock()
		if s.over {
			return nil, s.err
		}
		return nil, nil
	}
	e := c.events[0]
	c.events[0] = nil
	c.events = c.events[1:]
	handle := s.handle
	called, ok := e.(s2s.ToolCalled)
	if ok && handle == nil {
		// The call is open, so this cannot fail.
		_ = c.answerCall(s2s.ToolResult{ID: called.Call.ID, Name: called.Call.Name, Text: "no tool can be called now", IsError: true})
		s.queueMessages()
	}
	s.mu.Unlock()
	if ok && handle != nil {
		handle(called.Call)
	}
	return e, nil
}

// receive handles the next message, or returns early when there are events to return and the session has
// begun. The error is ctx's.
func (s *Session) receive(parent context.Context) error {
	if parent.Err() != nil {
		return s.service.Stopped(parent)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	s.mu.Lock()
	if s.over || s.conversation.ready && len(s.conversation.events) > 0 {
		s.mu.Unlock()
		return nil
	}
	s.wake = cancel
	if going := s.conversation.endNoticeAt; !going.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, going, errGoing)
		defer stop()
	}
	s.mu.Unlock()
	data, err := s.conn.Recv(ctx)
	s.mu.Lock()
	s.wake = nil
	switch {
	case err == nil:
		s.conversation.receive(data)
		s.queueMessages()
		if s.conversation.final != nil {
			s.over = true
			s.end(s.conversation.final)
		}
	case parent.Err() != nil:
		s.mu.Unlock()
		return s.service.Stopped(parent)
	case context.Cause(ctx) == errGoing:
		s.conversation.endNoticeAt = time.Time{}
		s.conversation.queueEvent(s2s.GoingAway{Left: notice})
	case ctx.Err() == nil:
		s.over = true
		s.end(s.broken(err))
	}
	final := s.conversation.final != nil
	s.mu.Unlock()
	if final {
		s.conn.Abort()
	}
	return nil
}

// Close implements [s2s.Session].
func (s *Session) Close() error {
	s.close()
	return nil
}

func (s *Session) shutDown() {
	s.mu.Lock()
	s.over = true
	s.end(nil)
	if s.wake != nil {
		s.wake(errWoken)
	}
	s.mu.Unlock()
	s.tasks.Wait()
	_ = s.conn.Close() // the session is over either way
}

// BeginTurn implements [s2s.Session].
func (s *Session) BeginTurn(ctx context.Context) error {
	return s.speak(ctx, func(c *conversation) error {
		c.clearTurn()
		return nil
	})
}

// ClearTurn implements [s2s.Session].
func (s *Session) ClearTurn(ctx context.Context) error {
	return s.speak(ctx, func(c *conversation) error {
		if c.provider.isBasic() {
			return fmt.Errorf("taking back what was said: %w", s2s.ErrUnsupported)
		}
		c.clearTurn()
		return nil
	})
}

// SendAudio implements [s2s.Session].
func (s *Session) SendAudio(ctx context.Context, samples []int16) error {
	for len(samples) > 0 {
		n := min(len(samples), maxPiece)
		data := appendSound(samples[:n])
		samples = samples[n:]
		if err := s.speak(ctx, func(c *conversation) error {
			c.addSound(n, data)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Respond implements [s2s.Session]. If the turn has neither audio nor text, the model continues from the
// conversation.
func (s *Session) Respond(ctx context.Context, r s2s.Response) error {
	return s.speak(ctx, func(c *conversation) error { return c.respond(r) })
}

// Inject implements [s2s.Session].
func (s *Session) Inject(ctx context.Context, messages ...llm.Message) error {
	return s.speak(ctx, func(c *conversation) error {
		c.inject(messages)
		return nil
	})
}

// SetTools implements [s2s.Session].
func (s *Session) SetTools(ctx context.Context, tools []llm.ToolDefinition) error {
	return s.speak(ctx, func(c *conversation) error {
		c.setTools(tools)
		return nil
	})
}

// OnToolCall implements [s2s.Session].
func (s *Session) OnToolCall(handle s2s.ToolCallHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = handle
}

// SendToolResult implements [s2s.Session]. It returns an error if the call is unknown or already has a
// result.
func (s *Session) SendToolResult(ctx context.Context, r s2s.ToolResult) error {
	return s.speak(ctx, func(c *conversation) error { return c.answerCall(r) })
}

// Interrupt implements [s2s.Session].
func (s *Session) Interrupt(ctx context.Context, heard time.Duration) error {
	return s.speak(ctx, func(c *conversation) error {
		c.interrupt(heard)
		return nil
	})
}
