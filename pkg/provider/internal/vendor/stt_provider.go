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
	// Type is the kind of message that carries sound.
	Type websocket.MessageType
	// Audio appends the message that carries samples at [Rate] to dst.
	Audio func(dst []byte, samples []int16) []byte
	// MinAudio is how many samples a message has at least, unless the
	// utterance ends. Zero sends what there is.
	MinAudio int
	// Finish asks for the final transcript. Goodbye ends the stream; if empty,
	// nothing is said.
	Finish, Goodbye []byte
	// KeepAlive is sent when nothing was for Idle.
	KeepAlive []byte
	Idle      time.Duration
	// Parse reads one message of the vendor. Its errors wrap those of package
	// stt and end the stream.
	Parse func(data []byte) (Event, error)
	// Timed says that segments carry their place in the stream. Then they tell
	// duplicates from news, and whether everything sent has been heard.
	Timed bool
}

// Request is where and how to open a connection.
type Request struct {
	// URL begins with ws, wss, http or https and may hold a query.
	URL    string
	Header http.Header
	// Service is how errors speak of it.
	Service Service
	// Client sends the handshake. If nil, one on the shared transport.
	Client *http.Client
	// Reason reads why a handshake was refused from the response's body. If
	// nil, the body itself is the reason.
	Reason func(body []byte) string
}

// Recogniser is what a vendor that streams has of its own.
type Recogniser struct {
	// Name is what the configuration calls it.
	Name string
	// BaseURL is the root of its API, and Path where it listens there.
	BaseURL, Path string
	// Model is heard with unless another is named.
	Model string
	// Header authenticates with a key.
	Header func(key string) http.Header
	// Query describes the sound and what is wanted of a model.
	Query func(q url.Values, model string, o stt.Options) url.Values
	// Reason is that of [Request].
	Reason func(body []byte) string
	// Dialect makes the vendor's protocol for one stream.
	Dialect func() Dialect
}

// Options configure a [RecogniserProvider].
type RecogniserOptions struct {
	// BaseURL is the API's root, such as "wss://api.eu.deepgram.com". If
	// empty, the vendor's own.
	BaseURL string
	// Model is the vendor's model. If empty, its usual one.
	Model string
	// HTTPClient opens the connections. If nil, a client on the standard
	// library's shared transport.
	HTTPClient *http.Client
}

// RecogniserProvider implements [stt.Provider] for a vendor. It is safe for concurrent
// use.
type RecogniserProvider struct {
	vendor  Recogniser
	service Service
	base    *url.URL
	opts    RecogniserOptions
}

var _ stt.Provider = (*RecogniserProvider)(nil)

// NewRecogniser returns a provider that authenticates with key; opts may be nil. The
// error is about the address and does not repeat it.
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
