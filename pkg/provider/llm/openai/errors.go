package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	oai "github.com/sashabaranov/go-openai"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// longestReason is the maximum length, in runes, of a vendor's message quoted in an error.
	longestReason = 300
	// longestAbsence is the maximum pause that a vendor may ask for.
	longestAbsence = 10 * time.Minute
)

// failure is a failed request. Its text is cleaned. It unwraps to one of the sentinel errors of package llm
// and to none of the vendor's errors.
type failure struct {
	kind       error
	text       string
	status     int           // HTTP status, 0 if there was none
	retryAfter time.Duration // negative if the vendor gave none
}

// RetryAfter returns the pause that the vendor asked for with HTTP 429 or 503, at most ten minutes, or 0 if
// it gave none.
func (f *failure) RetryAfter() time.Duration { return min(max(f.retryAfter, 0), longestAbsence) }

func (f *failure) Error() string { return f.kind.Error() + ": " + f.text }
func (f *failure) Unwrap() error { return f.kind }

// failureOf converts an error of the client library to a [failure].
func (p *Provider) failureOf(err error, header http.Header) *failure {
	status, reason := vendorError(err)
	f := &failure{status: status, retryAfter: -1}
	reason = untrusted.Reason(reason, p.opts.APIKey, longestReason)
	switch {
	case isRequestMistake(err):
		f.kind, f.text = llm.ErrRejected, reason
	case vendor.Forbidden(err):
		f.kind = llm.ErrRejected
		f.text = fmt.Sprintf("%s was not asked: %s (%s)", p.name, reason, p.setting)
	case status == 0:
		f.kind = llm.ErrUnavailable
		f.text = fmt.Sprintf("%s did not answer (%s); %s", p.name, reason, p.service.CheckAddress())
	case status == http.StatusTooManyRequests:
		f.kind = llm.ErrRateLimited
		f.retryAfter = retryAfter(header, time.Now())
		f.text = fmt.Sprintf("%s asks to slow down%s%s", p.name, inHowLong(f.retryAfter), quoted(reason))
	case status >= 500 || status == http.StatusRequestTimeout:
		f.kind = llm.ErrUnavailable
		if status == http.StatusServiceUnavailable {
			f.retryAfter = retryAfter(header, time.Now())
		}
		f.text = fmt.Sprintf("%s failed with HTTP %d%s", p.name, status, quoted(reason))
	default:
		f.kind = llm.ErrRejected
		f.text = fmt.Sprintf("%s answered HTTP %d%s; %s", p.name, status, quoted(reason), p.adviceFor(status, reason))
	}
	return f
}

// brokenOff returns the failure for a stream that broke off after it had begun.
func (p *Provider) brokenOff(reason, code string) *failure {
	f := &failure{kind: llm.ErrUnavailable, retryAfter: -1}
	if strings.Contains(code, "rate_limit") || code == "429" {
		f.kind = llm.ErrRateLimited
	}
	f.text = fmt.Sprintf("%s broke off its answer%s", p.name, quoted(untrusted.Reason(reason, p.opts.APIKey, longestReason)))
	return f
}

// adviceFor returns advice on what to check after a refusal.
func (p *Provider) adviceFor(status int, reason string) string {
	switch {
	case status == http.StatusUnauthorized:
		return "check " + p.setting + ".api_key"
	case status == http.StatusPaymentRequired:
		return "check the account's credit"
	case status == http.StatusForbidden:
		return "check that the key may use model " + strconv.Quote(p.opts.Model)
	case status == http.StatusNotFound && !p.service.Configured:
		return fmt.Sprintf("check that model %q exists", p.opts.Model)
	case status == http.StatusNotFound:
		return fmt.Sprintf("check that model %q exists and that base_url ends in the API's root, often /v1", p.opts.Model)
	case strings.Contains(reason, "support tools"):
		return fmt.Sprintf("model %q cannot use tools; choose one that can", p.opts.Model)
	case status == http.StatusRequestEntityTooLarge || strings.Contains(reason, "context length"):
		return "shorten memory.history or choose a model with a longer context"
	}
	return fmt.Sprintf("check that model %q fits this server", p.opts.Model)
}

// isRequestMistake reports whether the library found the error before it sent anything.
func isRequestMistake(err error) bool {
	for _, mistake := range []error{
		oai.ErrChatCompletionInvalidModel,
		oai.ErrReasoningModelMaxTokensDeprecated,
		oai.ErrReasoningModelLimitationsOther,
		oai.ErrReasoningEffortUnsupported,
		oai.ErrReasoningToolsRequireResponses,
		oai.ErrReasoningSamplingUnsupported,
	} {
		if errors.Is(err, mistake) {
			return true
		}
	}
	var badType *json.UnsupportedTypeError
	var badValue *json.UnsupportedValueError
	var marshal *json.MarshalerError
	return errors.As(err, &badType) || errors.As(err, &badValue) || errors.As(err, &marshal)
}

// vendorError returns the HTTP status, 0 if there was no response, and the vendor's message.
func vendorError(err error) (status int, reason string) {
	var api *oai.APIError
	if errors.As(err, &api) {
		return api.HTTPStatusCode, api.Message
	}
	var request *oai.RequestError
	if errors.As(err, &request) {
		return request.HTTPStatusCode, plainReason(request.Body)
	}
	return 0, vendor.Transport(err)
}

// plainReason extracts the message from error bodies that do not follow the protocol: {"error":"text"},
// {"message":…}, {"detail":…}, a list of those, or plain text.
func plainReason(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return string(body)
	}
	if s := reasonIn(value, 0); s != "" {
		return s
	}
	return string(body)
}

func reasonIn(value any, depth int) string {
	if depth > 4 {
		return ""
	}
	switch v := value.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return reasonIn(v[0], depth+1)
		}
	case map[string]any:
		for _, key := range []string{"error", "message", "msg", "detail"} {
			if s := reasonIn(v[key], depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}

// retryAfter returns the pause that a vendor asks for, negative if it gives none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return -1
}

func inHowLong(d time.Duration) string {
	if d < 0 {
		return ""
	}
	return " for " + d.Round(time.Millisecond).String()
}

func quoted(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}
