// Package openai implements speech synthesis through OpenAI's speech endpoint, or any server with the same
// protocol.
//
//	p := openai.New(key, nil)
//	for pcm, err := range p.Synthesize(ctx, "Welcome!", tts.Voice{ID: "alloy"}) { … }
//
// It requests raw PCM and passes it on as it arrives. The package starts no goroutine of its own, retries
// nothing and sets no deadline; the caller sets one in the context.
package openai

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"slices"
	"strings"

	client "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

const (
	defaultModel = string(client.TTSModelGPT4oMini)
	defaultVoice = string(client.VoiceAlloy)
	// pcmRate is the sample rate of the protocol's raw format.
	pcmRate = 24000
	// piecesPerSecond limits a piece to 100 ms.
	piecesPerSecond = 10

	minSpeed, maxSpeed = 0.5, 2.0
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:8880/v1". The default is OpenAI's.
	BaseURL string
	// Model is the model to use. The default is "gpt-4o-mini-tts".
	Model string
	// Voice is used when an NPC's voice has no ID. The default is "alloy".
	Voice string
	// Instructions describe the manner of speech for NPC voices without instructions.
	Instructions string
	// HTTPClient sends the requests. If nil, a client on the standard library's shared transport is used.
	HTTPClient *http.Client
}

// Provider implements [tts.Provider]. It is safe for concurrent use.
type Provider struct {
	client  *client.Client
	service vendor.Service
	opts    Options
}

var _ tts.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key, which may be empty for a server without authentication;
// opts may be nil.
func New(key string, opts *Options) *Provider {
	key = strings.TrimSpace(key)
	p := &Provider{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Model == "" {
		p.opts.Model = defaultModel
	}
	if p.opts.Voice == "" {
		p.opts.Voice = defaultVoice
	}
	config := client.DefaultConfig(key)
	if p.opts.BaseURL != "" {
		config.BaseURL = strings.TrimRight(p.opts.BaseURL, "/")
	}
	p.service = vendor.Service{
		Doing: "speaking", Key: key, Address: config.BaseURL, Configured: p.opts.BaseURL != "",
		RateLimited: ErrRateLimited, Unavailable: ErrUnavailable, Rejected: ErrRejected, Advice: "check its api_key in providers.tts",
	}
	p.opts.HTTPClient = p.service.Client(p.opts.HTTPClient)
	config.HTTPClient = shortErrors{p.opts.HTTPClient}
	p.client = client.NewClientWithConfig(config)
	return p
}

// Name returns "openai" and the model.
func (p *Provider) Name() string { return "openai " + p.opts.Model }

// Synthesize speaks text in pieces of at most 100 ms, at 24 kHz unless the server answers with a WAV stream
// of another rate. Text without a letter, digit or symbol yields nothing and sends no request. The voice's
// Pitch and Language are ignored because the protocol has neither. Errors wrap ErrVoice, ErrRateLimited,
// ErrUnavailable or ErrRejected and never contain the key; once ctx is done they wrap ctx.Err and its cause
// instead.
func (p *Provider) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		text := untrusted.Clean(text, 0)
		if err := p.speak(ctx, text, voice, yield); err != nil {
			yield(tts.PCM{}, err)
		}
	}
}

// speak returns nil once everything is spoken or the consumer has stopped.
func (p *Provider) speak(parent context.Context, text string, voice tts.Voice, yield func(tts.PCM, error) bool) error {
	if parent.Err() != nil {
		return p.service.Stopped(parent)
	}
	if !tts.Speakable(text) {
		return nil
	}
	request, err := p.request(text, voice)
	if err != nil {
		return err
	}
	var retryAfter string
	ctx, cancel := context.WithCancel(context.WithValue(parent, retryKey{}, &retryAfter))
	defer cancel()
	response, err := p.client.CreateSpeech(ctx, request)
	if err != nil {
		if err = p.failure(parent, err); errors.Is(err, ErrRateLimited) {
			return tts.Busy(err, retryAfter)
		}
		return err
	}
	defer response.Close()
	body, rate, err := sound(response)
	if err != nil {
		return p.failure(parent, err)
	}
	samples := audio.NewS16LEReader(body)
	buf := make([]int16, rate/piecesPerSecond)
	for {
		n, err := samples.Read(buf)
		if n > 0 && !yield(tts.PCM{Samples: slices.Clone(buf[:n]), Rate: rate}, nil) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return p.failure(parent, err)
		}
	}
}

// request builds the request for text and voice.
func (p *Provider) request(text string, voice tts.Voice) (client.CreateSpeechRequest, error) {
	request := client.CreateSpeechRequest{
		Model:          client.SpeechModel(p.opts.Model),
		Input:          text,
		Voice:          client.SpeechVoice(p.opts.Voice),
		ResponseFormat: client.SpeechResponseFormatPcm,
	}
	if voice.ID != "" {
		request.Voice = client.SpeechVoice(voice.ID)
	}
	if voice.Speed != 0 {
		if !(voice.Speed >= minSpeed && voice.Speed <= maxSpeed) { // also refuses NaN
			return request, fmt.Errorf("%w: speed is %v, want %v to %v", ErrVoice, voice.Speed, minSpeed, maxSpeed)
		}
		request.Speed = voice.Speed
	}
	if !strings.HasPrefix(p.opts.Model, string(client.TTSModel1)) { // tts-1 and tts-1-hd refuse them
		request.Instructions = p.opts.Instructions
		if voice.Instructions != "" {
			request.Instructions = voice.Instructions
		}
	}
	return request, nil
}

// sound returns the samples of a response and their rate. Some servers always answer with a WAV stream. Any
// other format except raw PCM is an error, because it would be played as noise.
func sound(response client.RawResponse) (io.Reader, int, error) {
	kind, _, _ := mime.ParseMediaType(response.Header().Get("Content-Type"))
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json",
		kind == "audio/mpeg", kind == "audio/mp3", kind == "audio/ogg", kind == "audio/opus",
		kind == "audio/flac", kind == "audio/aac":
		return nil, 0, fmt.Errorf("%w: it answered with %s where raw PCM was asked for", ErrRejected, kind)
	}
	body := bufio.NewReader(response)
	start, err := body.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if string(start) != "RIFF" {
		return body, pcmRate, nil
	}
	format, err := audio.ReadWAVHeader(body)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	if format.Channels != 1 {
		return nil, 0, fmt.Errorf("%w: %d channels: %w", ErrRejected, format.Channels, audio.ErrUnsupportedWAV)
	}
	if format.Bytes >= 0 {
		return io.LimitReader(body, format.Bytes), format.Rate, nil
	}
	return body, format.Rate, nil
}
