// Package deepgram hears through Deepgram's streaming endpoint, or any server
// with the same protocol.
//
// Imported by internal/app. Sound goes out as it comes, in 16 kHz PCM; where
// an utterance ends is the caller's decision, not the vendor's. It retries
// nothing.
package deepgram

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/internal/flow"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/internal/socket"
)

const (
	// DefaultBaseURL is the root of the vendor's API.
	DefaultBaseURL = "https://api.deepgram.com"

	defaultModel = "nova-3"
	// maxKeyterms is how many terms are sent. The vendor refuses requests with
	// more than 500 tokens of them.
	maxKeyterms = 100
	// maxKeytermBytes bounds all of them together, well below those tokens.
	maxKeytermBytes = 1500
	// idle is how long the vendor may hear nothing; it hangs up after 10 s.
	idle = 4 * time.Second
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the API's root, such as "wss://api.eu.deepgram.com". If
	// empty, the vendor's own.
	BaseURL string
	// Model is the vendor's model. If empty, "nova-3".
	Model string
	// HTTPClient opens the connections. If nil, a client on the standard
	// library's shared transport.
	HTTPClient *http.Client
}

// Provider implements [stt.Provider]. It is safe for concurrent use.
type Provider struct {
	key  string
	base *url.URL
	opts Options
}

var _ stt.Provider = (*Provider)(nil)

// New returns a provider that authenticates with key; opts may be nil. The
// error is about the address and does not repeat it.
func New(key string, opts *Options) (*Provider, error) {
	p := &Provider{key: strings.TrimSpace(key)}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Model = cmp.Or(p.opts.Model, defaultModel)
	base, err := flow.Address(cmp.Or(p.opts.BaseURL, DefaultBaseURL), "/v1/listen")
	if err != nil {
		return nil, fmt.Errorf("deepgram: %w", err)
	}
	p.base = base
	return p, nil
}

// Name returns "deepgram" and the model.
func (p *Provider) Name() string { return "deepgram " + p.opts.Model }

// Open implements [stt.Provider].
func (p *Provider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	u := *p.base
	u.RawQuery = p.query(u.Query(), o).Encode()
	s, err := socket.Open(ctx, socket.Request{
		URL:    u.String(),
		Header: http.Header{"Authorization": {"Token " + p.key}},
		Key:    p.key, Client: p.opts.HTTPClient, Reason: reason,
	}, dialect(), o)
	if err != nil {
		return nil, fmt.Errorf("opening a stream to deepgram: %w", err)
	}
	return s, nil
}

// query describes the sound and what is wanted of it.
func (p *Provider) query(q url.Values, o stt.Options) url.Values {
	q.Set("model", p.opts.Model)
	q.Set("encoding", "linear16")
	q.Set("sample_rate", strconv.Itoa(flow.Rate))
	q.Set("channels", "1")
	q.Set("interim_results", strconv.FormatBool(o.Interim))
	q.Set("punctuate", "true")
	q.Set("endpointing", "false") // the lane knows where an utterance ends
	newer := !strings.HasPrefix(p.opts.Model, "nova-2") && !strings.HasPrefix(p.opts.Model, "nova-1") &&
		strings.HasPrefix(p.opts.Model, "nova-")
	switch {
	case o.Language != "":
		q.Set("language", o.Language)
	case newer:
		q.Set("language", "multi")
	}
	parameter := "keywords"
	if newer {
		parameter = "keyterm"
	}
	for _, term := range flow.Keyterms(o.Keyterms, maxKeyterms, maxKeytermBytes, 0) {
		q.Add(parameter, term)
	}
	return q
}

// dialect is the vendor's protocol.
func dialect() socket.Dialect {
	return socket.Dialect{
		Type:      websocket.MessageBinary,
		Audio:     audio.AppendS16LE,
		Finish:    []byte(`{"type":"Finalize"}`),
		Goodbye:   []byte(`{"type":"CloseStream"}`),
		KeepAlive: []byte(`{"type":"KeepAlive"}`),
		Idle:      idle,
		Parse:     parse,
		Timed:     true,
	}
}
