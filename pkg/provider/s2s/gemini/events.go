package gemini

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Recv implements [s2s.Session]. Once the session is over it first returns the events
// that came before.
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

// nextEvent takes the oldest event. Without one, the error says whether there will be
// others.
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

// handle gives a call to the handler, or refuses it.
func (s *session) handle(ctx context.Context, called s2s.ToolCalled) {
	s.mu.Lock()
	handler := s.handler
	s.mu.Unlock()
	if handler != nil {
		handler(called.Call)
		return
	}
	_ = s.SendToolResult(ctx, s2s.ToolResult{ // it fails only if the session is over, as the next event says
		ID: called.Call.ID, Name: called.Call.Name, Text: "there are no tools now", IsError: true,
	})
}

// OnToolCall implements [s2s.Session].
func (s *session) OnToolCall(handle s2s.ToolCallHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = handle
}

// SendToolResult implements [s2s.Session]. The results of calls that were made together
// are sent together. One that comes when the call was closed already, since a player
// spoke or the service took it back, goes out with the next turn.
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
		_, data, err := s.conn.Read(context.Background()) // Close ends it
		if err != nil {
			s.end(fmt.Errorf("%w: %w", s2s.ErrClosed, s.provider.whyBroken(context.Background(), err, false)))
			return
		}
		m, err := parse(data)
		switch {
		case err == nil:
			malformed = 0
			s.take(m)
		case malformed == maxMalformed:
			s.end(fmt.Errorf("%w: %w: %w", s2s.ErrClosed, s.provider.service.Unavailable, errMalformed))
			return
		default:
			malformed++
			s.mu.Lock()
			s.tell(s2s.Failed{Err: s.provider.whyMalformed(err, false)})
			s.mu.Unlock()
		}
		if !s.awaitRoom() {
			return
		}
	}
}

// awaitRoom returns once there is room for events; false if the session was closed.
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

// take reads one message.
func (s *session) take(m *serverMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.ServerContent != nil {
		s.tell(s.answers.takeContent(m.ServerContent)...)
	}
	s.takeCalls(m.ToolCall.FunctionCalls)
	s.takeCancellation(m.ToolCallCancellation.IDs)
	if m.UsageMetadata != nil {
		s.tell(count(m.UsageMetadata))
	}
	if m.GoAway != nil {
		left, err := time.ParseDuration(m.GoAway.TimeLeft)
		if err != nil {
			left = 0 // it may be soon
		}
		s.tell(s2s.GoingAway{Left: max(0, left)})
	}
	if u := m.SessionResumptionUpdate; u.Resumable && u.NewHandle != "" && len(u.NewHandle) <= maxHandle {
		s.tell(s2s.Resumable{Handle: u.NewHandle})
	}
}

// takeCalls opens calls, and refuses what nobody waits for. s.mu is held.
func (s *session) takeCalls(wanted []*functionCall) {
	if len(wanted) == 0 {
		return
	}
	begun, ok := s.answers.startCalls()
	if !ok {
		s.refuse(s.calls.refuseAll(wanted))
		return
	}
	s.tell(begun...)
	opened, refused := s.calls.start(wanted)
	s.refuse(refused)
	for _, call := range opened {
		s.tell(s2s.ToolCalled{Call: call})
	}
	switch {
	case len(opened) > 0:
		s.tell(s2s.GenerationDone{Calls: len(opened), Status: "completed"})
	case s.calls.liveCalls() == 0: // all of them were refused
		s.answers.resume(true)
	}
}

// takeCancellation closes calls the service takes back. s.mu is held.
func (s *session) takeCancellation(wire []string) {
	ids, ready, over := s.calls.cancel(wire)
	if len(ids) > 0 {
		s.tell(s2s.ToolCancelled{IDs: ids})
	}
	if over {
		s.answers.resume(true)
	}
	s.refuse(ready)
}

// refuse queues responses without waiting, since the reader must not: it would hold up
// the messages that let the writer go on. s.mu is held.
func (s *session) refuse(responses []*functionResponse) {
	if len(responses) == 0 {
		return
	}
	select {
	case s.out <- responseMessage(responses):
	default:
		s.tell(s2s.Failed{Err: errors.New("a call was not answered, since too much waits to be sent")})
	}
}
