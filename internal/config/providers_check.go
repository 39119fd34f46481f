package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Kinds of provider options.
const (
	optionText   = "text"
	optionNumber = "a number"
	optionSwitch = "true or false"
	// optionChoice begins a kind that is one of the texts listed behind it.
	optionChoice = "one of "
)

// providerOptions lists the options that each kind of provider knows.
var providerOptions = map[string]map[string]string{
	"llm": {
		"temperature": optionNumber, "max_tokens": optionNumber, "reasoning_effort": optionText,
		"system_messages": optionChoice + "any, first, one, none", "alternate": optionSwitch,
		"length_field": optionChoice + "max_tokens, max_completion_tokens, none",
		"tools":        optionSwitch, "tool_schemas": optionChoice + "full, plain", "return_reasoning": optionSwitch,
		"stream": optionSwitch, "stream_options": optionSwitch,
	},
	"stt": {"language": optionText},
	"tts": {
		"path": optionText, "voice": optionText, "instructions": optionText,
		"stability": optionNumber, "similarity": optionNumber, "style": optionNumber, "warm": optionSwitch,
	},
	"s2s":        {"dialect": optionText, "input_rate": optionNumber, "voice": optionText},
	"embeddings": {"dimensions": optionNumber},
}

// checkProviders reports services without a required key, and unknown options.
func (l *loader) checkProviders() {
	p := &l.cfg.Providers
	for _, e := range []struct {
		key string
		p   *Provider
	}{{"llm", &p.LLM.Provider}, {"stt", &p.STT.Provider}, {"tts", &p.TTS.Provider}, {"s2s", &p.S2S}, {"embeddings", &p.Embeddings}} {
		l.checkProvider(l.main, userfile.Path("providers").Key(e.key), e.key, e.p)
	}
	l.checkFallback(l.main, "providers.llm", "llm", &p.LLM)
	l.checkFallback(l.main, "providers.stt", "stt", &p.STT)
	l.checkFallback(l.main, "providers.tts", "tts", &p.TTS)
}

// keyed lists the providers that need a key unless they have a custom address.
var keyed = []string{"openai", "gemini", "gpt_live", "elevenlabs", "deepgram"}

func (l *loader) checkProvider(d *userfile.Document, root userfile.Path, kind string, p *Provider) {
	if slices.Contains(keyed, p.Name) && p.APIKey == "" && p.BaseURL == "" {
		d.AddProblem(root, p.Name+" has no api_key", "add api_key, or base_url for a service without one")
	}
	checkOptions(d, root.Key("options"), kind, p.Options)
}

// checkFallback checks the providers that take over from another.
func (l *loader) checkFallback(d *userfile.Document, root userfile.Path, kind string, c *ProviderChain) {
	for i := range c.Fallback {
		place := root.Key("fallback").Item(i)
		if p := &c.Fallback[i]; p.Name == "" && !d.Broken(place) {
			d.AddProblem(place.Key("name"), "is missing", "add it: a fallback has to be named")
		} else {
			l.checkProvider(d, place, kind, p)
		}
	}
	if len(c.Fallback) > 0 && neverFails(c.Name) {
		l.addWarning(d, root.Key("fallback"), "is not used, because "+c.Name+" never fails", "remove it, or name a provider")
		return
	}
	last := slices.IndexFunc(c.Fallback, func(p Provider) bool { return neverFails(p.Name) })
	if last >= 0 && last+1 < len(c.Fallback) {
		l.addWarning(d, root.Key("fallback").Item(last+1), "is never asked, because "+c.Fallback[last].Name+" before it never fails", "put it before that, or remove it")
	}
}

// checkPolicy warns about duplicate steps of the latency policy, and about steps that cannot have any effect.
func (l *loader) checkPolicy() {
	root := userfile.Path("latency.policy")
	for i, step := range l.cfg.Latency.Policy {
		path := root.Item(i)
		if !l.main.HasValue(path) {
			return // the defaults are not the user's choice
		}
		switch {
		case slices.Contains(l.cfg.Latency.Policy[:i], step):
			l.addWarning(l.main, path, l.main.Quote(path, step)+" is listed twice", "remove one of them")
		case step == "fallback" && len(l.cfg.Providers.LLM.Fallback) == 0:
			l.addWarning(l.main, path, "there is no other model to ask", "add providers.llm.fallback, or remove this step")
		}
	}
}

// neverFails reports whether a provider cannot fail, so that a fallback for it would never be used.
func neverFails(name string) bool {
	return name == "offline" || name == "none" || name == "silent"
}

func checkOptions(d *userfile.Document, root userfile.Path, kind string, options ProviderOptions) {
	known := providerOptions[kind]
	for _, name := range slices.Sorted(maps.Keys(options)) {
		path := root.Key(name)
		want, ok := known[name]
		if !ok {
			names := slices.Sorted(maps.Keys(known))
			fix := "remove it; " + kind + " has no options"
			if near := userfile.Nearest(name, names); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			} else if len(names) > 0 {
				fix = "use one of " + strings.Join(names, ", ")
			}
			d.AddProblem(path, "is not a known option", fix)
			continue
		}
		got := "something else"
		switch v := options[name].(type) {
		case string:
			got = optionText
			if choices, ok := strings.CutPrefix(want, optionChoice); ok && slices.Contains(strings.Split(choices, ", "), v) {
				got = want
			}
		case int64, float64:
			got = optionNumber
		case bool:
			got = optionSwitch
		}
		if got != want {
			d.AddProblem(path, "is not "+want, "write "+want)
		}
	}
}
