// Package s2stest is a speech-to-speech provider that follows a script and its
// times, and enforces the contract of [s2s.Session]: it records every violation
// by a caller, and every call.
//
// It does no I/O and starts no goroutine: Recv computes the events it returns.
// All time is package time's, so that it is virtual in a synctest bubble.
package s2stest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// Options are a provider's script. The zero value gives empty answers.
type Options struct {
	// Name is the provider's name; "scripted" if empty.
	Name string
	// Capabilities are the provider's capabilities, which it enforces on
	// callers. Rates of zero mean 24,000.
	Capabilities s2s.Capabilities
	// Resumes sends [s2s.Resumable] after every answer.
	Resumes bool
	// Open scripts the nth call of Connect, from 1. If nil, sessions open at once.
	Open func(n int, o s2s.SessionOptions) Opening
	// Answer scripts the answer to a turn, to tool results and to the answer of
	// a delegation. It is called by the goroutine that requests the answer, or
	// by the Recv that continues it. If nil, answers are empty.
	Answer func(Turn) Answer
	// Forgets keeps no notes; Observe still receives them.
	Forgets bool
	// Observe, if not nil, is called with each note by the goroutine that made
	// it.
	Observe func(Note)
}

// Opening is the result of a call of Connect.
type Opening struct {
	// Takes is its duration.
	Takes time.Duration
	// Err is its error, or nil.
	Err error
	// Steps happen in the session beside its answers, timed from its beginning.
	Steps []Step
}

// Defaults of a provider.
const (
	defaultRate = 24_000
	// mostNotes bounds the stored notes; beyond it the oldest are dropped.
	mostNotes = 10_000
)

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	o Options

	mu       sync.Mutex // guards the fields below
	sessions int
	notes    []Note
	handles  map[string][]llm.Message // the history of resumable sessions
}

var _ s2s.Provider = (*Provider)(nil)

// New returns a provider that follows a script.
func New(o Options) *Provider {
	o.Name = cmp.Or(o.Name, "scripted")
	o.Capabilities.InputRate = cmp.Or(o.Capabilities.InputRate, defaultRate)
	o.Capabilities.OutputRate = cmp.Or(o.Capabilities.OutputRate, defaultRate)
	return &Provider{o: o, handles: map[string][]llm.Message{}}
}

// Name implements [s2s.Provider].
func (p *Provider) Name() string { return p.o.Name }

// Capabilities implements [s2s.Provider].
func (p *Provider) Capabilities() s2s.Capabilities { return p.o.Capabilities }

// Connect implements [s2s.Provider].
func (p *Provider) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	p.mu.Lock()
	p.sessions++
	n := p.sessions
	known, resumable := p.handles[o.Resume]
	p.mu.Unlock()
	var opening Opening
	if p.o.Open != nil {
		opening = p.o.Open(n, o)
	}
	err := pause(ctx, opening.Takes)
	switch {
	case err != nil:
	case opening.Err != nil:
		err = opening.Err
	case o.Resume != "" && !resumable:
		err = fmt.Errorf("%w: there is no session to resume", s2s.ErrRejected)
	}
	if err != nil {
		p.record(Note{At: time.Now(), Session: n, Kind: Refused, Options: o, Text: err.Error()})
		return nil, err
	}
	s := newSession(p, n, o, slices.Concat(known, o.History))
	s.begin(opening.Steps)
	if p.o.Capabilities.Duplex {
		return duplex{s}, nil
	}
	return s, nil
}

// pause waits for d, or until ctx ends, and then returns its error.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// record stores a note and passes it to Observe.
func (p *Provider) record(n Note) {
	if !p.o.Forgets {
		p.keep(n)
	}
	if p.o.Observe != nil {
		p.o.Observe(n)
	}
}

func (p *Provider) keep(n Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, n)
	if extra := len(p.notes) - mostNotes; extra > 0 {
		p.notes = slices.Delete(p.notes, 0, extra)
	}
}

// keepHandle stores a session's history under its resumption handle.
func (p *Provider) keepHandle(handle string, known []llm.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handles[handle] = known
}

// Notes returns the provider's last 10,000 notes; only of the given kinds, if
// there are any.
func (p *Provider) Notes(kinds ...Kind) []Note {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.notes)
	if len(kinds) > 0 {
		out = slices.DeleteFunc(out, func(n Note) bool { return !slices.Contains(kinds, n.Kind) })
	}
	return out
}

// Violations returns the violations of the contract, one line each.
func (p *Provider) Violations() []string {
	var out []string
	for _, n := range p.Notes(Violation) {
		out = append(out, fmt.Sprintf("session %d: %s", n.Session, n.Text))
	}
	return out
}
