package vendor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/provider/stt"
)

// Dialect is a vendor's protocol. Its functions are pure.
type Dialect struct {
	// Type is the type of the messages that carry audio.
	Type websocket.MessageType
	// Audio appends to dst the message that carries samples at [Rate].
	Audio func(dst []byte, samples []int16) []byte
	// MinAudio is the minimum number of samples per message, except at the end of an utterance. Zero sends
	// whatever is available.
	MinAudio int
	// Finish is the message that requests the final transcript. Goodbye, if not empty, is the message that
	// ends the stream.
	Finish, Goodbye []byte
	// KeepAlive is sent after Idle without any other message.
	KeepAlive []byte
	Idle      time.Duration
	// Parse parses a vendor message. Its errors wrap those of package stt and end the stream.
	Parse func(data []byte) (Event, error)
	// Timed means that segments carry their time in the stream. It is used to detect duplicates and to tell
	// whether all audio has been transcribed.
	Timed bool
}

// Request describes how to open a connection.
type Request struct {
	// URL has the scheme ws, wss, http or https and may contain a query.
	URL    string
	Header http.Header
	// Service provides the errors.
	Service Service
	// Client sends the handshake. If nil, a client on the shared transport is used.
	Client *http.Client
	// Reason extracts the reason for a refused handshake from the response body. If nil, the body is the
	// reason.
	Reason func(body []byte) string
}

// Recogniser describes the specific parts of a streaming vendor.
type Recogniser struct {
	// Name is the vendor's name in the configuration.
	Name string
	// BaseURL is the root of the API, and Path the path of the streaming endpoint.
	BaseURL, Path string
	// Model is the default model.
	Model string
	// Header returns the headers that authenticate with key.
	Header func(key string) http.Header
	// Query adds the audio format, model and options to q.
	Query func(q url.Values, model string, o stt.Options) url.Values
	// Reason is used as [Request].Reason.
	Reason func(body []byte) string
	// Dialect returns the protocol for one stream.
	Dialect func() Dialect
}

// RecogniserOptions configure a [RecogniserProvider].
type RecogniserOptions struct {
	// BaseURL is the root of the API, such as "wss://api.eu.deepgram.com". The default is the vendor's.
	BaseURL string
	// Model is the model to use. The default is [Recogniser].Model.
	Model string
	// HTTPClient opens the connections. If nil, a client on the standard library's shared transport is used.
	HTTPClient *http.Client
}

// RecogniserProvider implements [stt.Provider] for a streaming vendor. It is safe for concurrent use.
type RecogniserProvider struct {
	vendor  Recogniser
	service Service
	base    *url.URL
	opts    RecogniserOptions
}

var _ stt.Provider = (*RecogniserProvider)(nil)

// NewRecogniser returns a provider that authenticates with key; opts may be nil. It returns an error if the
// address is invalid; the error does not contain the address.
func NewRecogniser(v Recogniser, key string, opts *RecogniserOptions) (*RecogniserProvider, error) {
	p := &RecogniserProvider{vendor: v}
	if opts != nil {
		p.opts = *opts
	}
	p.opts.Model = cmp.Or(p.opts.Model, v.Model)
	address := cmp.Or(p.opts.BaseURL, v.BaseURL)
	base, err := Address(address, v.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	p.base = base
	p.service = RecogniserService(strings.TrimSpace(key), address, p.opts.BaseURL != "")
	return p, nil
}

// Name returns the vendor and the model.
func (p *RecogniserProvider) Name() string { return p.vendor.Name + " " + p.opts.Model }

// Open implements [stt.Provider].
func (p *RecogniserProvider) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	u := *p.base
	u.RawQuery = p.vendor.Query(u.Query(), p.opts.Model, o).Encode()
	s, err := Open(ctx, Request{
		URL: u.String(), Header: p.vendor.Header(p.service.Key), Service: p.service,
		Client: p.opts.HTTPClient, Reason: p.vendor.Reason,
	}, p.vendor.Dialect(), o)
	if err != nil {
		return nil, fmt.Errorf("opening a stream to %s: %w", p.vendor.Name, err)
	}
	return s, nil
}
