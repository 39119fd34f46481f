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
	openaillm "github.com/MrWong99/glyphoxa/pkg/provider/llm/openai"
)

// endpointPatience bounds one look at a service.
const endpointPatience = 5 * time.Second

// endpointFindings asks every service in use whether it is there and takes the
// key. One address is asked once.
func endpointFindings(ctx context.Context, cfg *config.Config) []finding {
	var findings []finding
	asked := map[string]bool{}
	for _, e := range []struct {
		name string
		p    config.Provider
	}{{"llm", cfg.Providers.LLM}, {"tts", cfg.Providers.TTS}, {"embeddings", cfg.Providers.Embeddings}} {
		inUse := e.p.Name == openAI || e.p.Name == config.ProviderAuto && e.name != "tts" && hosted(e.p)
		base := strings.TrimSuffix(cmp.Or(e.p.BaseURL, openaillm.DefaultBaseURL), "/")
		if !inUse || asked[base+e.p.APIKey.Reveal()] {
			continue
		}
		asked[base+e.p.APIKey.Reveal()] = true
		findings = append(findings, examineEndpoint(ctx, e.name, base, e.p.APIKey))
	}
	return findings
}

// examineEndpoint lists the models of an OpenAI-compatible service.
func examineEndpoint(ctx context.Context, name, base string, key config.Secret) finding {
	f := finding{part: "endpoint of " + name, state: base}
	ctx, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
		base += "/v1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		f.state, f.fix = "the address cannot be used", "correct providers."+name+".base_url"
		return f
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var why *url.Error
		if errors.As(err, &why) {
			err = why.Err // without the address, which may hold secrets
		}
		f.state, f.fix = fmt.Sprintf("%s cannot be reached: %v", f.state, err), "start the service, or correct providers."+name+".base_url"
		return f
	}
	if err := resp.Body.Close(); err != nil {
		f.state = fmt.Sprintf("%s broke off: %v", f.state, err)
		return f
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		f.state, f.fix = f.state+" refuses the key", "check providers."+name+".api_key"
	case resp.StatusCode >= 500:
		f.state, f.fix = fmt.Sprintf("%s answers %s", f.state, resp.Status), "try again later"
	default: // some services know no list of models; they are there all the same
		f.ok = true
	}
	return f
}
