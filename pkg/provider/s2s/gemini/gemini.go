// Package gemini speaks and listens through Google's Gemini Live. It has its own structs
// for the messages of the protocol, because the vendor's client brings 80 packages with it
// and bounds neither the size of a message nor the opening of a connection.
//
// A session takes its turns by hand: the service's detection of speech is off, and a
// player's turn lies between two signals of ours. One goroutine writes, one reads;
// both end, and are waited for, in Close. What belongs to an answer that was given up
// is dropped until the service has ended it, however late it says so. Calls are
// always answered: those of an answer nobody waits for at once, and those that are
// open when a player speaks again with an error before that, since some models take
// no input while they wait. What a session should know goes into the player's next
// turn as text, which neither interrupts the model nor has it answer.
//
// What models can do follows their names: tools change in an open session from 3.8
// on; older models, and those it does not know, need a new one. What was said before
// a session is told as a conversation from 3.8 on, as text of players and model alone
// since the service refuses calls in it, and to others as part of the instruction.
//
// What it does not do: sound that was sent cannot be taken back, and what of an answer
// was not heard is not forgotten, only told; what an answer was given as context stays
// in the conversation. It sends no video and no images, and leaves search, code
// execution, thoughts, affective dialogue, proactive audio, interim transcripts and
// Vertex AI unused; what a model that thinks on says once its answer was complete is
// dropped. Each count of tokens is taken to be of what was used since the one before.
// A tool whose name does not begin with a letter or underscore is not offered, since
// the service refuses such names.
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
	// inputRate and outputRate are the samples a second of sound to and from it.
	inputRate, outputRate = 16000, 24000
	// longest is how long a session may last: the vendor ends connections after about
	// ten minutes.
	longest = 10 * time.Minute
	// tokenPrefix begins keys that last for a short time, which another version of the
	// interface takes.
	tokenPrefix = "auth_tokens/"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the API's root, such as "http://localhost:8080". It may end in the
	// interface's version: "v1", "v1beta" or "v1alpha". If empty, Google's own.
	BaseURL string
	// Model is the vendor's model. If empty, "gemini-3.8-live".
	Model string
	// Setting is where people configure this provider, such as "providers.s2s", for
	// messages. If empty, that.
	Setting string
}

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	opts    Options
	traits  traits
	service vendor.Service
	client  *http.Client
	address string // where sessions are opened
	header  http.Header
}

var _ s2s.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key; opts may be nil. The error is
// about the key or an option, and repeats neither key nor address.
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

// Connect implements [s2s.Provider]. If the service does not know the session that is
// to be resumed any more, it begins anew, with the history. Errors wrap
// [s2s.ErrRateLimited], [s2s.ErrUnavailable] or [s2s.ErrRejected] and never contain
// the key; once ctx is done they wrap ctx.Err and its cause instead.
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
	s.take(first)
	if turns := p.history(o); len(turns) > 0 {
		if err := s.send(ctx, clientMessage{ClientContent: &clientContent{Turns: turns}}); err != nil {
			_ = s.Close() // it never began
			return nil, fmt.Errorf("opening a session with %s: %w", p.Name(), err)
		}
	}
	return s, nil
}
