package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine/cascaded"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/hashing"
	openaiembed "github.com/MrWong99/glyphoxa/pkg/provider/embeddings/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/espeak"
	openaitts "github.com/MrWong99/glyphoxa/pkg/provider/tts/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/silent"
)

// Models used where the configuration names none.
const (
	defaultModel = "gpt-4o-mini"
	openAI       = "openai"
	offlineName  = "offline"
)

// hosted reports whether a provider's settings lead to a service: a key, or an
// address of one's own that may need none.
func hosted(p config.Provider) bool { return p.APIKey != "" || p.BaseURL != "" }

// option reads an option; checkOptions has refused those of another type.
func option[T any](p config.Provider, name string) T {
	v, _ := p.Options[name].(T)
	return v
}

// Kinds of options.
const (
	textOption   = "text"
	numberOption = "a number"
)

// checkOptions refuses options the provider does not know.
func checkOptions(kind string, p config.Provider, known map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		want, ok := known[name]
		if ok {
			got := numberOption
			switch p.Options[name].(type) {
			case string:
				got = textOption
			case int, float64:
			default:
				got = "something else"
			}
			if got != want {
				return fmt.Errorf("providers.%s.options.%s is not %s", kind, name, want)
			}
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		hint := "there are " + strings.Join(names, ", ")
		if len(names) == 0 {
			hint = "it has none"
		} else if near := problem.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return fmt.Errorf("providers.%s.options: %s does not know %q; %s", kind, p.Name, name, hint)
	}
	return nil
}

// number reads a number option; ok is false if it is not set.
func number(p config.Provider, name string) (v float64, ok bool) {
	switch n := p.Options[name].(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func llmOptions() map[string]string {
	return map[string]string{"temperature": numberOption, "max_tokens": numberOption, "reasoning_effort": textOption}
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
		return offline.New(), true, checkOptions("llm", p, llmOptions())
	}
	if err := checkOptions("llm", p, llmOptions()); err != nil {
		return nil, false, err
	}
	if !hosted(p) {
		return nil, false, fmt.Errorf("providers.llm: openai needs an api_key, or a base_url of a service that takes none")
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

// voiceProvider returns the speech synthesis, and what to tell people if there
// is none although they did not ask for silence.
func voiceProvider(p config.Provider) (tts.Provider, string, error) {
	if err := checkOptions("tts", p, map[string]string{"path": textOption, "voice": textOption, "instructions": textOption}); err != nil {
		return nil, "", err
	}
	local := espeak.New(&espeak.Options{Path: option[string](p, "path")})
	switch p.Name {
	case "silent":
		return silent.New(), "", nil
	case openAI:
		if !hosted(p) {
			return nil, "", fmt.Errorf("providers.tts: openai needs an api_key, or a base_url of a service that takes none")
		}
		return openaitts.New(p.APIKey.Reveal(), &openaitts.Options{
			BaseURL: p.BaseURL, Model: p.Model, Voice: option[string](p, "voice"), Instructions: option[string](p, "instructions"),
		}), "", nil
	case "espeak":
		if err := local.Available(); err != nil {
			return nil, "", fmt.Errorf("providers.tts: %w", err)
		}
		return local, "", nil
	}
	if err := local.Available(); err != nil {
		return silent.New(), err.Error(), nil
	}
	return local, "", nil
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
	if err := checkOptions("embeddings", p, nil); err != nil {
		return nil, err
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

// checkProviders reports what is wrong with the providers' settings, without
// reaching them.
func checkProviders(cfg *config.Config) error {
	_, _, first := model(cfg.Providers.LLM)
	_, _, second := voiceProvider(cfg.Providers.TTS)
	_, third := embedder(cfg.Providers.Embeddings)
	return errors.Join(first, second, third)
}
