package truth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// recallLine and recallQuestion are rows of the files in memory/; see the page
// there.
type recallLine struct {
	ID, Speaker, Role, Character, Date, Text string
	Present                                  []string
}

type recallQuestion struct {
	ID, Campaign, Lang, Asker, Class, Text string
	Session                                int
	Evidence                               [][]string
	Stale, Elsewhere                       []string
}

// recallThing is an entity in a world.yaml.
type recallThing struct {
	Name, Character, About string
	Aliases, Groups        []string
}

// recallCampaign is a campaign of the corpus in a store, with the evenings
// played so far.
type recallCampaign struct {
	dir    string // in the corpus
	lang   string
	groups *memory.Groups
	store  *sqlite.Store
	search tools.Tool
	lines  []string // ids, by turn
	played int
}

func slug(name string) string { return strings.ReplaceAll(words.Key(name), " ", "-") }

// openRecall opens an empty store in scratch for a campaign of the corpus.
func openRecall(ctx context.Context, dir, lang, scratch string) (c *recallCampaign, err error) {
	var world struct {
		Players, People, Places, Things []recallThing
		Groups                          []struct {
			ID, Shares string
			Members    []string
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, lang, "world.yaml"))
	if err == nil {
		err = yaml.Unmarshal(page, &world)
	}
	if err != nil {
		return nil, err
	}
	c = &recallCampaign{dir: dir, lang: lang, groups: &memory.Groups{}, lines: []string{""}}
	of, sharing := map[string][]string{}, []string{}
	for _, g := range world.Groups {
		for _, m := range g.Members {
			of[slug(m)] = append(of[slug(m)], "group-"+g.ID)
		}
		if g.Shares == "all" {
			sharing = append(sharing, "group-"+g.ID)
		}
	}
	c.groups.Set(of, sharing...)
	c.store, err = sqlite.Open(ctx, filepath.Join(scratch, lang+".db"), &sqlite.Options{Embedder: sentencevectors.New(), Groups: c.groups})
	if err != nil {
		return nil, err
	}
	for _, x := range slices.Concat(world.Players, world.People, world.Places, world.Things) {
		name := x.Name
		if x.Character != "" {
			name = x.Character
		}
		e := memory.Entity{ID: slug(name), Type: "npc", Name: name, Aliases: x.Aliases, Description: x.About}
		if err := c.store.PutEntities(ctx, e); err != nil {
			return nil, errors.Join(err, c.store.Close())
		}
	}
	for _, tool := range memorytool.NewTools(c.store, c.store, c.store) {
		if tool.Definition.Name == "search_sessions" {
			c.search = tool
		}
	}
	return c, nil
}

// play adds and indexes the evenings up to one.
func (c *recallCampaign) play(ctx context.Context, upTo int) error {
	for ; c.played < upTo; c.played++ {
		s, err := c.store.StartSession(ctx, c.lang)
		if err != nil {
			return err
		}
		lines, err := readRows[recallLine](filepath.Join(c.dir, c.lang, fmt.Sprintf("session%d.jsonl", c.played+1)))
		if err != nil {
			return err
		}
		for _, l := range lines {
			line := memory.Line{Session: s.ID, Turn: int64(len(c.lines)), Speaker: l.Speaker, DM: l.Role == "dm", Text: l.Text}
			if l.Character != "" {
				line.Speaker = l.Character
			}
			if l.Role == "npc" {
				line.NPC = slug(l.Speaker)
			}
			var heard []string
			for _, name := range l.Present {
				heard = append(heard, slug(name))
			}
			line.Present = c.groups.Share(memory.Heard(heard...))
			if _, err := c.store.Append(ctx, line); err != nil {
				return err
			}
			c.lines = append(c.lines, l.ID)
		}
		for indexed := 1; indexed > 0; {
			lines, err := c.store.IndexLines(ctx)
			facts, err2 := c.store.EmbedFacts(ctx)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			indexed = lines + facts
		}
	}
	return nil
}

// answered is the tool's result: line ids, nearest first, whether it claims
// that they answer the question, and its duration.
type answered struct {
	ids     []string
	claimed bool
	took    time.Duration
}

// ask calls the tool as the program configures it.
func (c *recallCampaign) ask(ctx context.Context, q recallQuestion) (a answered, err error) {
	if q.Asker != "DM" {
		ctx = mcp.WithCaller(ctx, mcp.Caller{NPC: slug(q.Asker)})
	}
	args, err := json.Marshal(map[string]string{"query": q.Text})
	if err != nil {
		return a, err
	}
	start := time.Now()
	text, err := c.search.Handler(ctx, string(args))
	a.took = time.Since(start)
	var found memorytool.FoundLines
	if err == nil {
		err = json.Unmarshal([]byte(text), &found)
	}
	if err != nil {
		return a, fmt.Errorf("%s: %w", q.ID, err)
	}
	a.claimed = len(found.Lines) > 0 && found.Lines[0].Score >= memorytool.SureFrom
	for _, l := range found.Lines {
		a.ids = append(a.ids, c.lines[l.Turn])
	}
	return a, nil
}

// recallScore counts the results of one kind of question.
type recallScore struct {
	questions, empty, fresh, leaks, whole int
	hops, first, five, ten                int
	// claimed counts the questions that the tool claims to answer, right those
	// of them with an answer among the first five lines.
	claimed, right int
}

func (s *recallScore) add(q recallQuestion, a answered) {
	found := a.ids
	place := func(ids []string) int {
		return slices.IndexFunc(append(found, ids...), func(id string) bool { return slices.Contains(ids, id) })
	}
	s.questions++
	if len(found) == 0 {
		s.empty++
	}
	if slices.ContainsFunc(found, func(id string) bool { return slices.Contains(q.Elsewhere, id) }) {
		s.leaks++
	}
	met, best := 0, len(found)
	for _, hop := range q.Evidence {
		s.hops++
		at := place(hop)
		best = min(best, at)
		if at >= len(found) {
			continue
		}
		met++
		for _, k := range []struct {
			n     int
			count *int
		}{{1, &s.first}, {5, &s.five}, {10, &s.ten}} {
			if at < k.n {
				*k.count++
			}
		}
	}
	if met == len(q.Evidence) {
		s.whole++
	}
	if a.claimed {
		s.claimed++
		if best < min(5, len(found)) {
			s.right++
		}
	}
	if best < len(found) && (len(q.Stale) == 0 || best < place(q.Stale)) {
		s.fresh++
	}
}

func ratio(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// recallScores are a file's scores by language and class, with "all" for the
// answerable questions of one hop.
type recallScores struct {
	by   map[string]*recallScore
	took []time.Duration // of the questions, shortest first
}

// of returns the score of a kind.
func (s *recallScores) of(kind string) *recallScore {
	if s.by[kind] == nil {
		s.by[kind] = &recallScore{}
	}
	return s.by[kind]
}

// scoreRecall asks all questions of a file.
func scoreRecall(ctx context.Context, file string) (scores *recallScores, err error) {
	all, err := readRows[recallQuestion](file)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b recallQuestion) int { return a.Session - b.Session })
	scratch, err := os.MkdirTemp("", "glyphoxa-eval-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	scores = &recallScores{by: map[string]*recallScore{}}
	for _, lang := range []string{"en", "de"} {
		c, err := openRecall(ctx, filepath.Dir(file), lang, scratch)
		if err != nil {
			return nil, err
		}
		err = scores.askAll(ctx, c, slices.DeleteFunc(slices.Clone(all), func(q recallQuestion) bool { return q.Lang != lang }))
		if err := errors.Join(err, c.store.Close()); err != nil {
			return nil, err
		}
	}
	slices.Sort(scores.took)
	return scores, nil
}

// askAll asks each question after its evening.
func (s *recallScores) askAll(ctx context.Context, c *recallCampaign, questions []recallQuestion) error {
	for _, q := range questions {
		if c.played < q.Session {
			if err := c.play(ctx, q.Session); err != nil {
				return err
			}
			if _, err := c.ask(ctx, q); err != nil { // the first question after a start reads the transcript
				return err
			}
		}
		found, err := c.ask(ctx, q)
		if err != nil {
			return err
		}
		s.took = append(s.took, found.took)
		kinds := []string{q.Lang + " " + q.Class, "all " + q.Class}
		if len(q.Evidence) == 1 {
			kinds = append(kinds, q.Lang+" answerable", "all answerable")
		}
		for _, kind := range kinds {
			s.of(kind).add(q, found)
		}
	}
	return nil
}

// tables returns the scores, and the durations of the questions.
func (s *recallScores) tables(file string) []Table {
	t := Table{Title: "memory " + file, Columns: []Column{
		{"questions about", "%s"}, {"asked", "%d"}, {"R@1", "%.2f"}, {"R@5", "%.2f"}, {"R@10", "%.2f"}, {"all hops", "%.2f"}, {"before the stale", "%.2f"},
		{"nothing found", "%.2f"}, {"claimed", "%.2f"}, {"of these right", "%.2f"}, {"leaks", "%d"},
	}}
	for _, kind := range slices.Sorted(maps.Keys(s.by)) {
		k := s.by[kind]
		t.Rows = append(t.Rows, []any{
			kind, k.questions, ratio(k.first, k.hops), ratio(k.five, k.hops), ratio(k.ten, k.hops), ratio(k.whole, k.questions), ratio(k.fresh, k.questions),
			ratio(k.empty, k.questions), ratio(k.claimed, k.questions), ratio(k.right, k.claimed), k.leaks,
		})
	}
	took := func(of int) float64 { return s.took[len(s.took)*of/100].Seconds() * 1000 }
	return []Table{t, {
		Title: "memory " + file + ", time", Columns: []Column{{"what", "%s"}, {"p50 ms", "%.1f"}, {"p95 ms", "%.1f"}},
		Rows: [][]any{{"a question", took(50), took(95)}},
	}}
}

// Memory asks the questions of testdata/truth/memory as NPCs and the DM do,
// with the program's tool and without a key.
func Memory(ctx context.Context, o Options) (*Report, error) {
	files := []string{"dev.jsonl"}
	if o.Held {
		files = append(files, "held.jsonl", "fresh/unread.jsonl", "blind/unread.jsonl")
	}
	report := &Report{}
	for _, name := range files {
		o.say("memory " + name)
		scores, err := scoreRecall(ctx, o.corpus("memory", filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		report.Tables = append(report.Tables, scores.tables(name)...)
		if n := scores.of("all not-witnessed").leaks; n > 0 {
			report.broke("%s: %d questions were answered with what their asker did not hear", name, n)
		}
		if name == "dev.jsonl" {
			report.holdRecall(scores)
		}
	}
	return report, nil
}

// holdRecall checks the scores reached on the questions that the search was
// tuned on.
func (r *Report) holdRecall(scores *recallScores) {
	for _, floor := range []struct {
		kind             string
		first, five, ten float64
	}{
		{"all answerable", 0.36, 0.62, 0.73},
		{"en answerable", 0.32, 0.59, 0.74},
		{"de answerable", 0.38, 0.63, 0.71},
		{"all two-hop", 0, 0, 0.64},
		{"all keyword", 0.95, 1, 1},
	} {
		s := scores.of(floor.kind)
		if ratio(s.first, s.hops) < floor.first || ratio(s.five, s.hops) < floor.five || ratio(s.ten, s.hops) < floor.ten {
			r.broke("%s: R@1 %.2f R@5 %.2f R@10 %.2f, want %v, %v and %v at least", floor.kind,
				ratio(s.first, s.hops), ratio(s.five, s.hops), ratio(s.ten, s.hops), floor.first, floor.five, floor.ten)
		}
	}
	if s := scores.of("all unknown"); 20*s.claimed > s.questions {
		r.broke("%d of %d questions that nobody answered are said to be answered", s.claimed, s.questions)
	}
	if s := scores.of("all keyword"); ratio(s.claimed, s.questions) < 0.85 {
		r.broke("%d of %d questions in the line's own words are said to be answered", s.claimed, s.questions)
	}
}
