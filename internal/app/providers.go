package app

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine/cascaded"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/hashing"
	openaiembed "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// Models used where the configuration names none.
const (
	defaultModel = "gpt-4o-mini"
	openAI       = "openai"
	offlineName  = "offline"
	elevenLabs   = "elevenlabs"
	espeakName   = "espeak"
	silentName   = "silent"
)

// hosted reports whether a provider's settings lead to a service: a key, or an
// address of one's own that may need none.
func hosted(p config.Provider) bool { return p.APIKey != "" || p.BaseURL != "" }

// option reads an option; the configuration has been checked.
func option[T any](p config.Provider, name string) T {
	v, _ := p.Options[name].(T)
	return v
}

// number reads a number option; ok is false if it is not set.
func number(p config.Provider, name string) (v float64, ok bool) {
	switch n := p.Options[name].(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// fraction reads a number option, nil if it is not set.
func fraction(p config.Provider, name string) *float64 {
	if v, ok := number(p, name); ok {
		return &v
	}
	return nil
}

// tuning returns the options every model takes.
func tuning(p config.Provider) *cascaded.Options {
	o := &cascaded.Options{}
	if v, ok := number(p, "temperature"); ok {
		o.Temperature = &v
	}
	if v, ok := number(p, "max_tokens"); ok {
		o.MaxTokens = int(v)
	}
	return o
}

// model returns the language model, and whether it is the scripted one.
func model(p config.Provider) (llm.Provider, bool, error) {
	name := p.Name
	if name == config.ProviderAuto {
		name = offlineName
		if hosted(p) {
			name = openAI
		}
	}
	if name == offlineName {
		return offline.New(), true, nil
	}
	if p.Model == "" {
		p.Model = defaultModel
	}
	m, err := openaillm.New(openaillm.Options{
		BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), Model: p.Model, ReasoningEffort: option[string](p, "reasoning_effort"),
	})
	if err != nil {
		return nil, false, fmt.Errorf("providers.llm: %w", err)
	}
	return m, false, nil
}

// embedder returns what makes text searchable by meaning, nil for nothing.
func embedder(p config.Provider) (embeddings.Provider, error) {
	name := p.Name
	if name == config.ProviderAuto {
		name = offlineName
		if hosted(p) {
			name = openAI
		}
	}
	switch name {
	case "none":
		return nil, nil
	case openAI:
		e, err := openaiembed.New(p.APIKey.Reveal(), &openaiembed.Options{BaseURL: p.BaseURL, Model: p.Model})
		if err != nil {
			return nil, fmt.Errorf("providers.embeddings: %w", err)
		}
		return e, nil
	}
	return hashing.New(), nil
}
