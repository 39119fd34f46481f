// Package gemini implements [s2s.Provider] for Google's Gemini Live. It defines the protocol's messages
// itself, because the vendor's client depends on 80 packages and limits neither the size of a message nor the
// time to open a connection.
//
//	p, err := gemini.New(key, nil)
//	session, err := p.Connect(ctx, s2s.SessionOptions{Instructions: prompt, Tools: tools})
//
// Sessions use manual turns: the service's speech detection is off, and the client marks the start and end of
// a player's turn. One goroutine writes and one reads; Close ends both and waits for them. What belongs to an
// abandoned answer is dropped until the service has ended its turn, however late. Calls are always answered:
// those of an abandoned answer at once, and those that are open when a player speaks again with an error
// before the turn, because some models accept no input while they wait. Background for the session is sent as
// text within the player's next turn, where it neither interrupts the model nor makes it answer.
//
// The abilities of a model are derived from its name. From version 3.8, tools can change in an open session;
// older and unknown models need a new session. From 3.8, the history is sent as a conversation, with only the
// text of players and the model because the service refuses calls in it; for others it is part of the
// instruction.
//
// Limitations: audio that was sent cannot be withdrawn. The part of an answer that was not heard is not
// removed, only mentioned; the context of a single answer stays in the conversation. The package sends no
// video or images, and does not use search, code execution, thoughts, affective dialogue, proactive audio,
// interim transcripts or Vertex AI. Words that a model says after its answer is complete are dropped. Each
// token count is taken as the usage since the previous one. A tool whose name does not begin with a letter or
// underscore is not offered, because the service refuses such names.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// DefaultBaseURL is the root of the vendor's API.
	DefaultBaseURL = "https://generativelanguage.googleapis.com"

	defaultModel   = "gemini-3.8-live"
	defaultSetting = "providers.s2s"
	// inputRate and outputRate are the sample rates in hertz of audio to and from the service.
	inputRate, outputRate = 16000, 24000
	// longest is the maximum duration of a session: the vendor ends connections after about ten minutes.
	longest = 10 * time.Minute
	// tokenPrefix is the prefix of short-lived keys, which another version of the API accepts.
	tokenPrefix = "auth_tokens/"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:8080". It may end in the API version: "v1",
	// "v1beta" or "v1alpha". The default is Google's.
	BaseURL string
	// Model is the model to use. The default is "gemini-3.8-live".
	Model string
	// Setting is the configuration path of this provider, for advice in errors. The default is
	// "providers.s2s".
	Setting string
}

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	opts    Options
	traits  traits
	service vendor.Service
	client  *http.Client
	address string // for opening sessions
	header  http.Header
}

var _ s2s.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key; opts may be nil. It returns an error if the key or an
// option is invalid; the error contains neither the key nor the address.
func New(key string, opts *Options) (*Provider, error) {
	p := &Provider{}
	if opts != nil {
		p.opts = *opts
	}
	configured := p.opts.BaseURL != ""
	p.opts.BaseURL = cmp.Or(p.opts.BaseURL, DefaultBaseURL)
	p.opts.Model = cmp.Or(p.opts.Model, defaultModel)
	p.opts.Setting = cmp.Or(p.opts.Setting, defaultSetting)
	p.traits = traitsOf(p.opts.Model)
	key = strings.TrimSpace(key)
	if key == "" {
		return nil, fmt.Errorf("gemini: there is no api_key in %s, and the service takes nobody without one", p.opts.Setting)
	}
	if strings.ContainsAny(p.opts.Model, "?& ") || strings.Contains(p.opts.Model, "..") {
		return nil, errors.New("gemini: the model's name holds what no name does")
	}
	var err error
	if p.address, p.header, err = endpoint(p.opts.BaseURL, key); err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	p.service = vendor.Service{
		Doing: "talking to a speech-to-speech model", Key: key, Address: p.opts.BaseURL, Configured: configured,
		RateLimited: s2s.ErrRateLimited, Unavailable: s2s.ErrUnavailable, Rejected: s2s.ErrRejected,
		Advice: "check its api_key in " + p.opts.Setting,
	}
	p.client = p.service.Client(nil)
	return p, nil
}

// Name returns "gemini" and the model.
func (p *Provider) Name() string { return "gemini " + p.opts.Model }

// Capabilities implements [s2s.Provider].
func (p *Provider) Capabilities() s2s.Capabilities {
	c := s2s.Capabilities{
		InputRate: inputRate, OutputRate: outputRate,
		ManualTurns: true, Typed: true, EndsTurns: true, Longest: longest,
	}
	if p.traits.updates {
		c.ToolChange = s2s.ToolsByContext
	}
	return c
}

// Connect implements [s2s.Provider]. If the service no longer knows the session to resume, Connect opens a
// new one with the history. Errors wrap [s2s.ErrRateLimited], [s2s.ErrUnavailable] or [s2s.ErrRejected] and
// never contain the key; once ctx is done they wrap ctx.Err and its cause instead.
func (p *Provider) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	conn, first, err := p.dial(ctx, p.setup(o))
	if err != nil && o.Resume != "" && errors.Is(err, errForgotten) {
		o.Resume = ""
		conn, first, err = p.dial(ctx, p.setup(o))
	}
	if err != nil {
		return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
	}
	s := newSession(p, conn)
	s.handleMessage(first)
	if turns := p.history(o); len(turns) > 0 {
		if err := s.send(ctx, clientMessage{ClientContent: &clientContent{Turns: turns}}); err != nil {
			_ = s.Close() // the session never began
			return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
		}
	}
	return s, nil
}
