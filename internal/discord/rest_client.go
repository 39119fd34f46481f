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

// RestTimeout bounds a request, waiting for rate limits excluded.
const RestTimeout = 20 * time.Second

// maxAnswer bounds an answer of Discord, attachments included, in bytes.
const maxAnswer = 32 << 20

// RestClient asks Discord for things. It is safe for concurrent use; a call waits out
// rate limits, and its errors name no address.
type RestClient struct {
	limits      limits
	session     *discordgo.Session // for REST alone
	application atomic.Value       // its id, a string
}

// NewRestClient returns a client that asks through a session of its own, which is
// never connected; see [NewRestSession].
func NewRestClient(s *discordgo.Session) *RestClient {
	return &RestClient{session: s, limits: newLimits()}
}

// DialFunc opens a connection, as [net.Dialer.DialContext] does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// NewRestSession returns a session of discordgo that is not connected. Its requests
// go to base, or to Discord if that is empty. If dial is nil, connections are the
// usual ones.
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
	s.LogLevel = -1      // it would write to stderr
	s.MaxRestRetries = 0 // it would try again at once, without asking whether Discord did it
	s.Client = outbound.Client(&http.Client{
		Timeout:   RestTimeout,
		Transport: redirect{to, outbound.RoundTripper(next, outbound.Policy{Home: base, Private: base != "", MaxBody: maxAnswer, Advice: "correct discord.api_url"})},
	}, outbound.Policy{AnyPrivate: true, MaxBody: -1}) // the transport says where it may go
	return s, nil
}

// ApplicationID is the application's id, empty until [RestClient.SetApplicationID].
func (c *RestClient) ApplicationID() string {
	id, _ := c.application.Load().(string)
	return id
}

// SetApplicationID learns the application's id, which is known once the bot has
// signed in.
func (c *RestClient) SetApplicationID(id string) { c.application.Store(id) }

// redirect sends requests for Discord's API to another base.
type redirect struct {
	base *url.URL // nil: where they were to go
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

// CloseIdleConnections closes the connections that no request uses.
func (e redirect) CloseIdleConnections() {
	if c, ok := e.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// maxRateLimitWaits is how often a call waits because Discord asks it to.
const maxRateLimitWaits = 5

// statusOf is the key under which a request's context has the place for the status of
// its answer: discordgo tells that of some answers in words alone.
type statusOf struct{}

// retrySlack is added to such a wait: discordgo cuts it to milliseconds, and who
// comes too early is made to wait again.
const retrySlack = 50 * time.Millisecond

// Attachment is sent along with a message.
type Attachment struct {
	Name string
	Data []byte
}

// encodeRequest returns a request's body and of what kind it is: JSON, or with files a
// form.
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

// Do makes a request, files going with it, and reads the answer into out,
// unless that is nil.
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

// requestOnce makes a request when Discord's limits let it.
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
	case status == http.StatusTooManyRequests: // not in Discord's words: something before it has had enough
		return nil, &discordgo.RateLimitError{RateLimit: &discordgo.RateLimit{TooManyRequests: &discordgo.TooManyRequests{RetryAfter: blockedFor}}}
	case status >= http.StatusInternalServerError:
		return nil, &apiError{status: status}
	case ctx.Err() != nil: // whether Discord did it is not known
		return nil, ctx.Err()
	}
	return nil, err
}

// WaitFor lets some time pass and reports whether ctx goes on.
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

// CloseIdle closes the connections that nobody uses.
func (c *RestClient) CloseIdle() { c.session.Client.CloseIdleConnections() }
