package cost

// Metered providers charge a request's use to the account in its context. They wrap language models, voices
// and speech recognition. Without an account in the context, nothing is counted. They start no goroutine.

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/tracing"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// MeteredSpeech converts the use reported by a speech-to-speech session. The engine that reads the session
// charges it, because a session outlives the context that opened it.
func MeteredSpeech(u s2s.Usage) Usage {
	return Usage{
		Input: int64(u.InputTextTokens), Output: int64(u.OutputTextTokens),
		AudioInput: int64(u.InputAudioTokens), AudioOutput: int64(u.OutputAudioTokens), Cached: int64(u.CachedTokens),
		Heard: time.Duration(u.AudioSeconds * float64(time.Second)),
	}
}

// MeteredEmbedding charges the context's account for an embedded text. If tokens is not positive, it
// estimates them.
func MeteredEmbedding(ctx context.Context, provider string, bytes, tokens int) {
	u := Usage{Input: int64(tokens)}
	if tokens <= 0 {
		u.Input = EstimateTokens(bytes)
		u.Estimated = u.Input
	}
	AccountOf(ctx).Charge(provider, u)
}

// warmed opens connections if the wrapped provider supports it.
type warmed struct{ provider any }

// Warm opens the provider's connections.
func (w warmed) Warm(ctx context.Context) error {
	if p, ok := w.provider.(interface{ Warm(context.Context) error }); ok {
		return p.Warm(ctx)
	}
	return nil
}

// model is a language model that charges its tokens.
type model struct {
	llm.Provider
	warmed
}

// MeteredModel wraps p so that it charges the tokens that it reports. An answer without a report, for example
// because the caller stopped reading, is charged by an estimate from the text in both directions. A request
// that failed before an answer is not charged.
func MeteredModel(p llm.Provider) llm.Provider { return &model{p, warmed{p}} }

// Stream implements [llm.Provider].
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	account := AccountOf(ctx)
	if account == nil {
		return m.Provider.Stream(ctx, req)
	}
	return func(yield func(llm.Chunk, error) bool) {
		a := answer{account: account, provider: m.Name(), req: req}
		vendor, name, _ := strings.Cut(a.provider, " ")
		ctx, span := tracing.StartModel(ctx, vendor, name)
		failure := "" // failure for the trace
		defer func() {
			u := a.charge(ctx.Err() != nil)
			if failure == "" && ctx.Err() != nil {
				failure = "cancelled"
			}
			span.End(u.Input, u.Output, failure)
		}()
		for chunk, err := range m.Provider.Stream(ctx, req) {
			if err == nil {
				a.recordChunk(chunk)
				span.RecordChunk()
			} else {
				failure = failureOf(err)
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// failureOf classifies a model's error.
func failureOf(err error) string {
	switch {
	case errors.Is(err, llm.ErrRateLimited):
		return "rate_limited"
	case errors.Is(err, llm.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, llm.ErrRejected):
		return "rejected"
	}
	return "failed"
}

// answer is a request's answer so far.
type answer struct {
	account       *Account
	provider      string
	req           llm.Request
	started       bool
	written       int // bytes
	reportedUsage *llm.Usage
}

func (a *answer) recordChunk(c llm.Chunk) {
	a.started = true
	a.written += len(c.Text)
	for _, call := range c.ToolCalls {
		a.written += len(call.Name) + len(call.Arguments)
	}
	if c.Usage != nil {
		a.reportedUsage = c.Usage
	}
}

// charge charges the answer and returns its use. An answer whose caller stopped reading is charged too,
// because it was requested.
func (a *answer) charge(left bool) (u Usage) {
	switch {
	case a.reportedUsage != nil:
		u = Usage{Input: int64(a.reportedUsage.PromptTokens), Output: int64(a.reportedUsage.CompletionTokens), Cached: int64(a.reportedUsage.CachedTokens)}
	case a.started || left:
		u = Usage{Input: EstimateTokens(size(a.req)), Output: EstimateTokens(a.written)}
		u.Estimated = u.Input + u.Output
	default:
		return u
	}
	a.account.Charge(a.provider, u)
	return u
}

// size returns the length of a request's text in bytes.
func size(req llm.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Content) + len(m.Name)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		schema, err := json.Marshal(t.Parameters)
		if err != nil {
			continue // an invalid schema is not sent either
		}
		n += len(t.Name) + len(t.Description) + len(schema)
	}
	return n
}

// voice is a voice that charges its characters and sound.
type voice struct {
	tts.Provider
	warmed
}

// MeteredVoice wraps p so that it charges the characters of each sentence and the length of its sound. A
// sentence that failed before its first sound is not charged, a cancelled one is.
func MeteredVoice(p tts.Provider) tts.Provider { return &voice{p, warmed{p}} }

// SpeaksClauses implements [tts.Clauser] with the wrapped provider's answer.
func (v *voice) SpeaksClauses() bool { return tts.SpeaksClauses(v.Provider) }

// Synthesize implements [tts.Provider].
func (v *voice) Synthesize(ctx context.Context, text string, as tts.Voice) iter.Seq2[tts.PCM, error] {
	account := AccountOf(ctx)
	if account == nil {
		return v.Provider.Synthesize(ctx, text, as)
	}
	return func(yield func(tts.PCM, error) bool) {
		samples, rate, failed := 0, 1, false
		defer func() {
			if !failed || samples > 0 || ctx.Err() != nil {
				made := time.Duration(samples) * time.Second / time.Duration(rate)
				account.Charge(v.Name(), Usage{Characters: int64(utf8.RuneCountInString(text)), Spoken: made})
			}
		}()
		for pcm, err := range v.Provider.Synthesize(ctx, text, as) {
			if failed = err != nil; !failed && pcm.Rate > 0 {
				samples, rate = samples+len(pcm.Samples), pcm.Rate
			}
			if !yield(pcm, err) {
				return
			}
		}
	}
}
