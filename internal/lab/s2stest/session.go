package s2stest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// listens is how long a vendor with its own turn detection waits after the
	// last sound before it answers.
	listens = 500 * time.Millisecond
	// rounding is how far the position of an interruption may exceed the sound
	// so far, because a frame is played whole.
	rounding = 20 * time.Millisecond
	// crossing is how long after an interruption a result may still have been
	// in flight.
	crossing = 5 * time.Millisecond
	// promptly bounds the time of a tool call's handler.
	promptly = 100 * time.Millisecond
	// audible is the smallest sample, of either sign, that counts as sound.
	audible = 100
)

var (
	errBusy   = errors.New("an answer is on its way already")
	errNobody = errors.New("its user has closed it")
)

// session implements [s2s.Session].
type session struct {
	provider *Provider
	number   int
	options  s2s.SessionOptions
	can      s2s.Capabilities

	changed   chan struct{} // holds a token when there may be an event to receive
	receiving atomic.Bool

	mu     sync.Mutex // guards the fields below
	agenda []entry    // by due
	handle s2s.ToolCallHandler
	tools  []llm.ToolDefinition
	known  []llm.Message
	turn   *sound              // of the current turn, or nil
	answer *answer             // the current answer, or nil
	played *answer             // the last answer, which may still be playing
	calls  map[string]*call    // all announced calls
	told   map[string][]string // answers to announced delegations, by id
	turns  int
	end    error  // why the session ended, or nil
	notes  []Note // not recorded yet
}

// sound is the sound of a player's turn.
type sound struct {
	samples     int
	first, last int // the first audible sample, and the one after the last
	by          time.Time
}

// add adds samples that came now.
func (t *sound) add(samples []int16) {
	heard := func(v int16) bool { return v > audible || v < -audible }
	if i := slices.IndexFunc(samples, heard); i >= 0 {
		if t.last == 0 {
			t.first = t.samples + i
		}
		last := len(samples)
		for !heard(samples[last-1]) {
			last--
		}
		t.last, t.by = t.samples+last, time.Now()
	}
	t.samples += len(samples)
}

// call is an announced tool call.
type call struct {
	answer    *answer
	order     int
	result    *s2s.ToolResult
	cancelled bool
}

func newSession(p *Provider, n int, o s2s.SessionOptions, known []llm.Message) *session {
	return &session{
		provider: p, number: n, options: o, can: p.o.Capabilities, changed: make(chan struct{}, 1),
		tools: o.Tools, known: known, calls: map[string]*call{}, told: map[string][]string{},
	}
}

// begin opens the session and schedules its own steps.
func (s *session) begin(steps []Step) {
	s.mu.Lock()
	defer s.unlock()
	s.note(Note{Kind: Opened, Options: s.options, Tools: toolNames(s.tools)})
	s.checkHistory(s.options.History)
	if s.can.Duplex && len(s.options.Tools) > 0 {
		s.violate("it was opened with tools, which its voice does not take")
	}
	at := time.Now()
	for _, st := range steps {
		at = at.Add(st.After)
		s.schedule(entry{due: at, step: st})
	}
	if s.can.Longest > 0 {
		limit := fmt.Errorf("it has reached its limit of %s", s.can.Longest)
		s.schedule(entry{due: time.Now().Add(s.can.Longest), step: Step{Ends: limit}, limit: true})
	}
}

// unlock releases the lock and then records the notes made under it.
func (s *session) unlock() {
	notes := s.notes
	s.notes = nil
	s.mu.Unlock()
	for _, n := range notes {
		s.provider.record(n)
	}
}

// note makes a note. Callers must hold mu.
func (s *session) note(n Note) {
	n.At, n.Session = time.Now(), s.number
	s.notes = append(s.notes, n)
}

// violate notes a violation. Callers must hold mu.
func (s *session) violate(format string, args ...any) {
	s.note(Note{Kind: Violation, Text: fmt.Sprintf(format, args...)})
}

func (s *session) checkHistory(messages []llm.Message) {
	for _, m := range messages {
		if m.Role != llm.RoleUser && m.Role != llm.RoleAssistant || len(m.ToolCalls) > 0 {
			s.violate("it was given a message of %q as history", m.Role)
		}
	}
}

// usable returns why the session accepts no more calls, or nil. Callers must
// hold mu.
func (s *session) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.end
}

// BeginTurn implements [s2s.Session].
func (s *session) BeginTurn(ctx context.Context) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.turn != nil {
		s.violate("a turn was begun while one was under way")
	}
	s.turn = &sound{}
	s.note(Note{Kind: Begun})
	return nil
}

// SendAudio implements [s2s.Session].
func (s *session) SendAudio(ctx context.Context, samples []int16) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.turn == nil {
		s.violate("sound was sent outside a turn")
		s.turn = &sound{}
	}
	s.turn.add(samples)
	if !s.can.ManualTurns {
		s.removeEntries(func(e entry) bool { return e.listened })
		s.schedule(entry{due: time.Now().Add(listens), listened: true})
	}
	return nil
}

// ClearTurn implements [s2s.Session].
func (s *session) ClearTurn(ctx context.Context) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	switch {
	case !s.can.Clears:
		s.violate("a turn was cleared, which it cannot do")
		return s2s.ErrUnsupported
	case s.turn == nil:
		s.violate("a turn was cleared while none was under way")
		return nil
	}
	n := Note{Kind: Cleared}
	n.Sound, n.Spoken, n.SpokenBy = s.measure(s.turn)
	s.note(n)
	s.turn = nil
	s.removeEntries(func(e entry) bool { return e.listened })
	return nil
}

// measure returns the length of a turn's sound; the turn may be nil.
func (s *session) measure(t *sound) (all, spoken time.Duration, by time.Time) {
	if t == nil {
		return 0, 0, by
	}
	length := func(samples int) time.Duration {
		return time.Duration(samples) * time.Second / time.Duration(s.can.InputRate)
	}
	return length(t.samples), length(t.last - t.first), t.by
}

// Respond implements [s2s.Session].
func (s *session) Respond(ctx context.Context, r s2s.Response) error {
	s.mu.Lock()
	if err := s.checkResponse(ctx, r); err != nil {
		s.unlock()
		return err
	}
	turn := s.commitTurn(r)
	a := s.answer
	s.unlock()
	s.script(a, turn)
	return nil
}

// checkResponse checks a call of Respond against the contract. Callers must
// hold mu.
func (s *session) checkResponse(ctx context.Context, r s2s.Response) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	for id, c := range s.calls {
		if c.result == nil && !c.cancelled {
			s.violate("an answer was asked for while the call %s had no result", id)
		}
	}
	switch {
	case s.answer != nil && !s.can.Duplex:
		s.violate("an answer was asked for while one was on its way")
		return errBusy
	case r.Text != "" && !s.can.Typed:
		s.violate("it was given text to answer, which it cannot do")
		return s2s.ErrUnsupported
	case r.Text == "" && (s.turn == nil || s.turn.samples == 0):
		s.violate("an answer was asked for to nothing")
	}
	return nil
}

// commitTurn creates the answer to a request, and returns the turn it answers.
// Callers must hold mu.
func (s *session) commitTurn(r s2s.Response) Turn {
	if old := s.answer; old != nil {
		s.dropAnswer(old) // events of the old answer must not appear in the next
	}
	s.turns++
	t := Turn{
		Session: s.number, Number: s.turns, Options: s.options, Known: slices.Clone(s.known), Response: r, Tools: s.tools,
	}
	n := Note{Kind: Committed, Response: r, Tools: toolNames(s.tools)}
	if r.Text == "" {
		t.Sound, t.Spoken, t.SpokenBy = s.measure(s.turn)
		s.turn = nil
		s.removeEntries(func(e entry) bool { return e.listened })
	}
	n.Sound, n.Spoken, n.SpokenBy = t.Sound, t.Spoken, t.SpokenBy
	s.note(n)
	s.answer = &answer{turn: t}
	s.played = s.answer
	return t
}

// Inject implements [s2s.Session].
func (s *session) Inject(ctx context.Context, messages ...llm.Message) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.known = append(s.known, messages...)
	s.note(Note{Kind: Injected, Messages: slices.Clone(messages)})
	return nil
}

// SetTools implements [s2s.Session].
func (s *session) SetTools(ctx context.Context, tools []llm.ToolDefinition) error {
	s.mu.Lock()
	defer s.unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if s.can.ToolChange == s2s.ToolsByNewSession || s.can.Duplex {
		s.violate("its tools were set, which it cannot do")
		return s2s.ErrUnsupported
	}
	s.tools = slices.Clone(tools)
	s.note(Note{Kind: ToolsSet, Tools: toolNames(tools)})
	return nil
}

// OnToolCall implements [s2s.Session].
func (s *session) OnToolCall(handle s2s.ToolCallHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = handle
}

// Close implements [s2s.Session].
func (s *session) Close() error {
	s.mu.Lock()
	defer s.unlock()
	if s.end != nil {
		return nil
	}
	open := 0
	for _, c := range s.calls {
		if c.result == nil && !c.cancelled {
			open++
		}
	}
	s.note(Note{Kind: Closed, Unanswered: open})
	s.endSession(errNobody)
	return nil
}

// endSession stops all further events. Callers must hold mu.
func (s *session) endSession(why error) {
	if s.answer != nil && !s.answer.generated {
		s.noteGenerated(s.answer, "failed")
	}
	s.end = fmt.Errorf("%w: %w", s2s.ErrClosed, why)
	s.agenda, s.answer = nil, nil
	s.wake()
}

func (s *session) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// duplex is a session of a voice that delegates.
type duplex struct{ *session }

var _ s2s.Delegator = duplex{}

// Tell implements [s2s.Delegator].
func (s duplex) Tell(ctx context.Context, delegation, text string, silent bool) error {
	s.mu.Lock()
	if err := s.usable(ctx); err != nil {
		s.unlock()
		return err
	}
	before, known := s.told[delegation]
	switch {
	case !known:
		s.violate("it was told of %q, which it has not delegated", delegation)
	case !silent && slices.Contains(before, text):
		s.violate("it was told twice of %q: %q", delegation, text)
	}
	s.note(Note{Kind: Told, Text: text, Result: s2s.ToolResult{ID: delegation, Silent: silent}})
	if !silent {
		s.told[delegation] = append(before, text)
	}
	a := s.answer
	if a == nil {
		switch a = s.played; { // this answer continues what the voice said about the turn
		case a == nil:
			a = &answer{}
		case !a.cut.IsZero():
			a = &answer{turn: a.turn}
		}
		s.answer, s.played = a, a
	}
	a.turn.Round++
	a.rounds++ // so that the previous answer does not end it meanwhile
	turn := a.turn
	turn.Told = &Telling{delegation, text, silent}
	s.unlock()
	s.script(a, turn)
	return nil
}
