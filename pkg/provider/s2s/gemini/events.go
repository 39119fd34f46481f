package gemini

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Recv implements [s2s.Session]. Once the session has ended, it first returns the events from before.
func (s *session) Recv(ctx context.Context) (s2s.Event, error) {
	for {
		if ctx.Err() != nil {
			return nil, s.provider.service.Stopped(ctx)
		}
		event, err := s.nextEvent()
		if err != nil {
			return nil, err
		}
		if event == nil {
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		if called, ok := event.(s2s.ToolCalled); ok {
			s.handle(ctx, called)
		}
		return event, nil
	}
}

// nextEvent returns the oldest event. Without one, it returns the session's error, if any.
func (s *session) nextEvent() (s2s.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) == 0 {
		return nil, s.ended
	}
	event := s.events[0]
	s.events = s.events[1:]
	wakeup.Signal(s.room)
	return event, nil
}

// handle passes a call to the handler, or refuses it.
func (s *session) handle(ctx context.Context, called s2s.ToolCalled) {
	s.mu.Lock()
	handler := s.handler
	s.mu.Unlock()
	if handler != nil {
		handler(called.Call)
		return
	}
	_ = s.SendToolResult(ctx, s2s.ToolResult{ // fails only if the session has ended, which the next event reports
		ID: called.Call.ID, Name: called.Call.Name, Text: "there are no tools now", IsError: true,
	})
}

// OnToolCall implements [s2s.Session].
func (s *session) OnToolCall(handle s2s.ToolCallHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = handle
}

// SendToolResult implements [s2s.Session]. The results of calls made together are sent together. If a call
// has been closed because a player spoke or the service withdrew it, its result is sent with the next turn.
func (s *session) SendToolResult(ctx context.Context, r s2s.ToolResult) error {
	if err := s.lockTurn(ctx); err != nil {
		return err
	}
	defer s.unlockTurn()
	s.mu.Lock()
	ready, over, wanted, found, known := s.calls.answer(r)
	if over {
		s.answers.resume(wanted)
	}
	if !found && known && !r.IsError {
		s.background.add("What " + r.Name + " told too late: " + r.Text)
	}
	s.mu.Unlock()
	switch {
	case !found && !known:
		return fmt.Errorf("there is no call %q of a tool", r.ID)
	case len(ready) == 0:
		return nil
	}
	return s.send(ctx, responseMessage(ready))
}

// read receives messages until the session ends.
func (s *session) read() {
	defer close(s.received)
	for malformed := 0; ; {
		_, data, err := s.conn.Read(context.Background()) // ended by Close
		if err != nil {
			s.end(fmt.Errorf("%w: %w", s2s.ErrClosed, s.provider.whyBroken(context.Background(), err, false)))
			return
		}
		m, err := parse(data)
		switch {
		case err == nil:
			malformed = 0
			s.handleMessage(m)
		case malformed == maxMalformed:
			s.end(fmt.Errorf("%w: %w: %w", s2s.ErrClosed, s.provider.service.Unavailable, errMalformed))
			return
		default:
			malformed++
			s.mu.Lock()
			s.queueEvents(s2s.Failed{Err: s.provider.whyMalformed(err, false)})
			s.mu.Unlock()
		}
		if !s.awaitRoom() {
			return
		}
	}
}

// awaitRoom waits until there is room for events. It returns false if the session was closed.
func (s *session) awaitRoom() bool {
	for {
		s.mu.Lock()
		full := len(s.events) >= maxEvents
		s.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-s.room:
		case <-s.stop:
			return false
		}
	}
}

// handleMessage handles one message.
func (s *session) handleMessage(m *serverMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ServerContent != nil {
		s.queueEvents(s.answers.handleContent(m.ServerContent)...)
	}
	s.openCalls(m.ToolCall.FunctionCalls)
	s.handleCancellation(m.ToolCallCancellation.IDs)
	if m.UsageMetadata != nil {
		s.queueEvents(count(m.UsageMetadata))
	}
	if m.GoAway != nil {
		left, err := time.ParseDuration(m.GoAway.TimeLeft)
		if err != nil {
			left = 0 // it may be soon
		}
		s.queueEvents(s2s.GoingAway{Left: max(0, left)})
	}
	if u := m.SessionResumptionUpdate; u.Resumable && u.NewHandle != "" && len(u.NewHandle) <= maxHandle {
		s.queueEvents(s2s.Resumable{Handle: u.NewHandle})
	}
}

// openCalls opens calls, and refuses those of abandoned answers. The caller must hold s.mu.
func (s *session) openCalls(wanted []*functionCall) {
	if len(wanted) == 0 {
		return
	}
	begun, ok := s.answers.startCalls()
	if !ok {
		s.refuse(s.calls.refuseAll(wanted))
		return
	}
	s.queueEvents(begun...)
	opened, refused := s.calls.start(wanted)
	s.refuse(refused)
	for _, call := range opened {
		s.queueEvents(s2s.ToolCalled{Call: call})
	}
	switch {
	case len(opened) > 0:
		s.queueEvents(s2s.GenerationDone{Calls: len(opened), Status: "completed"})
	case s.calls.liveCalls() == 0: // all were refused
		s.answers.resume(true)
	}
}

// handleCancellation closes calls that the service withdraws. The caller must hold s.mu.
func (s *session) handleCancellation(wire []string) {
	ids, ready, over := s.calls.cancel(wire)
	if len(ids) > 0 {
		s.queueEvents(s2s.ToolCancelled{IDs: ids})
	}
	if over {
		s.answers.resume(true)
	}
	s.refuse(ready)
}

// refuse queues responses without blocking. If the reader blocked, it would hold up the messages that let the
// writer continue. The caller must hold s.mu.
func (s *session) refuse(responses []*functionResponse) {
	if len(responses) == 0 {
		return
	}
	select {
	case s.out <- responseMessage(responses):
	default:
		s.queueEvents(s2s.Failed{Err: errors.New("a call was not answered, since too much waits to be sent")})
	}
}
