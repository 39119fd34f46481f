// Package providers creates the services named in the configuration: the language model, the
// voices, the speech recognition, the embedder, the voice detector, and the connections
// that they share. It plays nothing and stores nothing.
package providers

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	openaiembed "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
	"github.com/MrWong99/glyphoxa/pkg/provider/fallback"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// Models used where the configuration names none.
const (
	DefaultModel = "gpt-4o-mini"
	OpenAI       = "openai"
	Ollama       = "ollama"
	Offline      = "offline"
	ElevenLabs   = "elevenlabs"
	Espeak       = "espeak"
	Silent       = "silent"
)

// OllamaURL is where Ollama serves OpenAI's protocol unless configured otherwise.
const OllamaURL = "http://localhost:11434/v1"

// ollamaModel embeds where the configuration names no model of Ollama's.
const ollamaModel = "nomic-embed-text"

// Hosted reports whether a provider's settings lead to a service: a key, or an
// address of one's own that may need none.
func Hosted(p config.Provider) bool { return p.APIKey != "" || p.BaseURL != "" }

// What providers do, for [DescribeSwitch].
const (
	Answers = "answers"
	Speaks  = "speaks"
	Hears   = "hears"
)

// DescribeSwitch puts into words that another provider does something from now on.
func DescribeSwitch(s fallback.Switch, does string) string {
	switch {
	case s.Reason == nil:
		return s.To + " " + does + " again"
	case s.From == s.To:
		return fmt.Sprintf("nobody %s for now: %v; what waits is kept for a moment and tried again", does, s.Reason)
	}
	return fmt.Sprintf("%s %s now: %v", s.To, does, s.Reason)
}

// Option reads an option; the configuration has been checked.
func Option[T any](p config.Provider, name string) T {
	v, _ := p.Options[name].(T)
	return v
}

// numberOption reads a number option; ok is false if it is not set.
func numberOption(p config.Provider, name string) (v float64, ok bool) {
	switch n := p.Options[name].(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// fractionOption reads a number option, nil if it is not set.
func fractionOption(p config.Provider, name string) *float64 {
	if v, ok := numberOption(p, name); ok {
		return &v
	}
	return nil
}

// switchOption reads a switch, nil if it is not set.
func switchOption(p config.Provider, name string) *bool {
	if v, ok := p.Options[name].(bool); ok {
		return &v
	}
	return nil
}

// Sampling returns what the configuration says of a model's answers: nil and 0
// where the model's own settings hold.
func Sampling(p config.Provider) (temperature *float64, maxTokens int) {
	t := tunedBy(nil, p)
	return t.temperature, t.maxTokens
}

// tuned is a model with options of its own for what a request leaves open.
type tuned struct {
	llm.Provider
	temperature *float64 // nil for the model's own
	maxTokens   int      // 0 for the model's own
}

func tunedBy(m llm.Provider, p config.Provider) tuned {
	t := tuned{Provider: m, temperature: fractionOption(p, "temperature")}
	if v, ok := numberOption(p, "max_tokens"); ok {
		t.maxTokens = int(v)
	}
	return t
}

// Stream implements [llm.Provider].
func (t tuned) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if req.Temperature == nil {
		req.Temperature = t.temperature
	}
	if req.MaxTokens == 0 {
		req.MaxTokens = t.maxTokens
	}
	return t.Provider.Stream(ctx, req)
}

// Lesson is what a refusal taught about the endpoint of a model.
type Lesson = openaillm.Lesson

// Reports are the callbacks of a model, which are called from any goroutine. Each may be nil.
type Reports struct {
	// Switched reports that another model of a chain answers.
	Switched func(llm.Switch)
	Learned  func(Lesson)
}

// Model returns the language model, and whether it is the scripted one. With
// fallbacks it is a [llm.Chain]. Without a key auto leaves the work to its
// fallbacks if there are any. All connections are client's, each model's own if
// it is nil.
func Model(client *http.Client, c config.ProviderChain, tell Reports) (llm.Provider, bool, error) {
	return ModelOf(client, c, "providers.llm", tell)
}

// ModelOf is Model for a model that people find under another setting.
func ModelOf(client *http.Client, c config.ProviderChain, setting string, tell Reports) (llm.Provider, bool, error) {
	if len(c.Fallback) == 0 {
		m, err := oneModel(client, c.Provider, setting, tell)
		return m, isScripted(c.Provider), err
	}
	var links []llm.Link
	for i, p := range append([]config.Provider{c.Provider}, c.Fallback...) {
		if i == 0 && p.Name == config.ProviderAuto && isScripted(p) {
			continue
		}
		where := setting
		if i > 0 {
			where = fmt.Sprintf("%s.fallback[%d]", setting, i-1)
		}
		m, err := oneModel(client, p, where, tell)
		if err != nil {
			return nil, false, err
		}
		links = append(links, llm.Link{Name: linkName(links, m.Name()), Provider: tunedBy(m, p)})
		if isScripted(p) {
			break // it never fails
		}
	}
	if len(links) == 1 {
		return links[0].Provider, links[0].Name == Offline, nil
	}
	return llm.NewChain(links, &llm.ChainOptions{OnSwitch: tell.Switched}), false, nil
}

// isScripted reports whether p stands for stock phrases.
func isScripted(p config.Provider) bool {
	return p.Name == Offline || p.Name == config.ProviderAuto && !Hosted(p)
}

// linkName tells models of the same name apart.
func linkName(links []llm.Link, name string) string {
	n := 1
	for _, l := range links {
		if l.Provider.Name() == name {
			n++
		}
	}
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d)", name, n)
}

// oneModel returns the model p names; people find p under setting.
func oneModel(client *http.Client, p config.Provider, setting string, tell Reports) (llm.Provider, error) {
	if isScripted(p) {
		return offline.New(), nil
	}
	if p.Model == "" {
		p.Model = DefaultModel
	}
	m, err := openaillm.New(openaillm.Options{
		BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Model: p.Model, ReasoningEffort: Option[string](p, "reasoning_effort"),
		Setting: setting, HTTPClient: client, Accepts: accepted(p), Learned: tell.Learned,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return cost.MeteredModel(m), nil
}

// accepted returns what the configuration says a model's endpoint accepts.
func accepted(p config.Provider) openaillm.Accepts {
	return openaillm.Accepts{
		System: Option[string](p, "system_messages"), Alternate: switchOption(p, "alternate"),
		Length: Option[string](p, "length_field"), Schemas: Option[string](p, "tool_schemas"),
		Tools: switchOption(p, "tools"), Stream: switchOption(p, "stream"), StreamOptions: switchOption(p, "stream_options"),
		Reasoning: switchOption(p, "return_reasoning"),
	}
}

// EmbedsHere reports whether texts are embedded by this program itself, within a millisecond or so.
func EmbedsHere(p config.Provider) bool {
	return p.Name != OpenAI && p.Name != Ollama && (p.Name != config.ProviderAuto || !Hosted(p))
}

// Embedder returns what makes text searchable by meaning, nil for nothing.
func Embedder(p config.Provider) (embeddings.Provider, error) {
	name := p.Name
	if name == config.ProviderAuto {
		name = Offline
		if Hosted(p) {
			name = OpenAI
		}
	}
	switch name {
	case "none":
		return nil, nil
	case OpenAI, Ollama:
		if name == Ollama {
			p.BaseURL = cmp.Or(p.BaseURL, OllamaURL)
			p.Model = cmp.Or(p.Model, ollamaModel)
		}
		dimensions, _ := numberOption(p, "dimensions")
		e, err := openaiembed.New(p.APIKey.Reveal(), &openaiembed.Options{
			BaseURL: p.BaseURL, Model: p.Model, Dimensions: int(dimensions), Used: cost.MeteredEmbedding,
		})
		if err != nil {
			return nil, fmt.Errorf("providers.embeddings: %w", err)
		}
		return e, nil
	}
	return sentencevectors.New(), nil
}
