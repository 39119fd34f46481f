// Package openai implements speech recognition through OpenAI's transcription endpoint, or any server with
// the same protocol, such as faster-whisper's.
//
//	p := openai.New(key, nil)
//	stream, err := p.Open(ctx, stt.Options{Language: "en"})
//
// The endpoint takes whole recordings, so a stream collects an utterance's audio and sends it when the
// utterance ends; there are no interim transcripts. Each utterance is one request in its own goroutine.
// Discard cancels the request; Close cancels all requests and waits for them. The package retries nothing.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	client "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

const (
	defaultModel = client.GPT4oMiniTranscribe
	// maxKeytermBytes and maxKeyterms limit the terms in the request's prompt. Whisper reads only the last
	// 224 tokens of it.
	maxKeytermBytes, maxKeyterms = 600, 60
	// minSamples is the shortest recording that the endpoint accepts, a tenth of a second.
	minSamples = vendor.Rate / 10
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:8000/v1". The default is OpenAI's.
	BaseURL string
	// Model is the model to use. The default is "gpt-4o-mini-transcribe".
	Model string
	// HTTPClient sends the requests. If nil, a client on the standard library's shared transport is used.
	HTTPClient *http.Client
}

// Provider implements [stt.Provider]. It is safe for concurrent use.
type Provider struct {
	client  *client.Client
	service vendor.Service
	model   string
}

var _ stt.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key, which may be empty for a server without authentication;
// opts may be nil.
func New(key string, opts *Options) *Provider {
	var o Options
	if opts != nil {
		o = *opts
	}
	key = strings.TrimSpace(key)
	config := client.DefaultConfig(key)
	if o.BaseURL != "" {
		config.BaseURL = strings.TrimRight(o.BaseURL, "/")
	}
	service := vendor.RecogniserService(key, config.BaseURL, o.BaseURL != "")
	config.HTTPClient = shortAnswers{service.Client(o.HTTPClient)}
	return &Provider{
		client: client.NewClientWithConfig(config), model: cmp.Or(o.Model, defaultModel),
		service: service,
	}
}

// Name returns "openai" and the model.
func (p *Provider) Name() string { return "openai " + p.model }

// Open implements [stt.Provider]. It does not connect yet.
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	if ctx.Err() != nil {
		return nil, vendor.Stopped(ctx)
	}
	convert, err := vendor.NewConverter(o)
	if err != nil {
		return nil, fmt.Errorf("opening a stream to openai: %w", err)
	}
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s := &stream{
		provider: p, opts: o, convert: convert,
		audio: vendor.NewAudio(vendor.Limit(o)), results: vendor.NewResults(),
		cancel: cancel, ready: map[int]stt.Result{}, cancels: map[int]context.CancelFunc{},
	}
	s.start = func(number int, task func(context.Context)) {
		ctx, cancel := context.WithCancel(life)
		s.cancels[number] = cancel
		s.tasks.Go(func() {
			defer cancel()
			task(ctx)
		})
	}
	return s, nil
}

// stream implements [stt.Stream] and [stt.Discarder].
type stream struct {
	provider *Provider
	opts     stt.Options
	audio    *vendor.Audio
	results  *vendor.Results
	convert  *vendor.Converter // used only by the caller of Finish
	cancel   context.CancelCauseFunc
	// start runs the task of an utterance in a goroutine. Discard cancels it; Close cancels it and waits for
	// it. The caller must hold mu.
	start func(number int, task func(context.Context))
	tasks sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	closed  bool
	cancels map[int]context.CancelFunc // cancels the request of each utterance; nil once discarded
	ready   map[int]stt.Result         // finals that wait for earlier ones
	next    int                        // utterance whose final comes next
}

// Send implements [stt.Stream].
func (s *stream) Send(samples []int16) error { return s.audio.Push(samples) }

// Finish implements [stt.Stream]. It starts the request.
func (s *stream) Finish(ctx context.Context) (int, error) {
	if ctx.Err() != nil {
		return 0, vendor.Stopped(ctx)
	}
	number, err := s.audio.Finish(s.results)
	if err != nil {
		return 0, err
	}
	recording := s.recording()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, stt.ErrClosed
	}
	s.start(number, func(ctx context.Context) { s.deliver(s.transcribe(ctx, number, recording)) })
	return number, nil
}

// Discard implements [stt.Discarder]. It cancels the request.
func (s *stream) Discard(utterance int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancels[utterance]; cancel != nil {
		cancel()
		s.cancels[utterance] = nil
	}
}

// recording takes the utterance's audio from the queue, at [vendor.Rate].
func (s *stream) recording() []int16 {
	var taken [4096]int16
	var all []int16
	for {
		n, mark := s.audio.Pop(taken[:])
		all = append(all, s.convert.Convert(taken[:n], mark)...)
		if mark {
			return all
		}
		if n == 0 {
			return all
		}
	}
}

// transcribe requests the transcript of a recording.
func (s *stream) transcribe(parent context.Context, number int, recording []int16) stt.Result {
	r := stt.Result{Utterance: number, Final: true}
	if len(recording) < minSamples {
		return r // no word is that short, and the endpoint would refuse it
	}
	ctx, cancel := context.WithTimeoutCause(parent, stt.DefaultBudget, stt.ErrOverBudget)
	defer cancel()
	wav, err := encode(recording)
	if err != nil {
		r.Err = err
		return r
	}
	language, _, _ := strings.Cut(s.opts.Language, "-")
	answer, err := s.provider.client.CreateTranscription(ctx, client.AudioRequest{
		Model: s.provider.model, FilePath: "utterance.wav", Reader: bytes.NewReader(wav),
		Prompt:   strings.Join(vendor.Keyterms(s.opts.Keyterms, maxKeyterms, maxKeytermBytes, 0), ", "),
		Language: strings.ToLower(language), Format: client.AudioResponseFormatJSON,
	})
	if err != nil {
		r.Err = s.provider.service.Failed(ctx, err)
		return r
	}
	r.Text = clean(answer.Text)
	r.End = audio.Duration(len(recording), vendor.Rate)
	return r
}

// deliver emits a final once all earlier ones have been emitted.
func (s *stream) deliver(r stt.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.cancels[r.Utterance]; ok && cancel == nil {
		r = stt.Result{Utterance: r.Utterance, Final: true} // the utterance was discarded
	}
	delete(s.cancels, r.Utterance)
	s.ready[r.Utterance] = r
	for {
		r, ok := s.ready[s.next]
		if !ok {
			return
		}
		delete(s.ready, s.next)
		s.results.Put(r)
		s.next++
	}
}

// Recv implements [stt.Stream].
func (s *stream) Recv(ctx context.Context) (stt.Result, error) { return s.results.Recv(ctx) }

// Stats implements [stt.Stream].
func (s *stream) Stats() stt.Stats {
	return stt.Stats{Dropped: s.audio.Dropped(), Late: s.results.Late()}
}

// Close implements [stt.Stream].
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.audio.Fail(stt.ErrClosed)
	s.results.Fail(stt.ErrClosed)
	s.cancel(stt.ErrClosed)
	s.tasks.Wait()
	return nil
}
