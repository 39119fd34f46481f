// Package vendor puts what goes wrong with a service into words and into the
// errors of a kind of provider: the same for language models, voices, speech
// recognition and embeddings. It also opens connections ahead of their use. It
// starts no goroutine.
//
// A [Stream] is a [stt.Stream] over a WebSocket (files stt_*.go): sound goes out in the vendor's messages, its
// events become transcripts of utterances. What is a vendor's own is its [Recogniser] and its [Dialect].
// Each stream has two goroutines that end, and are waited for, in Close.
//
// A [Conn] is a WebSocket on which the wait for the next message can be given up (file socket.go). A read of
// the WebSocket library that is given up ends the connection, so a [Conn] has a goroutine that reads ahead
// into a bounded queue, and its Recv waits for that queue alone. The goroutine ends, and is waited for, in
// Close and Abort.
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

// maxDetail bounds how much of a vendor's words an error repeats, in runes.
const maxDetail = 200

// Service is one vendor's service, as errors speak of it.
type Service struct {
	// Doing is what the service is for, such as "speaking".
	Doing string
	// Key is the secret that no error may hold.
	Key string
	// Address is where the service is, and Configured whether people named it by
	// base_url: only then may that be wrong.
	Address    string
	Configured bool
	// RateLimited, Unavailable and Rejected are the errors of this kind of
	// provider.
	RateLimited, Unavailable, Rejected error
	// Advice ends the errors of a refused key. It may be empty.
	Advice string
}

// Client returns a client for the service alone, on the connections of base if that
// is not nil: no redirect takes the request to another host, and only an address
// that people configured may be a private one.
func (s *Service) Client(base *http.Client) *http.Client {
	return outbound.Client(base, outbound.Policy{
		Home: s.Address, Private: s.Configured, Advice: "if it is meant, write it as the provider's base_url",
	})
}

// ByStatus returns the error an HTTP status stands for.
func (s *Service) ByStatus(status int) error {
	switch {
	case status == http.StatusTooManyRequests:
		return s.RateLimited
	case status >= 500, status == http.StatusRequestTimeout:
		return s.Unavailable
	}
	return s.Rejected
}

// Refused is the error of an answer with an HTTP status, of a kind such as
// [Service.ByStatus] tells, with the vendor's reason.
func (s *Service) Refused(kind error, status int, reason string) error {
	advice := ""
	if s.Advice != "" && (status == http.StatusUnauthorized || status == http.StatusForbidden) {
		advice = "; " + s.Advice
	}
	return fmt.Errorf("%w: status %d: %s%s", kind, status, s.Printable(reason), advice)
}

// Failed maps what a client of the OpenAI protocol returned. Once ctx is done
// the error wraps ctx.Err and its cause instead.
func (s *Service) Failed(ctx context.Context, err error) error {
	status, code, reason := Answer(err)
	switch {
	case ctx.Err() != nil:
		return s.Stopped(ctx)
	case status == 0:
		return s.Unreachable(ctx, err)
	case code == "insufficient_quota": // waiting will not help
		return s.Refused(s.Rejected, status, reason)
	}
	return s.Refused(s.ByStatus(status), status, reason)
}

// Answer returns the HTTP status of an error of the OpenAI protocol's client,
// with the vendor's word for it and its reason; 0 if there was no answer.
func Answer(err error) (status int, code, reason string) {
	var (
		api     *openai.APIError
		request *openai.RequestError
	)
	switch {
	case errors.As(err, &api):
		code, _ = api.Code.(string)
		return api.HTTPStatusCode, code, api.Message
	case errors.As(err, &request):
		return request.HTTPStatusCode, "", string(request.Body)
	}
	return 0, "", ""
}

// Unreachable is the error of a service that gave no answer, or broke it off:
// what the transport said, and what to look at. Once ctx is done it wraps
// ctx.Err and its cause instead.
func (s *Service) Unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return s.Stopped(ctx)
	}
	if Forbidden(err) { // trying again is no use
		return fmt.Errorf("%w: %s", s.Rejected, s.Printable(Transport(err)))
	}
	return fmt.Errorf("%w: %s; %s", s.Unavailable, s.Printable(Transport(err)), s.CheckAddress())
}

// Forbidden reports whether a request was not sent because it would have gone where
// none may go.
func Forbidden(err error) bool {
	return errors.Is(err, outbound.ErrRedirect) || errors.Is(err, outbound.ErrPrivate)
}

// Transport is what a transport said, without the address it was given, which
// may carry credentials.
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

// CheckAddress says what to look at when there is no answer.
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

// Stopped is the error after ctx is done.
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

// Printable returns the vendor's words fit for a log: one line, short, without
// the key and without what looks like one.
func (s *Service) Printable(text string) string {
	return cmp.Or(untrusted.Reason(text, s.Key, maxDetail), "no reason given")
}
