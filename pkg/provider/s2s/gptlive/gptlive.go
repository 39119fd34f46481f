// Package gptlive speaks with OpenAI's GPT-Live: a voice that listens while it
// talks, decides itself when to speak, and hands all work to its client
// (delegation "client"). It is an [s2s.Provider] whose sessions are also an
// [s2s.Delegator].
//
// What is peculiar about the service, and what the package makes of it:
//
//   - The model lives on the time of its input: it hears, thinks and speaks only
//     while sound arrives. Each session has a goroutine that sends silence in real
//     time where there is no sound. A turn's sound goes out as it comes, at most five
//     seconds ahead of real time; the silence after it waits until the service has
//     heard it, by what comes back, or until as much time has passed.
//   - It speaks all the time, mostly silence. Only what can be heard becomes an
//     event; a pause of more than a moment does not.
//   - Between two turns the input is muted, once what was said has been taken in.
//   - Nothing can be cancelled, cleared or truncated, and what it knows only grows.
//     After Interrupt its sound is kept back until it is asked again, and it is
//     told silently how much was heard.
//   - A delegation may be told twice; it becomes one event.
//
// A session's goroutines end, and are waited for, in Close. It retries nothing.
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
	// rate is the samples a second of both directions.
	rate = 24000
	// longest is how long the service lets a session last.
	longest = 2 * time.Hour
	// openTimeout bounds the handshake and the session's start.
	openTimeout = 15 * time.Second
	// writeTimeout is when a peer that takes no messages counts as gone.
	writeTimeout = 10 * time.Second
	// closeTimeout bounds the session's end.
	closeTimeout = 2 * time.Second
	// maxMessage bounds one message of the service, and maxUnread how many of them
	// wait for Recv: more than a minute of its sound.
	maxMessage, maxUnread = 4 << 20, 1024
	defaultSetting        = "providers.s2s"
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the API's root, such as "http://localhost:8000/v1". If empty,
	// OpenAI's own.
	BaseURL string
	// Model is the vendor's model. If empty, "gpt-live-1".
	Model string
	// Setting is where people configure this provider, such as "providers.s2s", for
	// messages. If empty, that.
	Setting string
	// HTTPClient opens the connections. If nil, a client on the standard library's
	// shared transport.
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

// New returns a provider that authenticates with key; opts may be nil. It reads
// nothing from the environment.
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

// Capabilities implements [s2s.Provider]. Text cannot be answered: the protocol
// has only context, which the voice takes up when it likes. Who works for the
// voice can answer typed lines and have them said by Tell with no delegation.
func (p *Provider) Capabilities() s2s.Capabilities {
	return s2s.Capabilities{InputRate: rate, OutputRate: rate, Duplex: true, Longest: longest}
}

// Connect implements [s2s.Provider]. It gives up after 15 s even if ctx does not.
// The tools of o are not sent: the voice has none. Nor is o.Resume: no session can
// go on in another.
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

// start begins the session and waits until it has begun.
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
