// Package openai implements [s2s.Provider] for OpenAI's Realtime API, or any server with its protocol:
// LocalAI and vLLM-Omni with [GA], Speaches and Qwen-Omni with [Beta], Hugging Face's speech-to-speech with
// [Basic].
//
//	p, err := openai.New(key, nil)
//	session, err := p.Connect(ctx, s2s.SessionOptions{Instructions: prompt, Voice: "alloy", Tools: tools})
//
// Sessions use manual turns: the service answers only on request. With [Basic] the service answers when it
// detects the end of a turn, which a session marks with silence. One goroutine sends the session's messages
// in order. The session never requests a response while another is in progress; it cancels a response that is
// no longer wanted as soon as that starts, without reporting it. Context for a single answer is put into the
// instructions of its response, so that it does not grow the conversation.
//
// Limitations: the package opens no second connection and resumes nothing, because the service cannot. Audio
// is PCM over a WebSocket, without WebRTC and telephony. It does not use the service's turn detection, noise
// reduction, images, MCP servers, prompts and responses outside the conversation. It does not count the
// tokens of transcription. How the service truncates a long conversation is left to its default. A message
// that is not text, or larger than 8 MiB, ends the session.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// DefaultBaseURL is the root of the vendor's API.
	DefaultBaseURL = "https://api.openai.com/v1"

	defaultModel   = "gpt-realtime"
	defaultSetting = "providers.s2s"
	// rate is the protocol's sample rate in hertz.
	rate = 24000
	// longest is the vendor's limit for a session.
	longest = 60 * time.Minute
)

// Dialect is the variant of the protocol that a server accepts. The server's messages are understood in
// either.
type Dialect string

// The dialects.
const (
	// GA is OpenAI's protocol since general availability.
	GA Dialect = "ga"
	// Beta is OpenAI's earlier protocol, which many servers still use.
	Beta Dialect = "beta"
	// Basic is a subset of GA: the server detects the end of a turn itself, and cannot forget anything it
	// said or heard.
	Basic Dialect = "basic"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:8080/v1". The default is OpenAI's.
	BaseURL string
	// Model is the model to use. The default is "gpt-realtime".
	Model string
	// Dialect is the server's dialect. The default is [GA].
	Dialect Dialect
	// InputRate is the sample rate in hertz that the server expects. The default is 24,000; a server with
	// another rate has to expect it without being told.
	InputRate int
	// Transcription is the model that transcribes what players say, such as "gpt-4o-mini-transcribe". If
	// empty, nothing is transcribed.
	Transcription string
	// Setting is the configuration path of this provider, for advice in errors. The default is
	// "providers.s2s".
	Setting string
	// HTTPClient opens the connections. If nil, a client on the standard library's shared transport is used.
	HTTPClient *http.Client
}

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	opts    Options
	service vendor.Service
	address *url.URL
}

var _ s2s.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key, which may be empty for a server without authentication;
// opts may be nil. It returns an error if an option is invalid; the error does not contain the address.
func New(key string, opts *Options) (*Provider, error) {
	p := &Provider{}
	if opts != nil {
		p.opts = *opts
	}
	configured := p.opts.BaseURL != ""
	p.opts.BaseURL = cmp.Or(p.opts.BaseURL, DefaultBaseURL)
	p.opts.Model = cmp.Or(p.opts.Model, defaultModel)
	p.opts.Dialect = cmp.Or(p.opts.Dialect, GA)
	p.opts.InputRate = cmp.Or(p.opts.InputRate, rate)
	p.opts.Setting = cmp.Or(p.opts.Setting, defaultSetting)
	switch {
	case p.opts.Dialect != GA && p.opts.Dialect != Beta && p.opts.Dialect != Basic:
		return nil, fmt.Errorf("openai: the dialect is %q, want %q, %q or %q", p.opts.Dialect, GA, Beta, Basic)
	case p.opts.InputRate < 8000 || p.opts.InputRate > 48000:
		return nil, fmt.Errorf("openai: the input rate is %d, want 8000 to 48000", p.opts.InputRate)
	}
	address, err := endpoint(p.opts.BaseURL, p.opts.Model)
	if err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	p.address = address
	p.service = vendor.Service{
		Doing: "talking to a speech-to-speech model", Key: strings.TrimSpace(key), Address: p.opts.BaseURL, Configured: configured,
		RateLimited: s2s.ErrRateLimited, Unavailable: s2s.ErrUnavailable, Rejected: s2s.ErrRejected,
		Advice: "check its api_key in " + p.opts.Setting,
	}
	return p, nil
}

// errAddress means that a base address is invalid.
var errAddress = errors.New("the address is no ws, wss, http or https URL")

// endpoint returns the address for opening sessions below base.
func endpoint(base, model string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, errAddress
	}
	switch u.Scheme {
	case "ws", "wss", "http", "https":
	default:
		return nil, errAddress
	}
	const path = "/realtime"
	if u.Path = strings.TrimRight(u.Path, "/"); !strings.HasSuffix(u.Path, path) {
		u.Path += path
	}
	q := u.Query()
	q.Set("model", model)
	u.RawQuery = q.Encode()
	return u, nil
}

// Name returns "openai" and the model.
func (p *Provider) Name() string { return "openai " + p.opts.Model }

// isBasic reports whether the server supports only [Basic].
func (p *Provider) isBasic() bool { return p.opts.Dialect == Basic }

// Capabilities implements [s2s.Provider].
func (p *Provider) Capabilities() s2s.Capabilities {
	whole := !p.isBasic()
	return s2s.Capabilities{
		InputRate: p.opts.InputRate, OutputRate: rate,
		ToolChange: s2s.ToolsByUpdate, ManualTurns: whole, Clears: whole, Truncates: whole, Typed: true, EndsTurns: true,
		Longest: longest,
	}
}

// Connect implements [s2s.Provider]. It returns once the service has accepted the instructions and tools, or
// has not commented on them for three seconds. It ignores Resume. Errors wrap [s2s.ErrRateLimited],
// [s2s.ErrUnavailable] or [s2s.ErrRejected] and never contain the key; once ctx is done they wrap ctx.Err and
// its cause instead.
func (p *Provider) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
	}
	s := newSession(p, conn, o)
	if err := s.awaitSetup(ctx); err != nil {
		_ = s.Close() // the session never began
		return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
	}
	return s, nil
}
