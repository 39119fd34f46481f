// Package s2stest is a speech-to-speech provider that does what a script says, in
// the time the script gives it, and that takes the contract of [s2s.Session] by its
// word: whatever a caller does against it is written down as a violation. What the
// provider was told is written down as well.
//
// It does no I/O and starts no goroutine: what a session tells is computed by the
// Recv that tells it. All time is that of package time, so that it is virtual in a
// synctest bubble.
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

// Options are the script of a provider. The zero value is one whose answers are
// empty.
type Options struct {
	// Name is the provider's; "scripted" if empty.
	Name string
	// Capabilities are what it claims, and what it holds its callers to. Rates of zero
	// are 24,000.
	Capabilities s2s.Capabilities
	// Resumes has every answer followed by [s2s.Resumable].
	Resumes bool
	// Open scripts the nth call of Connect, from 1. If nil, sessions open at once.
	Open func(n int, o s2s.SessionOptions) Opening
	// Answer scripts what comes of a turn, of tool results and of what a delegation is
	// answered. It is called by whoever asks for the answer, or by the Recv that goes
	// on with it. If nil, answers are empty.
	Answer func(Turn) Answer
	// Forgets has no notes kept; Observe is told them all the same.
	Forgets bool
	// Observe is told each note once it is made, by the goroutine that made it. If nil,
	// nobody is.
	Observe func(Note)
}

// Opening is what comes of a call of Connect.
type Opening struct {
	// Takes is how long it takes.
	Takes time.Duration
	// Err is why there is no session, nil if there is one.
	Err error
	// Steps happen in the session beside its answers, counted from its beginning.
	Steps []Step
}

// Defaults of a provider.
const (
	defaultRate = 24_000
	// mostNotes bounds what is kept; the oldest notes are forgotten.
	mostNotes = 10_000
)

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	o Options

	mu       sync.Mutex // guards the fields below
	sessions int
	notes    []Note
	handles  map[string][]llm.Message // what a session knew that can be resumed
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

// pause waits for d, or until ctx ends, whose error it then returns.
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

// record keeps a note and tells whoever observes.
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

// keepHandle keeps what a session knows, by the name under which it is resumed.
func (p *Provider) keepHandle(handle string, known []llm.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handles[handle] = known
}

// Notes returns what the provider was told, the last 10,000 notes of it; of some
// kinds only, if any are named.
func (p *Provider) Notes(kinds ...Kind) []Note {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.notes)
	if len(kinds) > 0 {
		out = slices.DeleteFunc(out, func(n Note) bool { return !slices.Contains(kinds, n.Kind) })
	}
	return out
}

// Violations returns what was done against the contract, one line each.
func (p *Provider) Violations() []string {
	var out []string
	for _, n := range p.Notes(Violation) {
		out = append(out, fmt.Sprintf("session %d: %s", n.Session, n.Text))
	}
	return out
}
