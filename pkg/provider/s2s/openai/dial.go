package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/packages/websocket"
)

const (
	// openTimeout bounds the handshake.
	openTimeout = 10 * time.Second
	// closeTimeout bounds the farewell.
	closeTimeout = 500 * time.Millisecond
	// maxMessage bounds one message of either side in bytes.
	maxMessage = 8 << 20
	// maxBuffered and maxEvents bound what has come and was not received yet; a
	// session nobody receives from ends there.
	maxBuffered, maxEvents = 64 << 20, 16384
	// maxErrorBody bounds how much of a refusal is read.
	maxErrorBody = 16 << 10
)

// transport carries messages. Recv belongs to one goroutine, and cancelling it
// loses nothing.
type transport interface {
	Send(ctx context.Context, message []byte) error
	Recv(ctx context.Context) ([]byte, error)
	Close() error
	Abort()
}

// dial opens a connection. The vendor's client decodes nothing: what is no event
// must not end the session.
func (p *Provider) dial(parent context.Context) (transport, error) {
	if parent.Err() != nil {
		return nil, p.service.Stopped(parent)
	}
	ctx, cancel := context.WithTimeout(parent, openTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address.String(), nil)
	if err != nil {
		return nil, p.service.Unreachable(parent, err)
	}
	if p.service.Key != "" {
		request.Header.Set("Authorization", "Bearer "+p.service.Key)
	}
	if p.opts.Dialect == Beta {
		request.Header.Set("OpenAI-Beta", "realtime=v1")
	}
	client := *p.service.Client(p.opts.HTTPClient)
	refused := &refusals{next: client.Transport}
	client.Transport = refused
	conn, err := websocket.Dial(ctx, request, &client, websocket.Options{
		MaxMessageBytes: maxMessage, MaxBufferedBytes: maxBuffered, MaxBufferedEvents: maxEvents, CloseTimeout: closeTimeout,
	}, func(data []byte) ([]byte, error) { return data, nil }, func([]byte) string { return "" })
	switch {
	case err == nil:
		return conn, nil
	case parent.Err() != nil:
		return nil, p.service.Stopped(parent)
	case refused.status != 0:
		return nil, p.refusal(refused.status, refused.body)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: no answer within %s; %s", p.service.Unavailable, openTimeout, p.service.CheckAddress())
	}
	return nil, p.service.Unreachable(parent, err)
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

// refusals is a transport that keeps what a refused handshake was answered, which
// the vendor's client does not pass on.
type refusals struct {
	next   http.RoundTripper
	status int
	body   []byte
}

// RoundTrip implements [http.RoundTripper].
func (r *refusals) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || response.StatusCode == http.StatusSwitchingProtocols {
		return response, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil {
		body = nil // the status says enough
	}
	_ = response.Body.Close() // it was only read
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.status, r.body = response.StatusCode, body
	return response, nil
}
