// Package stttest provides speech recognition without speech for tests: typed text counts as spoken. It
// starts no goroutine and needs no service.
package stttest

import (
	"context"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Provider implements [stt.Provider] and [stt.Recogniser]. It is safe for concurrent use.
type Provider struct {
	mu    sync.Mutex // guards the field below
	lines []string
}

var (
	_ stt.Provider   = (*Provider)(nil)
	_ stt.Recogniser = (*Provider)(nil)
)

// New returns a provider whose utterances have lines as their texts, one after the other, unless a text is
// typed. Once the lines are used up, utterances are empty.
func New(lines ...string) *Provider {
	return &Provider{lines: append([]string(nil), lines...)}
}

// Name returns "typed".
func (*Provider) Name() string { return "typed" }

// Open implements [stt.Provider]. The stream is a [*Stream].
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if ctx.Err() != nil {
		return nil, vendor.Stopped(ctx)
	}
	return &Stream{provider: p, interim: o.Interim, audio: vendor.NewAudio(vendor.Limit(o)), results: vendor.NewResults()}, nil
}

// Listen implements [stt.Recogniser], because a stream of typed text does not break.
func (p *Provider) Listen(ctx context.Context, o stt.Options) (stt.Stream, error) {
	return p.Open(ctx, o)
}

// line removes and returns the next line.
func (p *Provider) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) == 0 {
		return ""
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line
}

// Stream implements [stt.Stream].
type Stream struct {
	provider *Provider
	interim  bool
	audio    *vendor.Audio
	results  *vendor.Results

	mu     sync.Mutex // guards the fields below
	number int        // of the utterance being typed
	typed  string
}

var _ stt.Stream = (*Stream)(nil)

// Type adds text to the current utterance. It emits an interim transcript if the options ask for them.
func (s *Stream) Type(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typed = strings.TrimSpace(s.typed + " " + strings.TrimSpace(untrusted.Clean(text, 0)))
	if s.interim && s.typed != "" {
		s.results.Put(stt.Result{Utterance: s.number, Text: s.typed, Confidence: 1})
	}
}

// Send implements [stt.Stream]. It ignores the audio.
func (s *Stream) Send([]int16) error { return s.audio.Push(nil) }

// Finish implements [stt.Stream]. The final transcript is available at once.
func (s *Stream) Finish(ctx context.Context) (int, error) {
	if ctx.Err() != nil {
		return 0, vendor.Stopped(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number, err := s.audio.Finish(s.results)
	if err != nil {
		return 0, err
	}
	s.audio.Pop(nil) // removes the mark; there is no audio
	text := s.typed
	if text == "" {
		text = s.provider.line()
	}
	s.number, s.typed = number+1, ""
	s.results.Put(stt.Result{Utterance: number, Text: text, Final: true, Confidence: 1})
	return number, nil
}

// Recv implements [stt.Stream].
func (s *Stream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }

// Stats implements [stt.Stream].
func (s *Stream) Stats() stt.Stats { return stt.Stats{Late: s.results.Late()} }

// Close implements [stt.Stream].
func (s *Stream) Close() error {
	s.audio.Fail(stt.ErrClosed)
	s.results.Fail(stt.ErrClosed)
	return nil
}
