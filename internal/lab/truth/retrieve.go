package truth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tier"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// retrieveRule is a row of retrieve/rules.jsonl, and retrieveRow one of
// retrieve/memory.jsonl: an evening, or a question. See the page there.
type retrieveRule struct {
	ID, Lang, Text string
	Want           []string
}

type retrieveRow struct {
	Kind, Campaign, Lang string

	Evening    int
	NPCPresent []string `json:"npc_present"`
	Lines      []struct {
		N         int
		Who, Text string
	}

	NPC, Who, Text string
	Want           []struct{ Evening, N int }
	Absent, Secret bool
}

// Retrieve scores the search for a line before the model is asked: does the
// prompt contain the right rule or line, or offer the tool that finds it? For
// lines that are not questions it counts how many add something to the prompt.
func Retrieve(ctx context.Context, o Options) (*Report, error) {
	book := ruleslookup.BuiltIn()
	if err := book.Warm(); err != nil {
		return nil, err
	}
	e := &retrieval{report: &Report{}, scores: tally{}, rules: &retrieve.Searcher{Rules: book}}
	steps := []func(context.Context, Options) error{e.scoreDevRules, e.scoreOrdinary, e.scoreDevMemory}
	if o.Held {
		steps = append(steps, e.scoreBlindRules, e.scoreBlindMemory)
	}
	for _, step := range steps {
		if err := step(ctx, o); err != nil {
			return nil, err
		}
	}
	e.report.Tables = append(e.report.Tables, scoreTable("retrieve", e.scores.sorted()))
	slices.Sort(e.took)
	took := func(of int) float64 { return e.took[len(e.took)*of/100].Seconds() * 1000 }
	e.report.Tables = append(e.report.Tables, Table{
		Title: "retrieve, time", Columns: []Column{{"what", "%s"}, {"p50 ms", "%.2f"}, {"p95 ms", "%.2f"}}, Rows: [][]any{{"a search", took(50), took(95)}},
	})
	for what, most := range map[string]float64{"ordinary: a rule in the prompt": 5, "ordinary: a memory in the prompt": 12} {
		if got := e.scores.of(what).percent(); got > most {
			e.report.broke("%s: %.1f %%, want %.0f at most", what, got, most)
		}
	}
	for what, least := range map[string]float64{"rules dev: in the prompt or offered": 85, "memory dev: in the prompt or offered": 85} {
		if got := e.scores.of(what).percent(); got < least {
			e.report.broke("%s: %.1f %%, want %.0f at least", what, got, least)
		}
	}
	return e.report, nil
}

// retrieval is an evaluation in progress.
type retrieval struct {
	report *Report
	scores tally
	rules  *retrieve.Searcher
	took   []time.Duration
}

func (e *retrieval) search(ctx context.Context, s *retrieve.Searcher, npc, text string) retrieve.Found {
	f := s.Search(ctx, retrieve.Query{Caller: mcp.Caller{NPC: npc}, Text: text, Rules: true, Memory: true})
	e.took = append(e.took, f.Took)
	return f
}

// byKeyword reports whether the keywords alone offer the tools in the middle of a conversation.
func byKeyword(text string) bool {
	s := tier.NewSelector()
	s.Select("Hm.", mcp.BudgetFast) // the first turn is STANDARD in any case
	return s.Select(text, mcp.BudgetFast) >= mcp.BudgetStandard
}

func (e *retrieval) countRule(name string, text string, f retrieve.Found, right func(ruleslookup.Hit) bool) {
	in := slices.ContainsFunc(f.Rules, right)
	e.scores.count(name+": by keyword alone", byKeyword(text))
	e.scores.count(name+": in the prompt", in)
	e.scores.count(name+": in the prompt or offered", in || f.OfferRules || byKeyword(text))
}

func (e *retrieval) scoreDevRules(ctx context.Context, o Options) error {
	questions, err := readRows[rulesQuestion](o.corpus("rules", "dev.jsonl"))
	if err != nil {
		return err
	}
	for _, q := range questions {
		if q.Class != "rule-question" { // the other questions are searches, not lines to an NPC
			continue
		}
		f := e.search(ctx, e.rules, "sage", q.Text)
		e.countRule("rules dev", q.Text, f, func(h ruleslookup.Hit) bool { return q.rulesAnswered(h.Category, h.Name) })
	}
	return nil
}

// ordinary are the lines of address/dev.tsv that are for no NPC.
func ordinary(o Options, lang string) ([]string, error) {
	raw, err := os.ReadFile(o.addressPart("dev"))
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) > 8 && f[5] == "none" && f[7] != "npc" && f[2] == lang {
			out = append(out, f[8])
		}
	}
	return out, nil
}

func (e *retrieval) scoreOrdinary(ctx context.Context, o Options) error {
	for _, lang := range []string{"en", "de"} {
		lines, err := ordinary(o, lang)
		if err != nil {
			return err
		}
		for _, text := range lines {
			f := e.search(ctx, e.rules, "sage", text)
			e.scores.count("ordinary: a rule in the prompt", len(f.Rules) > 0)
			e.scores.count("ordinary: rules offered", f.OfferRules)
		}
	}
	return nil
}

func (e *retrieval) scoreDevMemory(ctx context.Context, o Options) (err error) {
	all, err := readRows[recallQuestion](o.corpus("memory", "dev.jsonl"))
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b recallQuestion) int { return a.Session - b.Session })
	scratch, err := os.MkdirTemp("", "glyphoxa-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for _, lang := range []string{"en", "de"} {
		o.say("retrieve, memory " + lang)
		c, err := openRecall(ctx, o.corpus("memory"), lang, scratch)
		if err != nil {
			return err
		}
		err = e.askDevMemory(ctx, o, c, all)
		if err := errors.Join(err, c.store.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (e *retrieval) askDevMemory(ctx context.Context, o Options, c *recallCampaign, all []recallQuestion) error {
	s := &retrieve.Searcher{Log: c.store}
	npc := ""
	for _, q := range all {
		if q.Lang != c.lang || q.Asker == "DM" {
			continue
		}
		if c.played < q.Session {
			if err := c.play(ctx, q.Session); err != nil {
				return err
			}
			if _, err := c.ask(ctx, q); err != nil { // the first question reads the transcript
				return err
			}
		}
		npc = slug(q.Asker)
		f := e.search(ctx, s, npc, q.Text)
		told := func(ids []string) bool {
			return slices.ContainsFunc(f.Lines, func(h memory.LineHit) bool { return slices.Contains(ids, c.lines[h.Turn]) })
		}
		if told(q.Elsewhere) {
			e.report.broke("%s: a line that %s did not hear", q.ID, q.Asker)
		}
		if len(q.Evidence) != 1 {
			continue
		}
		e.countLine("memory dev", q.Text, f, told(q.Evidence[0]))
	}
	lines, err := ordinary(o, c.lang)
	for _, text := range lines {
		f := e.search(ctx, s, npc, text)
		e.scores.count("ordinary: a memory in the prompt", len(f.Lines) > 0)
		e.scores.count("ordinary: memory offered", f.OfferMemory)
	}
	return err
}

func (e *retrieval) countLine(name, text string, f retrieve.Found, in bool) {
	e.scores.count(name+": by keyword alone", byKeyword(text))
	e.scores.count(name+": in the prompt", in)
	e.scores.count(name+": in the prompt or offered", in || f.OfferMemory || byKeyword(text))
}

func (e *retrieval) scoreBlindRules(ctx context.Context, o Options) error {
	questions, err := readRows[retrieveRule](o.corpus("retrieve", "rules.jsonl"))
	if err != nil {
		return err
	}
	for _, q := range questions {
		f := e.search(ctx, e.rules, "sage", q.Text)
		e.countRule("rules blind", q.Text, f, func(h ruleslookup.Hit) bool { return slices.Contains(q.Want, h.ID) })
	}
	return nil
}

func (e *retrieval) scoreBlindMemory(ctx context.Context, o Options) (err error) {
	rows, err := readRows[retrieveRow](o.corpus("retrieve", "memory.jsonl"))
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "glyphoxa-eval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	byCampaign := map[string][]retrieveRow{}
	for _, r := range rows {
		byCampaign[r.Campaign] = append(byCampaign[r.Campaign], r)
	}
	for name, rows := range byCampaign {
		if err := e.askCampaign(ctx, filepath.Join(scratch, name+".db"), rows); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// askCampaign plays a campaign's evenings into a store, and asks its questions.
func (e *retrieval) askCampaign(ctx context.Context, file string, rows []retrieveRow) (err error) {
	store, err := sqlite.Open(ctx, file, &sqlite.Options{Embedder: sentencevectors.New()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	type place struct{ evening, n int }
	places, present := map[int64]place{}, map[int][]string{}
	turn := int64(0)
	for _, r := range rows {
		if r.Kind != "evening" {
			continue
		}
		session, err := store.StartSession(ctx, r.Campaign)
		if err != nil {
			return err
		}
		var heard []string
		for _, name := range r.NPCPresent {
			heard = append(heard, slug(name))
			if err := store.PutEntities(ctx, memory.Entity{ID: slug(name), Type: "npc", Name: name}); err != nil {
				return err
			}
		}
		present[r.Evening] = heard
		for _, l := range r.Lines {
			turn++
			line := memory.Line{Session: session.ID, Turn: turn, Speaker: l.Who, DM: l.Who == "DM", Text: l.Text, Present: memory.Heard(heard...)}
			if slices.Contains(r.NPCPresent, l.Who) {
				line.NPC = slug(l.Who)
			}
			places[turn] = place{r.Evening, l.N}
			if _, err := store.Append(ctx, line); err != nil {
				return err
			}
		}
	}
	for indexed := 1; indexed > 0; {
		lines, err := store.IndexLines(ctx)
		facts, err2 := store.EmbedFacts(ctx)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		indexed = lines + facts
	}
	s := &retrieve.Searcher{Log: store}
	s.Search(ctx, retrieve.Query{Caller: mcp.Caller{NPC: "anybody"}, Text: "What happened on the first evening?", Memory: true}) // reads the transcript
	for _, r := range rows {
		if r.Kind != "question" {
			continue
		}
		f := e.search(ctx, s, slug(r.NPC), r.Text)
		in, leaks := false, false
		for _, h := range f.Lines {
			at := places[h.Turn]
			leaks = leaks || !slices.Contains(present[at.evening], slug(r.NPC))
			for _, w := range r.Want {
				in = in || w.Evening == at.evening && w.N == at.n
			}
		}
		if leaks {
			e.report.broke("%s: a line of an evening at which %s was not", r.Campaign, r.NPC)
		}
		switch {
		case r.Absent:
			e.scores.count("memory blind: absent, kept", !leaks)
		case r.Secret:
			e.scores.count("memory blind: secret, kept", !leaks)
		default:
			e.countLine("memory blind", r.Text, f, in)
		}
	}
	return nil
}
