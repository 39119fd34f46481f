// Package gptlive implements [s2s.Provider] for OpenAI's GPT-Live: a voice that listens while it talks,
// decides itself when to speak, and delegates all work to its client (delegation "client"). Its sessions also
// implement [s2s.Delegator].
//
//	p := gptlive.New(key, nil)
//	session, err := p.Connect(ctx, s2s.SessionOptions{Instructions: prompt, Voice: voice})
//
// Peculiarities of the service, and how the package handles them:
//
//   - The model runs on the time of its input: it hears, thinks and speaks only while audio arrives. Each
//     session has a goroutine that sends silence in real time where there is no audio. A turn's audio is sent
//     as it arrives, at most five seconds ahead of real time; the silence after it waits until the service
//     has processed the audio, judging by its returned audio, or until as much time has passed.
//   - It sends audio all the time, mostly silence. Only audible audio becomes an
//     event; a pause of more than a moment does not.
//   - Between two turns the input is muted, once the service has processed it.
//   - Nothing can be cancelled, cleared or truncated, and its context only grows. After Interrupt its audio
//     is dropped until the next request, and it receives a silent note of how much was heard.
//   - A delegation may be reported twice; it becomes one event.
//
// Close ends a session's goroutines and waits for them. The package retries nothing.
package gptlive

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultModel   = "gpt-live-1"
	// rate is the sample rate in hertz in both directions.
	rate = 24000
	// longest is the service's limit for a session.
	longest = 2 * time.Hour
	// openTimeout is the maximum time for the handshake and the start of the session.
	openTimeout = 15 * time.Second
	// writeTimeout is how long a write may block before the peer counts as gone.
	writeTimeout = 10 * time.Second
	// closeTimeout is the maximum time for ending the session.
	closeTimeout = 2 * time.Second
	// maxMessage is the maximum size of a received message in bytes, and maxUnread the maximum number queued
	// for Recv: more than a minute of audio.
	maxMessage, maxUnread = 4 << 20, 1024
	defaultSetting        = "providers.s2s"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:8000/v1". The default is OpenAI's.
	BaseURL string
	// Model is the model to use. The default is "gpt-live-1".
	Model string
	// Setting is the configuration path of this provider, for advice in errors. The default is
	// "providers.s2s".
	Setting string
	// HTTPClient opens the connections. If nil, a client on the standard library's shared transport is used.
	HTTPClient *http.Client
}

// Provider implements [s2s.Provider]. It is safe for concurrent use.
type Provider struct {
	service vendor.Service
	client  *http.Client
	model   string
}

var (
	_ s2s.Provider  = (*Provider)(nil)
	_ s2s.Session   = (*session)(nil)
	_ s2s.Delegator = (*session)(nil)
)

// New returns a provider that authenticates with key; opts may be nil. It does not read the environment.
func New(key string, opts *Options) *Provider {
	var o Options
	if opts != nil {
		o = *opts
	}
	key = strings.TrimSpace(key)
	address := cmp.Or(strings.TrimRight(o.BaseURL, "/"), defaultBaseURL)
	p := &Provider{
		model: cmp.Or(o.Model, defaultModel),
		service: vendor.Service{
			Doing: "talking", Key: key, Address: address, Configured: o.BaseURL != "",
			RateLimited: s2s.ErrRateLimited, Unavailable: s2s.ErrUnavailable, Rejected: s2s.ErrRejected,
			Advice: "check its api_key in " + cmp.Or(o.Setting, defaultSetting),
		},
	}
	p.client = p.service.Client(o.HTTPClient)
	return p
}

// Name returns "openai" and the model.
func (p *Provider) Name() string { return "openai " + p.model }

// Capabilities implements [s2s.Provider]. Typed is false because the protocol only has context, which the
// voice takes up when it likes. The client that works for the voice can answer typed lines itself and have
// them said by Tell without a delegation.
func (p *Provider) Capabilities() s2s.Capabilities {
	return s2s.Capabilities{InputRate: rate, OutputRate: rate, Duplex: true, Longest: longest}
}

// Connect implements [s2s.Provider]. It gives up after 15 s even if ctx does not. It ignores o.Tools, because
// the voice has none, and o.Resume, because sessions cannot be resumed.
func (p *Provider) Connect(ctx context.Context, o s2s.SessionOptions) (s2s.Session, error) {
	opening, cancel := p.service.Opening(ctx, openTimeout)
	defer cancel()
	dialled, err := p.service.DialWebSocket(opening, vendor.Handshake{
		URL: p.service.Address + "/live/sessions", Header: vendor.Bearer(p.service.Key), Client: p.client,
		MaxMessage: maxMessage, Refused: p.refusal,
	})
	if err != nil {
		return nil, err
	}
	conn := vendor.NewConn(dialled, vendor.Limits{Messages: maxUnread, Bytes: 2 * maxMessage})
	if err := p.start(opening, conn, o); err != nil {
		conn.Abort()
		return nil, err
	}
	return newSession(ctx, p, conn), nil
}

// start sends the configuration and waits until the session has started.
func (p *Provider) start(ctx context.Context, conn *vendor.Conn, o s2s.SessionOptions) error {
	begin, err := json.Marshal(command{Type: "session.start", Session: p.config(o)})
	if err != nil {
		return err
	}
	if err := conn.Send(ctx, begin); err != nil {
		return p.service.Unreachable(ctx, err)
	}
	for {
		raw, err := conn.Recv(ctx)
		if err != nil {
			return p.service.Unreachable(ctx, err)
		}
		m, err := decode(raw)
		if err != nil {
			return err
		}
		switch m.Type {
		case "session.started":
			return nil
		case "error":
			return p.complaint(m.Error, s2s.ErrRejected)
		case "session.closed":
			return p.closing(m.Reason)
		}
	}
}
