package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/outbound"
	"github.com/MrWong99/glyphoxa/internal/providers"
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
}

// endpoints returns the services in use.
func endpoints(cfg *config.Config) []endpoint {
	var all []endpoint
	prefix := "providers."
	add := func(name string, p config.Provider, auto bool) {
		where := prefix + name
		switch {
		case p.Name == providers.OpenAI, p.Name == config.ProviderAuto && auto && providers.Hosted(p):
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, openaillm.DefaultBaseURL), "/")
			all = append(all, endpoint{name, base, "Authorization", "Bearer ", p.APIKey, where})
		case p.Name == providers.Ollama:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, providers.OllamaURL), "/")
			all = append(all, endpoint{name, base, "Authorization", "Bearer ", p.APIKey, where})
		case p.Name == providers.ElevenLabs:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, elevenlabs.DefaultBaseURL), "/")
			all = append(all, endpoint{name, base, "xi-api-key", "", p.APIKey, where})
		case p.Name == providers.DeepGram:
			base := strings.TrimSuffix(cmp.Or(p.BaseURL, deepgram.DefaultBaseURL), "/")
			all = append(all, endpoint{name, base, "Authorization", "Token ", p.APIKey, where})
		}
	}
	addChain := func(name string, c config.ProviderChain) {
		add(name, c.Provider, true)
		for i, p := range c.Fallback {
			add(fmt.Sprintf("%s.fallback[%d]", name, i), p, false)
		}
	}
	addChain("llm", cfg.Providers.LLM)
	addChain("stt", cfg.Providers.STT)
	add("tts", cfg.Providers.TTS.Provider, false)
	for i, p := range cfg.Providers.TTS.Fallback {
		add(fmt.Sprintf("tts.fallback[%d]", i), p, false)
	}
	add("embeddings", cfg.Providers.Embeddings, true)
	prefix = ""
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

// endpointFindings checks for every service in use whether it can be reached and accepts the key. Each
// address is checked once.
func endpointFindings(ctx context.Context, cfg *config.Config) []finding {
	var findings []finding
	asked := map[string]bool{}
	for _, e := range endpoints(cfg) {
		if id := e.base + e.key.Reveal(); !asked[id] {
			asked[id] = true
			findings = append(findings, examineEndpoint(ctx, e))
		}
	}
	return findings
}

// examineEndpoint requests the list of models of a service.
func examineEndpoint(ctx context.Context, e endpoint) finding {
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
		return f
	}
	if e.key != "" {
		req.Header.Set(e.header, e.scheme+e.key.Reveal())
	}
	client := outbound.Client(nil, outbound.Policy{Home: e.base, Private: true, MaxBody: 1 << 20})
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
		return f
	}
	if err := resp.Body.Close(); err != nil {
		f.state = fmt.Sprintf("%s broke off: %v", f.state, err)
		return f
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		f.state, f.fix = f.state+" refuses the key", "check "+e.setting+".api_key"
	case resp.StatusCode >= 500:
		f.state, f.fix = fmt.Sprintf("%s answers %s", f.state, resp.Status), "try again later"
	default: // some services have no list of models, but can still be reached
		f.ok = true
	}
	return f
}
