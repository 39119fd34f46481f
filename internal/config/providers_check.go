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
	optionSwitch = "true or false"
)

// providerOptions are the options each kind of provider knows.
var providerOptions = map[string]map[string]string{
	"llm": {"temperature": optionNumber, "max_tokens": optionNumber, "reasoning_effort": optionText},
	"stt": {"language": optionText},
	"tts": {
		"path": optionText, "voice": optionText, "instructions": optionText,
		"stability": optionNumber, "similarity": optionNumber, "style": optionNumber, "warm": optionSwitch,
	},
	"embeddings": {"dimensions": optionNumber},
}

// checkProviders looks for a service that wants a key and has none, and for
// options nobody knows.
func (l *loader) checkProviders() {
	p := &l.cfg.Providers
	for _, e := range []struct {
		key string
		p   *Provider
	}{{"llm", &p.LLM.Provider}, {"stt", &p.STT.Provider}, {"tts", &p.TTS.Provider}, {"s2s", &p.S2S}, {"embeddings", &p.Embeddings}} {
		l.checkProvider(at{path: "providers." + e.key}, e.key, e.p)
	}
	l.checkFallback(at{path: "providers.llm"}, "llm", &p.LLM)
	l.checkFallback(at{path: "providers.stt"}, "stt", &p.STT)
	l.checkFallback(at{path: "providers.tts"}, "tts", &p.TTS)
}

// keyed are the providers that want a key unless they have an address.
var keyed = []string{"openai", "gemini", "elevenlabs", "deepgram"}

func (l *loader) checkProvider(root at, kind string, p *Provider) {
	if slices.Contains(keyed, p.Name) && p.APIKey == "" && p.BaseURL == "" {
		fault(l.main, root.path, p.Name+" has no api_key", "add api_key, or base_url for a service without one")
	}
	l.checkOptions(root.key("options"), kind, p.Options)
}

// checkFallback looks at the providers that take over from another.
func (l *loader) checkFallback(root at, kind string, c *ProviderChain) {
	for i := range c.Fallback {
		place := root.key("fallback").item(i)
		if p := &c.Fallback[i]; p.Name == "" && !l.main.broken[place.path] {
			fault(l.main, place.key("name").path, "is missing", "add it: a fallback has to be named")
		} else {
			l.checkProvider(place, kind, p)
		}
	}
	if len(c.Fallback) > 0 && neverFails(c.Name) {
		l.warn(l.main, root.key("fallback").path, "is not used, since "+c.Name+" never fails", "remove it, or name a provider")
		return
	}
	last := slices.IndexFunc(c.Fallback, func(p Provider) bool { return neverFails(p.Name) })
	if last >= 0 && last+1 < len(c.Fallback) {
		l.warn(l.main, root.key("fallback").item(last+1).path, "is never asked, since "+c.Fallback[last].Name+" before it never fails", "put it before that, or remove it")
	}
}

// checkPolicy looks for steps against lateness that cannot do anything.
func (l *loader) checkPolicy() {
	root := at{path: "latency.policy"}
	for i, step := range l.cfg.Latency.Policy {
		path := root.item(i).path
		if !l.main.given(path) {
			return // the defaults are ours
		}
		switch {
		case slices.Contains(l.cfg.Latency.Policy[:i], step):
			l.warn(l.main, path, l.main.shown(path, step)+" is listed twice", "remove one of them")
		case step == "fallback" && len(l.cfg.Providers.LLM.Fallback) == 0:
			l.warn(l.main, path, "there is no other model to ask", "add providers.llm.fallback, or remove this step")
		}
	}
}

// neverFails reports whether nobody can take over from a provider.
func neverFails(name string) bool {
	return name == "offline" || isPlaceholder(name) && name != ProviderAuto
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
		case bool:
			got = optionSwitch
		}
		if got != want {
			fault(l.main, path, "is not "+want, "write "+want)
		}
	}
}
