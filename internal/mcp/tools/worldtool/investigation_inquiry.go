package worldtool

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	maxLeads    = 4 // followed in a hop
	maxExamined = 6 // findings of a hop whose names are looked at
	maxNames    = 16

	// A hit counts 1/(rankDamping+rank), as in reciprocal rank fusion. The findings of each further hop count
	// less, because they are less likely to be about the question.
	rankDamping = 6
	hopDecay    = 0.7
	// wordsWorth is the bonus for a finding that contains all words of the question.
	wordsWorth = 0.1
	// nearestWorth is the factor for findings if no source considers any of them an answer.
	nearestWorth = 0.5
)

// lead is a name to follow.
type lead struct {
	name string
	id   string // id of its entity, or empty if it has none
	via  string // the name under which its findings are shown
	// weight is the factor for the findings it leads to, at most 1.
	weight float64
}

// inquiry is a question with its findings so far. It is owned by a single goroutine.
type inquiry struct {
	question      string
	words         []string // significant words of the question, folded
	found         []*Finding
	byText        map[string]*Finding
	leads         []lead
	followed      []string
	seen          map[string]bool // keys of names and ids that were followed or queried
	answeredTools []string
	claimed       bool // whether a source considers something an answer
	failed        bool
	lacks         []string // tools that the caller may not use
}

func newInquiry(question string) *inquiry {
	return &inquiry{
		question: question,
		words:    words.ContentWords(words.Split(question), words.MaxNames),
		byText:   map[string]*Finding{},
		seen:     map[string]bool{},
	}
}

// runHop makes the queries of one hop, and reports whether it found new leads.
func (i *inquiry) runHop(ctx context.Context, hop int) bool {
	var queries []query
	var names []string
	if hop == 1 {
		names = namesIn(i.question, nil)
		everyone := lead{weight: 1}
		queries = append(queries,
			query{toolLines, map[string]any{"query": i.question}, everyone},
			query{toolFacts, map[string]any{"query": i.question}, everyone},
			query{toolRules, map[string]any{"query": i.question}, everyone})
	} else {
		for _, l := range i.leads {
			about := map[string]any{"query": strings.Join(append([]string{l.name}, i.words...), " ")}
			queries = append(queries, query{toolLines, about, l}, query{toolFacts, about, l})
			if l.id != "" {
				queries = append(queries, query{toolSummary, map[string]any{"entity_id": l.id}, l})
			}
			i.followed = append(i.followed, l.name)
		}
	}
	i.leads = nil
	before := len(i.found)
	for n, answer := range i.runQueries(ctx, queries) {
		i.recordAnswer(answer, hop, queries[n].lead)
	}
	fresh := slices.Clone(i.found[before:])
	slices.SortStableFunc(fresh, byScore)
	i.findLeads(ctx, names, fresh[:min(len(fresh), maxExamined)])
	return len(i.leads) > 0
}

// findLeads collects the leads for the next hop: first the names in the question, then those in the
// findings.
func (i *inquiry) findLeads(ctx context.Context, names []string, fresh []*Finding) {
	weight := map[string]float64{} // by name: 1 if the question contains it, otherwise the score of its best finding
	for _, n := range names {
		weight[n] = 1
	}
	for _, f := range fresh {
		for _, n := range namesIn(f.Text, i.words) {
			if weight[n] < f.Score {
				weight[n] = f.Score
			}
			names = append(names, n)
		}
		if f.Speaker != "" && !i.seen[words.Key(f.Speaker)] {
			i.addLead(lead{name: f.Speaker, weight: f.Score})
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(weight[b], weight[a]) })
	names = distinct(names)
	names = names[:min(len(names), maxNames)]
	if len(names) == 0 {
		i.trimLeads()
		return
	}
	known := map[string]bool{}
	for _, answer := range i.runQueries(ctx, []query{{tool: toolEntities, args: map[string]any{"name": strings.Join(names, " ")}}}) {
		for _, e := range answer.entities() {
			w, named := namedBy(e, names, weight)
			if !named {
				continue // only a similar spelling
			}
			for _, k := range words.Split(e.Name) {
				known[k] = true
			}
			i.addLead(lead{name: e.Name, id: e.ID, weight: w})
		}
	}
	for _, n := range names {
		if !known[words.Key(n)] && !slices.Contains(i.words, words.Key(n)) {
			i.addLead(lead{name: n, weight: weight[n] / 2})
		}
	}
	i.trimLeads()
}

// namedBy reports whether one of names is a word of an entity's name, and returns the greatest weight among
// those that are.
func namedBy(e entity, names []string, weight map[string]float64) (heaviest float64, named bool) {
	for _, k := range words.Split(e.Name) {
		for _, n := range names {
			if words.Key(n) == k && !words.Stop(k) {
				heaviest, named = max(heaviest, weight[n]), true
			}
		}
	}
	return heaviest, named
}

func (i *inquiry) addLead(l lead) {
	key := cmp.Or(l.id, words.Key(l.name))
	if key == "" || i.seen[key] {
		return
	}
	i.seen[key], i.seen[words.Key(l.name)] = true, true
	l.via = l.name
	i.leads = append(i.leads, l)
}

// trimLeads keeps the leads with the greatest weight. The others may turn up again.
func (i *inquiry) trimLeads() {
	slices.SortStableFunc(i.leads, func(a, b lead) int { return cmp.Compare(b.weight, a.weight) })
	for _, l := range i.leads[min(len(i.leads), maxLeads):] {
		delete(i.seen, l.id)
		delete(i.seen, words.Key(l.name))
	}
	i.leads = i.leads[:min(len(i.leads), maxLeads)]
}

// addFinding adds the hit of a search at the given rank, counted from 0. If a finding turns up again, its
// score increases, and it keeps the path on which it was found first.
func (i *inquiry) addFinding(f Finding, rank int, l lead) {
	key := words.Key(f.Text)
	if key == "" || key == words.Key(i.question) {
		return // the question is not an answer to itself
	}
	score := l.weight / float64(rankDamping+rank)
	for range f.Hop - 1 {
		score *= hopDecay
	}
	if old := i.byText[key]; old != nil {
		old.Score += score
		return
	}
	f.Via, f.Score = l.via, score+wordsWorth*i.share(f.Text)
	i.byText[key] = &f
	i.found = append(i.found, &f)
}

// share returns the share of the question's words that a text contains, from 0 to 1.
func (i *inquiry) share(text string) float64 {
	if len(i.words) == 0 {
		return 0
	}
	has := words.Split(text)
	n := 0
	for _, w := range i.words {
		if slices.ContainsFunc(has, func(h string) bool { return alikePassages(h, w) }) {
			n++
		}
	}
	return float64(n) / float64(len(i.words))
}

// alikePassages reports whether two words are equal, or both are long and one begins with the other, as with
// "promise" and "promised".
func alikePassages(a, b string) bool {
	return a == b || min(len(a), len(b)) >= 5 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// isAsked reports whether the question contains all words of a name.
func (i *inquiry) isAsked(name string) bool {
	of := words.ContentWords(words.Split(name), words.MaxNames)
	return len(of) > 0 && !slices.ContainsFunc(of, func(n string) bool {
		return !slices.ContainsFunc(i.words, func(w string) bool { return alikePassages(n, w) })
	})
}

// isMentioned reports whether a name was followed, or occurs in the text of a finding.
func (i *inquiry) isMentioned(name string) bool {
	key := words.Key(name)
	if key == "" {
		return false
	}
	return i.seen[key] || slices.ContainsFunc(i.found, func(f *Finding) bool {
		return strings.Contains(" "+words.Key(f.Text)+" ", " "+key+" ")
	})
}

// report returns the findings.
func (i *inquiry) report(ctx context.Context) (Report, error) {
	slices.SortStableFunc(i.found, byScore)
	r := Report{
		Question: i.question, Findings: []Finding{}, Followed: slices.Clone(i.followed), Asked: slices.Clone(i.answeredTools),
		Complete: ctx.Err() == nil && !i.failed,
	}
	if r.Followed == nil {
		r.Followed = []string{}
	}
	if len(i.answeredTools) == 0 {
		return r, i.noAnswerError()
	}
	for _, f := range i.found[:min(len(i.found), maxFindings)] {
		shown := *f
		shown.Score = float64(int(1000*f.Score/i.found[0].Score+0.5)) / 1000
		r.Findings = append(r.Findings, shown)
	}
	r.Count = len(r.Findings)
	switch {
	case r.Count == 0:
		r.Hint = "nothing is known of it"
	case !i.claimed:
		r.Hint = "nothing that was found answers this; it is merely what is nearest. Claim nothing that none of it plainly says"
		for n := range r.Findings {
			r.Findings[n].Score *= nearestWorth
		}
	case !r.Complete:
		r.Hint = "not everything could be asked; there may be more"
	}
	return r, nil
}

func byScore(a, b *Finding) int { return cmp.Compare(b.Score, a.Score) }
