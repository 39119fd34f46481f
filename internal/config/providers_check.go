package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Kinds of provider options.
const (
	optionText   = "text"
	optionNumber = "a number"
)

// providerOptions are the options each kind of provider knows.
var providerOptions = map[string]map[string]string{
	"llm": {"temperature": optionNumber, "max_tokens": optionNumber, "reasoning_effort": optionText},
	"tts": {"path": optionText, "voice": optionText, "instructions": optionText},
}

// checkProviders looks for a service that wants a key and has none, and for
// options nobody knows.
func (l *loader) checkProviders() {
	p := &l.cfg.Providers
	for _, e := range []struct {
		key string
		p   *Provider
	}{{"llm", &p.LLM}, {"stt", &p.STT}, {"tts", &p.TTS}, {"s2s", &p.S2S}, {"embeddings", &p.Embeddings}} {
		root := at{path: "providers." + e.key}
		wantsKey := e.p.Name == "openai" || e.p.Name == "gemini"
		if wantsKey && e.p.APIKey == "" && e.p.BaseURL == "" {
			fault(l.main, root.path, e.p.Name+" has no api_key", "add api_key, or base_url for a service without one")
		}
		l.checkOptions(root.key("options"), e.key, e.p.Options)
	}
}

func (l *loader) checkOptions(root at, kind string, options ProviderOptions) {
	known := providerOptions[kind]
	for _, name := range slices.Sorted(maps.Keys(options)) {
		path := root.key(name).path
		want, ok := known[name]
		if !ok {
			names := slices.Sorted(maps.Keys(known))
			fix := "remove it; " + kind + " has no options"
			if near := problem.Nearest(name, names); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			} else if len(names) > 0 {
				fix = "use one of " + strings.Join(names, ", ")
			}
			fault(l.main, path, "is not a known option", fix)
			continue
		}
		got := "something else"
		switch options[name].(type) {
		case string:
			got = optionText
		case int64, float64:
			got = optionNumber
		}
		if got != want {
			fault(l.main, path, "is not "+want, "write "+want)
		}
	}
}
