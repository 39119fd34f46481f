// Package openai speaks and listens through OpenAI's Realtime API, or any server
// with its protocol: LocalAI and vLLM-Omni with [GA], Speaches and Qwen-Omni with
// [Beta], Hugging Face's speech-to-speech with [Basic].
//
// A session takes its turns by hand: the service answers only when it is asked to.
// With [Basic] it answers what it takes for a turn's end, which a session marks with
// silence.
// One goroutine writes what the session has to say, in order; the service is never
// asked for a response while another one is under way, and a response that is not
// wanted any more is cancelled when it comes and told to nobody. What the model
// should know for one answer alone goes into that response's instructions, so that
// the conversation does not grow by it.
//
// What it does not do: it opens no second connection and resumes nothing, since the
// service cannot; sound is PCM over a WebSocket, there is no WebRTC and no
// telephone; the service's own turn detection, noise reduction, images, MCP servers,
// prompts and responses outside the conversation are left unused; a transcription's
// own tokens are not counted; how the service forgets a conversation that has grown
// too long is left to its default. A message that is no text, or is larger than
// 8 MiB, ends the session.
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
	// rate is the protocol's number of samples a second.
	rate = 24000
	// longest is how long the vendor lets a session live.
	longest = 60 * time.Minute
)

// Dialect is which words of the protocol a server understands. What it answers is
// understood in either.
type Dialect string

// The dialects.
const (
	// GA is that of OpenAI since the interface is generally available.
	GA Dialect = "ga"
	// Beta is what OpenAI spoke before, and many servers still do.
	Beta Dialect = "beta"
	// Basic is a part of GA: the server finds out itself when a player has spoken, and
	// forgets nothing of what it said or heard.
	Basic Dialect = "basic"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the API's root, such as "http://localhost:8080/v1". If empty,
	// OpenAI's own.
	BaseURL string
	// Model is the vendor's model. If empty, "gpt-realtime".
	Model string
	// Dialect is the server's. If empty, [GA].
	Dialect Dialect
	// InputRate is how many samples a second the server takes. If zero, 24,000; a
	// server that takes another rate has to take it without being told.
	InputRate int
	// Transcription is the model that transcribes what players say, such as
	// "gpt-4o-mini-transcribe". If empty, nothing is transcribed.
	Transcription string
	// Setting is where people configure this provider, such as "providers.s2s", for
	// messages. If empty, that.
	Setting string
	// HTTPClient opens the connections. If nil, a client on the standard library's
	// shared transport.
	HTTPClient *http.Client
}

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	opts    Options
	service vendor.Service
	address *url.URL
}

var _ s2s.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key, which may be empty for a
// server that wants none; opts may be nil. The error is about an option and does
// not repeat the address.
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

// errAddress means a base address that cannot be used.
var errAddress = errors.New("the address is no ws, wss, http or https URL")

// endpoint is where sessions are opened below base.
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

// isBasic reports whether the server knows but a part of the protocol.
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

// Connect implements [s2s.Provider]. The service has taken the instructions and
// tools when it returns, or has said nothing of them for three seconds.
// Resume is ignored. Errors wrap [s2s.ErrRateLimited], [s2s.ErrUnavailable] or
// [s2s.ErrRejected] and never contain the key; once ctx is done they wrap ctx.Err
// and its cause instead.
func (p *Provider) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
	}
	s := newSession(p, conn, o)
	if err := s.awaitSetup(ctx); err != nil {
		_ = s.Close() // it never began
		return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
	}
	return s, nil
}
