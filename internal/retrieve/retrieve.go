// Package retrieve searches the rule book and the memory an NPC has access to for every line that the NPC
// answers, before its model is called. A high score puts a result into the prompt; a lower one still offers
// the tools that search further.
//
//	s := &retrieve.Searcher{Rules: book, SystemOf: cfg.RulesOf, Log: store}
//	found := s.Search(ctx, retrieve.Query{Caller: caller, Text: "Can I still shoot from the ground?", Rules: true, Memory: true})
//
// The package neither chooses tiers nor writes prompts. A Searcher is safe for concurrent use.
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
	// Deadline is the maximum time a turn waits for a search.
	Deadline = 20 * time.Millisecond

	maxRules = 3
	maxLines = 5
	// maxText is the maximum length of the search text in characters.
	maxText = 600
	// lookedAt is the number of lines to fetch in order to find maxLines that may be used.
	lookedAt = 12
)

// bar holds the score thresholds for one form of line.
type bar struct {
	// promptThreshold is the threshold for the prompt, offered that for offering the tools.
	promptThreshold, offerThreshold float64
}

// The thresholds were tuned on testdata/truth/rules/dev.jsonl, testdata/truth/memory/dev.jsonl and those
// lines of testdata/truth/address/dev.tsv that address no NPC. `glyphoxa-lab eval retrieve` prints the
// results; docs/adr/0080 has the table.
var (
	ruleBars = map[form]bar{statement: {.90, .84}, question: {.78, .69}, openQuery: {.78, .69}}
	lineBars = map[form]bar{statement: {1.35, .95}, question: {.90, .47}, openQuery: {.46, .23}}
)

// Searcher searches the rule book and the session log. Its fields must not change once it is used. A nil
// Rules or Log is skipped.
type Searcher struct {
	Rules *ruleslookup.Book
	// SystemOf returns the game system of an NPC. If nil, the built-in system is used.
	SystemOf func(npc string) string
	Log      memory.SessionLog
	// Dates parses in-world times; it may be nil.
	Dates memorytool.Dates
	// ByWords disables the embedding model, for one that is too slow to answer in time.
	ByWords bool
}

// Query is a line that an NPC answers.
type Query struct {
	// Caller is the NPC. Only sources that it may know are searched.
	Caller mcp.Caller
	Text   string
	// Rules and Memory select the sources to search.
	Rules, Memory bool
	// Before is the first turn of the session that is already in the prompt. If zero, none is.
	Before int64
}

// Found is the result of a search, best first.
type Found struct {
	Rules []ruleslookup.Hit
	Lines []memory.LineHit
	// OfferRules and OfferMemory report whether the tools may find more.
	OfferRules, OfferMemory bool
	// RuleScore and LineScore are the scores of the best results, even if below the thresholds.
	RuleScore, LineScore float64
	Took                 time.Duration
}

// Offers reports whether at least one tool is worth offering.
func (f Found) Offers() bool { return f.OfferRules || f.OfferMemory }

// Reasons for a raised tier.
const (
	ReasonRules  = "rules found"
	ReasonMemory = "memory found"
)

// Reason returns the reason for raising the tier, empty if nothing was found.
func (f Found) Reason() string {
	switch {
	case f.OfferRules:
		return ReasonRules
	case f.OfferMemory:
		return ReasonMemory
	}
	return ""
}

// Search runs until it finishes or ctx ends. It reports no errors because a turn continues with the
// results there are.
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
	if q.Memory && s.Log != nil && q.Caller.NPC != "" && ctx.Err() == nil { // a caller without an NPC may see everything
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
	f.OfferRules = f.RuleScore >= b.offerThreshold
	for _, h := range hits[:min(len(hits), maxRules)] {
		if h.Score >= b.promptThreshold {
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
	f.OfferMemory = f.LineScore >= b.offerThreshold || !hits[0].Nearest
	if f.LineScore < b.promptThreshold && hits[0].Nearest {
		return
	}
	f.Lines = hits[:min(len(hits), maxLines)]
}

// usualWords is the typical length of a question at the table.
const usualWords = 9

// lengthShare normalises line scores by the question's length. A score is a share of the question: a short
// question matches by chance, and a long one never matches completely.
func lengthShare(text string) float64 {
	return math.Sqrt(float64(len(words.Split(text))) / usualWords)
}

func sameWords(a, b string) bool { return words.Key(a) == words.Key(b) }
