package vendor_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
)

var errLimited, errUnavailable, errRejected = errors.New("is rate limited"), errors.New("is unavailable"), errors.New("was refused")

func TestPrintable(t *testing.T) {
	service := vendor.Service{Key: "sk-secret-key"}
	rows := []struct{ name, in, want string }{
		{"plain", "no such model", "no such model"},
		{"key", "wrong key sk-secret-key!", "wrong key [redacted]!"},
		{"masked_key", "wrong key sk-s***key", "wrong key [redacted]"},
		{"another_key", "bad key sk-SECRETSECRET", "bad key [redacted]"},
		{"lines", "one\n\x1b[31mtwo\t three", "one two three"},
		{"nothing", " \n", "no reason given"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := service.Printable(row.in); got != row.want {
				t.Errorf("Printable = %q, want %q", got, row.want)
			}
		})
	}
	if got := service.Printable(strings.Repeat("x ", 5000)); len(got) > 1000 {
		t.Errorf("%d bytes of a long reason", len(got))
	}
}

func TestRefused(t *testing.T) {
	service := vendor.Service{RateLimited: errLimited, Unavailable: errUnavailable, Rejected: errRejected, Advice: "check its api_key in providers.stt"}
	for _, row := range []struct {
		name   string
		status int
		want   string
	}{
		{"wrong_key", 401, "was refused: status 401: bad key [redacted]; check its api_key in providers.stt"},
		{"key_without_the_right", 403, "was refused: status 403: bad key [redacted]; check its api_key in providers.stt"},
		{"anything_else", 400, "was refused: status 400: bad key [redacted]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := service.Refused(service.ByStatus(row.status), row.status, "bad key sk-SECRETSECRET")
			if err.Error() != row.want || !errors.Is(err, errRejected) {
				t.Errorf("Refused = %q, want %q", err, row.want)
			}
		})
	}
}

func TestByStatus(t *testing.T) {
	service := vendor.Service{RateLimited: errLimited, Unavailable: errUnavailable, Rejected: errRejected}
	for status, want := range map[int]error{
		400: errRejected, 401: errRejected, 404: errRejected, 408: errUnavailable, 429: errLimited, 500: errUnavailable, 503: errUnavailable,
	} {
		if got := service.ByStatus(status); got != want {
			t.Errorf("ByStatus(%d) = %v, want %v", status, got, want)
		}
	}
}

// TestUnreachable checks the advice if there is no answer: it mentions base_url only if
// the option was set.
func TestUnreachable(t *testing.T) {
	lost := &url.Error{Op: "Post", URL: "https://user:hunter2@api.vendor.example/v1", Err: &net.OpError{
		Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.vendor.example", IsNotFound: true},
	}}
	for _, row := range []struct {
		name       string
		configured bool
		want       string
	}{
		{"the_vendors_own", false, "is unavailable: dial tcp: lookup api.vendor.example: no such host; check that this machine is online and reaches api.vendor.example"},
		{"an_address_of_ones_own", true, "is unavailable: dial tcp: lookup api.vendor.example: no such host; check that it runs and that base_url is right"},
	} {
		t.Run(row.name, func(t *testing.T) {
			service := vendor.Service{Address: "https://user:hunter2@api.vendor.example:443/v1", Configured: row.configured, Unavailable: errUnavailable}
			for _, err := range []error{service.Unreachable(t.Context(), lost), service.Failed(t.Context(), lost)} {
				if err.Error() != row.want || !errors.Is(err, errUnavailable) {
					t.Errorf("err = %q, want %q", err, row.want)
				}
			}
		})
	}
}

func TestFailed(t *testing.T) {
	service := vendor.Service{Doing: "speaking", RateLimited: errLimited, Unavailable: errUnavailable, Rejected: errRejected}
	for _, row := range []struct {
		name string
		err  error
		want error
		text string
	}{
		{"spent", &openai.APIError{HTTPStatusCode: 429, Code: "insufficient_quota", Message: "no money"}, errRejected, "was refused: status 429: no money"},
		{"busy", &openai.APIError{HTTPStatusCode: 429, Message: "slower"}, errLimited, "is rate limited: status 429: slower"},
		{"a text as the error", &openai.RequestError{HTTPStatusCode: 500, Err: &openai.APIError{}, Body: []byte(`{"error":"no memory"}`)}, errUnavailable, `is unavailable: status 500: {"error":"no memory"}`},
		{"proxy", &openai.RequestError{HTTPStatusCode: 502, Body: []byte("<html>\n")}, errUnavailable, "is unavailable: status 502: <html>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := service.Failed(t.Context(), row.err); !errors.Is(err, row.want) || err.Error() != row.text {
				t.Errorf("err = %q, want %q", err, row.text)
			}
		})
	}
	over := errors.New("over budget")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	err := service.Failed(ctx, &openai.APIError{HTTPStatusCode: http.StatusBadGateway})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, over) || !strings.HasPrefix(err.Error(), "speaking: ") {
		t.Errorf("err = %v once the context is done, want its error and cause", err)
	}
}

// TestOpening checks the reason if a connection does not open: the service is at fault,
// unless the caller gave up.
func TestOpening(t *testing.T) {
	s := vendor.Service{Doing: "hearing", Unavailable: errors.New("unavailable")}
	late, cancel := s.Opening(t.Context(), 0)
	defer cancel()
	if err := s.Stopped(late); !errors.Is(err, s.Unavailable) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the time for opening: %v, want one that wraps Unavailable alone", err)
	}
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	opening, cancel := s.Opening(gaveUp, time.Hour)
	defer cancel()
	if err := s.Stopped(opening); errors.Is(err, s.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller gave up: %v, want the context's error alone", err)
	}
}
