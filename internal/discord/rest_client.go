package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/outbound"
)

// RestTimeout bounds a request, without the wait for rate limits.
const RestTimeout = 20 * time.Second

// maxAnswer bounds a response from Discord, including attachments, in bytes.
const maxAnswer = 32 << 20

// RestClient calls Discord's REST interface. It is safe for concurrent use. A call waits out rate limits, and
// its errors contain no addresses.
type RestClient struct {
	limits      limits
	session     *discordgo.Session // only for REST
	application atomic.Value       // its id, a string
}

// NewRestClient returns a client that uses s, which is never connected; see [NewRestSession].
func NewRestClient(s *discordgo.Session) *RestClient {
	return &RestClient{session: s, limits: newLimits()}
}

// DialFunc opens a connection, like [net.Dialer.DialContext].
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// NewRestSession returns a discordgo session that is not connected. It sends requests to base, or to Discord
// if base is empty. If dial is nil, it uses the default dialler.
func NewRestSession(token, base string, dial DialFunc) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	var to *url.URL
	if base != "" {
		if to, err = url.Parse(base); err != nil {
			return nil, fmt.Errorf("discord.api_url: %w", err)
		}
	}
	next := outbound.NewTransport()
	if dial != nil {
		next.DialContext = dial
	}
	s.LogLevel = -1      // discordgo would log to stderr
	s.MaxRestRetries = 0 // discordgo would retry at once, even if Discord may have completed the request
	s.Client = outbound.Client(&http.Client{
		Timeout:   RestTimeout,
		Transport: redirect{to, outbound.RoundTripper(next, outbound.Policy{Home: base, Private: base != "", MaxBody: maxAnswer, Advice: "correct discord.api_url"})},
	}, outbound.Policy{AnyPrivate: true, MaxBody: -1}) // the transport has the actual policy
	return s, nil
}

// ApplicationID returns the application's id, "" before [RestClient.SetApplicationID].
func (c *RestClient) ApplicationID() string {
	id, _ := c.application.Load().(string)
	return id
}

// SetApplicationID sets the application's id, which is known once the bot has signed in.
func (c *RestClient) SetApplicationID(id string) { c.application.Store(id) }

// redirect sends requests for Discord's API to another base address.
type redirect struct {
	base *url.URL // nil: do not redirect
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (e redirect) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if status, ok := r.Context().Value(statusOf{}).(*int); ok {
		defer func() {
			if err == nil {
				*status = resp.StatusCode
			}
		}()
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/api")
	if e.base == nil || !ok || r.URL.Host != "discord.com" {
		return e.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = e.base.Scheme, e.base.Host, e.base.Host
	r.URL.Path, r.URL.RawPath = strings.TrimSuffix(e.base.Path, "/")+rest, ""
	return e.next.RoundTrip(r)
}

// CloseIdleConnections closes the idle connections.
func (e redirect) CloseIdleConnections() {
	if c, ok := e.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// maxRateLimitWaits bounds how often a call waits for rate limits.
const maxRateLimitWaits = 5

// statusOf is the context key for a pointer that receives the response's status, because discordgo reports
// some statuses only as text.
type statusOf struct{}

// retrySlack is added to such a wait, because discordgo truncates it to milliseconds and a request that comes
// too early is limited again.
const retrySlack = 50 * time.Millisecond

// Attachment is a file sent with a message.
type Attachment struct {
	Name string
	Data []byte
}

// encodeRequest encodes a request as JSON, or as a multipart form if it has files. It returns the content
// type and the body.
func encodeRequest(in any, files []Attachment) (kind string, body []byte, err error) {
	if len(files) > 0 {
		var parts []*discordgo.File
		for _, f := range files {
			parts = append(parts, &discordgo.File{Name: f.Name, ContentType: mime.TypeByExtension(path.Ext(f.Name)), Reader: bytes.NewReader(f.Data)})
		}
		return discordgo.MultipartBodyWithJSON(in, parts)
	}
	if in != nil {
		body, err = discordgo.Marshal(in)
	}
	return "application/json", body, err
}

// Do makes a request with optional files, and decodes the response into out unless that is nil.
func (c *RestClient) Do(ctx context.Context, method, address, bucket string, in, out any, files ...Attachment) error {
	kind, body, err := encodeRequest(in, files)
	if err != nil {
		return fmt.Errorf("encoding a request to Discord: %w", err)
	}
	for waited := 0; ; waited++ {
		raw, err := c.requestOnce(ctx, method, address, kind, bucket, body)
		var limited *discordgo.RateLimitError
		switch {
		case err == nil && out == nil:
			return nil
		case err == nil:
			if err := json.Unmarshal(raw, out); err != nil {
				return fmt.Errorf("reading Discord's answer: %w", err)
			}
			return nil
		case !errors.As(err, &limited) || waited >= maxRateLimitWaits:
			return WithoutAddress(err)
		case !WaitFor(ctx, limited.RetryAfter+retrySlack):
			return ctx.Err()
		}
	}
}

// requestOnce makes a request when the rate limits allow it.
func (c *RestClient) requestOnce(ctx context.Context, method, address, kind, bucket string, body []byte) ([]byte, error) {
	b, done, err := c.limits.begin(ctx, bucket)
	if err != nil {
		return nil, err
	}
	defer done()
	status := 0
	noted := context.WithValue(ctx, statusOf{}, &status)
	raw, err := c.session.RequestWithLockedBucket(method, address, kind, body, b, 0, discordgo.WithContext(noted), discordgo.WithRetryOnRatelimit(false))
	var limited *discordgo.RateLimitError
	switch {
	case err == nil || errors.As(err, &limited):
		return raw, err
	case status == http.StatusTooManyRequests: // the response is not Discord's, so a proxy in front of it limits the rate
		return nil, &discordgo.RateLimitError{RateLimit: &discordgo.RateLimit{TooManyRequests: &discordgo.TooManyRequests{RetryAfter: blockedFor}}}
	case status >= http.StatusInternalServerError:
		return nil, &apiError{status: status}
	case ctx.Err() != nil: // the request may have succeeded
		return nil, ctx.Err()
	}
	return nil, err
}

// WaitFor waits for a duration. It returns false if ctx ends first.
func WaitFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// CloseIdle closes the idle connections.
func (c *RestClient) CloseIdle() { c.session.Client.CloseIdleConnections() }
