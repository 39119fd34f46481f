package worldtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func investigationMust(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// newHost returns a host with the tools used by an investigation, over a small story.
func newHost(t *testing.T, more ...tools.Tool) *mcphost.Host {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "tale.db"), nil)
	investigationMust(t, "Open", err)
	t.Cleanup(func() { investigationMust(t, "closing the store", s.Close()) })
	session, err := s.StartSession(t.Context(), "Eldermoor")
	investigationMust(t, "StartSession", err)
	for i, l := range []memory.Line{
		{Speaker: "Ada", Text: "Good evening. Foul weather, isn't it?"},
		{Speaker: "Osric", NPC: "osric", Text: "The ferryman's widow, Hedda, lost her son in the spring flood."},
		{Speaker: "Ada", Text: "Hedda, we promise you the ferry bell, before the first frost."},
		{Speaker: "Brom", Text: "I need new boots, these leak."},
		{Speaker: "Osric", NPC: "osric", Text: "Boots are at Wilma's, by the north gate."},
	} {
		l.Session, l.Turn, l.At = session.ID, int64(i+1), time.Date(2026, 3, 1, 20, i, 0, 0, time.UTC)
		_, err := s.Append(t.Context(), l)
		investigationMust(t, "Append", err)
	}
	investigationMust(t, "PutEntities", s.PutEntities(t.Context(),
		memory.Entity{ID: "hedda", Type: "npc", Name: "Hedda", Description: "The ferryman's widow."},
		memory.Entity{ID: "ferry-bell", Type: "item", Name: "Ferry Bell", Description: "It hangs in the tower now."},
		memory.Entity{ID: "pact", Type: "item", Name: "The Drowned Pact", Description: "Hedda sold her name.", Visible: []string{"corvane"}}))
	investigationMust(t, "PutRelations", s.PutRelations(t.Context(),
		memory.Relation{From: "hedda", Type: "wants_back", To: "ferry-bell", Note: "It was her husband's."},
		memory.Relation{From: "hedda", Type: "signed", To: "pact", Visible: []string{"corvane"}}))
	host := mcphost.New()
	t.Cleanup(func() { investigationMust(t, "closing the host", host.Close()) })
	book := ruleslookup.BuiltIn()
	investigationMust(t, "reading the rules", book.Warm())
	all := slices.Concat(memorytool.NewTools(s, s, s), ruleslookup.NewTools(book), worldtool.NewInvestigation(), more)
	investigationMust(t, "RegisterBuiltin", host.RegisterBuiltin(all...))
	return host
}

// everything lists the tools of an NPC that may use all sources.
var everything = []string{"investigate", "search_sessions", "search_facts", "query_entities", "get_summary", "search_rules"}

func inquire(t *testing.T, host *mcphost.Host, npc string, list []string, args string) (worldtool.Report, error) {
	t.Helper()
	ts := host.Toolset(mcphost.ToolsetOptions{Tier: mcp.BudgetDeep, Allow: list})
	res, err := ts.Execute(mcp.WithCaller(t.Context(), mcp.Caller{NPC: npc}), "investigate", args)
	if err != nil {
		return worldtool.Report{}, err
	}
	var r worldtool.Report
	investigationMust(t, "reading the report", json.Unmarshal([]byte(res.Text), &r))
	return r, nil
}

func textsOf(r worldtool.Report) (all []string) {
	for _, f := range r.Findings {
		all = append(all, f.Text)
	}
	return all
}

// holds returns the finding whose text contains words, or nil.
func holds(r worldtool.Report, words string) *worldtool.Finding {
	for i := range r.Findings {
		if strings.Contains(r.Findings[i].Text, words) {
			return &r.Findings[i]
		}
	}
	return nil
}

func TestSecondHopIsTaken(t *testing.T) {
	host := newHost(t)
	r, err := inquire(t, host, "osric", everything, `{"question":"What is owed to the woman whose son was lost in the flood?"}`)
	investigationMust(t, "investigate", err)
	first, second := holds(r, "lost her son"), holds(r, "we promise you the ferry bell")
	if first == nil || first.Hop != 1 || !strings.HasPrefix(first.Source, "session:") || first.Speaker != "Osric" || first.At == nil {
		t.Errorf("the line about the son is %+v of %q, want it at hop 1 with session, speaker and time", first, textsOf(r))
	}
	if second == nil || second.Hop == 2 && second.Via != "Hedda" {
		t.Errorf("the promise is %+v of %q, want it at once or at hop 2 by way of Hedda", second, textsOf(r))
	}
	if wants := holds(r, "Hedda wants back Ferry Bell"); wants == nil || wants.Kind != "relation" || wants.Source != "entity:hedda" {
		t.Errorf("the relation is %+v of %q, want it from hedda", wants, textsOf(r))
	}
	if !r.Complete || !slices.Contains(r.Followed, "Hedda") {
		t.Errorf("complete %v, followed %q; want all asked, Hedda among those followed", r.Complete, r.Followed)
	}
}

func TestOneHopStaysWithTheQuestion(t *testing.T) {
	r, err := inquire(t, newHost(t), "osric", everything, `{"question":"What is owed to the woman whose son was lost in the flood?","hops":1}`)
	investigationMust(t, "investigate", err)
	if len(r.Followed) > 0 || slices.ContainsFunc(r.Findings, func(f worldtool.Finding) bool { return f.Hop != 1 }) {
		t.Errorf("followed %q, findings %+v; want nothing beyond hop 1", r.Followed, r.Findings)
	}
}

func TestNothingIsFoundThatTheCallerMayNotKnow(t *testing.T) {
	host := newHost(t)
	const question = `{"question":"What did Hedda sign, and what about the Drowned Pact?","hops":3}`
	if r, err := inquire(t, host, "osric", everything, question); err != nil || holds(r, "Pact") != nil || holds(r, "sold her name") != nil {
		t.Errorf("%q, %v; want nothing of the pact", textsOf(r), err)
	}
	if r, err := inquire(t, host, "corvane", everything, question); err != nil || holds(r, "Pact") == nil {
		t.Errorf("%q, %v; want the pact, of which she knows", textsOf(r), err)
	}
}

func TestOnlyTheCallersToolsAreAsked(t *testing.T) {
	host := newHost(t)
	r, err := inquire(t, host, "osric", []string{"investigate", "query_entities", "get_summary"}, `{"question":"Who is Hedda?"}`)
	investigationMust(t, "investigate", err)
	if slices.Contains(r.Asked, "search_sessions") || holds(r, "we promise") != nil || holds(r, "The ferryman's widow.") == nil {
		t.Errorf("asked %q, found %q; want the entity alone", r.Asked, textsOf(r))
	}
	if _, err := inquire(t, host, "osric", []string{"investigate"}, `{"question":"Who is Hedda?"}`); !errors.Is(err, mcp.ErrNotAllowed) || !strings.Contains(err.Error(), "search_sessions") {
		t.Errorf("err = %v, want one that says which tools to list beside it", err)
	}
}

func TestRulesAreAmongTheSources(t *testing.T) {
	r, err := inquire(t, newHost(t), "osric", everything, `{"question":"grappled"}`)
	investigationMust(t, "investigate", err)
	if f := holds(r, "Grappled"); f == nil || f.Kind != "rule" || f.Source != "rule:condition-grappled" {
		t.Errorf("the rule is %+v of %q", f, textsOf(r))
	}
}

func TestNothingIsInvented(t *testing.T) {
	r, err := inquire(t, newHost(t), "osric", everything, `{"question":"zxqv wvutq"}`)
	investigationMust(t, "investigate", err)
	if r.Count != 0 || r.Hint == "" {
		t.Errorf("found %q, hint %q; want nothing, and that said", textsOf(r), r.Hint)
	}
}

func TestBadArgumentsAreNamed(t *testing.T) {
	host := newHost(t)
	for args, words := range map[string]string{
		`{}`:                          "question",
		`{"question":" "}`:            "question",
		`{"question":"a","hops":4}`:   "hops",
		`{"question":"a","hops":1.5}`: "hops",
	} {
		if _, err := inquire(t, host, "osric", everything, args); !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want one that names %s", args, err, words)
		}
	}
}

// door gives a caller access to the test's own tools.
type door func(ctx context.Context, name, args string) (mcp.Result, error)

func (d door) Execute(ctx context.Context, name, args string) (mcp.Result, error) {
	return d(ctx, name, args)
}

func handler(t *testing.T) tools.Handler {
	t.Helper()
	return worldtool.NewInvestigation()[0].Handler
}

// TestSlowSourceCostsItsFindingsOnly has one source that never answers: the other
// findings are reported before the deadline, together with the note that something is
// missing.
func TestSlowSourceCostsItsFindingsOnly(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	ctx = mcp.WithExecutor(ctx, door(func(ctx context.Context, name, _ string) (mcp.Result, error) {
		switch name {
		case "search_sessions":
			return mcp.Result{Text: `{"lines":[{"session_id":"s","speaker":"Ada","text":"the bell is cracked","turn":3}]}`}, nil
		case "search_facts":
			<-ctx.Done()
			return mcp.Result{}, context.Cause(ctx)
		}
		return mcp.Result{}, mcp.ErrUnknownTool
	}))
	text, err := handler(t)(ctx, `{"question":"what about the bell"}`)
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v, %v; want an answer in time", err, ctx.Err())
	}
	var r worldtool.Report
	investigationMust(t, "reading the report", json.Unmarshal([]byte(text), &r))
	if r.Complete || r.Count != 1 || r.Hint == "" {
		t.Errorf("%s; want the one line, and that it is not all", text)
	}
}

// FuzzAnswers has sources return any text.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"lines":[{"session_id":"s","speaker":"Ada","text":"the bell of Hedda","at":"2026-03-01T20:00:00Z","turn":3}]}`)
	f.Add(`{"entities":[{"id":"hedda","name":"Hedda"}],"relationships":[{"type":"x","direction":"in"}],"name":"Hedda","facts":[{"text":"a: b"}]}`)
	f.Add(`{"results":[{"score":1e308,"name":"\u0000"}]}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, answer string) {
		ctx := mcp.WithExecutor(t.Context(), door(func(context.Context, string, string) (mcp.Result, error) {
			return mcp.Result{Text: answer}, nil
		}))
		text, err := handler(t)(ctx, `{"question":"what of Hedda and the bell?","hops":3}`)
		if err != nil {
			t.Fatal(err)
		}
		var r worldtool.Report
		investigationMust(t, "reading the report", json.Unmarshal([]byte(text), &r))
		for _, found := range r.Findings {
			if found.Score < 0 || found.Score > 1 || found.Hop < 1 || found.Hop > 3 {
				t.Errorf("finding %+v is out of its bounds", found)
			}
		}
	})
}

// TestWhatIsMerelyNearIsNotClaimed: if no line answers, the nearest one is reported with
// the note that it is no answer; a real answer comes without that note.
func TestWhatIsMerelyNearIsNotClaimed(t *testing.T) {
	host := newHost(t)
	for question, claimed := range map[string]bool{
		"What colour is the emperor's horse?":                                 false,
		"Which song did the bishop sing at the king's feast":                  false,
		"What did we promise Hedda before the first frost?":                   true,
		"Where can I get new boots that do not leak?":                         true,
		"What did we promise the woman who lost her son in the spring flood?": true,
	} {
		args, err := json.Marshal(map[string]string{"question": question})
		investigationMust(t, "writing the question", err)
		r, err := inquire(t, host, "osric", everything, string(args))
		investigationMust(t, "investigate", err)
		if near := strings.Contains(r.Hint, "merely what is nearest"); near == claimed && r.Count > 0 {
			t.Errorf("%q: hint %q, findings %+v", question, r.Hint, r.Findings)
		}
		if claimed && (r.Count == 0 || r.Findings[0].Score != 1) || !claimed && r.Count > 0 && r.Findings[0].Score > 0.5 {
			t.Errorf("%q: the first finding of %d is worth %+v", question, r.Count, r.Findings)
		}
	}
}
