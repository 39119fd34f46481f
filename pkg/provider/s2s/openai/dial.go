package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

const (
	// openTimeout is the maximum time for the handshake.
	openTimeout = 10 * time.Second
	// closeTimeout is the maximum time for the closing handshake.
	closeTimeout = 500 * time.Millisecond
	// maxMessage is the maximum size of a received message in bytes.
	maxMessage = 8 << 20
	// maxBuffered and maxEvents are the maximum size of the receive queue. A session whose messages are not
	// received ends there.
	maxBuffered, maxEvents = 64 << 20, 16384
)

// dial opens a connection.
func (p *Provider) dial(ctx context.Context) (*vendor.Conn, error) {
	ctx, cancel := p.service.Opening(ctx, openTimeout)
	defer cancel()
	header := http.Header{}
	if p.service.Key != "" {
		header.Set("Authorization", "Bearer "+p.service.Key)
	}
	if p.opts.Dialect == Beta {
		header.Set("OpenAI-Beta", "realtime=v1")
	}
	conn, err := p.service.DialWebSocket(ctx, vendor.Handshake{
		URL: p.address.String(), Header: header, Client: p.service.Client(p.opts.HTTPClient),
		MaxMessage: maxMessage, Refused: p.refusal,
	})
	if err != nil {
		return nil, err
	}
	return vendor.NewConn(conn, vendor.Limits{Messages: maxEvents, Bytes: maxBuffered, Close: closeTimeout}), nil
}

// refusal returns the error for a refused handshake.
func (p *Provider) refusal(status int, body []byte) error {
	var answer struct {
		Error problem `json:"error"`
	}
	reason := string(body)
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		reason = string(answer.Error.Message)
	}
	kind := p.service.ByStatus(status)
	if answer.Error.isFinal() {
		kind = p.service.Rejected
	}
	return p.service.Refused(kind, status, reason)
}
