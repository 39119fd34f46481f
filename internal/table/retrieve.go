package table

import (
	"context"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
)

// FoundBefore is the evidence that a search found before the model was asked.
type FoundBefore struct {
	// Rules are the rules in the prompt, and Lines is the number of earlier lines in it.
	Rules []string `json:"rules,omitempty"`
	Lines int      `json:"lines,omitempty"`
	// RuleScore and LineScore are the scores of the best matches, whether or not they are in the prompt.
	RuleScore float64 `json:"rule_score,omitempty"`
	LineScore float64 `json:"line_score,omitempty"`
	// Offers contains "rules" and "memory" if the tools for them may find more.
	Offers []string `json:"offers,omitempty"`
}

// foundBefore returns the search results for a turn, nil if nothing relevant was found.
func foundBefore(f retrieve.Found) *FoundBefore {
	if !f.Offers() && len(f.Rules)+len(f.Lines) == 0 {
		return nil
	}
	out := &FoundBefore{Lines: len(f.Lines), RuleScore: f.RuleScore, LineScore: hundredths(f.LineScore)}
	for _, r := range f.Rules {
		out.Rules = append(out.Rules, r.ID)
	}
	if f.OfferRules {
		out.Offers = append(out.Offers, "rules")
	}
	if f.OfferMemory {
		out.Offers = append(out.Offers, "memory")
	}
	return out
}

func hundredths(x float64) float64 { return float64(int(100*x+0.5)) / 100 }

// searchBefore searches the rules, and the past sessions that the NPC of a turn may know, before the tier is
// chosen. It waits at most [retrieve.Deadline], after which the turn goes on without the results. An NPC
// finds only results that it may look up itself.
func (t *Table) searchBefore(tn *turn) {
	tn.plan.found = retrieve.Found{}
	if t.o.Retrieve == nil || !tn.isAnswer() {
		return
	}
	npc := tn.addressee.agent.NPC
	q := retrieve.Query{
		Caller: mcp.Caller{NPC: npc.ID, Session: t.o.Session.ID, Blind: npc.Senses.Blind}, Text: tn.Text,
		Rules: slices.Contains(npc.Tools, "search_rules"), Memory: slices.Contains(npc.Tools, "search_sessions"),
		Before: max(1, t.turns.count-int64(t.o.RecentLines)),
	}
	if !q.Rules && !q.Memory {
		return
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), retrieve.Deadline)
	found := make(chan retrieve.Found, 1)
	t.work.Go(func() {
		defer cancel()
		found <- t.o.Retrieve.Search(ctx, q)
	})
	select {
	case tn.plan.found = <-found:
	case <-ctx.Done():
		select { // both may be ready
		case tn.plan.found = <-found:
		default:
		}
	}
	tn.plan.found.Took = time.Since(start)
}
