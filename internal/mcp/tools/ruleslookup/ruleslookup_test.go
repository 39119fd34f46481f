package ruleslookup_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

type SearchResult struct {
	Query   string `json:"query"`
	Count   int    `json:"count"`
	Results []struct {
		ID       string  `json:"id"`
		Category string  `json:"category"`
		Name     string  `json:"name"`
		Summary  string  `json:"summary"`
		Score    float64 `json:"score"`
	} `json:"results"`
	Hint string `json:"hint"`
}

func (r SearchResult) ids() []string {
	var out []string
	for _, h := range r.Results {
		out = append(out, h.ID)
	}
	return out
}

func fixture(t testing.TB) *ruleslookup.Book {
	t.Helper()
	book, err := ruleslookup.Open(os.DirFS("testdata"))
	if err != nil {
		t.Fatalf("opening the fixture: %v", err)
	}
	return book
}

func toolNamed(t testing.TB, book *ruleslookup.Book, name string) tools.Tool {
	t.Helper()
	list := ruleslookup.NewTools(book)
	at := slices.IndexFunc(list, func(tool tools.Tool) bool { return tool.Definition.Name == name })
	if at < 0 {
		t.Fatalf("there is no tool %q", name)
	}
	return list[at]
}

func search(t testing.TB, tool tools.Tool, query string) SearchResult {
	t.Helper()
	args, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatalf("encoding %q: %v", query, err)
	}
	out, err := tool.Handler(t.Context(), string(args))
	if err != nil {
		t.Fatalf("searching %q: %v", query, err)
	}
	var res SearchResult
	if err := json.Unmarshal([]byte(out), &res); err != nil {
		t.Fatalf("result of %q is no JSON: %v", query, err)
	}
	return res
}

func TestDefinitions(t *testing.T) {
	book := fixture(t)
	for _, row := range []struct {
		name     string
		required []string
		p50, max int
		floor    mcp.BudgetTier
	}{
		{"search_rules", []string{"query"}, 30, 100, mcp.BudgetStandard},
		{"get_rule", []string{"id"}, 5, 20, mcp.BudgetFast},
	} {
		t.Run(row.name, func(t *testing.T) {
			tool := toolNamed(t, book, row.name)
			d := tool.Definition
			if tool.DeclaredP50 != row.p50 || tool.DeclaredMax != row.max || d.EstimatedDurationMs != row.p50 || d.MaxDurationMs != row.max {
				t.Errorf("latencies = %d/%d and %d/%d, want %d/%d", tool.DeclaredP50, tool.DeclaredMax, d.EstimatedDurationMs, d.MaxDurationMs, row.p50, row.max)
			}
			if got := d.Parameters["required"]; !slices.Equal(got.([]string), row.required) {
				t.Errorf("required = %v, want %v", got, row.required)
			}
			if !tool.ReadOnly || !d.Idempotent || d.CacheableSeconds <= 0 || tool.OutputSchema == nil || tool.Title == "" {
				t.Errorf("tool = %+v, want a read-only, idempotent, cacheable one with title and output schema", tool)
			}
			if tool.Permission != "rules.read" {
				t.Errorf("Permission = %q, want rules.read", tool.Permission)
			}
			if tool.Floor != row.floor {
				t.Errorf("Floor = %v, want %v", tool.Floor, row.floor)
			}
			if !tool.Inline {
				t.Error("Inline = false over a loaded book, want true")
			}
			if _, err := tool.Handler(t.Context(), tool.Probe); err != nil {
				t.Errorf("probing with %s: %v", tool.Probe, err)
			}
		})
	}
}

func TestLazyBookIsNotInline(t *testing.T) {
	book := ruleslookup.Lazy(os.DirFS("testdata"))
	if toolNamed(t, book, "get_rule").Inline {
		t.Error("Inline = true although the first call reads files, want false")
	}
	if err := book.Warm(); err != nil {
		t.Fatalf("Warm: %v", err)
	}
	if !toolNamed(t, book, "get_rule").Inline {
		t.Error("Inline = false after Warm, want true")
	}
}

func TestSearchRanksFirst(t *testing.T) {
	tool := toolNamed(t, fixture(t), "search_rules")
	for _, row := range []struct{ name, query, want string }{
		{"name", "Fireball", "spell-fireball"},
		{"question", "what does the blinded condition do?", "condition-blinded"},
		{"question_about_a_verb", "how does grappling work", "combat-grappling"},
		{"participle_is_the_condition", "grappled", "condition-grappled"},
		{"word_written_apart", "fire ball damage", "spell-fireball"},
		{"name_written_together", "firebolt", "spell-fire-bolt"},
		{"dropped_letter", "concentraton", "general-concentration"},
		{"two_typos", "oportunity atack", "combat-opportunity-attack"},
		{"swapped_letters", "fireblal", "spell-fireball"},
		{"alias_beats_text", "attack of opportunity", "combat-opportunity-attack"},
		{"unfinished_word", "exhau", "condition-exhaustion"},
		{"other_form_of_the_word", "I'm exhausted", "condition-exhaustion"},
		{"category_decides", "light spell", "spell-light"},
		{"name_wins_over_mentions", "light", "spell-light"},
		{"alias_of_two_words", "dim light", "general-vision-and-light"},
		{"name_inside_a_question", "how many spell slots do I get", "general-spell-slots"},
		{"plain_words", "what happens when I fall", "general-falling"},
		{"accents_and_case", "FÎREBALL", "spell-fireball"},
		{"only_stop_words_but_one", "how does concentrating work?", "general-concentration"},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := search(t, tool, row.query)
			if res.Count == 0 || res.Results[0].ID != row.want {
				t.Errorf("search(%q) = %v, want %q first", row.query, res.ids(), row.want)
			}
		})
	}
}

func TestSearchResultShape(t *testing.T) {
	tool := toolNamed(t, fixture(t), "search_rules")
	res := search(t, tool, "damage")
	if res.Query != "damage" || res.Count != len(res.Results) || res.Count < 2 || res.Count > 5 {
		t.Fatalf("result = %+v, want 2 to 5 results that count says", res)
	}
	for i, h := range res.Results {
		if h.ID == "" || h.Category == "" || h.Name == "" || h.Summary == "" || h.Score <= 0 || h.Score >= 1 {
			t.Errorf("result %d = %+v, want every field and a score between 0 and 1", i, h)
		}
		if i > 0 && h.Score > res.Results[i-1].Score {
			t.Errorf("score %v comes after %v, want the best first", h.Score, res.Results[i-1].Score)
		}
	}
	if got := search(t, tool, "fireball").Results[0].Score; got != 1 {
		t.Errorf("score of the exact name = %v, want 1", got)
	}
}

func TestSearchFindsNothing(t *testing.T) {
	tool := toolNamed(t, fixture(t), "search_rules")
	for _, row := range []struct{ name, args string }{
		{"no_such_word", `{"query":"xylophone"}`},
		{"only_punctuation", `{"query":"?!"}`},
		{"other_system", `{"query":"fireball","system":"pathfinder2e"}`},
		{"absurd_system", `{"query":"fireball","system":"` + strings.Repeat("dnd5e", 100) + `"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := tool.Handler(t.Context(), row.args)
			if err != nil {
				t.Fatalf("error = %v, want an empty result", err)
			}
			if !strings.Contains(out, `"count":0,"results":[],"hint":"`) {
				t.Errorf("result = %s, want none and a hint", out)
			}
		})
	}
}

func TestSearchAcceptsTheSystem(t *testing.T) {
	tool := toolNamed(t, fixture(t), "search_rules")
	for _, name := range []string{"", " ", "dnd5e", "DND5E", "D&D 5e", "5e"} {
		t.Run("system_"+name, func(t *testing.T) {
			out, err := tool.Handler(t.Context(), fmt.Sprintf(`{"query":"fireball","system":%q}`, name))
			if err != nil || !strings.Contains(out, `"spell-fireball"`) {
				t.Errorf("result = %s, %v, want spell-fireball", out, err)
			}
		})
	}
}

func TestGetRule(t *testing.T) {
	tool := toolNamed(t, fixture(t), "get_rule")
	out, err := tool.Handler(t.Context(), `{"id":" Spell-Fireball "}`)
	if err != nil {
		t.Fatalf("get_rule: %v", err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("result is no JSON: %v", err)
	}
	for key, want := range map[string]any{"id": "spell-fireball", "category": "spell", "name": "Fireball", "system": "dnd5e"} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
	block, _ := got["spell"].(map[string]any)
	if block["level"] != 3.0 || block["school"] != "evocation" || block["concentration"] != false || len(block["classes"].([]any)) != 2 {
		t.Errorf("spell = %v, want the facts of the data set", block)
	}
	if out, err := tool.Handler(t.Context(), `{"id":"condition-blinded"}`); err != nil || strings.Contains(out, `"spell"`) {
		t.Errorf("get_rule of a condition = %s, %v, want no spell block", out, err)
	}
}

func TestRejectedArguments(t *testing.T) {
	book := fixture(t)
	for _, row := range []struct{ name, tool, args, want string }{
		{"unknown_id_misspelt", "get_rule", `{"id":"condition-blindet"}`, "condition-blinded"},
		{"unknown_id_without_category", "get_rule", `{"id":"fireball"}`, "spell-fireball"},
		{"unknown_id_unlike_any", "get_rule", `{"id":"zzzz-qqqq"}`, "search_rules"},
		{"empty_id", "get_rule", `{}`, "must not be empty"},
		{"long_id", "get_rule", `{"id":"` + strings.Repeat("x", 1001) + `"}`, "that long"},
		{"empty_query", "search_rules", `{"query":"  "}`, "must not be empty"},
		{"long_query", "search_rules", `{"query":"` + strings.Repeat("x", 1001) + `"}`, "longer than"},
		{"wrong_type", "search_rules", `{"query":5}`, "query"},
		{"no_json", "search_rules", `fireball`, "invalid character"},
		{"no_text", "search_rules", "{\"query\":\"\xff\"}", "UTF-8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := toolNamed(t, book, row.tool).Handler(t.Context(), row.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Fatalf("error = %v, want ErrInvalidArguments", err)
			}
			if !strings.Contains(err.Error(), row.want) {
				t.Errorf("error = %q, want it to mention %q", err, row.want)
			}
		})
	}
}

func TestCancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range ruleslookup.NewTools(fixture(t)) {
		if _, err := tool.Handler(ctx, tool.Probe); !errors.Is(err, context.Canceled) {
			t.Errorf("%s error = %v, want context.Canceled", tool.Definition.Name, err)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, q := range []string{"fireball", "what does the blinded condition do?", "concentraton", "fire ball", "", "\xff", "ÄÖÜ ß", "a b c d e f g h", strings.Repeat("grappling ", 90)} {
		f.Add(q)
	}
	tool := toolNamed(f, fixture(f), "search_rules")
	f.Fuzz(func(t *testing.T, query string) {
		args, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatalf("encoding: %v", err)
		}
		out, err := tool.Handler(t.Context(), string(args))
		if err != nil {
			if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Fatalf("error = %v, want ErrInvalidArguments or none", err)
			}
			return
		}
		again, err := tool.Handler(t.Context(), string(args))
		if err != nil || again != out {
			t.Errorf("second answer = %s, %v, want the first: %s", again, err, out)
		}
		var res SearchResult
		if err := json.Unmarshal([]byte(out), &res); err != nil || !utf8.ValidString(out) {
			t.Fatalf("result %q is no JSON: %v", out, err)
		}
		if res.Count != len(res.Results) || res.Count > 5 {
			t.Errorf("count = %d for %d results, want at most 5", res.Count, len(res.Results))
		}
		for i, h := range res.Results {
			if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > res.Results[i-1].Score {
				t.Errorf("scores are out of order or range: %+v", res.Results)
			}
		}
	})
}
