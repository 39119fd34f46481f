package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
	"github.com/MrWong99/glyphoxa/pkg/provider/stt/deepgram"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts/elevenlabs"
)

// endpointPatience bounds the check of one service.
const endpointPatience = 5 * time.Second

// endpoint is a service with the data needed to request its list of models.
type endpoint struct {
	name, base, header, scheme string
	key                        config.Secret
	setting                    string // key in the configuration
	model                      string // a language model that the service should offer, empty for none
}

// endpoints returns the services in use.
func endpoints(cfg *config.Config) []endpoint {
	var all []endpoint
	prefix := "providers."
	language := false // the services answer with language models
	add := func(name string, p config.Provider, auto bool) {
		where := prefix + name
		switch {
		case p.Name == providers.OpenAI, p.Name == config.ProviderAuto && auto && providers.Hosted(p):
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, openaillm.DefaultBaseURL), "/")
			e := endpoint{name, base, "Authorization", "Bearer ", p.APIKey, where, ""}
			if language {
				e.model = cmp.Or(p.Model, providers.DefaultModel)
			}
			all = append(all, e)
		case p.Name == providers.Ollama:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, providers.OllamaURL), "/")
			all = append(all, endpoint{name, base, "Authorization", "Bearer ", p.APIKey, where, ""})
		case p.Name == providers.ElevenLabs:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, elevenlabs.DefaultBaseURL), "/")
			all = append(all, endpoint{name, base, "xi-api-key", "", p.APIKey, where, ""})
		case p.Name == providers.DeepGram:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, deepgram.DefaultBaseURL), "/")
			all = append(all, endpoint{name, base, "Authorization", "Token ", p.APIKey, where, ""})
		}
	}
	addChain := func(name string, c config.ProviderChain) {
		add(name, c.Provider, true)
		for i, p := range c.Fallback {
			add(fmt.Sprintf("%s.fallback[%d]", name, i), p, false)
		}
	}
	language = true
	addChain("llm", cfg.Providers.LLM)
	language = false
	addChain("stt", cfg.Providers.STT)
	add("tts", cfg.Providers.TTS.Provider, false)
	for i, p := range cfg.Providers.TTS.Fallback {
		add(fmt.Sprintf("tts.fallback[%d]", i), p, false)
	}
	add("embeddings", cfg.Providers.Embeddings, true)
	prefix, language = "", true
	for _, c := range cascades(cfg) {
		addChain("cascade.opener", c.Opener)
		addChain("cascade.continuation", c.Continuation)
	}
	return all
}

// cascades returns the cascades of the NPCs that open with a fast model.
func cascades(cfg *config.Config) (all []config.Cascade) {
	for i := range cfg.NPCs {
		if n := &cfg.NPCs[i]; n.CascadeMode() != config.CascadeOff {
			all = append(all, n.Cascade)
		}
	}
	return all
}

// endpointFindings checks for every service in use whether it can be reached, accepts the key, and offers the
// configured language model. Each address is checked once.
func endpointFindings(ctx context.Context, cfg *config.Config) []finding {
	var findings []finding
	listed := map[string][]string{} // models by address and key
	named := map[string]bool{}      // models that were checked
	for _, e := range endpoints(cfg) {
		id := e.base + e.key.Reveal()
		if _, asked := listed[id]; !asked {
			var f finding
			f, listed[id] = examineEndpoint(ctx, e)
			findings = append(findings, f)
		}
		if models := listed[id]; e.model != "" && len(models) > 0 && !named[id+e.model] && !offersModel(models, e.model) {
			fix := "check " + e.setting + ".model"
			if near := userfile.Nearest(e.model, models); near != "" {
				fix += fmt.Sprintf("; did you mean %q?", near)
			} else {
				fix += "; it lists " + strings.Join(models[:min(len(models), mostListed)], ", ")
			}
			findings = append(findings, finding{"model of " + e.name, false, fmt.Sprintf("%s does not list %q", e.base, e.model), fix})
		}
		named[id+e.model] = true
	}
	return findings
}

// mostListed is how many models a finding names.
const mostListed = 5

// offersModel reports whether a list of models contains a model. Services list some names with a prefix, with
// the tag that is used without one, or as a pattern, and understand variants of a name behind a colon.
func offersModel(listed []string, model string) bool {
	base, _, _ := strings.Cut(model, ":")
	return slices.ContainsFunc(listed, func(id string) bool {
		pattern, open := strings.CutSuffix(id, "*")
		return id == model || id == model+":latest" || id == base || strings.HasSuffix(id, "/"+model) || open && strings.HasPrefix(model, pattern)
	})
}

// modelIDs returns the names in a service's list of models, nil if it is none.
func modelIDs(list io.Reader) (ids []string) {
	var got struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.NewDecoder(list).Decode(&got) != nil {
		return nil
	}
	for _, m := range got.Data {
		if m.ID != "" {
			ids = append(ids, untrusted.Clean(m.ID, 100))
		}
	}
	return ids
}

// examineEndpoint requests the list of models of a service, and returns those that it names.
func examineEndpoint(ctx context.Context, e endpoint) (finding, []string) {
	name, base := e.name, e.base
	f := finding{part: "endpoint of " + name, state: base}
	ctx, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
		base += "/v1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		f.state, f.fix = "the address cannot be used", "correct "+e.setting+".base_url"
		return f, nil
	}
	if e.key != "" {
		req.Header.Set(e.header, e.scheme+e.key.Reveal())
	}
	client := outbound.Client(nil, outbound.Policy{Home: e.base, Private: true, MaxBody: 8 << 20})
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		var why *url.Error
		if errors.As(err, &why) {
			err = why.Err // without the address, which may hold secrets
		}
		f.state, f.fix = fmt.Sprintf("%s cannot be reached: %v", f.state, err), "start the service, or correct "+e.setting+".base_url"
		switch e.base { // base_url is not set
		case openaillm.DefaultBaseURL, elevenlabs.DefaultBaseURL, deepgram.DefaultBaseURL:
			f.fix = "check that this machine is online and reaches " + req.URL.Hostname()
		}
		return f, nil
	}
	models := modelIDs(resp.Body)
	if err := resp.Body.Close(); err != nil {
		f.state = fmt.Sprintf("%s broke off: %v", f.state, err)
		return f, nil
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		f.state, f.fix = f.state+" refuses the key", "check "+e.setting+".api_key"
	case resp.StatusCode >= 500:
		f.state, f.fix = fmt.Sprintf("%s answers %s", f.state, resp.Status), "try again later"
	default: // some services have no list of models, but can still be reached
		f.ok = true
		return f, models
	}
	return f, nil
}
