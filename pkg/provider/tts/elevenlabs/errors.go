package elevenlabs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Errors of this provider.
var (
	// ErrRateLimited means the vendor asked to slow down (HTTP 429). The error
	// is a [tts.BusyError].
	ErrRateLimited = errors.New("speech is rate limited")
	// ErrUnavailable means the vendor could not be reached or failed (HTTP
	// 5xx, connection refused, sound cut off).
	ErrUnavailable = errors.New("speech is unavailable")
	// ErrRejected means the request itself is refused (bad key, unknown
	// model, spent quota) or answered in a format nobody asked for.
	ErrRejected = errors.New("speech was refused")
)

const (
	// maxErrorBody bounds how much of an error response is read.
	maxErrorBody = 16 << 10
	// maxDetail bounds how much of it an error repeats, in runes.
	maxDetail = 200
)

// refusal turns an answer without sound into an error.
func (p *Provider) refusal(response *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err != nil {
		raw = nil // the status says enough
	}
	status, message := explain(raw)
	detail := fmt.Sprintf("status %d: %s", response.StatusCode, p.printable(strings.TrimSpace(status+" "+message)))
	switch code := response.StatusCode; {
	case status == "voice_not_found", code == http.StatusNotFound:
		return fmt.Errorf("%w with elevenlabs: %s", tts.ErrVoice, detail)
	case status == "quota_exceeded": // waiting will not help
		return fmt.Errorf("%w: %s", ErrRejected, detail)
	case code == http.StatusTooManyRequests:
		return tts.Busy(fmt.Errorf("%w: %s", ErrRateLimited, detail), response.Header.Get("Retry-After"))
	case code >= 500, code == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %s", ErrUnavailable, detail)
	}
	return fmt.Errorf("%w: %s", ErrRejected, detail)
}

// explain finds the vendor's word for an error and its sentence about it. The
// detail is an object, a text, or a list of what is wrong with the request;
// proxies answer with anything.
func explain(raw []byte) (status, message string) {
	var answer struct {
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(raw, &answer) != nil || len(answer.Detail) == 0 {
		return "", string(raw)
	}
	var object struct {
		Status  string `json:"status"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(answer.Detail, &object) == nil {
		if object.Status == "" {
			object.Status = object.Code
		}
		return object.Status, object.Message
	}
	var list []struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal(answer.Detail, &list) == nil && len(list) > 0 {
		return "", list[0].Message
	}
	if json.Unmarshal(answer.Detail, &message) == nil {
		return "", message
	}
	return "", string(answer.Detail)
}

// broken turns a transport's error into one of ours.
func (p *Provider) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err // without the address, which may carry credentials
	}
	var opErr *net.OpError
	if errors.As(err, &opErr) {
		err = opErr
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, p.printable(err.Error()))
}

// printable returns the vendor's words fit for a log: one line, short, without
// the key and without what looks like one.
func (p *Provider) printable(s string) string {
	return cmp.Or(untrusted.Reason(s, p.key, maxDetail), "no reason given")
}

// stopped is the error after ctx is done.
func stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return fmt.Errorf("speaking: %w", err)
	}
	return fmt.Errorf("speaking: %w: %w", err, cause)
}
