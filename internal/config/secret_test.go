package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// printings renders a value in every way that could leak it.
func printings(t *testing.T, v any) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10.3s"} {
		out[verb] = fmt.Sprintf(verb, v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out["json"] = string(b)
	if b, err = yaml.Marshal(v); err != nil {
		t.Fatal(err)
	}
	out["yaml"] = string(b)
	var buf bytes.Buffer
	slog.New(slog.NewTextHandler(&buf, nil)).Info("configured", "value", v)
	slog.New(slog.NewJSONHandler(&buf, nil)).Info("configured", "value", v)
	out["slog"] = buf.String()
	return out
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	const hex = "68756e74657232" // "hunter2" as %x prints it
	secret := config.Secret(secretValue)
	cfg := config.Default()
	cfg.Discord.Token = secret
	cfg.Providers.LLM.APIKey = secret
	cfg.Providers.LLM.Options = config.ProviderOptions{
		"api_key": secretValue, "Password": secretValue,
		"deep": map[string]any{"list": []any{map[string]any{"access_token": secretValue}}},
	}
	cfg.MCP.Servers = []config.MCPServerConfig{{
		Env:  map[string]config.Secret{"KEY": secret},
		Auth: config.MCPAuth{Token: secret, OAuth: &config.MCPOAuth{ClientSecret: secret}},
	}}
	cfg.Server.Clients = []config.Client{{Name: "claude", Token: secret}}
	for _, row := range []struct {
		name string
		v    any
	}{
		{"secret", secret},
		{"client", cfg.Server.Clients[0]},
		{"outward_server", &cfg.Server},
		{"pointer", &secret},
		{"options", cfg.Providers.LLM.Options},
		{"server", cfg.MCP.Servers[0]},
		{"oauth", *cfg.MCP.Servers[0].Auth.OAuth},
		{"configuration", *cfg},
		{"nested_pointers", struct {
			C *config.Config
			S *config.MCPServerConfig
			N *config.MCPOAuth
			O *config.Client
		}{cfg, &cfg.MCP.Servers[0], nil, &cfg.Server.Clients[0]}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for how, got := range printings(t, row.v) {
				if strings.Contains(got, secretValue) || strings.Contains(got, hex) {
					t.Errorf("%s shows the secret: %s", how, got)
				}
			}
		})
	}
	if got := secret.Reveal(); got != secretValue {
		t.Errorf("Reveal() = %q, want %q", got, secretValue)
	}
	if got := cfg.Providers.LLM.Options["api_key"]; got != secretValue {
		t.Errorf("printing changed the options: api_key is %v", got)
	}
}

func TestSecretTellsWhetherItIsSet(t *testing.T) {
	for _, row := range []struct {
		name string
		in   config.Secret
		want string
	}{
		{"set", "x", "[redacted]"},
		{"empty", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := fmt.Sprint(row.in); got != row.want {
				t.Errorf("printed %q, want %q", got, row.want)
			}
		})
	}
}

func TestOptionsShowWhatIsNoSecret(t *testing.T) {
	o := config.ProviderOptions{"temperature": 0.8, "token": "x"}
	if got, want := fmt.Sprintf("%v", o), "map[temperature:0.8 token:[redacted]]"; got != want {
		t.Errorf("printed %s, want %s", got, want)
	}
}

func TestDuration(t *testing.T) {
	for _, row := range []struct {
		name, in string
		want     time.Duration
		bad      string // remedy in the message
	}{
		{name: "unit", in: "500ms", want: 500 * time.Millisecond},
		{name: "units", in: "1m30s", want: 90 * time.Second},
		{name: "negative", in: "-20ms", want: -20 * time.Millisecond},
		{name: "zero", in: "0", want: 0},
		{name: "no_unit", in: "60", bad: "write 60s or 60ms"},
		{name: "fraction_without_unit", in: "1.5", bad: "write 1.5s or 1.5ms"},
		{name: "word", in: "soon", bad: "write 500ms, 2s or 5m"},
		{name: "empty", in: "", bad: "write 500ms, 2s or 5m"},
		{name: "negative_without_unit", in: "-20", bad: "write 500ms, 2s or 5m"},
		{name: "no_number", in: "Inf", bad: "write 500ms, 2s or 5m"},
		{name: "overflow", in: "9223372036854775807s", bad: "write 500ms, 2s or 5m"},
		{name: "huge_without_unit", in: "9223372036854775807", bad: "write 500ms, 2s or 5m"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got config.Duration
			err := got.UnmarshalText([]byte(row.in))
			if row.bad != "" {
				if err == nil || !strings.Contains(err.Error(), row.bad) {
					t.Errorf("UnmarshalText(%q) = %v, %v; want an error with %q", row.in, got, err, row.bad)
				}
				return
			}
			if err != nil || time.Duration(got) != row.want {
				t.Fatalf("UnmarshalText(%q) = %v, %v; want %v", row.in, got, err, row.want)
			}
			text, err := got.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			var back config.Duration
			if err := back.UnmarshalText(text); err != nil || back != got {
				t.Errorf("%s came back as %v, %v; want %v", text, back, err, got)
			}
		})
	}
}

func TestSlug(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"words", "Greymantle the Sage", "greymantle-the-sage"},
		{"umlauts", "Jörg Weiß Übelkrähe", "joerg-weiss-uebelkraehe"},
		{"decomposed_umlaut", "Jo\u0308rg", "joerg"},
		{"accents", "Éloïse d’Amboise", "eloise-damboise"},
		{"capital_eszett", "GROẞ", "gross"},
		{"punctuation", "  --Mira!! (ferry) ", "mira-ferry"},
		{"digits", "Unit 7", "unit-7"},
		{"other_script", "Геральт", ""},
		{"empty", "", ""},
		{"long", strings.Repeat("ab ", 40), strings.Repeat("ab-", 21) + "a"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := config.Slug(row.in); got != row.want {
				t.Errorf("Slug(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}
