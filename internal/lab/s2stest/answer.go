package s2stest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// answer is a session's answer, in rounds if it has calls.
type answer struct {
	turn      Turn
	came      time.Duration // length of its sound so far
	calls     []string      // of the current round
	rounds    int           // rounds whose end is still to come
	generated bool          // the current round has ended
	cut       time.Time     // when it was interrupted, or zero
	late      []Step
}

// entry is a scheduled action of a session.
type entry struct {
	due    time.Time
	step   Step
	answer *answer // its answer, or nil if it belongs to the session
	orphan bool    // sent although its answer was interrupted

	begins   bool // begins the answer with ResponseStarted
	ends     bool // ends the round with GenerationDone, if the provider ends turns
	limit    bool // the session's limit is reached
	listened bool // enough sound to answer unasked
	status   string
	err      error
}

// schedule inserts an entry behind those due no later. Callers must hold mu.
func (s *session) schedule(e entry) {
	i := len(s.agenda)
	for i > 0 && s.agenda[i-1].due.After(e.due) {
		i--
	}
	s.agenda = slices.Insert(s.agenda, i, e)
	s.wake()
}

// removeEntries removes entries from the agenda. Callers must hold mu.
func (s *session) removeEntries(which func(entry) bool) {
	s.agenda = slices.DeleteFunc(s.agenda, which)
}

// script gets the script's answer to a turn and schedules it as part of a,
// unless it is no longer wanted.
func (s *session) script(a *answer, t Turn) {
	var does Answer
	if s.provider.o.Answer != nil {
		does = s.provider.o.Answer(t)
	}
	s.mu.Lock()
	defer s.unlock()
	if s.end != nil || s.answer != a {
		return
	}
	a.generated, a.calls, a.late = false, nil, does.Late
	if t.Told == nil { // otherwise it was counted earlier
		a.rounds++
	}
	at := time.Now()
	for _, e := range s.agenda { // a duplex voice says its parts one after another
		if e.answer == a && e.due.After(at) {
			at = e.due
		}
	}
	add := func(e entry) {
		e.answer = a
		at = at.Add(e.step.After)
		e.due = at
		s.schedule(e)
	}
	if t.Round == 0 && (len(does.Steps) > 0 || !does.Hangs) {
		add(entry{begins: true})
	}
	ended := does.Hangs && s.can.EndsTurns // without the end of turns a hang looks like an end
	for i, st := range does.Steps {
		if call, ok := st.Tell.(s2s.ToolCalled); ok && call.Call.ID == "" {
			call.Call.ID = fmt.Sprintf("call-%d-%d-%d-%d", s.number, t.Number, t.Round, i)
			st.Tell = call
		}
		add(entry{step: st})
		_, done := st.Tell.(s2s.GenerationDone)
		_, gone := st.Tell.(s2s.Interrupted)
		ended = ended || done || gone || st.Ends != nil
	}
	if !ended {
		add(entry{ends: true, status: cmp.Or(does.Status, "completed"), err: does.Err})
	}
}

// Recv implements [s2s.Session].
func (s *session) Recv(ctx context.Context) (s2s.Event, error) {
	if !s.receiving.CompareAndSwap(false, true) {
		s.mu.Lock()
		s.violate("it is received from by two at a time")
		s.unlock()
	} else {
		defer s.receiving.Store(false)
	}
	for {
		ev, wait, err := s.next(ctx)
		if ev != nil || err != nil {
			return ev, err
		}
		if err := s.await(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// await waits until there may be an event, at most for wait unless that is
// negative.
func (s *session) await(ctx context.Context, wait time.Duration) error {
	var alarm <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-s.changed:
		return nil
	case <-alarm:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next runs due entries and returns their first event. Without one, wait is the
// time until the next entry, negative if unknown.
func (s *session) next(ctx context.Context) (ev s2s.Event, wait time.Duration, err error) {
	for {
		s.mu.Lock()
		if err := s.usable(ctx); err != nil {
			s.unlock()
			return nil, 0, err
		}
		if len(s.agenda) == 0 {
			s.unlock()
			return nil, -1, nil
		}
		if wait := time.Until(s.agenda[0].due); wait > 0 {
			s.unlock()
			return nil, wait, nil
		}
		e := s.agenda[0]
		s.agenda = slices.Delete(s.agenda, 0, 1)
		ev, then := s.perform(e)
		s.unlock()
		if then != nil {
			then()
		}
		if ev != nil {
			return ev, 0, nil
		}
	}
}

// perform runs an entry. It returns its event, if any, and work to do without
// the lock. Callers must hold mu.
func (s *session) perform(e entry) (ev s2s.Event, then func()) {
	switch {
	case e.listened:
		return nil, s.answerUnasked()
	case e.begins:
		return s2s.ResponseStarted{}, nil
	case e.ends:
		return s.endRound(e.answer, s2s.GenerationDone{Status: e.status, Err: e.err}, s.can.EndsTurns || e.err != nil)
	case e.step.Ends != nil:
		if e.limit && s.answer != nil {
			s.violate("its limit came in the middle of an answer")
		}
		s.note(Note{Kind: Ended, Text: e.step.Ends.Error()})
		s.endSession(e.step.Ends)
		return nil, nil
	}
	if e.answer == nil || e.orphan {
		return e.step.Tell, nil
	}
	return s.tellStep(e.answer, e.step.Tell)
}

// tellStep returns the event of a step. Callers must hold mu.
func (s *session) tellStep(a *answer, told s2s.Event) (ev s2s.Event, then func()) {
	switch told := told.(type) {
	case s2s.Audio:
		a.came += time.Duration(len(told.Samples)) * time.Second / time.Duration(s.can.OutputRate)
	case s2s.ToolCalled:
		s.calls[told.Call.ID] = &call{answer: a, order: len(a.calls)}
		a.calls = append(a.calls, told.Call.ID)
		return told, s.handleCall(told)
	case s2s.ToolCancelled:
		for _, id := range told.IDs {
			if c := s.calls[id]; c != nil && c.result == nil {
				c.cancelled = true
			}
		}
		return told, s.goOn(a)
	case s2s.Delegated:
		if _, again := s.told[told.ID]; !again {
			s.told[told.ID] = nil
		}
	case s2s.Interrupted:
		s.dropAnswer(a)
	case s2s.GenerationDone:
		return s.endRound(a, told, s.can.EndsTurns || told.Err != nil)
	}
	return told, nil
}

// handleCall returns a function that passes a call to the handler. Callers must
// hold mu.
func (s *session) handleCall(told s2s.ToolCalled) func() {
	handle := s.handle
	return func() {
		if handle == nil {
			// The result of sending it does not matter here.
			_ = s.SendToolResult(context.Background(), s2s.ToolResult{ID: told.Call.ID, Name: told.Call.Name, Text: "there are no tools", IsError: true})
			return
		}
		began := time.Now()
		handle(told.Call)
		if took := time.Since(began); took > promptly {
			s.mu.Lock()
			s.violate("the handler of tool calls took %s", took)
			s.unlock()
		}
	}
}

// endRound ends a round of an answer, and the answer unless it has calls.
// Callers must hold mu.
func (s *session) endRound(a *answer, done s2s.GenerationDone, tell bool) (ev s2s.Event, then func()) {
	s.noteGenerated(a, done.Status)
	if done.Calls = len(a.calls); tell {
		ev = done
	}
	if a.rounds--; a.rounds > 0 {
		return ev, nil // a duplex voice has more to say
	}
	a.generated = true
	if len(a.calls) > 0 {
		return ev, s.goOn(a)
	}
	s.finishAnswer(a)
	return ev, nil
}

// noteGenerated records the end of a round. Callers must hold mu.
func (s *session) noteGenerated(a *answer, status string) {
	t := a.turn
	s.note(Note{Kind: Generated, Text: status, Response: t.Response, Sound: t.Sound, Spoken: t.Spoken, SpokenBy: t.SpokenBy})
}

// finishAnswer marks an answer as complete. Callers must hold mu.
func (s *session) finishAnswer(a *answer) {
	if s.answer != a {
		return
	}
	s.answer = nil
	if s.provider.o.Resumes {
		handle := fmt.Sprintf("session-%d", s.number)
		s.provider.keepHandle(handle, slices.Clone(s.known))
		s.schedule(entry{due: time.Now(), step: Step{Tell: s2s.Resumable{Handle: handle}}})
	}
}

// goOn returns a function that continues an answer, or nil if calls still wait
// for results, the round has not ended, or the answer is not wanted. Callers
// must hold mu.
func (s *session) goOn(a *answer) func() {
	if s.answer != a || !a.generated || len(a.calls) == 0 {
		return nil
	}
	var results []s2s.ToolResult
	var cancelled []string
	wanted := false
	for _, id := range a.calls {
		switch c := s.calls[id]; {
		case c.cancelled:
			cancelled = append(cancelled, id)
			wanted = true
		case c.result == nil:
			return nil
		default:
			results = append(results, *c.result)
			wanted = wanted || !c.result.Silent
		}
	}
	if !wanted {
		s.finishAnswer(a)
		return nil
	}
	a.turn.Round++
	turn := a.turn
	turn.Tools, turn.Results, turn.Cancelled = s.tools, results, cancelled
	a.generated, a.calls = false, nil // until the script is asked
	return func() { s.script(a, turn) }
}

// answerUnasked returns a function that answers sound without a request, or nil
// if there is none. Callers must hold mu.
func (s *session) answerUnasked() func() {
	if s.turn == nil || s.turn.last == 0 || s.answer != nil {
		return nil
	}
	s.violate("sound was sent that nobody wanted answered; the vendor answers it by itself")
	turn := s.commitTurn(s2s.Response{})
	a := s.answer
	return func() { s.script(a, turn) }
}

// dropAnswer cancels the rest of an answer and reports its end. Due events have
// been sent; the session's own entries stay. Callers must hold mu.
func (s *session) dropAnswer(a *answer) {
	now := time.Now()
	ended := a.generated
	s.removeEntries(func(e entry) bool {
		_, leaves := e.step.Tell.(s2s.GoingAway)
		return e.answer == a && e.due.After(now) && !leaves && e.step.Ends == nil
	})
	for _, e := range s.agenda {
		_, done := e.step.Tell.(s2s.GenerationDone)
		ended = ended || e.answer == a && (e.ends || done)
	}
	if !ended {
		s.noteGenerated(a, "cancelled")
		if s.can.EndsTurns {
			s.schedule(entry{due: now, step: Step{Tell: s2s.GenerationDone{Calls: len(a.calls), Status: "cancelled"}}})
		}
	}
	a.cut = now
	if s.answer == a {
		s.answer = nil
	}
}
