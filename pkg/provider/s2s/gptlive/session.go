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

// maxDelegations is how many delegations a session remembers.
const maxDelegations = 64

// keeping is what happens to sound and transcripts of the service.
type keeping uint8

const (
	passing keeping = iota
	// untilAsked: they are kept back until the next answer is asked for.
	untilAsked
	// untilPause: and then as long as the speech of before goes on.
	untilPause
)

// session implements [s2s.Session] and [s2s.Delegator].
type session struct {
	provider *Provider
	conn     *vendor.Conn
	feed     *feed
	stopFeed context.CancelFunc
	tasks    sync.WaitGroup // the feed
	shut     func()

	writing chan struct{} // holds a token while somebody writes
	reading chan struct{} // holds a token while somebody reads; guards waiting
	waiting []s2s.Event   // read and not yet returned
	ended   chan struct{} // closed once err is set

	mu          sync.Mutex // guards the fields below
	err         error      // why the session is over
	gate        gate
	keeping     keeping
	answer      int           // number of the answer that was asked for last
	started     int           // number of the answer that was told to have started last
	passed      time.Duration // sound of the answer so far
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

// SendAudio implements [s2s.Session]. Sound goes out at most five seconds ahead of
// real time; when 30 s of it wait the oldest is dropped.
func (s *session) SendAudio(ctx context.Context, samples []int16) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.feed.add(samples, time.Now())
	return nil
}

// ClearTurn implements [s2s.Session].
func (s *session) ClearTurn(context.Context) error { return s2s.ErrUnsupported }

// Respond implements [s2s.Session]. The service answers by itself once it has heard
// the turn; this only tells it what it should know, and ends the sound.
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
	s.askAgain(time.Now())
	s.mu.Unlock()
	note := strings.TrimSpace(r.Context)
	if r.Speaker != "" {
		note = strings.TrimSpace("It was " + r.Speaker + " who spoke.\n" + note)
	}
	return s.append(ctx, "", note, true)
}

// askAgain ends the keeping back of Interrupt, as soon as the speech of before has
// ended. s.mu is held.
func (s *session) askAgain(now time.Time) {
	if s.keeping == untilAsked {
		s.keeping = untilPause
	}
	s.endPause(now)
}

// endPause has what comes at now passed on if the speech of before has ended. s.mu
// is held.
func (s *session) endPause(now time.Time) {
	if s.keeping == untilPause && !s.gate.isOpen(now) {
		s.keeping = passing
	}
}

// Inject implements [s2s.Session]: the voice is told silently.
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

// OnToolCall implements [s2s.Session]. There are none.
func (s *session) OnToolCall(s2s.ToolCallHandler) {}

// SendToolResult implements [s2s.Session].
func (s *session) SendToolResult(context.Context, s2s.ToolResult) error { return s2s.ErrUnsupported }

// Interrupt implements [s2s.Session]. The service cannot be stopped, only be heard
// by: what it says is kept back until Respond or Tell asks for something else. It is
// told silently how much was heard. A turn that is under way goes on.
func (s *session) Interrupt(ctx context.Context, heard time.Duration) error {
	s.mu.Lock()
	s.keeping = untilAsked
	heard = max(0, min(heard, s.passed))
	s.mu.Unlock()
	note := "You were interrupted before anything was heard. Do not say it any more."
	if heard > 0 {
		note = fmt.Sprintf("You were interrupted: only the first %.1f seconds were heard. Do not say the rest any more.", heard.Seconds())
	}
	return s.append(ctx, "", note, true)
}

// Tell implements [s2s.Delegator]. What is longer than the service takes at once
// goes out in pieces, cut after sentences. No delegation is something to be said
// unasked; one that was never told is an error.
func (s *session) Tell(ctx context.Context, delegation, text string, silent bool) error {
	s.mu.Lock()
	known := delegation == "" || slices.Contains(s.delegations, delegation)
	if known && !silent {
		s.askAgain(time.Now())
	}
	s.mu.Unlock()
	if !known {
		return fmt.Errorf("%w: the session knows no such delegation", s2s.ErrUnsupported)
	}
	return s.append(ctx, delegation, text, silent)
}

// append adds text to what the voice knows, or has it said.
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

// usable is the error of ctx or of the session, if it has one.
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

// end says why the session is over. The first reason stays.
func (s *session) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// send sends messages one after the other with none between them.
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

// write sends messages one after the other with none between them. Once it has begun ctx
// does not end it, since half a message would end the connection.
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

// Close implements [s2s.Session]. It lets the service finish, for at most two
// seconds, so that the last Usage can still be received after it.
func (s *session) Close() error {
	s.shut()
	return nil
}

func (s *session) shutDown() {
	s.stopFeed()
	s.tasks.Wait()
	s.sayGoodbye()
	s.end(s2s.ErrClosed)
	s.conn.Abort()
}

// sayGoodbye ends the session and reads on until the service says that it has.
func (s *session) sayGoodbye() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if s.send(ctx, command{Type: "session.close"}) != nil {
		return
	}
	for ctx.Err() == nil {
		select {
		case s.reading <- struct{}{}: // nobody is in Recv
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
