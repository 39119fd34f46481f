package config_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

const milli = config.Duration(time.Millisecond)

func TestDocumentedSnippetsLoad(t *testing.T) {
	load := func(t *testing.T, name string) (*config.Config, error) {
		opts := testOptions("")
		opts.LookupEnv = env(map[string]string{"MCP_OAUTH_SECRET": "s"})
		return config.Load(filepath.Join("testdata", "snippets", name+".yaml"), opts)
	}
	for _, row := range []struct {
		name  string
		check func(*config.Config) any
		want  any
	}{
		{"stdio", func(c *config.Config) any { return c.MCP.Servers[0].Env["DICE_MAX_SIDES"].Reveal() }, "100"},
		{"http", func(c *config.Config) any { return c.MCP.Servers[0].URL }, "https://tools.example.com/mcp"},
		{"static_token", func(c *config.Config) any { return c.MCP.Servers[0].Auth.Token.Reveal() }, "Bearer eyJhbGciOiJSUzI1NiIs..."},
		{"oauth", func(c *config.Config) any { return c.MCP.Servers[0].Auth.OAuth.ClientSecret.Reveal() }, "s"},
		{"npcs", func(c *config.Config) any { return c.NPCs[1].ID }, "bartok-the-barkeep"},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg, err := load(t, row.name)
			if err != nil {
				t.Fatal(err)
			}
			if got := row.check(cfg); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
	t.Run("reference", func(t *testing.T) {
		// The values of this file only name types, but every key must be known.
		_, err := load(t, "reference")
		if err == nil || strings.Contains(err.Error(), "unknown key") {
			t.Errorf("err = %v, want complaints about values, none about keys", err)
		}
	})
}

// values returns the decisions of the file, without their positions.
func values(c *config.Config) config.Config {
	v := *c
	v.File, v.Source, v.Warnings, v.DataDir, v.Memory.Path = "", nil, nil, "", ""
	v.Server.Workflows = ""
	return v
}

func TestEmptyFileMeansDefaults(t *testing.T) {
	want := *config.Default()
	for _, row := range []struct{ name, text string }{
		{"empty", ""},
		{"comment", "# nothing\n"},
		{"byte_order_mark", "\uFEFF"},
		{"document_marker", "---\n"},
		{"empty_sections", "npcs:\nmcp:\nlatency:\nlanguages:\nproviders: {llm: , tts: ~}\n"},
		{"windows_line_ends", "npcs:\r\nmcp:\r\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := loadText(t, testOptions(""), row.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(values(&want), values(got)); diff != "" {
				t.Errorf("configuration differs from the default (-want +got):\n%s", diff)
			}
			if dir := filepath.Dir(got.File); got.DataDir != filepath.Join(dir, ".glyphoxa") ||
				got.Memory.Path != filepath.Join(dir, ".glyphoxa", "glyphoxa.db") {
				t.Errorf("DataDir = %q, Memory.Path = %q; want both in %s", got.DataDir, got.Memory.Path, dir)
			}
		})
	}
}

func TestLoadReadsValues(t *testing.T) {
	vars := map[string]string{
		"PORT": "9000", "LINES": "7", "YES": "true", "KEY": "k: [not yaml", "EMPTY": "", "NESTED": "${KEY}",
		"MS": "250", "TIER": "Deep", "TEXT_NUMBER": "0042", "TOKEN": "0123456789abcdef",
	}
	for _, row := range []struct {
		name, text string
		got        func(*config.Config) any
		want       any
	}{
		{"text_from_variable", "server:\n  listen: 127.0.0.1:${PORT}\n", func(c *config.Config) any { return c.Server.Listen }, "127.0.0.1:9000"},
		{"int_from_variable", "memory:\n  recent_lines: ${LINES}\n", func(c *config.Config) any { return c.Memory.RecentLines }, 7},
		{"int_from_default", "memory:\n  recent_lines: ${NOT_SET:-8}\n", func(c *config.Config) any { return c.Memory.RecentLines }, 8},
		{"default_when_empty", "memory:\n  recent_lines: ${EMPTY:-8}\n", func(c *config.Config) any { return c.Memory.RecentLines }, 8},
		{"empty_means_default", "memory:\n  recent_lines: ${EMPTY}\n", func(c *config.Config) any { return c.Memory.RecentLines }, 20},
		{"bool_in_quotes", "mcp:\n  servers:\n    - {name: a, transport: stdio, command: x, pin: \"no\"}\n", nil, "expected true or false"},
		{"bool_plain", "mcp:\n  servers:\n    - name: a\n      transport: stdio\n      command: x\n      pin: ${YES}\n", func(c *config.Config) any { return c.MCP.Servers[0].Pin }, true},
		{"values_cannot_inject", "providers:\n  llm:\n    api_key: ${KEY}\n", func(c *config.Config) any { return c.Providers.LLM.APIKey.Reveal() }, "k: [not yaml"},
		{"values_are_not_expanded_again", "campaign:\n  name: ${NESTED}\n", func(c *config.Config) any { return c.Campaign.Name }, "${KEY}"},
		{"escape", "campaign:\n  name: $${KEY} costs $5 and ${LINES}$\n", func(c *config.Config) any { return c.Campaign.Name }, "${KEY} costs $5 and 7$"},
		{"text_keeps_its_zeros", "discord:\n  guild: ${TEXT_NUMBER}\n", func(c *config.Config) any { return c.Discord.Guild }, "0042"},
		{"number_from_variable_has_no_unit", "latency:\n  lease: ${MS}0\n", nil, `expected a duration, got the value of "${MS}0"; it needs a unit, as in 60s or 60ms`},
		{"duration_from_variable", "latency:\n  lease: ${MS}0ms\n", func(c *config.Config) any { return c.Latency.Lease }, 2500 * milli},
		{"tier_in_any_case", "npcs:\n  - name: A\n    budget_tier: ${TIER}\n", func(c *config.Config) any { return c.NPCs[0].BudgetTier }, mcp.BudgetDeep},
		{"partial_tiers_keep_defaults", "latency: {ceilings: {fast: 300ms}}", func(c *config.Config) any { return c.Latency.Ceilings },
			config.PerTier[config.Duration]{Fast: 300 * milli, Standard: 1500 * milli, Deep: 4000 * milli}},
		{"npc_defaults", "npcs: [{name: A}]", func(c *config.Config) any { return c.NPCs[0].Engine + " " + c.NPCs[0].BudgetTier.String() }, "cascaded standard"},
		{"npc_line", "\n\nnpcs:\n  -\n    name: A\n", func(c *config.Config) any { return c.NPCs[0].Line }, 5},
		{"server_defaults", "mcp: {servers: [{name: a, transport: stdio, command: x}]}", func(c *config.Config) any {
			return [2]config.Duration{c.MCP.Servers[0].ConnectTimeout, c.MCP.Servers[0].CallTimeout}
		}, [2]config.Duration{10_000 * milli, 30_000 * milli}},
		{"provider_shorthand", "providers: {llm: offline}", func(c *config.Config) any { return c.Providers.LLM.Name }, "offline"},
		{"provider_shorthand_of_a_chain", "providers: {tts: silent}", func(c *config.Config) any { return c.Providers.TTS.Name }, "silent"},
		{"provider_fallback", "providers: {tts: {name: elevenlabs, api_key: k, options: {warm: true}, fallback: [{name: openai, base_url: 'http://127.0.0.1:1', model: m}, espeak]}}",
			func(c *config.Config) any {
				f := c.Providers.TTS.Fallback
				return fmt.Sprint(c.Providers.TTS.Name, len(f), f[0].Name, f[0].Model, f[1].Name)
			}, "elevenlabs2openaimespeak"},
		{"model_fallback", "providers: {llm: {fallback: [{name: openai, base_url: 'http://127.0.0.1:1', options: {temperature: 1}}, offline]}}",
			func(c *config.Config) any {
				f := c.Providers.LLM.Fallback
				return fmt.Sprint(c.Providers.LLM.Name, len(f), f[0].BaseURL, f[0].Options["temperature"], f[1].Name)
			}, "auto2http://127.0.0.1:11offline"},
		{"fallback_of_what_never_fails", "providers: {llm: {name: offline, fallback: [offline]}, tts: {name: silent, fallback: [espeak]}}",
			func(c *config.Config) any {
				all := fmt.Sprint(c.Warnings)
				return strings.Contains(all, "fallback: is not used, because offline never fails") &&
					strings.Contains(all, "fallback: is not used, because silent never fails")
			}, true},
		{"provider_without_name", "providers: {llm: {model: m}}", func(c *config.Config) any { return c.Providers.LLM.Name + " " + c.Providers.LLM.Model }, "auto m"},
		{"options_keep_their_types", "providers:\n  llm:\n    options: {max_tokens: 1, temperature: 1.5, reasoning_effort: \"1\"}", func(c *config.Config) any {
			return cmp.Diff(map[string]any{"max_tokens": int64(1), "temperature": 1.5, "reasoning_effort": "1"},
				map[string]any(c.Providers.LLM.Options))
		}, ""},
		{"alias_and_merge", "mcp:\n  servers:\n    - &base {name: a, transport: stdio, command: x, pin: true}\n    - {<<: *base, name: b}\n",
			func(c *config.Config) any { return c.MCP.Servers[1].Name + c.MCP.Servers[1].Command }, "bx"},
		{"number_as_text", "npcs: [{name: 7}]", func(c *config.Config) any { return c.NPCs[0].Name }, "7"},
		{"outward_defaults", "", func(c *config.Config) any { return c.Server.Limits }, config.Limits{Burst: 100, PerSecond: 10, Body: 4 << 20, Sessions: 1000}},
		{"partial_limits_keep_defaults", "server: {limits: {burst: 5}}", func(c *config.Config) any { return c.Server.Limits }, config.Limits{Burst: 5, PerSecond: 10, Body: 4 << 20, Sessions: 1000}},
		{"profile_sees_what_all_know", "server: {profiles: {a: {permissions: [dice.roll]}}}", func(c *config.Config) any { return c.Server.Profiles["a"].Sees }, config.SeesCommon},
		{"profile_sees_all", "server: {profiles: {a: {permissions: [dice.roll], sees: all}}}", func(c *config.Config) any { return c.Server.Profiles["a"].Sees }, config.SeesAll},
		{"profile_with_dots", "server: {profiles: {a.b: {permissions: [dice.roll]}}, clients: [{name: c, token: 0123456789abcdef, profile: a.b}]}", func(c *config.Config) any { return c.Server.Clients[0].Profile }, "a.b"},
		{"token_from_variable", "server:\n  clients:\n    - {name: c, token: \"${TOKEN}\", profile: dm}\n", func(c *config.Config) any { return c.Server.Clients[0].Token.Reveal() }, "0123456789abcdef"},
		{"open_to_clients", "server: {listen: '0.0.0.0:1', clients: [{name: c, token: 0123456789abcdef, profile: dm}]}", func(c *config.Config) any { return c.Server.Listen }, "0.0.0.0:1"},
		{"loopback_of_any_kind", "server: {listen: '[::1]:1'}", func(c *config.Config) any { return c.Server.Listen }, "[::1]:1"},
		{"scopes_with_colons", "server: {oauth: {issuer: 'http://127.0.0.1:9/a', audience: x, scopes: {'g:dm': dm}}}", func(c *config.Config) any { return c.Server.OAuth.Scopes["g:dm"] }, "dm"},
		{"instant_stays_text", "server: {policy: [{name: a, rule: permission_override, grant: [dice.roll], until: 2027-01-31T20:00:00Z}]}", func(c *config.Config) any { return c.Server.Policy[0].Until }, "2027-01-31T20:00:00Z"},
		{"preemptive", "latency: {preemptive: model}", func(c *config.Config) any { return c.Latency.Preemptive }, config.PreemptModel},
		{"preemptive_off", "latency: {preemptive: off}", func(c *config.Config) any { return c.Latency.Preemptive }, config.PreemptOff},
		{"preemptive_was_true", "latency: {preemptive: true}", func(c *config.Config) any { return c.Latency.Preemptive }, config.PreemptVoice},
		{"preemptive_was_false", "latency: {preemptive: false}", func(c *config.Config) any { return c.Latency.Preemptive }, config.PreemptOff},
		{"preemptive_by_itself", "latency: {lease_turns: 3}", func(c *config.Config) any { return c.Latency.Preemptive }, config.PreemptVoice},
		{"clock_stays_text", "server: {policy: [{name: a, rule: time_window, from: 18:00, to: 01:30}]}", func(c *config.Config) any { return c.Server.Policy[0].From + c.Server.Policy[0].To }, "18:0001:30"},
		{"floors", "tools: {floors: {roll: DEEP}}", func(c *config.Config) any { return c.Tools.Floors["roll"] }, mcp.BudgetDeep},
		{"tables", "tools: {tables: {t: {entries: [a, b]}}}", func(c *config.Config) any { return len(c.Tools.Tables["t"].Entries) }, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			opts := testOptions("")
			opts.LookupEnv = env(vars)
			cfg, err := loadText(t, opts, row.text)
			if row.got == nil {
				if err == nil || !strings.Contains(err.Error(), row.want.(string)) {
					t.Errorf("err = %v, want %q in it", err, row.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := row.got(cfg); got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

func TestPathsCountFromTheFile(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"conf/my.yaml":       "npcs_dir: cast\ncampaign: {world: ../world.yaml}\ndata_dir: data\nnpcs: [{name: Inline}]\n",
		"conf/cast/b.yml":    "name: Bea\n",
		"conf/cast/a.yaml":   "# first\nname: Ärger Größe\n",
		"conf/cast/skip.txt": "not yaml: [",
		"world.yaml":         "places: []\n",
	})
	cfg, err := config.Load("conf/my.yaml", testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	type npc struct {
		ID, File string
		Line     int
	}
	var got []npc
	for _, n := range cfg.NPCs {
		got = append(got, npc{n.ID, filepath.ToSlash(n.File), n.Line})
	}
	want := []npc{{"inline", "conf/my.yaml", 4}, {"aerger-groesse", "conf/cast/a.yaml", 2}, {"bea", "conf/cast/b.yml", 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("NPCs differ (-want +got):\n%s", diff)
	}
	for _, p := range []struct{ name, got, want string }{
		{"DataDir", cfg.DataDir, "conf/data"},
		{"Memory.Path", cfg.Memory.Path, "conf/data/glyphoxa.db"},
		{"Campaign.World", cfg.Campaign.World, "world.yaml"},
		{"NPCsDir", cfg.NPCsDir, "conf/cast"},
		{"Server.Workflows", cfg.Server.Workflows, "conf/workflows"},
	} {
		if want := filepath.Join(dir, filepath.FromSlash(p.want)); p.got != want {
			t.Errorf("%s = %q, want %q", p.name, p.got, want)
		}
	}
	if b, err := cfg.ReadWorld(); err != nil || string(b) != "places: []\n" {
		t.Errorf("ReadWorld = %q, %v", b, err)
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhichFileIsRead(t *testing.T) {
	builtIn := fstest.MapFS{"glyphoxa.yaml": {Data: []byte("campaign: {name: Shipped}\n")}}
	for _, row := range []struct {
		name, path string
		files      map[string]string
		builtIn    fs.FS
		want       string // campaign name, or part of the error
	}{
		{"own_file_wins", "", map[string]string{"glyphoxa.yaml": "campaign: {name: Own}"}, builtIn, "Own"},
		{"built_in_if_missing", "", nil, builtIn, "Shipped"},
		{"no_built_in", "", nil, nil, "glyphoxa.yaml:1: there is no such file"},
		{"named_file_must_exist", "other.yaml", nil, builtIn, "other.yaml:1: there is no such file"},
		{"broken_file_is_not_replaced", "", map[string]string{"glyphoxa.yaml/x": ""}, builtIn, "glyphoxa.yaml:1: this is a directory"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, row.files)
			opts := testOptions(dir)
			opts.BuiltIn = row.builtIn
			cfg, err := config.Load(row.path, opts)
			if err != nil {
				if !strings.Contains(err.Error(), row.want) {
					t.Errorf("err = %v, want %q in it", err, row.want)
				}
				return
			}
			if cfg.Campaign.Name != row.want {
				t.Errorf("read campaign %q, want %q", cfg.Campaign.Name, row.want)
			}
		})
	}
}

func TestReadWorldWithoutOne(t *testing.T) {
	if _, err := config.Default().ReadWorld(); err == nil || !strings.Contains(err.Error(), "none is configured") {
		t.Errorf("err = %v, want one that says none is configured", err)
	}
}
