package gptlive

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Recv implements [s2s.Session].
func (s *session) Recv(ctx context.Context) (s2s.Event, error) {
	select {
	case s.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, s.provider.service.Stopped(ctx)
	}
	defer func() { <-s.reading }()
	for {
		if e, ok := s.nextEvent(); ok {
			return e, nil
		}
		if err := s.failure(); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, s.provider.service.Stopped(ctx)
		}
		s.read(ctx)
	}
}

// nextEvent returns the oldest event that is still wanted.
func (s *session) nextEvent() (s2s.Event, bool) {
	for len(s.waiting) > 0 {
		e := s.waiting[0]
		s.waiting = s.waiting[1:]
		switch e.(type) {
		case s2s.Audio, s2s.OutputTranscript:
			s.mu.Lock()
			kept := s.dropState != passing
			s.mu.Unlock()
			if kept {
				continue
			}
		}
		return e, true
	}
	return nil, false
}

// read receives and handles one message.
func (s *session) read(ctx context.Context) {
	raw, err := s.conn.Recv(ctx)
	switch {
	case err == nil:
		s.waiting = append(s.waiting, s.handleMessage(raw, time.Now())...)
	case ctx.Err() == nil:
		s.end(s.provider.broken(err))
	}
}

// handleMessage converts a message that arrived at now to events.
func (s *session) handleMessage(raw []byte, now time.Time) []s2s.Event {
	m, err := decode(raw)
	if m.Type == "" { // the service violates the protocol
		s.end(fmt.Errorf("%w: %w", s2s.ErrClosed, err))
		return nil
	}
	if err != nil {
		return []s2s.Event{s2s.Failed{Err: err}}
	}
	switch m.Type {
	case "session.output_audio.delta":
		return s.handleSound(&m, now)
	case "session.output_transcript.delta":
		return s.handleWords(m.text(), now)
	case "session.input_transcript.delta":
		return []s2s.Event{s2s.InputTranscript{Text: m.text()}}
	case "session.delegation.created":
		return s.handleDelegation(m.delegation())
	case "session.usage.updated":
		return s.handleUsage(m.seconds())
	case "session.closed":
		s.end(s.provider.closing(m.Reason))
		return s.handleUsage(m.seconds())
	case "error":
		err := s.provider.complaint(m.Error, s2s.ErrUnavailable)
		if isFatal(m.Error) {
			s.end(fmt.Errorf("%w: %w", s2s.ErrClosed, err))
			return nil
		}
		return []s2s.Event{s2s.Failed{Err: err}}
	}
	return nil
}

// handleSound forwards audible audio.
func (s *session) handleSound(m *message, now time.Time) []s2s.Event {
	samples, err := m.samples()
	if err != nil {
		return []s2s.Event{s2s.Failed{Err: err}}
	}
	s.feed.recordOutput(len(samples))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endPause(now)
	heard := s.gate.pass(samples, now)
	if len(heard) == 0 || s.dropState != passing {
		return nil
	}
	s.passed += audio.Duration(len(heard), rate)
	return append(s.startAnswer(), s2s.Audio{Item: strconv.Itoa(s.answer), Samples: heard})
}

// handleWords forwards a part of the voice's transcript.
func (s *session) handleWords(text string, now time.Time) []s2s.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endPause(now)
	if text == "" || s.dropState != passing {
		return nil
	}
	return append(s.startAnswer(), s2s.OutputTranscript{Item: strconv.Itoa(s.answer), Text: text})
}

// startAnswer reports the start of each answer once. The caller must hold s.mu.
func (s *session) startAnswer() []s2s.Event {
	if s.started == s.answer {
		return nil
	}
	s.started = s.answer
	return []s2s.Event{s2s.ResponseStarted{}}
}

// handleDelegation reports each delegation once.
func (s *session) handleDelegation(id string) []s2s.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || slices.Contains(s.delegations, id) {
		return nil
	}
	if len(s.delegations) == maxDelegations {
		s.delegations = slices.Delete(s.delegations, 0, 1)
	}
	s.delegations = append(s.delegations, id)
	if s.dropState == dropUntilRequest { // nothing was requested since the interruption
		return []s2s.Event{s2s.Delegated{ID: id}}
	}
	return append(s.startAnswer(), s2s.Delegated{ID: id})
}

// handleUsage reports the usage since the previous report.
func (s *session) handleUsage(seconds float64) []s2s.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	more := seconds - s.seconds
	if more <= 0 {
		return nil
	}
	s.seconds = seconds
	return []s2s.Event{s2s.Usage{AudioSeconds: more}}
}
