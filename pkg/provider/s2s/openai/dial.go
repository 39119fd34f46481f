package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

const (
	// openTimeout bounds the handshake.
	openTimeout = 10 * time.Second
	// closeTimeout bounds the farewell.
	closeTimeout = 500 * time.Millisecond
	// maxMessage bounds one message of the service in bytes.
	maxMessage = 8 << 20
	// maxBuffered and maxEvents bound what has come and was not received yet; a
	// session nobody receives from ends there.
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

// refusal is the error of a handshake that was answered otherwise.
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
