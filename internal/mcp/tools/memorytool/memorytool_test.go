package memorytool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

func open(t testing.TB, e embeddings.Provider) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), &sqlite.Options{Embedder: e})
	must(t, "Open", err)
	t.Cleanup(func() { must(t, "Close", s.Close()) })
	return s
}

// tale fills a store and returns its session ID.
func tale(t testing.TB, s *sqlite.Store) string {
	t.Helper()
	sess, err := s.StartSession(t.Context(), "Eldermoor")
	must(t, "StartSession", err)
	_, err = s.Append(t.Context(),
		memory.Line{Session: sess.ID, Turn: 1, Speaker: "Ada", Text: "Hello Bartok, who stole the silver crown?"},
		memory.Line{Session: sess.ID, Turn: 2, Speaker: "Bartok", NPC: "bartok", Text: "Ask the mayor about his crown. " + strings.Repeat("Ale! ", 400)})
	must(t, "Append", err)
	must(t, "PutEntities", s.PutEntities(t.Context(),
		memory.Entity{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Aliases: []string{"Bartok"}, Description: "A jovial halfling.",
			Attributes: map[string]string{"race": "halfling"}},
		memory.Entity{ID: "rusty-flagon", Type: "location", Name: "Rusty Flagon", Description: strings.Repeat("Ü", 5000)},
		memory.Entity{ID: "cult", Type: "faction", Name: "Cult of the Deep", Visible: []string{"mayor"}}))
	must(t, "PutRelations", s.PutRelations(t.Context(),
		memory.Relation{From: "bartok", Type: "owns", To: "rusty-flagon", Note: "since ten years"},
		memory.Relation{From: "cult", Type: "threatens", To: "bartok"}))
	must(t, "Remember", s.Remember(t.Context(),
		memory.Fact{Source: "entity:mayor", Text: "The mayor stole the silver crown.", Visible: []string{"mayor"}},
		memory.Fact{Source: "session:0", Text: "The silver crown lay in the temple."}))
	return sess.ID
}

func tool(t testing.TB, all []tools.Tool, name string) tools.Tool {
	t.Helper()
	for _, x := range all {
		if x.Definition.Name == name {
			return x
		}
	}
	t.Fatalf("no tool %q", name)
	return tools.Tool{}
}

func as(ctx context.Context, npc string) context.Context {
	return mcp.WithCaller(ctx, mcp.Caller{NPC: npc})
}

// check validates JSON text against a schema.
func check(t testing.TB, schema map[string]any, text string) {
	t.Helper()
	raw, err := json.Marshal(schema)
	must(t, "encoding schema", err)
	var s jsonschema.Schema
	must(t, "decoding schema", json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(nil)
	must(t, "resolving schema", err)
	var v any
	must(t, "decoding value", json.Unmarshal([]byte(text), &v))
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s does not fit its schema: %v", text, err)
	}
}

func call[R any](t testing.TB, ctx context.Context, x tools.Tool, args string) R {
	t.Helper()
	out, err := x.Handler(ctx, args)
	must(t, x.Definition.Name+" "+args, err)
	check(t, x.OutputSchema, out)
	var r R
	must(t, "decoding result", json.Unmarshal([]byte(out), &r))
	return r
}

func TestDefinitions(t *testing.T) {
	s := open(t, nil)
	all := memorytool.NewTools(s, s, s)
	rows := []struct {
		name     string
		p50, max int
		floor    mcp.BudgetTier
		params   []string
		required []string
		right    string
		writes   bool
	}{
		{name: "remember_fact", p50: 100, max: 5000, floor: mcp.BudgetFast, params: []string{"text", "about", "settles", "since", "known_by"}, required: []string{"text"}, right: "memory.write", writes: true},
		{name: "search_sessions", p50: 100, max: 500, floor: mcp.BudgetStandard, params: []string{"query", "session_id"}, required: []string{"query"}, right: "memory.read"},
		{name: "query_entities", p50: 50, max: 200, floor: mcp.BudgetFast, params: []string{"name", "type"}, right: "world.read"},
		{name: "get_summary", p50: 80, max: 300, floor: mcp.BudgetFast, params: []string{"entity_id"}, required: []string{"entity_id"}, right: "world.read"},
		{name: "search_facts", p50: 200, max: 800, floor: mcp.BudgetStandard, params: []string{"query", "top_k"}, required: []string{"query"}, right: "memory.read"},
	}
	if len(all) != len(rows) {
		t.Errorf("%d tools, want %d", len(all), len(rows))
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			x := tool(t, all, row.name)
			d := x.Definition
			if d.EstimatedDurationMs != row.p50 || x.DeclaredP50 != row.p50 || d.MaxDurationMs != row.max || x.DeclaredMax != row.max {
				t.Errorf("P50 %d/%d, max %d/%d, want %d and %d", d.EstimatedDurationMs, x.DeclaredP50, d.MaxDurationMs, x.DeclaredMax, row.p50, row.max)
			}
			if x.Floor != row.floor {
				t.Errorf("floor = %v, want %v", x.Floor, row.floor)
			}
			if x.Permission != row.right || x.ReadOnly == row.writes || (x.Effect == tools.EffectAtCommit) != row.writes {
				t.Errorf("permission %q, read-only %v, effect %v; want %q and writes %v", x.Permission, x.ReadOnly, x.Effect, row.right, row.writes)
			}
			if !d.Idempotent || x.Destructive || x.OpenWorld || x.Inline || d.CacheableSeconds != 0 || x.Title == "" || d.Description == "" {
				t.Errorf("tool = %+v, want it titled, idempotent, uncached", x)
			}
			properties, _ := d.Parameters["properties"].(map[string]any)
			if len(properties) != len(row.params) {
				t.Errorf("parameters = %v, want %v", properties, row.params)
			}
			for _, p := range row.params {
				if properties[p] == nil {
					t.Errorf("parameter %q is missing", p)
				}
			}
			required, _ := d.Parameters["required"].([]string)
			if diff := cmp.Diff(row.required, required); diff != "" {
				t.Errorf("required (-want +got):\n%s", diff)
			}
			if !row.writes {
				check(t, d.Parameters, x.Probe)
			}
		})
	}
}

func TestProbesAreHealthyOnAnEmptyDatabase(t *testing.T) {
	s := open(t, nil)
	for _, x := range memorytool.NewTools(s, nil, s) {
		out, err := x.Handler(t.Context(), x.Probe)
		switch {
		case !x.ReadOnly:
			continue // never probed
		case x.Definition.Name == "get_summary":
			if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("get_summary: %v, want ErrInvalidArguments", err)
			}
		case err != nil:
			t.Errorf("%s: %v", x.Definition.Name, err)
		default:
			check(t, x.OutputSchema, out)
		}
	}
}

func TestRejectedArguments(t *testing.T) {
	s := open(t, wordvectors.New())
	tale(t, s)
	all := memorytool.NewTools(s, s, s)
	rows := []struct{ name, tool, args, says string }{
		{name: "no_json", tool: "search_sessions", args: `{"query":`},
		{name: "wrong_type", tool: "search_sessions", args: `{"query":5}`},
		{name: "no_query", tool: "search_sessions", args: `{}`, says: "query"},
		{name: "no_arguments", tool: "search_facts", args: ``, says: "query"},
		{name: "null", tool: "search_facts", args: `null`, says: "query"},
		{name: "blank_query", tool: "search_facts", args: `{"query":" \n"}`, says: "query"},
		{name: "top_k_zero", tool: "search_facts", args: `{"query":"x","top_k":0}`, says: "1 to 50"},
		{name: "top_k_many", tool: "search_facts", args: `{"query":"x","top_k":51}`, says: "1 to 50"},
		{name: "top_k_broken", tool: "search_facts", args: `{"query":"x","top_k":1.5}`, says: "1 to 50"},
		{name: "top_k_huge", tool: "search_facts", args: `{"query":"x","top_k":1e300}`, says: "1 to 50"},
		{name: "no_entity", tool: "get_summary", args: `{}`, says: "query_entities"},
		{name: "misspelt_entity", tool: "get_summary", args: `{"entity_id":"bartog"}`, says: `"bartok"`},
		{name: "partial_entity", tool: "get_summary", args: `{"entity_id":"flagon"}`, says: `"rusty-flagon"`},
		{name: "unknown_entity", tool: "get_summary", args: `{"entity_id":"zzzzz"}`, says: `"rusty-flagon"`},
		{name: "hidden_entity", tool: "get_summary", args: `{"entity_id":"cult"}`, says: `"bartok"`},
		{name: "no_text", tool: "remember_fact", args: `{}`, says: "text"},
		{name: "about_hidden", tool: "remember_fact", args: `{"text":"x","about":"cult"}`, says: `"bartok"`},
		{name: "known_by_nobody", tool: "remember_fact", args: `{"text":"x","known_by":[" "]}`, says: "known_by"},
		{name: "signs", tool: "get_summary", args: `{"entity_id":"?!"}`, says: `"bartok"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := tool(t, all, row.tool).Handler(as(t.Context(), "bartok"), row.args)
			if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), row.says) {
				t.Fatalf("err = %v, want ErrInvalidArguments that says %s", err, row.says)
			}
			if strings.Contains(err.Error(), "Cult of") {
				t.Errorf("err = %v tells of what the viewer may not know", err)
			}
		})
	}
}

type lines struct {
	Query string
	Count int
	Lines []struct {
		SessionID           string `json:"session_id"`
		Speaker, Text, Turn any
	}
}

func TestSearchSessions(t *testing.T) {
	s := open(t, nil)
	session := tale(t, s)
	x := tool(t, memorytool.NewTools(s, nil, s), "search_sessions")
	got := call[lines](t, t.Context(), x, `{"query":" stole the crown? "}`)
	if got.Query != "stole the crown?" || got.Count != 2 || len(got.Lines) != 2 {
		t.Fatalf("result = %+v, want both lines", got)
	}
	first := got.Lines[0]
	if first.SessionID != session || first.Speaker != "Ada" || first.Turn != 1.0 {
		t.Errorf("first line = %+v, want Ada's", first)
	}
	if n := utf8.RuneCountInString(got.Lines[1].Text.(string)); n > 600 {
		t.Errorf("a line of %d runes was returned, want at most 600", n)
	}
	if got := call[lines](t, t.Context(), x, fmt.Sprintf(`{"query":"crown","session_id":%q}`, session)); got.Count != 2 {
		t.Errorf("within session: %d lines, want 2", got.Count)
	}
	if got := call[lines](t, t.Context(), x, `{"query":"crown","session_id":"other"}`); got.Count != 0 || got.Lines == nil {
		t.Errorf("other session: %+v, want an empty list", got)
	}
	call[lines](t, t.Context(), x, fmt.Sprintf(`{"query":%q}`, strings.Repeat("crown ", 5000)))
}

func TestSearchSessionsSaysThatThereIsNothing(t *testing.T) {
	s := open(t, nil)
	x := tool(t, memorytool.NewTools(s, nil, s), "search_sessions")
	got := call[struct {
		Count int
		Note  string
	}](t, t.Context(), x, `{"query":"the silver crown"}`)
	if got.Count != 0 || got.Note == "" {
		t.Errorf("result = %+v, want no lines and a note", got)
	}
}

type entities struct {
	Count    int
	Entities []struct{ ID, Type, Name, Description string }
}

func TestQueryEntities(t *testing.T) {
	s := open(t, nil)
	tale(t, s)
	x := tool(t, memorytool.NewTools(s, nil, s), "query_entities")
	rows := []struct{ name, npc, args, want string }{
		{name: "by_name", npc: "bartok", args: `{"name":"Bartok"}`, want: "bartok"},
		{name: "by_type", npc: "bartok", args: `{"type":"location"}`, want: "rusty-flagon"},
		{name: "both", npc: "bartok", args: `{"name":"Bartok","type":"location"}`, want: ""},
		{name: "list_for_npc", npc: "bartok", args: `{}`, want: "bartok rusty-flagon"},
		{name: "list_for_mayor", npc: "mayor", args: ``, want: "bartok cult rusty-flagon"},
		{name: "list_for_operator", args: `{"name":" "}`, want: "bartok cult rusty-flagon"},
		{name: "hidden", npc: "bartok", args: `{"name":"cult"}`, want: ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := call[entities](t, as(t.Context(), row.npc), x, row.args)
			var ids []string
			for _, e := range got.Entities {
				ids = append(ids, e.ID)
				if utf8.RuneCountInString(e.Description) > 300 {
					t.Errorf("description of %s is too long", e.ID)
				}
			}
			if strings.Join(ids, " ") != row.want || got.Count != len(ids) {
				t.Errorf("%d entities %v, want %q", got.Count, ids, row.want)
			}
		})
	}
}

func TestGetSummary(t *testing.T) {
	s := open(t, nil)
	tale(t, s)
	x := tool(t, memorytool.NewTools(s, nil, s), "get_summary")
	const forBartok = `{"id":"bartok","type":"npc","name":"Bartok the Barkeep","description":"A jovial halfling.",
		"attributes":{"race":"halfling"},
		"relationships":[{"type":"owns","direction":"out","entity_id":"rusty-flagon","entity_name":"Rusty Flagon","note":"since ten years"}],
		"connected":["rusty-flagon"]}`
	for _, asked := range []string{"bartok", "Bartok", "BARTOK THE BARKEEP", "bartok-the-barkeep"} {
		t.Run(asked, func(t *testing.T) {
			got := call[map[string]any](t, as(t.Context(), "bartok"), x, fmt.Sprintf(`{"entity_id":%q}`, asked))
			var ids []any
			for _, c := range got["connected"].([]any) {
				ids = append(ids, c.(map[string]any)["id"])
			}
			got["connected"] = ids
			var want map[string]any
			must(t, "decoding want", json.Unmarshal([]byte(forBartok), &want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
	got := call[map[string]any](t, as(t.Context(), "mayor"), x, `{"entity_id":"bartok"}`)
	rels, _ := json.Marshal(got["relationships"])
	if !strings.Contains(string(rels), `"direction":"in"`) || !strings.Contains(string(rels), "Cult of the Deep") {
		t.Errorf("the mayor sees %s, want the cult's threat", rels)
	}
	lonely := call[map[string]any](t, as(t.Context(), "mayor"), x, `{"entity_id":"rusty-flagon"}`)
	if n := utf8.RuneCountInString(lonely["description"].(string)); n > 2000 {
		t.Errorf("description of %d runes, want at most 2000", n)
	}
}

type facts struct {
	Count int
	Facts []struct {
		Text, Source string
		Score        float64
	}
}

func TestSearchFacts(t *testing.T) {
	rows := []struct {
		name     string
		embedder embeddings.Provider
		noIndex  bool
		npc      string
		args     string
		want     []string // sources in order
	}{
		{name: "by_meaning", embedder: wordvectors.New(), npc: "bartok", args: `{"query":"silver crown"}`, want: []string{"session:0", "session:now", "session:now"}},
		{name: "by_meaning_secret", embedder: wordvectors.New(), npc: "mayor", args: `{"query":"mayor stole silver crown","top_k":1}`, want: []string{"entity:mayor"}},
		{name: "without_embedder_lines_follow", npc: "bartok", args: `{"query":"silver crown"}`, want: []string{"session:0", "session:now", "session:now"}},
		{name: "without_embedder_top_k", npc: "bartok", args: `{"query":"silver crown","top_k":2.0}`, want: []string{"session:0", "session:now"}},
		{name: "without_index", noIndex: true, npc: "bartok", args: `{"query":"silver crown"}`, want: []string{"session:now", "session:now"}},
		{name: "without_any", noIndex: true, npc: "bartok", args: `{"query":"spaceship"}`, want: nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, row.embedder)
			now := "session:" + tale(t, s)
			var index memory.Index = s
			if row.noIndex {
				index = nil
			}
			got := call[facts](t, as(t.Context(), row.npc), tool(t, memorytool.NewTools(s, index, s), "search_facts"), row.args)
			var sources []string
			for i, f := range got.Facts {
				sources = append(sources, strings.Replace(f.Source, now, "session:now", 1))
				if f.Score <= 0 || f.Score > 1 {
					t.Errorf("score of fact %d = %v, want a similarity", i, f.Score)
				}
			}
			if diff := cmp.Diff(row.want, sources); diff != "" || got.Count != len(sources) {
				t.Errorf("count %d, sources (-want +got):\n%s", got.Count, diff)
			}
		})
	}
	t.Run("empty_index_falls_back", func(t *testing.T) {
		s, empty := open(t, nil), open(t, wordvectors.New())
		tale(t, s)
		got := call[facts](t, t.Context(), tool(t, memorytool.NewTools(s, empty, s), "search_facts"), `{"query":"silver crown"}`)
		if got.Count != 2 || !strings.HasPrefix(got.Facts[0].Text, "Ada: ") {
			t.Errorf("facts = %+v, want both lines with their speakers", got)
		}
	})
}

func TestStoreErrorsAndCancellation(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	must(t, "Open", err)
	tale(t, s)
	all := memorytool.NewTools(s, s, s)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	args := map[string]string{"search_sessions": `{"query":"x"}`, "search_facts": `{"query":"x"}`, "query_entities": `{}`, "get_summary": `{"entity_id":"bartok"}`, "remember_fact": `{"text":"x"}`}
	for _, x := range all {
		if _, err := x.Handler(gone, args[x.Definition.Name]); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cancelled: %v, want context.Canceled", x.Definition.Name, err)
		}
	}
	must(t, "Close", s.Close())
	for _, x := range all {
		_, err := x.Handler(t.Context(), args[x.Definition.Name])
		if !errors.Is(err, sqlite.ErrClosed) || errors.Is(err, mcp.ErrInvalidArguments) {
			t.Errorf("%s on a closed store: %v, want ErrClosed", x.Definition.Name, err)
		}
	}
}

func FuzzHandlers(f *testing.F) {
	for _, s := range []string{`{}`, `{"query":"crown"}`, `{"query":"\"*","top_k":3}`, `{"name":"Bartok","type":"npc"}`, `{"entity_id":"bartok"}`, `[]`, `{"query":"\u0000"}`, `{"text":"He is bald.","about":"bartok","known_by":["mayor"]}`} {
		f.Add(s, "bartok")
	}
	s := open(f, wordvectors.New())
	tale(f, s)
	all := memorytool.NewTools(s, s, s)
	f.Fuzz(func(t *testing.T, args, npc string) {
		for _, x := range all {
			out, err := x.Handler(as(t.Context(), npc), args)
			if err == nil {
				check(t, x.OutputSchema, out)
			} else if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("%s %q: %v, want a result or ErrInvalidArguments", x.Definition.Name, args, err)
			}
			if npc != "" && npc != "mayor" && strings.Contains(out, `"id":"cult"`) {
				t.Errorf("%s shows %q to %q", x.Definition.Name, out, npc)
			}
		}
	})
}
