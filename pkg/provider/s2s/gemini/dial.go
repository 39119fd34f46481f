package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

const (
	// openTimeout is the maximum time to open a session.
	openTimeout = 15 * time.Second
	// maxMessage is the maximum size of a received message in bytes.
	maxMessage = 8 << 20
)

var (
	// errForgotten means that the service does not know the session to resume.
	errForgotten = errors.New("it does not know the session any more")
	// errAddress means that a base address is invalid.
	errAddress = errors.New("the address is no ws, wss, http or https URL")
)

// endpoint returns the address for opening sessions below base, and the header that authenticates with key.
func endpoint(base, key string) (string, http.Header, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "", nil, errAddress
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
	default:
		return "", nil, errAddress
	}
	version, method, header := "v1beta", "BidiGenerateContent", http.Header{"X-Goog-Api-Key": {key}}
	u.Path = strings.TrimRight(u.Path, "/")
	for _, known := range []string{"v1", "v1beta", "v1alpha"} {
		if rest, ok := strings.CutSuffix(u.Path, "/"+known); ok {
			u.Path, version = rest, known
		}
	}
	if strings.HasPrefix(key, tokenPrefix) {
		version, method, header = "v1alpha", "BidiGenerateContentConstrained", http.Header{"Authorization": {"Token " + key}}
	}
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return at.JoinPath("ws", "google.ai.generativelanguage."+version+".GenerativeService."+method).String(), header, nil
}

// dial opens a session. It returns the connection and the service's first message, which may contain more
// than the confirmation.
func (p *Provider) dial(ctx context.Context, begin *setup) (*websocket.Conn, *serverMessage, error) {
	ctx, cancel := p.service.Opening(ctx, openTimeout)
	defer cancel()
	conn, err := p.service.DialWebSocket(ctx, vendor.Handshake{
		URL: p.address, Header: p.header, Client: p.client, MaxMessage: maxMessage,
		Refused: func(int, []byte) error {
			return fmt.Errorf("%w: it takes no WebSocket there; %s", p.service.Unavailable, p.service.CheckAddress())
		},
	})
	if err != nil {
		return nil, nil, err
	}
	first, err := p.begin(ctx, conn, begin)
	if err != nil {
		_ = conn.CloseNow() // the service may have closed it
		return nil, nil, err
	}
	return conn, first, nil
}

// begin sends the setup and waits for the service's confirmation.
func (p *Provider) begin(ctx context.Context, conn *websocket.Conn, begin *setup) (*serverMessage, error) {
	if err := write(ctx, conn, clientMessage{Setup: begin}); err != nil {
		return nil, p.whyBroken(ctx, err, true)
	}
	_, data, err := conn.Read(ctx)
	if err != nil {
		return nil, p.whyBroken(ctx, err, true)
	}
	first, err := parse(data)
	switch {
	case err != nil:
		return nil, p.whyMalformed(err, true)
	case first.SetupComplete == nil:
		return nil, p.whyMalformed(errMalformed, true)
	}
	return first, nil
}

// write sends one message.
func write(ctx context.Context, conn wire, m clientMessage) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, data)
}

// whyBroken returns the reason why a connection ended, while opening a session or later.
func (p *Provider) whyBroken(ctx context.Context, err error, opening bool) error {
	var why websocket.CloseError
	if !errors.As(err, &why) {
		return p.service.Unreachable(ctx, err)
	}
	if strings.Contains(strings.ToLower(why.Reason), "session not found") {
		return fmt.Errorf("%w: %w", p.service.Unavailable, errForgotten)
	}
	kind := p.kind(why.Code, why.Reason, opening)
	advice := ""
	if isAboutKey(why.Reason) {
		advice = "; " + p.service.Advice
	}
	return fmt.Errorf("%w: it closed the connection with code %d: %s%s", kind, why.Code, p.service.Printable(why.Reason), advice)
}

// whyMalformed returns the error for a message that [parse] refused.
func (p *Provider) whyMalformed(err error, opening bool) error {
	var r *reported
	if errors.As(err, &r) {
		return fmt.Errorf("%w: %s", p.kind(0, r.Error(), opening), p.service.Printable(r.Error()))
	}
	if opening {
		return fmt.Errorf("%w: %w", p.service.Unavailable, err)
	}
	return err
}

// kind returns the error for a close code and reason.
func (p *Provider) kind(code websocket.StatusCode, reason string, opening bool) error {
	lower := strings.ToLower(reason)
	switch {
	case strings.Contains(lower, "quota"), strings.Contains(lower, "rate limit"), strings.Contains(lower, "resource_exhausted"):
		return p.service.RateLimited
	case isAboutKey(reason), strings.Contains(lower, "denied"), strings.Contains(lower, "permission"), strings.Contains(lower, "location is not supported"):
		return p.service.Rejected
	case opening && (code == websocket.StatusInvalidFramePayloadData || code == websocket.StatusPolicyViolation):
		return p.service.Rejected
	}
	return p.service.Unavailable // also for 1007 and 1008 during a session, where a new session helps
}

// isAboutKey reports whether a reason concerns the key.
func isAboutKey(reason string) bool {
	lower := strings.ToLower(reason)
	return strings.Contains(lower, "api key") || strings.Contains(lower, "unregistered caller") ||
		strings.Contains(lower, "unauthorized") || strings.Contains(lower, "authentication credential")
}
