// Package retrieve searches the rule book and what an NPC may know of past evenings for every line that
// it answers, before its model is asked. What scores high enough goes into the prompt; a lower score
// still offers the tools that search further.
//
//	s := &retrieve.Searcher{Rules: book, SystemOf: cfg.RulesOf, Log: store}
//	found := s.Search(ctx, retrieve.Query{Caller: caller, Text: "Can I still shoot from the ground?", Rules: true, Memory: true})
//
// It decides nothing about tiers and writes no prompt. A Searcher is safe for concurrent use.
package retrieve

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// Deadline is how long a turn waits for a search.
	Deadline = 20 * time.Millisecond

	maxRules = 3
	maxLines = 5
	// maxText bounds what is searched for, in characters.
	maxText = 600
	// lookedAt is how many lines are looked at to find maxLines that may be told.
	lookedAt = 12
)

// bar is the scores from which what is found counts, for each form of a line.
type bar struct {
	// told is what goes into the prompt, offered what offers the tools.
	told, offered float64
}

// The bars were found on testdata/truth/rules/dev.jsonl, testdata/truth/memory/dev.jsonl and the lines of
// testdata/truth/address/dev.tsv that are for no NPC; `glyphoxa-lab eval retrieve` prints what
// they come to. docs/adr/0080 has the table.
var (
	ruleBars = map[form]bar{statement: {.90, .84}, question: {.78, .69}, openQuery: {.78, .69}}
	lineBars = map[form]bar{statement: {1.35, .95}, question: {.90, .47}, openQuery: {.46, .23}}
)

// Searcher searches. Its fields do not change once it is used; a nil Rules or Log is not searched.
type Searcher struct {
	Rules *ruleslookup.Book
	// SystemOf returns the game system of an NPC. If nil, it is the built-in one.
	SystemOf func(npc string) string
	Log      memory.SessionLog
	// Dates understands times of the world; it may be nil.
	Dates memorytool.Dates
	// ByWords leaves the embedding model out, because it is too far away to answer in time.
	ByWords bool
}

// Query is a line that an NPC answers.
type Query struct {
	// Caller is the NPC: only what it may know of is found.
	Caller mcp.Caller
	Text   string
	// Rules and Memory say what is searched.
	Rules, Memory bool
	// Before is the first turn of the session that is in the prompt anyway. If zero, none is.
	Before int64
}

// Found is what a search found, the best first.
type Found struct {
	Rules []ruleslookup.Hit
	Lines []memory.LineHit
	// OfferRules and OfferMemory say that the tools may find more.
	OfferRules, OfferMemory bool
	// RuleScore and LineScore are those of the best, whether or not it counts.
	RuleScore, LineScore float64
	Took                 time.Duration
}

// Offers reports whether any tool is worth offering.
func (f Found) Offers() bool { return f.OfferRules || f.OfferMemory }

// Reasons for a raised tier.
const (
	ReasonRules  = "rules found"
	ReasonMemory = "memory found"
)

// Reason says why a tier was raised, empty if nothing was found.
func (f Found) Reason() string {
	switch {
	case f.OfferRules:
		return ReasonRules
	case f.OfferMemory:
		return ReasonMemory
	}
	return ""
}

// Search searches until ctx ends. It reports no errors: a turn goes on with what was found.
func (s *Searcher) Search(ctx context.Context, q Query) (f Found) {
	start := time.Now()
	defer func() { f.Took = time.Since(start) }()
	q.Text = untrusted.Clip(q.Text, maxText)
	form := formOf(q.Text)
	if form == empty {
		return f
	}
	if q.Rules && s.Rules != nil {
		s.searchRules(&f, q, ruleBars[form])
	}
	if q.Memory && s.Log != nil && q.Caller.NPC != "" && ctx.Err() == nil { // without an NPC a caller sees all
		s.searchLines(ctx, &f, q, lineBars[form])
	}
	return f
}

func (s *Searcher) searchRules(f *Found, q Query, b bar) {
	system := ""
	if s.SystemOf != nil {
		system = s.SystemOf(q.Caller.NPC)
	}
	hits := s.Rules.Find(system, q.Text)
	if len(hits) == 0 {
		return
	}
	f.RuleScore = hits[0].Score
	f.OfferRules = f.RuleScore >= b.offered
	for _, h := range hits[:min(len(hits), maxRules)] {
		if h.Score >= b.told {
			f.Rules = append(f.Rules, h)
		}
	}
}

func (s *Searcher) searchLines(ctx context.Context, f *Found, q Query, b bar) {
	ctx = mcp.WithCaller(ctx, q.Caller)
	hits, err := memorytool.Recall(ctx, s.Log, s.Dates, memory.LineQuery{Text: q.Text, ByWords: s.ByWords, Limit: lookedAt})
	if err != nil {
		return
	}
	hits = slices.DeleteFunc(hits, func(h memory.LineHit) bool {
		return q.Before > 0 && h.Session == q.Caller.Session && h.Turn >= q.Before || sameWords(h.Text, q.Text)
	})
	if len(hits) == 0 {
		return
	}
	f.LineScore = hits[0].Score * lengthShare(q.Text)
	f.OfferMemory = f.LineScore >= b.offered || !hits[0].Nearest
	if f.LineScore < b.told && hits[0].Nearest {
		return
	}
	f.Lines = hits[:min(len(hits), maxLines)]
}

// usualWords is the length of a question at the table.
const usualWords = 9

// lengthShare makes scores of lines comparable: they are shares of the question, of which a short one is
// soon matched by chance, and a long one never wholly.
func lengthShare(text string) float64 {
	return math.Sqrt(float64(len(words.Split(text))) / usualWords)
}

func sameWords(a, b string) bool { return words.Key(a) == words.Key(b) }
