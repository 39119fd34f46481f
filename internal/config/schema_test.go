package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestSchemaJudgesLikeLoad(t *testing.T) {
	for _, row := range []struct {
		name, text string
		ok         bool
	}{
		{"empty_sections", "npcs:\nlatency:\nproviders: {llm: }\n", true},
		{"provider_shorthand", "providers: {llm: offline}", true},
		{"provider_unknown", "providers: {llm: opnai}", false},
		{"provider_name_unknown", "providers: {tts: {name: espek}}", false},
		{"provider_variable", "providers: {llm: '${LLM}'}", true},
		{"fallback_names", "providers: {tts: {name: espeak, fallback: [espeak]}}", true},
		{"fallback_objects", "providers: {tts: {name: espeak, fallback: [{name: elevenlabs, api_key: k, model: m}, espeak]}}", true},
		{"fallback_unknown", "providers: {tts: {fallback: [espek]}}", false},
		{"fallback_auto", "providers: {tts: {fallback: [auto]}}", false},
		{"fallback_silent", "providers: {tts: {fallback: [silent]}}", false},
		{"fallback_nested", "providers: {tts: {fallback: [{name: espeak, fallback: [espeak]}]}}", false},
		{"hearing", "providers: {stt: {name: deepgram, api_key: k, options: {language: de}, fallback: [{name: openai, base_url: 'http://127.0.0.1:8000/v1'}]}}", true},
		{"hearing_unknown", "providers: {stt: {name: deepgrm}}", false},
		{"hearing_falls_back_to_none", "providers: {stt: {fallback: [none]}}", false},
		{"fallback_of_a_model", "providers: {llm: {fallback: [{name: openai, base_url: 'http://127.0.0.1:11434/v1', options: {temperature: 1}}, offline]}}", true},
		{"fallback_of_search", "providers: {embeddings: {fallback: [offline]}}", false},
		{"unknown_key", "campagin: {}", false},
		{"unknown_key_in_npc", "npcs: [{name: A, persona: x}]", false},
		{"npc_without_name", "npcs: [{id: a}]", false},
		{"engine", "npcs: [{name: A, engine: telepathy}]", false},
		{"tier", "npcs: [{name: A, budget_tier: sloow}]", false},
		{"occasion", "npcs: [{name: A, lines: {greating: [Hi]}}]", false},
		{"list_for_text", "data_dir: [a]", false},
		{"text_for_list", "languages: en", false},
		{"number_for_env", "mcp: {servers: [{name: a, transport: stdio, command: x, env: {N: 1}}]}", true},
		{"int_in_range", "memory: {recent_lines: 5}", true},
		{"int_out_of_range", "memory: {recent_lines: -5}", false},
		{"int_variable", "memory: {recent_lines: '${N}'}", true},
		{"int_text", "memory: {recent_lines: many}", false},
		{"duration_text", "latency: {lease: 1m30s}", true},
		{"duration_zero", "latency: {continuation: 0}", true},
		{"duration_number", "latency: {lease: 5000}", false},
		{"duration_word", "latency: {lease: soon}", false},
		{"tier_below_zero", "latency: {rounds: {fast: -1}}", false},
		{"pitch", "npcs: [{name: A, voice: {pitch: 3}}]", false},
		{"outward_naming", "server: {naming: fancy}", false},
		{"outward_oauth_without_audience", "server: {oauth: {issuer: 'https://auth.example.com', profile: dm}}", false},
		{"outward_client_without_profile", "server: {clients: [{name: a, token: 0123456789abcdef}]}", false},
		{"outward_rule", "server: {policy: [{name: a, rule: rate_limit, calls: 1, window: 1m}]}", true},
		{"outward_rule_unknown", "server: {policy: [{name: a, rule: ban}]}", false},
		{"outward_days", "server: {policy: [{name: a, rule: time_window, from: '18:00', to: '01:00', days: [friday]}]}", false},
		{"outward_profile", "server: {profiles: {guest: {permissions: [dice.roll]}}}", true},
		{"outward_profile_without_permissions", "server: {profiles: {guest: {sees: all}}}", false},
		{"server_without_transport", "mcp: {servers: [{name: a}]}", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			schema, _ := schemas(t)
			if err := validate(t, schema, []byte(row.text)); (err == nil) != row.ok {
				t.Errorf("schema: %v, want valid %t", err, row.ok)
			}
			opts := testOptions("")
			opts.LookupEnv = env(map[string]string{"LLM": "offline", "N": "3"})
			// A variable in quotes is text. Load needs it unquoted where the schema cannot tell
			// the type.
			text := strings.NewReplacer("'${LLM}'", "\"${LLM}\"", "{recent_lines: '${N}'}", "\n  recent_lines: ${N}").Replace(row.text)
			if _, err := loadText(t, opts, text); (err == nil) != row.ok {
				t.Errorf("Load: %v, want valid %t", err, row.ok)
			}
		})
	}
}

func TestSchemaShowsDefaults(t *testing.T) {
	cfg, npc := schemas(t)
	at := func(s *jsonschema.Schema, keys ...string) string {
		for _, k := range keys {
			s = s.Properties[k]
		}
		return string(s.Default)
	}
	for _, row := range []struct{ name, got, want string }{
		{"text", at(cfg, "data_dir"), `".glyphoxa"`},
		{"list", at(cfg, "languages"), `["en"]`},
		{"duration", at(cfg, "latency", "ceilings", "deep"), `"4s"`},
		{"number", at(cfg, "memory", "history"), `12`},
		{"npc", at(npc, "budget_tier"), `"standard"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.got != row.want {
				t.Errorf("default = %s, want %s", row.got, row.want)
			}
		})
	}
	b, err := json.Marshal(cfg)
	if err != nil || !strings.Contains(string(b), `"$schema":"https://json-schema.org/draft/2020-12/schema"`) {
		t.Errorf("schema as JSON (%v) does not name its draft: %.200s", err, b)
	}
}

// BenchmarkLoad loads the shipped configuration with its cast.
func BenchmarkLoad(b *testing.B) {
	opts := testOptions(b.TempDir())
	opts.BuiltIn = glyphoxa.Shipped
	for b.Loop() {
		if _, err := config.Load("", opts); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleLoad() {
	files := fstest.MapFS{"glyphoxa.yaml": {Data: []byte(`
npcs:
  - name: Bartok
    engine: casaded
    tools: [roll, serch_rules]
`)}}
	_, err := config.Load("", &config.Options{
		Dir:        "/nowhere",
		BuiltIn:    files,
		KnownTools: []string{"roll", "search_rules"},
	})
	fmt.Println(err)
	// Output:
	// built-in:4: engine: "casaded" is not one of cascaded, s2s, sentence_cascade; did you mean "cascaded"?
	// built-in:5: tools[1]: "serch_rules" is not a built-in tool; did you mean "search_rules"?
}
