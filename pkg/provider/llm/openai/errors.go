package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
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
	refusal    refusal       // what the endpoint said, if it said something
	retryAfter time.Duration // negative if the vendor gave none
}

// RetryAfter returns the pause that the vendor asked for with HTTP 429 or 503, at most ten minutes, or 0 if
// it gave none.
func (f *failure) RetryAfter() time.Duration { return min(max(f.retryAfter, 0), longestAbsence) }

func (f *failure) Error() string { return f.kind.Error() + ": " + f.text }
func (f *failure) Unwrap() error { return f.kind }

// failureOf converts an error of the client library to a [failure]. x may be nil.
func (p *Provider) failureOf(err error, x *exchange) *failure {
	status, reason := vendorError(err)
	f := &failure{retryAfter: -1}
	var said report
	var header http.Header
	if x != nil && x.failed != nil { // the library understands only the protocol's errors
		status, said, header = x.status, reportOf(x.failed), x.header
		reason = said.message
	}
	f.refusal = p.newRefusal(status, said)
	reason = p.printable(reason)
	switch {
	case isRequestMistake(err):
		f.kind, f.text = llm.ErrRejected, reason
	case vendor.Forbidden(err):
		f.kind = llm.ErrRejected
		f.text = fmt.Sprintf("%s was not asked: %s (%s)", p.name, reason, p.setting)
	case status == 0:
		f.kind = llm.ErrUnavailable
		f.text = fmt.Sprintf("%s did not answer (%s); %s", p.name, reason, p.service.CheckAddress())
	case status == http.StatusTooManyRequests || aboutMoney.MatchString(f.refusal.text):
		p.limited(f, said, header)
	case status >= 500 || status == http.StatusRequestTimeout || malformedCall.MatchString(f.refusal.text):
		f.kind = llm.ErrUnavailable
		if status == http.StatusServiceUnavailable {
			f.retryAfter = retryAfter(header, time.Now())
		}
		f.text = fmt.Sprintf("%s failed with HTTP %d%s", p.name, status, quoted(reason))
	default:
		f.kind = llm.ErrRejected
		f.text = fmt.Sprintf("%s answered HTTP %d%s; %s", p.name, status, quoted(reason), p.adviceFor(f.refusal, said))
	}
	return f
}

var (
	// aboutMoney matches refusals that only paying or waiting for the next period helps against.
	aboutMoney = regexp.MustCompile(`insufficient_quota|exceeded your current quota|insufficient.{0,10}(balance|credit|quota|funds)|credit balance|out of credits?|more credits|(billing|spend\w*|usage) (hard )?limit|payment required|余额不足|欠费|额度`)
	// aboutKey matches refusals of the key, which some vendors report as a bad request.
	aboutKey = regexp.MustCompile(`api.?key|invalid.{0,10}\bkey\b|unauthenticated|authentication`)
	// aboutModel matches refusals of an unknown model.
	aboutModel = regexp.MustCompile(`model_not_found|(unknown|no such|invalid|unsupported|incorrect) model|model.{0,80}(not (be )?found|n't found|does not exist|doesn't exist|not exist|is not available|not a valid|unknown|is not supported\b|not loaded|deprecated|decommissioned)|not a valid model`)
	// wait matches the pause in the words of a vendor.
	wait = regexp.MustCompile(`(?:retry|try again) in (\d+(?:\.\d+)?(?:ms|s|m))`)
)

// limited completes the failure of a request that came too soon or exceeds what is paid for.
func (p *Provider) limited(f *failure, said report, header http.Header) {
	f.kind = llm.ErrRateLimited
	f.retryAfter = retryAfter(header, time.Now())
	if f.retryAfter < 0 {
		for _, s := range append([]string{said.retryIn}, wait.FindStringSubmatch(f.refusal.text)...) {
			if d, err := time.ParseDuration(s); err == nil && d >= 0 {
				f.retryAfter = d
			}
		}
	}
	reason := p.printable(said.message)
	switch money := aboutMoney.MatchString(f.refusal.text); {
	case money && f.retryAfter < 0:
		f.kind = llm.ErrRejected
		f.text = fmt.Sprintf("%s answers no more, because the account's quota or credit is used up%s; check its plan and billing", p.name, quoted(reason))
	case money:
		f.text = fmt.Sprintf("%s answers no more%s, because the account's quota is used up%s; wait, or check its plan and billing", p.name, inHowLong(f.retryAfter), quoted(reason))
	default:
		f.text = fmt.Sprintf("%s asks to slow down%s%s", p.name, inHowLong(f.retryAfter), quoted(reason))
	}
}

// printable returns a vendor's words in a form fit for errors.
func (p *Provider) printable(reason string) string {
	return untrusted.Reason(reason, p.opts.APIKey, longestReason)
}

// brokenOff returns the failure for a stream that broke off after it had begun. An error event before any text
// may refuse the request.
func (p *Provider) brokenOff(said report, refused bool) *failure {
	f := &failure{kind: llm.ErrUnavailable, retryAfter: -1}
	code := strings.ToLower(said.code)
	status, _ := strconv.Atoi(number.FindString(code)) // 0 without one
	if strings.Contains(code, "invalid_request") || strings.Contains(code, "badrequest") || strings.Contains(code, "invalid_argument") {
		status = http.StatusBadRequest
	}
	how := "broke off its answer"
	if refused {
		f.refusal = p.newRefusal(status, said)
	}
	switch {
	case status == http.StatusTooManyRequests || strings.Contains(code, "rate_limit") || aboutMoney.MatchString(code):
		f.refusal = p.newRefusal(http.StatusTooManyRequests, said)
		p.limited(f, said, nil)
		return f
	case refused && !malformedCall.MatchString(f.refusal.text) && status >= http.StatusBadRequest && status < http.StatusInternalServerError && status != http.StatusRequestTimeout:
		f.kind = llm.ErrRejected
		how = fmt.Sprintf("answered %d", status)
		f.text = fmt.Sprintf("%s %s%s; %s", p.name, how, quoted(p.printable(said.message)), p.adviceFor(f.refusal, said))
		return f
	}
	f.text = fmt.Sprintf("%s %s%s", p.name, how, quoted(p.printable(said.message)))
	return f
}

// gotPage returns the failure for an answer that is a web page.
func (p *Provider) gotPage(what string) *failure {
	return &failure{kind: llm.ErrRejected, retryAfter: -1, text: fmt.Sprintf("%s answered with something else than the API (%s); %s", p.name, p.printable(what), p.checkRoot())}
}

// checkRoot returns advice for an address that leads elsewhere.
func (p *Provider) checkRoot() string {
	if !p.service.Configured {
		return "check that nothing between this machine and " + p.host() + " answers instead"
	}
	return "check that " + p.setting + ".base_url is right and ends in the API's root, often /v1"
}

// onlyThought returns the failure for an answer that consists of reasoning.
func (p *Provider) onlyThought(last llm.Chunk) *failure {
	f := &failure{kind: llm.ErrNoAnswer, retryAfter: -1, text: p.name + " only thought; ask again, or lower options.reasoning_effort under " + p.setting}
	if last.FinishReason == "length" {
		f.text = fmt.Sprintf("%s used up its tokens for thinking before it answered; raise %s.options.max_tokens or lower reasoning_effort", p.name, p.setting)
	}
	return f
}

// withheld returns the failure for an answer that the vendor's filter kept back.
func (p *Provider) withheld(finish string) *failure {
	return &failure{kind: llm.ErrNoAnswer, retryAfter: -1, text: fmt.Sprintf("the content filter of %s kept the answer back (%s); say it in other words, or choose another model", p.name, p.printable(finish))}
}

// adviceFor returns advice on what to check after a refusal.
func (p *Provider) adviceFor(r refusal, said report) string {
	switch {
	case r.status == http.StatusUnauthorized || aboutKey.MatchString(r.text):
		return "check " + p.setting + ".api_key"
	case r.status == http.StatusPaymentRequired:
		return "check the account's credit"
	case r.status == http.StatusForbidden:
		return "check that the key may use model " + strconv.Quote(p.opts.Model)
	case said.page:
		return p.checkRoot()
	case aboutModel.MatchString(r.text):
		return fmt.Sprintf("this service does not offer model %q; set %s.model to one that it offers", p.opts.Model, p.setting)
	case r.status == http.StatusNotFound && !p.service.Configured:
		return fmt.Sprintf("check that model %q exists", p.opts.Model)
	case r.status == http.StatusNotFound:
		return fmt.Sprintf("check that model %q exists and that base_url ends in the API's root, often /v1", p.opts.Model)
	case strings.Contains(r.text, "support tools"):
		return fmt.Sprintf("model %q cannot use tools; choose one that can", p.opts.Model)
	case r.status == http.StatusRequestEntityTooLarge || strings.Contains(r.text, "context length"):
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
	var request *oai.RequestError // may wrap an empty APIError
	if errors.As(err, &request) {
		return request.HTTPStatusCode, reportOf(request.Body).message
	}
	var api *oai.APIError
	if errors.As(err, &api) {
		return api.HTTPStatusCode, api.Message
	}
	return 0, vendor.Transport(err)
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
