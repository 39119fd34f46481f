// Package vendor holds what providers of all kinds share: it turns a service's failures into the errors of a
// kind of provider (language models, voices, speech recognition, embeddings) and opens connections in
// advance. The package itself starts goroutines only for streams and connections.
//
// A [Stream] is an [stt.Stream] over a WebSocket (files stt_*.go). It sends audio in the vendor's messages
// and turns the vendor's events into transcripts of utterances. [Recogniser] and [Dialect] hold the parts
// specific to a vendor. Each stream has two goroutines; Close ends them and waits for them.
//
// A [Conn] is a WebSocket on which a caller can stop waiting for the next message (file socket.go).
// Cancelling a read of the WebSocket library ends the connection, so a goroutine of the Conn reads ahead into
// a bounded queue, and Recv waits only for that queue. Close and Abort end the goroutine and wait for it.
package vendor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	openai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/outbound"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxDetail is the maximum length, in runes, of a vendor's message quoted in an error.
const maxDetail = 200

// Service describes a vendor's service for use in errors.
type Service struct {
	// Doing names the activity, such as "speaking".
	Doing string
	// Key is the secret that no error may contain.
	Key string
	// Address is the address of the service. Configured reports whether it comes from the base_url setting;
	// only then can the setting be wrong.
	Address    string
	Configured bool
	// RateLimited, Unavailable and Rejected are the errors of this kind of provider.
	RateLimited, Unavailable, Rejected error
	// Advice is appended to the error for a refused key. It may be empty.
	Advice string
}

// Client returns a client for this service, using the connections of base if that is not nil. It follows no
// redirect to another host, and connects to a private address only if the address is configured.
func (s *Service) Client(base *http.Client) *http.Client {
	return outbound.Client(base, outbound.Policy{
		Home: s.Address, Private: s.Configured, Advice: "if it is meant, write it as the provider's base_url",
	})
}

// ByStatus returns the error for an HTTP status.
func (s *Service) ByStatus(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return s.RateLimited
	case status >= 500, status == http.StatusRequestTimeout:
		return s.Unavailable
	}
	return s.Rejected
}

// Refused returns the error for an HTTP status, with the vendor's reason. kind is usually that of
// [Service.ByStatus].
func (s *Service) Refused(kind error, status int, reason string) error {
	advice := ""
	if s.Advice != "" && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
		advice = "; " + s.Advice
	}
	return fmt.Errorf("%w: status %d: %s%s", kind, status, s.Printable(reason), advice)
}

// Failed maps an error of the OpenAI client. Once ctx is done, the error wraps ctx.Err and its cause instead.
func (s *Service) Failed(ctx context.Context, err error) error {
	status, code, reason := Answer(err)
	switch {
	case ctx.Err() != nil:
		return s.Stopped(ctx)
	case status == 0:
		return s.Unreachable(ctx, err)
	case code == "insufficient_quota": // retrying does not help
		return s.Refused(s.Rejected, status, reason)
	}
	return s.Refused(s.ByStatus(status), status, reason)
}

// Answer returns the HTTP status, error code and reason from an error of the OpenAI client; the status is 0
// if there was no response.
func Answer(err error) (status int, code, reason string) {
	var (
		api     *openai.APIError
		request *openai.RequestError
	)
	switch {
	case errors.As(err, &request): // may wrap an APIError that could not be read
		return request.HTTPStatusCode, "", string(request.Body)
	case errors.As(err, &api):
		code, _ = api.Code.(string)
		return api.HTTPStatusCode, code, api.Message
	}
	return 0, "", ""
}

// Unreachable returns the error for a service that did not answer or broke off. It contains the transport's
// message and advice on what to check. Once ctx is done, it wraps ctx.Err and its cause instead.
func (s *Service) Unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return s.Stopped(ctx)
	}
	if Forbidden(err) { // retrying does not help
		return fmt.Errorf("%w: %s", s.Rejected, s.Printable(Transport(err)))
	}
	return fmt.Errorf("%w: %s; %s", s.Unavailable, s.Printable(Transport(err)), s.CheckAddress())
}

// Forbidden reports whether a request was blocked because of its destination.
func Forbidden(err error) bool {
	return errors.Is(err, outbound.ErrRedirect) || errors.Is(err, outbound.ErrPrivate)
}

// Transport returns the transport's message without the URL, which may contain credentials.
func Transport(err error) string {
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op
	}
	return err.Error()
}

// CheckAddress returns advice on what to check if there is no answer.
func (s *Service) CheckAddress() string {
	if s.Configured {
		return "check that it runs and that base_url is right"
	}
	host := "it"
	if u, err := url.Parse(s.Address); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	return "check that this machine is online and reaches " + host
}

// Stopped returns the error to report once ctx is done.
func (s *Service) Stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	var late noAnswer
	if errors.As(cause, &late) {
		return late.error
	}
	if cause == err {
		return fmt.Errorf("%s: %w", s.Doing, err)
	}
	return fmt.Errorf("%s: %w: %w", s.Doing, err, cause)
}

// Printable returns a vendor's message in a form fit for logs: a single short line without the key or
// anything that looks like one.
func (s *Service) Printable(text string) string {
	return cmp.Or(untrusted.Reason(text, s.Key, maxDetail), "no reason given")
}
