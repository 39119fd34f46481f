// Package elevenlabs implements speech synthesis through ElevenLabs' streaming endpoint.
//
//	p := elevenlabs.New(key, nil)
//	for pcm, err := range p.Synthesize(ctx, "Welcome!", tts.Voice{}) { … }
//
// A sentence is complete when it is to be spoken, so it is sent in one HTTP request. The response is raw PCM,
// which is passed on as it arrives. Connections are kept for the next sentence. The package starts no
// goroutine of its own, retries nothing and sets no deadline; the caller sets one in the context.
package elevenlabs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// DefaultBaseURL is the root of the vendor's own service.
const DefaultBaseURL = "https://api.elevenlabs.io"

const (
	defaultModel = "eleven_flash_v2_5" // the vendor's fastest
	defaultVoice = "JBFqnCBsd6RMkjVDRZzb"
	// pcmRate is the rate of the requested format, the best one available to every subscription.
	pcmRate   = 24000
	pcmFormat = "pcm_24000"
	// piecesPerSecond limits a piece to 100 ms.
	piecesPerSecond = 10
	// maxVoiceID is far longer than the vendor's IDs, which have 20 letters.
	maxVoiceID = 64
	// Range of speeds that the vendor accepts.
	slowest, fastest = 0.7, 1.2
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the service without a path. The default is DefaultBaseURL.
	BaseURL string
	// Model is the model to use. The default is "eleven_flash_v2_5".
	Model string
	// Voice is used when an NPC's voice has no ID. The default is a voice that every account has.
	Voice string
	// Stability, Similarity and Style are the vendor's settings, from 0 to 1. If nil, the voice's own
	// settings apply.
	Stability, Similarity, Style *float64
	// HTTPClient sends the requests. If nil, the provider uses its own connections. Redirects to another host
	// are not followed.
	HTTPClient *http.Client
}

// Provider implements [tts.Provider]. It is safe for concurrent use.
type Provider struct {
	client  *http.Client
	service vendor.Service
	opts    Options
}

var _ tts.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key; opts may be nil.
func New(key string, opts *Options) *Provider {
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
	p.service = vendor.Service{
		Doing: "speaking", Key: strings.TrimSpace(key), Address: DefaultBaseURL, Configured: p.opts.BaseURL != "",
		RateLimited: ErrRateLimited, Unavailable: ErrUnavailable, Rejected: ErrRejected, Advice: "check its api_key in providers.tts",
	}
	if p.service.Configured {
		p.service.Address = strings.TrimSuffix(strings.TrimRight(p.opts.BaseURL, "/"), "/v1")
	}
	p.client = p.service.Client(p.opts.HTTPClient)
	return p
}

// Name returns "elevenlabs" and the model.
func (p *Provider) Name() string { return "elevenlabs " + p.opts.Model }

// SpeaksClauses implements [tts.Clauser]. The service is designed for text that is still being written.
func (*Provider) SpeaksClauses() bool { return true }

// Synthesize speaks text in pieces of at most 100 ms at 24 kHz. Text without a letter, digit or symbol yields
// nothing and sends no request. The voice's speed is clamped to 0.7 to 1.2; its Pitch and Instructions are
// ignored because the protocol has neither. Errors wrap [tts.ErrVoice], ErrRateLimited, ErrUnavailable or
// ErrRejected and never contain the key; the RetryAfter method of a rate limit error returns its duration.
// Once ctx is done, errors wrap ctx.Err and its cause instead.
func (p *Provider) Synthesize(ctx context.Context, text string, voice tts.Voice) iter.Seq2[tts.PCM, error] {
	return func(yield func(tts.PCM, error) bool) {
		if err := p.speak(ctx, untrusted.Clean(text, 0), voice, yield); err != nil {
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
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	request, err := p.request(ctx, text, voice)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return p.service.Unreachable(parent, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return p.refusal(response)
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json", kind == "audio/mpeg", kind == "audio/ogg":
		return fmt.Errorf("%w: it answered with %s where raw PCM was asked for", ErrRejected, kind)
	}
	if err := play(response.Body, yield); err != nil {
		return p.service.Unreachable(parent, err)
	}
	return nil
}

// play yields the audio in r as it arrives. It returns nil at the end of r or when the consumer stops.
func play(r io.Reader, yield func(tts.PCM, error) bool) error {
	samples := audio.NewS16LEReader(r)
	buf := make([]int16, pcmRate/piecesPerSecond)
	for {
		n, err := samples.Read(buf)
		if n > 0 && !yield(tts.PCM{Samples: slices.Clone(buf[:n]), Rate: pcmRate}, nil) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// body is the request body.
type body struct {
	Text     string    `json:"text"`
	Model    string    `json:"model_id"`
	Language string    `json:"language_code,omitempty"`
	Settings *settings `json:"voice_settings,omitempty"`
}

type settings struct {
	Stability  *float64 `json:"stability,omitempty"`
	Similarity *float64 `json:"similarity_boost,omitempty"`
	Style      *float64 `json:"style,omitempty"`
	Speed      *float64 `json:"speed,omitempty"`
}

// request builds the HTTP request for text and voice.
func (p *Provider) request(ctx context.Context, text string, voice tts.Voice) (*http.Request, error) {
	id := voice.ID
	if id == "" {
		id = p.opts.Voice
	}
	if !isVoiceID(id) {
		return nil, fmt.Errorf("%w with elevenlabs: id is %.80q, want letters and digits as in the address of the voice", tts.ErrVoice, id)
	}
	b := body{Text: text, Model: p.opts.Model, Language: p.language(voice.Language)}
	s := settings{Stability: p.opts.Stability, Similarity: p.opts.Similarity, Style: p.opts.Style}
	if voice.Speed != 0 {
		if math.IsNaN(voice.Speed) || voice.Speed < 0 {
			return nil, fmt.Errorf("%w with elevenlabs: speed is %v", tts.ErrVoice, voice.Speed)
		}
		speed := min(fastest, max(slowest, voice.Speed))
		s.Speed = &speed
	}
	if s != (settings{}) {
		b.Settings = &s
	}
	data, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("%w: encoding the request: %v", ErrRejected, err)
	}
	address := p.service.Address + "/v1/text-to-speech/" + url.PathEscape(id) + "/stream?output_format=" + pcmFormat
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: the service's address cannot be used", ErrRejected)
	}
	request.Header.Set("xi-api-key", p.service.Key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "audio/pcm, application/octet-stream;q=0.9, */*;q=0.1")
	return request, nil
}

// language returns the language code to send. Models that accept none detect the language from the text and
// would refuse the request.
func (p *Provider) language(tag string) string {
	if !strings.HasSuffix(p.opts.Model, "_v2_5") && !strings.HasPrefix(p.opts.Model, "eleven_v3") {
		return ""
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if len(code) != 2 {
		return ""
	}
	return strings.ToLower(code)
}

// isVoiceID reports whether id has the form of the vendor's IDs. It is checked because the ID becomes part of
// a path.
func isVoiceID(id string) bool {
	ok := id != "" && len(id) <= maxVoiceID
	for i := 0; ok && i < len(id); i++ {
		c := id[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	}
	return ok
}
