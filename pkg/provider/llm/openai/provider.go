// Package openai implements [llm.Provider] for every server with an OpenAI-compatible chat completions API:
// OpenAI itself, Ollama, Groq, llama.cpp, vLLM and others.
//
//	p, err := openai.New(openai.Options{APIKey: key, Model: "gpt-4o-mini"})
//	for chunk, err := range p.Stream(ctx, req) { … }
//
// It streams answers and starts no goroutine of its own. The caller's context decides how long to wait for
// the next chunk. Servers accept different requests: [Accepts] says which, and a refusal that names its cause is
// answered with a fitting request at once. What a server sends is read field by field, so that a field of an
// unexpected type costs no answer. The package drops what a model thinks (reasoning fields, and the markup that
// package dialect reads), because an NPC speaks only the answer. It turns tool calls that the model wrote as text
// into calls.
//
// The first answer of a model that may think without an opening tag is yielded as a whole, see package dialect.
// Until then, chunks say that it is held.
package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/internal/vendor"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/openai/dialect"
)

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

const (
	defaultSetting = "providers.llm"
	// longestRetryAfter is the longest pause a vendor may ask for that is acceptable to a waiting player.
	// Beyond it, the request fails at once.
	longestRetryAfter = 2 * time.Second
	// reconnectPause is the pause before a retry after a vendor failed.
	reconnectPause = 100 * time.Millisecond
)

// Options configure a [Provider].
type Options struct {
	// BaseURL is the root of the API, such as "http://localhost:11434/v1". The default is [DefaultBaseURL]; a
	// URL without a path gets "/v1".
	BaseURL string
	// APIKey is sent as a bearer token; local servers need none. It never appears in errors.
	APIKey string
	// Model is the vendor's model ID. Required.
	Model string
	// Name is the provider's name in logs. The default is "openai " and the model.
	Name string
	// Setting is the configuration path of this provider, such as "providers.llm.fallback[0]", for advice in
	// errors. The default is "providers.llm".
	Setting string
	// HTTPClient replaces the provider's own client. It must not have a Timeout, which would cut off long
	// answers.
	HTTPClient *http.Client
	// MaxRetries is how often a failed request is retried as long as no part of its answer was yielded. The
	// default is 1; negative means never.
	MaxRetries int
	// ReasoningEffort is sent to reasoning models. If empty, the vendor's default applies.
	ReasoningEffort string
	// Accepts describes what the endpoint accepts. What it leaves open is known by the model's name or learned
	// from refusals.
	Accepts Accepts
	// Learned is called once for every lesson, by the goroutine that runs the request. If nil, lessons are not
	// reported.
	Learned func(Lesson)
}

// Provider streams the answers of one model. It is safe for concurrent use.
type Provider struct {
	opts    Options
	service vendor.Service
	name    string
	setting string
	client  *http.Client
	retries int
	answers atomic.Int64 // number of complete answers

	terms     atomic.Pointer[terms] // what the endpoint is known to accept
	answered  atomic.Bool           // the endpoint has accepted a request
	continued atomic.Bool           // it has accepted a conversation with tool calls
	gaveUp    atomic.Bool           // it refuses every form of a request without a reason that is known

	habits *dialect.Habits
}

// Lesson is what a refusal taught about an endpoint. It holds for the life of the provider.
type Lesson struct {
	// Text is a sentence that begins with the provider's name.
	Text string
	// Loses means that the NPCs can do less than before, such as use a tool.
	Loses bool
}

// New returns a provider for one model. It validates the options without accessing the network; errors wrap
// [llm.ErrRejected].
func New(opts Options) (*Provider, error) {
	setting := cmp.Or(opts.Setting, defaultSetting)
	if strings.TrimSpace(opts.Model) == "" {
		return nil, fmt.Errorf("%w: no model is named; set %s.model", llm.ErrRejected, setting)
	}
	base, err := baseURL(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if base == DefaultBaseURL && opts.APIKey == "" {
		return nil, fmt.Errorf("%w: api.openai.com needs a key; set %s.api_key", llm.ErrRejected, setting)
	}
	if err := opts.Accepts.check(); err != nil {
		return nil, fmt.Errorf("%w: %w in %s.options", llm.ErrRejected, err, setting)
	}
	service := vendor.Service{Key: opts.APIKey, Address: base, Configured: base != DefaultBaseURL}
	p := &Provider{opts: opts, service: service, name: opts.Name, setting: setting, client: service.Client(opts.HTTPClient)}
	p.terms.Store(knownTerms(opts.Model, p.host()).configured(&opts))
	p.habits = dialect.NewHabits(opts.Model, p.host())
	if p.name == "" {
		p.name = "openai " + opts.Model
	}
	switch {
	case opts.MaxRetries == 0:
		p.retries = 1
	case opts.MaxRetries > 0:
		p.retries = opts.MaxRetries
	}
	return p, nil
}

func baseURL(s string) (string, error) {
	if s == "" {
		return DefaultBaseURL, nil
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fmt.Errorf("%w: base_url is no http or https address; use one like %s", llm.ErrRejected, DefaultBaseURL)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%w: base_url must end with its path, without ? or #", llm.ErrRejected)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// Name returns the provider's name in logs and notices.
func (p *Provider) Name() string { return p.name }

// Close closes idle connections. It does not affect running streams.
func (p *Provider) Close() error {
	p.client.CloseIdleConnections()
	return nil
}

// Stream implements [llm.Provider]. It retries a request that failed before anything was yielded, up to
// MaxRetries times: after the vendor's Retry-After if that is at most two seconds and before ctx's deadline,
// or after a short pause if the vendor was unavailable and gave no time. If the vendor gave one, the error
// has a method RetryAfter. A request that the endpoint refuses because of its form is sent in another form at
// once, which does not count as a retry.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for attempt := 0; ; attempt++ {
			out := p.attempt(ctx, req, yield)
			switch {
			case out.empty && ctx.Err() == nil && attempt < p.retries:
				continue // models do that at times, and answer when they are asked again
			case out.empty:
				yield(llm.Chunk{FinishReason: "stop"}, nil)
				return
			case out.err == nil:
				return
			}
			if ctx.Err() != nil {
				yield(llm.Chunk{}, p.stoppedError(ctx))
				return
			}
			if out.yielded || attempt >= p.retries || !pauseForRetry(ctx, out.err) {
				yield(llm.Chunk{}, out.err)
				return
			}
		}
	}
}

// stoppedError returns the error for a stream whose context is done. It wraps the context's error and, if
// different, the cause.
func (p *Provider) stoppedError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("asking %s: %w", p.name, cause)
	}
	return fmt.Errorf("asking %s: %w: %w", p.name, err, cause)
}

// pauseForRetry waits before a retry and reports whether to retry.
func pauseForRetry(ctx context.Context, err error) bool {
	wait := reconnectPause
	var f *failure
	switch {
	case !errors.As(err, &f):
		return false
	case errors.Is(err, llm.ErrRateLimited):
		if f.retryAfter < 0 || f.retryAfter > longestRetryAfter {
			return false
		}
		wait = f.retryAfter
	case !errors.Is(err, llm.ErrUnavailable) || f.retryAfter > longestRetryAfter:
		return false
	case f.retryAfter >= 0:
		wait = f.retryAfter
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
