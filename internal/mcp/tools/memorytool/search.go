package memorytool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

type searchSessionsArgs struct {
	Query     string `json:"query" jsonschema:"What to look for in what was said: a question, or words."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Restrict the search to this session."`
}

// FoundLines is the output of search_sessions.
type FoundLines struct {
	Query string `json:"query"`
	// Count is the number of Lines.
	Count int `json:"count"`
	// Lines are the lines relevant to the question, with the most likely answer first.
	Lines []Line `json:"lines"`
	// Note says that nothing was found, or that no line is a sure answer.
	Note string `json:"note,omitempty"`
}

// SureFrom is the score from which a line counts as an answer.
const SureFrom = 0.5

// nothingSaid and onlyNear are addressed to models that would otherwise invent an answer.
const (
	nothingSaid = "nothing that was said in your hearing answers this; do not invent an answer"
	onlyNear    = "no line has the words of the question: these are the nearest in meaning, and score says how sure that is. " +
		"Answer from one that says it in other words; if none of them does, say that you do not know"
	onlyNearest = "nothing was said about this that you know of; what is listed is merely the nearest. " +
		"Unless one of these plainly says it, do not claim anything: say that you do not know"
)

// Line is something that was said.
type Line struct {
	SessionID string `json:"session_id"`
	Speaker   string `json:"speaker"`
	// Role is the actual role of the speaker, whatever the name suggests: "player", "dm" or "npc".
	Role memory.Role `json:"role"`
	Text string      `json:"text"`
	At   time.Time   `json:"at"`
	// Date is the in-world date.
	Date string `json:"date,omitempty"`
	Turn int64  `json:"turn"`
	// Score is the confidence that the line is relevant to the question.
	Score float64 `json:"score" jsonschema:"How sure it is that the line answers; from 0.5 on it is taken for an answer, below it may say it in other words."`
}

// Sure returns the confidence, from 0 to 1, that a line answers the question. It is at least [SureFrom] if
// the log says that the line answers it, and below that if the line is merely similar.
func Sure(h memory.LineHit) float64 {
	s := max(h.Evidence/(h.Evidence+4), min(h.Score, 1)*SureFrom)
	if h.Nearest {
		return hundredths(min(s, SureFrom-0.01))
	}
	return hundredths(max(s, SureFrom))
}

func hundredths(x float64) float64 { return math.Round(100*max(0, min(1, x))) / 100 }

func (t *toolset) searchSessions() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "search_sessions",
			Description: "Search what was said in this and earlier sessions, by words and by what they mean. " +
				"Returns lines with speaker, session and time, and a score that says how sure each is; a note says if none is. " +
				"A time in the query counts, such as three days ago or a date.",
			Parameters:          tools.SchemaOf[searchSessionsArgs](tools.Bounds{"query": said}),
			EstimatedDurationMs: 100, MaxDurationMs: 500,
		},
		Title: "Search session transcripts", Permission: permMemoryRead, Floor: mcp.BudgetStandard, Probe: `{"query":"hello"}`,
		OutputSchema: tools.SchemaOf[FoundLines](tools.Bounds{"lines.score": {"minimum": 0, "maximum": 1}}), Handler: tools.JSON(t.runSearchSessions),
	})
}

func (t *toolset) runSearchSessions(ctx context.Context, args searchSessionsArgs) (FoundLines, error) {
	query, err := question(args.Query)
	if err != nil {
		return FoundLines{}, err
	}
	hits, err := t.recallAt(ctx, memory.LineQuery{Text: query, Session: args.SessionID, Viewer: viewer(ctx), Limit: maxLines})
	if err != nil {
		return FoundLines{}, fmt.Errorf("searching sessions: %w", err)
	}
	hits = hits[:min(len(hits), maxLines)]
	out := FoundLines{Query: query, Count: len(hits), Lines: make([]Line, 0, len(hits))}
	for _, h := range hits {
		out.Lines = append(out.Lines, Line{
			SessionID: h.Session, Speaker: h.Speaker, Role: h.Role(), Text: untrusted.Clip(h.Text, maxText), At: h.At, Date: h.Date.Text, Turn: h.Turn, Score: Sure(h),
		})
	}
	switch {
	case len(hits) == 0:
		out.Note = nothingSaid
	case hits[0].Nearest:
		out.Note = onlyNear
	}
	return out, nil
}

// Recall searches for lines that the caller of ctx may know about, like search_sessions. dates may be nil.
func Recall(ctx context.Context, log memory.SessionLog, dates Dates, q memory.LineQuery) ([]memory.LineHit, error) {
	q.Viewer = viewer(ctx)
	return (&toolset{sessions: log, dates: dates}).recallAt(ctx, q)
}

// recallAt finds lines. If the text refers to a time, recallAt searches the lines of those days for the rest
// of the text. If that finds none it returns all lines of those days, and only if there are none it searches
// all days.
func (t *toolset) recallAt(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error) {
	if t.dates != nil {
		if days, rest, ok := t.dates.Find(q.Text); ok {
			dated := q
			dated.Days = &days
			for _, dated.Text = range []string{rest, ""} {
				if hits, err := t.sessions.SearchLines(ctx, dated); err != nil || len(hits) > 0 {
					return hits, err
				}
			}
		}
	}
	return t.recall(ctx, q)
}

// recaller is a session log that can search by the meaning of a question.
type recaller interface {
	Recall(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error)
}

// recall searches by meaning if the log supports it, otherwise by words.
func (t *toolset) recall(ctx context.Context, q memory.LineQuery) ([]memory.LineHit, error) {
	if r, ok := t.sessions.(recaller); ok {
		hits, err := r.Recall(ctx, q)
		return informativeHits(hits), err
	}
	hits, err := t.sessions.SearchLines(ctx, q)
	hits = informativeHits(hits)
	said := slices.ContainsFunc(hits, func(h memory.LineHit) bool { return containsAll(h.Text, q.Text) })
	for i := range hits {
		hits[i].Nearest = !said
	}
	return hits, err
}

// informativeHits returns hits without lines that carry no information, such as "Aye.".
func informativeHits(hits []memory.LineHit) []memory.LineHit {
	return slices.DeleteFunc(hits, func(h memory.LineHit) bool { return !words.HasContent(h.Text) })
}

// containsAll reports whether a text contains all significant words of a question, in any form.
func containsAll(text, asked string) bool {
	stems := func(text string, most int) map[string]bool {
		all, set := words.Split(text), map[string]bool{}
		german := words.German(all)
		for _, w := range words.ContentWords(all, most) {
			set[words.Stem(w, german)] = true
		}
		return set
	}
	said := stems(text, words.MaxNames)
	for stem := range stems(asked, words.MaxNames) {
		if !said[stem] {
			return false
		}
	}
	return true
}

type searchFactsArgs struct {
	Query string `json:"query" jsonschema:"What to find out."`
	// TopK is nil for the default. It is a float because models like to write whole numbers as 5.0.
	TopK *float64 `json:"top_k,omitempty" jsonschema:"Most facts to return."`
}

// leastLikeness is the minimum similarity of a relevant fact.
const leastLikeness = 0.1

// FoundFacts is the output of search_facts.
type FoundFacts struct {
	Query string `json:"query"`
	Count int    `json:"count"`
	Facts []Fact `json:"facts"`
	// Note says that nothing was found, or only facts that are merely similar.
	Note string `json:"note,omitempty"`
}

// Fact is a known fact and its source.
type Fact struct {
	Text   string `json:"text"`
	Source string `json:"source"`
	// At is when the fact was said, and Date the in-world date of that.
	At   *time.Time `json:"at,omitempty"`
	Date string     `json:"date,omitempty"`
	// Since is the in-world date from which the fact is true, and Until the one from which it no longer is.
	// Superseded is when a later statement replaced it.
	Since      string     `json:"since,omitempty"`
	Until      string     `json:"until,omitempty"`
	Superseded *time.Time `json:"superseded,omitempty"`
	// Score is how similar the fact is to the question.
	Score float64 `json:"score" jsonschema:"How well it fits the question, from 0 to 1."`
}

// isQuestion reports whether the fact is a question asked at the table.
func (f *Fact) isQuestion() bool {
	return strings.HasPrefix(f.Source, "session:") && strings.HasSuffix(strings.TrimSpace(f.Text), "?")
}

func (t *toolset) searchFacts() tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "search_facts",
			Description: "Search for facts across the whole session history by meaning. " +
				"Returns short texts with their source, the best first; a note says if none of them is taken for an answer. " +
				"What is superseded was true once, until the day given, and is no longer.",
			Parameters: tools.SchemaOf[searchFactsArgs](tools.Bounds{
				"query": said, "top_k": {"type": "integer", "minimum": 1, "maximum": maxTopK, "default": defaultTopK},
			}),
			EstimatedDurationMs: 200, MaxDurationMs: 800,
		},
		Title: "Search facts", Permission: permMemoryRead, Floor: mcp.BudgetStandard, Probe: `{"query":"hello"}`,
		OutputSchema: tools.SchemaOf[FoundFacts](tools.Bounds{"facts.score": {"minimum": 0, "maximum": 1}}),
		Handler:      tools.JSON(t.runSearchFacts),
	})
}

func (t *toolset) runSearchFacts(ctx context.Context, args searchFactsArgs) (FoundFacts, error) {
	query, err := question(args.Query)
	if err != nil {
		return FoundFacts{}, err
	}
	k, err := topK(args.TopK)
	if err != nil {
		return FoundFacts{}, err
	}
	facts, err := t.indexed(ctx, query, k)
	if err != nil {
		return FoundFacts{}, fmt.Errorf("searching facts: %w", err)
	}
	said, claimed, err := t.transcribed(ctx, query, k)
	if err != nil {
		return FoundFacts{}, fmt.Errorf("searching facts in sessions: %w", err)
	}
	out := FoundFacts{Query: query, Facts: fuse(k, facts, said)}
	switch out.Count = len(out.Facts); {
	case out.Count == 0:
		out.Note = nothingSaid
	case !claimed && !slices.ContainsFunc(out.Facts, func(f Fact) bool { return !f.isQuestion() && containsAll(f.Text, query) }):
		out.Note = onlyNearest
	}
	return out, nil
}

func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func topK(asked *float64) (int, error) {
	if asked == nil {
		return defaultTopK, nil
	}
	if k := int(*asked); float64(k) == *asked && 1 <= k && k <= maxTopK {
		return k, nil
	}
	return 0, fmt.Errorf("%w: top_k is %v; use a whole number from 1 to %d", mcp.ErrInvalidArguments, *asked, maxTopK)
}

// fuse merges several result lists for one question by reciprocal rank. A fact near the top of several lists
// comes first. It keeps the higher of its scores, because those say how well it fits the question.
func fuse(k int, lists ...[]Fact) []Fact {
	const damping = 60 // the usual constant: it makes the first places count only a little more than the next
	type key struct{ source, text string }
	type placed struct {
		Fact
		weight float64
	}
	places := map[key]int{}
	var all []placed
	for _, list := range lists {
		for rank, f := range list {
			weight := 1 / float64(damping+1+rank)
			if i, ok := places[key{f.Source, f.Text}]; ok {
				all[i].weight += weight
				all[i].Score = max(all[i].Score, f.Score)
				continue
			}
			places[key{f.Source, f.Text}] = len(all)
			all = append(all, placed{f, weight})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(b.weight, a.weight) })
	out := []Fact{}
	for _, p := range all[:min(len(all), k)] {
		p.Score = min(max(p.Score, 0), 1)
		out = append(out, p.Fact)
	}
	return out
}

// indexed returns matches from the index, if there is one. It puts questions asked at the table after
// statements, and drops facts that merely repeat the question.
func (t *toolset) indexed(ctx context.Context, query string, k int) ([]Fact, error) {
	out := []Fact{}
	if t.index == nil {
		return out, nil
	}
	hits, err := t.index.SearchFacts(ctx, query, viewer(ctx), k)
	if err != nil {
		return nil, err
	}
	for _, h := range hits[:min(len(hits), k)] {
		if h.Score < leastLikeness {
			continue
		}
		f := Fact{
			Text: untrusted.Clip(h.Text, maxText), Source: h.Source, At: timeOf(h.At), Date: h.Date.Text,
			Since: h.Since.Text, Until: h.Until.Text, Superseded: timeOf(h.Superseded), Score: h.Score,
		}
		if _, said, ok := strings.Cut(f.Text, ": "); ok && f.isQuestion() && containsAll(query, said) {
			continue
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b Fact) int { return cmp.Compare(order(a.isQuestion()), order(b.isQuestion())) })
	return out, nil
}

// order returns 1 if holds is true and 0 otherwise, so that items for which it is false sort first.
func order(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// transcribed returns lines of the session log as facts, and whether the log considers them answers.
func (t *toolset) transcribed(ctx context.Context, query string, k int) (out []Fact, claimed bool, err error) {
	hits, err := t.recall(ctx, memory.LineQuery{Text: query, Viewer: viewer(ctx), Limit: k})
	if err != nil {
		return nil, false, err
	}
	for _, h := range hits {
		claimed = claimed || !h.Nearest
		said := h.Text
		if h.Speaker != "" {
			said = h.Speaker + ": " + said
		}
		out = append(out, Fact{Text: untrusted.Clip(said, maxText), Source: "session:" + h.Session, At: timeOf(h.At), Date: h.Date.Text, Score: Sure(h)})
	}
	return out, claimed, nil
}
