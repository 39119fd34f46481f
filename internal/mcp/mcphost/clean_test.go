package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// saying returns a built-in tool that returns a text, and one that returns what the first returns.
func saying(t *testing.T, text string) *Host {
	t.Helper()
	h := New()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	say := func(context.Context, string) (string, error) { return text, nil }
	pass := func(ctx context.Context, _ string) (mcp.Result, error) { return mcp.Through(ctx, "say", "{}") }
	if err := h.RegisterBuiltin(
		BuiltinTool{Definition: llm.ToolDefinition{Name: "say"}, Handler: say, Inline: true},
		BuiltinTool{Definition: llm.ToolDefinition{Name: "pass"}, Respond: pass, Composite: true, Needs: []string{"say"}},
	); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTextsOfOwnToolsAreCleaned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"plain", "The bell rings.", "The bell rings."},
		{"direction", "the\u202e bell", "the bell"},
		{"terminal", "\x1b[2Jthe bell", "the bell"},
		{"JSON", `{"n":1.50,"bell":"a\nb <c>"}`, `{"n":1.50,"bell":"a\nb <c>"}`},
		{"JSON with a direction", "{\"bell\": \"the\u202e bell\", \"n\": 10000000000000001}", `{"bell": "the bell", "n": 10000000000000001}`},
		{"JSON with escapes", `["\u001b[31mthe\u200b \"bell\"\\","\u00fc"]`, `["the \"bell\"\\","\u00fc"]`},
		{"almost JSON", "{the\u200b bell}", "{the bell}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			res, err := saying(t, row.text).ExecuteTool(t.Context(), "say", "")
			if err != nil || res.Text != row.want {
				t.Errorf("say = %q, %v, want %q", res.Text, err, row.want)
			}
		})
	}
}

func TestAModelGetsABoundedText(t *testing.T) {
	t.Parallel()
	const size = 300_000
	h := saying(t, strings.Repeat("ü", size))
	ts := h.Toolset(ToolsetOptions{Allow: []string{"say", "pass"}, Tier: mcp.BudgetDeep})
	for _, name := range []string{"say", "pass"} {
		res, err := ts.Execute(t.Context(), name, "")
		if err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(res.Text); n > maxResult || !strings.HasSuffix(res.Text, fmt.Sprintf("the whole text has %d characters]", size)) {
			t.Errorf("%s returns %d characters that end with %q", name, n, res.Text[len(res.Text)-50:])
		}
	}
	if res, err := h.ExecuteTool(t.Context(), "pass", ""); err != nil || utf8.RuneCountInString(res.Text) != size {
		t.Errorf("for others than models, pass returns %d characters, %v, want all", utf8.RuneCountInString(res.Text), err)
	}
}

func FuzzCleanText(f *testing.F) {
	for _, text := range []string{`{"a":"\u202e"}`, "[\"\u200b\\\\\"]", `{"a":"\ud800"}`, "\x1b[31m", `["\"\u0007"]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean := cleanText(text)
		if json.Valid([]byte(text)) && !json.Valid([]byte(clean)) {
			t.Errorf("cleanText(%q) = %q, which is no JSON any more", text, clean)
		}
		if strings.ContainsFunc(clean, untrusted.Hidden) {
			t.Errorf("cleanText(%q) = %q has hidden characters", text, clean)
		}
		if again := cleanText(clean); again != clean {
			t.Errorf("cleanText(%q) = %q, and then %q", text, clean, again)
		}
	})
}

func TestTextsAreDecodedWhereASchemaWantsAnotherType(t *testing.T) {
	t.Parallel()
	type area struct {
		Center []float64 `json:"center"`
		Radius float64   `json:"radius"`
	}
	type args struct {
		Count  int      `json:"count,omitempty"`
		Secret bool     `json:"secret,omitempty"`
		Area   *area    `json:"area,omitempty"`
		Names  []string `json:"names,omitempty"`
		Note   string   `json:"note,omitempty"`
	}
	own, err := CompileArguments(tools.SchemaOf[args](tools.Bounds{"count": {"maximum": 10}}))
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := CompileArguments(map[string]any{"type": "object", "properties": map[string]any{
		"any": map[string]any{}, "both": map[string]any{"type": []string{"integer", "string"}},
		"either": map[string]any{"anyOf": []any{map[string]any{"type": "integer"}, map[string]any{"type": "null"}}},
		"level":  map[string]any{"enum": []any{1, 2}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name       string
		schema     *Schema
		args, want string // want is an error if it begins with "!"
	}{
		{"number", own, `{"count":"3"}`, `{"count":3}`},
		{"number with a fraction of zero", own, `{"count":" 3.0 "}`, `{"count":3}`},
		{"boolean", own, `{"secret":"TRUE"}`, `{"secret":true}`},
		{"list", own, `{"names":"[\"Mira\",\"2\"]"}`, `{"names":["Mira","2"]}`},
		{"object within", own, `{"area":"{\"center\":[\"1\",2],\"radius\":\"0.5\"}"}`, `{"area":{"center":[1,2],"radius":0.5}}`},
		{"text that is wanted", own, `{"note":"3","count":"1"}`, `{"count":1,"note":"3"}`},
		{"other numbers stay as they are", own, `{"area":{"center":[1.10,12345678901234567],"radius":"1"}}`, `{"area":{"center":[1.10,12345678901234567],"radius":1}}`},
		{"null beside", own, `{"count":"3","secret":null}`, `{"count":3}`},
		{"too large", own, `{"count":"11"}`, "!`count` must be at most 10"},
		{"no number", own, `{"count":"three"}`, "!`count` must be an integer"},
		{"fraction", own, `{"count":"3.5"}`, "!`count` must be an integer"},
		{"hexadecimal", own, `{"count":"0x3"}`, "!`count` must be an integer"},
		{"text of a list, half", own, `{"names":"[1"}`, "!`names` must be an array"},
		{"anything goes", mixed, `{"any":"3"}`, `{"any":"3"}`},
		{"texts are allowed too", mixed, `{"both":"3"}`, `{"both":"3"}`},
		{"alternatives without texts", mixed, `{"either":"3"}`, `{"either":3}`},
		{"one of the listed", mixed, `{"level":"2"}`, `{"level":2}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := row.schema.FitArguments(row.args)
			if says, fails := strings.CutPrefix(row.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("FitArguments = %s, %v, want %q", got, err, says)
				}
			} else if err != nil || got != row.want {
				t.Errorf("FitArguments = %s, %v, want %s", got, err, row.want)
			}
		})
	}
}

func TestCredentialsThatAreCommonWordsStayInTexts(t *testing.T) {
	s := secretsOf(config.MCPServerConfig{
		Auth: config.MCPAuth{Token: "none"}, Env: map[string]config.Secret{"API_KEY": "ollama-ollama", "OTHER_KEY": "d41d8cd98f00"},
	})
	if got := s.redact("none of the ollama-ollama models knows d41d8cd98f00"); got != "none of the ollama-ollama models knows [redacted]" {
		t.Errorf("redact = %q", got)
	}
}
