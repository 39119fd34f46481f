package gptlive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// maxDelegations is the number of delegations a session remembers.
const maxDelegations = 64

// dropState is the use made of the service's audio and transcripts.
type dropState uint8

const (
	passing dropState = iota
	// dropUntilRequest: they are dropped until the next answer is requested.
	dropUntilRequest
	// dropUntilPause: they are dropped until the earlier speech has ended.
	dropUntilPause
)

// session implements [s2s.Session] and [s2s.Delegator].
type session struct {
	provider *Provider
	conn     *vendor.Conn
	feed     *feed
	stopFeed context.CancelFunc
	tasks    sync.WaitGroup // the feed
	shut     func()

	writing chan struct{} // holds a token while a write is in progress
	reading chan struct{} // holds a token while a read is in progress; guards waiting
	waiting []s2s.Event   // read but not yet returned
	ended   chan struct{} // closed once err is set

	mu          sync.Mutex // guards the fields below
	err         error      // why the session has ended
	gate        gate
	dropState   dropState
	answer      int           // number of the latest requested answer
	started     int           // number of the latest answer whose start was reported
	passed      time.Duration // audio of the answer so far
	delegations []string      // known ones, oldest first
	seconds     float64       // used so far
}

func newSession(ctx context.Context, p *Provider, conn *vendor.Conn) *session {
	s := &session{
		provider: p, conn: conn, feed: newFeed(), started: -1,
		writing: make(chan struct{}, 1), reading: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stopFeed = cancel
	s.shut = sync.OnceFunc(s.shutDown)
	s.tasks.Go(func() { s.feed.run(life, s) })
	return s
}

// BeginTurn implements [s2s.Session].
func (s *session) BeginTurn(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.feed.setTurn(true)
	return nil
}

// SendAudio implements [s2s.Session]. Audio is sent at most five seconds ahead of real time; when more than
// 30 s are queued, the oldest is dropped.
func (s *session) SendAudio(ctx context.Context, samples []int16) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.feed.add(samples, time.Now())
	return nil
}

// ClearTurn implements [s2s.Session].
func (s *session) ClearTurn(context.Context) error { return s2s.ErrUnsupported }

// Respond implements [s2s.Session]. The service answers by itself once it has processed the turn; Respond
// only sends the context and ends the turn's audio.
func (s *session) Respond(ctx context.Context, r s2s.Response) error {
	if r.Text != "" {
		return s2s.ErrUnsupported
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.feed.setTurn(false)
	s.mu.Lock()
	s.answer++
	s.passed = 0
	s.resumeOutput(time.Now())
	s.mu.Unlock()
	note := strings.TrimSpace(r.Context)
	if r.Speaker != "" {
		note = strings.TrimSpace("It was " + r.Speaker + " who spoke.\n" + note)
	}
	return s.append(ctx, "", note, true)
}

// resumeOutput stops dropping audio after Interrupt, as soon as the earlier speech has ended. The caller must
// hold s.mu.
func (s *session) resumeOutput(now time.Time) {
	if s.dropState == dropUntilRequest {
		s.dropState = dropUntilPause
	}
	s.endPause(now)
}

// endPause stops dropping audio if the earlier speech has ended by now. The caller must hold s.mu.
func (s *session) endPause(now time.Time) {
	if s.dropState == dropUntilPause && !s.gate.isOpen(now) {
		s.dropState = passing
	}
}

// Inject implements [s2s.Session]. The voice does not react to the messages.
func (s *session) Inject(ctx context.Context, messages ...llm.Message) error {
	var all []string
	for _, m := range messages {
		text := line(m)
		switch {
		case text == "":
			continue
		case m.Role == llm.RoleAssistant:
			text = "You said: " + text
		}
		all = append(all, text)
	}
	return s.append(ctx, "", strings.Join(all, "\n"), true)
}

// SetTools implements [s2s.Session].
func (s *session) SetTools(context.Context, []llm.ToolDefinition) error { return s2s.ErrUnsupported }

// OnToolCall implements [s2s.Session]. There are no tool calls.
func (s *session) OnToolCall(s2s.ToolCallHandler) {}

// SendToolResult implements [s2s.Session].
func (s *session) SendToolResult(context.Context, s2s.ToolResult) error { return s2s.ErrUnsupported }

// Interrupt implements [s2s.Session]. The service cannot be stopped, so its audio is dropped until Respond or
// Tell requests something else. The service receives a silent note of how much was heard. A turn in progress
// continues.
func (s *session) Interrupt(ctx context.Context, heard time.Duration) error {
	s.mu.Lock()
	s.dropState = dropUntilRequest
	heard = max(0, min(heard, s.passed))
	s.mu.Unlock()
	note := "You were interrupted before anything was heard. Do not say it any more."
	if heard > 0 {
		note = fmt.Sprintf("You were interrupted: only the first %.1f seconds were heard. Do not say the rest any more.", heard.Seconds())
	}
	return s.append(ctx, "", note, true)
}

// Tell implements [s2s.Delegator]. It splits text that exceeds the service's limit, preferably between
// sentences. An empty delegation means something to say unasked; an unknown one is an error.
func (s *session) Tell(ctx context.Context, delegation, text string, silent bool) error {
	s.mu.Lock()
	known := delegation == "" || slices.Contains(s.delegations, delegation)
	if known && !silent {
		s.resumeOutput(time.Now())
	}
	s.mu.Unlock()
	if !known {
		return fmt.Errorf("%w: the session knows no such delegation", s2s.ErrUnsupported)
	}
	return s.append(ctx, delegation, text, silent)
}

// append sends text that the voice should know or say.
func (s *session) append(ctx context.Context, delegation, text string, silent bool) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	kind := "session.commentary.append"
	if silent {
		kind = "session.thinking.append"
	}
	var id *string
	if delegation != "" {
		id = &delegation
	}
	var all []command
	for _, piece := range split(text, maxAppend) {
		all = append(all, command{Type: kind, appended: &appended{DelegationID: id, Content: piece}})
	}
	return s.send(ctx, all...)
}

// usable returns the error of ctx or of the session, if there is one.
func (s *session) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return s.provider.service.Stopped(ctx)
	}
	return s.failure()
}

func (s *session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end records why the session has ended; the first reason counts.
func (s *session) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// send sends messages consecutively.
func (s *session) send(ctx context.Context, all ...command) error {
	var raw [][]byte
	for _, c := range all {
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		raw = append(raw, data)
	}
	return s.write(ctx, raw...)
}

// write sends messages consecutively. Once it has begun, ctx does not end it, because a partial message would
// end the connection.
func (s *session) write(ctx context.Context, all ...[]byte) error {
	if len(all) == 0 {
		return nil
	}
	select {
	case s.writing <- struct{}{}:
	case <-s.ended:
		return s.failure()
	case <-ctx.Done():
		return s.provider.service.Stopped(ctx)
	}
	defer func() { <-s.writing }()
	if err := s.failure(); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	for _, message := range all {
		if err := s.conn.Send(bounded, message); err != nil {
			return s.provider.broken(err)
		}
	}
	return nil
}

// Close implements [s2s.Session]. It gives the service up to two seconds to finish, so that the last Usage
// can still be received afterwards.
func (s *session) Close() error {
	s.shut()
	return nil
}

func (s *session) shutDown() {
	s.stopFeed()
	s.tasks.Wait()
	s.endPolitely()
	s.end(s2s.ErrClosed)
	s.conn.Abort()
}

// endPolitely asks the service to end the session and reads until it confirms.
func (s *session) endPolitely() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.send(ctx, command{Type: "session.close"}) != nil {
		return
	}
	for ctx.Err() == nil {
		select {
		case s.reading <- struct{}{}: // no Recv is in progress
			s.read(ctx)
			s.waiting = slices.DeleteFunc(s.waiting, func(e s2s.Event) bool { _, ok := e.(s2s.Usage); return !ok })
			<-s.reading
		case <-s.ended:
			return
		case <-ctx.Done():
		}
		if s.failure() != nil {
			return
		}
	}
}
