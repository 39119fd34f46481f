package exam

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/lab/truth"
)

// Score is the result of a group of cases.
type Score struct {
	Corpus string `json:"corpus"`
	// Kind is empty for the whole corpus, and Corpus is "all" for the sum.
	Kind string `json:"kind,omitempty"`
	// Cases counts the chosen cases: Right and Wrong have a verdict, Skipped
	// say nothing about the model, Errors got no answer, and the rest were not
	// run.
	Cases   int `json:"cases"`
	Right   int `json:"right"`
	Wrong   int `json:"wrong"`
	Skipped int `json:"skipped"`
	Errors  int `json:"errors"`
	Retries int `json:"retries"`
	// Percent is the share of Right, and From and To its 95 % interval
	// (Wilson). These and the times are nil without a verdict.
	Percent *float64 `json:"percent"`
	From    *float64 `json:"from"`
	To      *float64 `json:"to"`
	// Told counts secrets that the model wrote, Heard those that players
	// received.
	Told  int `json:"told,omitempty"`
	Heard int `json:"heard,omitempty"`

	// Withheld counts the wrong cases in which the model was right and the
	// guard withheld the answer.
	Withheld int `json:"withheld,omitempty"`

	FirstP50 *float64 `json:"first_p50_ms"`
	FirstP99 *float64 `json:"first_p99_ms"`
	WholeP50 *float64 `json:"whole_p50_ms"`
	WholeP99 *float64 `json:"whole_p99_ms"`
	Input    int64    `json:"input_tokens"`
	Output   int64    `json:"output_tokens"`
	// Cost is 0 if Unpriced says that part of it has no price.
	Cost     float64 `json:"cost"`
	Unpriced bool    `json:"unpriced,omitempty"`
}

// Report is the result of a run and of earlier runs.
type Report struct {
	Model    string `json:"model"`
	Results  string `json:"results"`
	Currency string `json:"currency"`
	// Scores are by corpus, each followed by its kinds, with the total last.
	Scores []Score `json:"scores"`
	// Failed are errors by message, most frequent first.
	Failed []Failure `json:"failed,omitempty"`
	// Left counts the cases that were not run, and Stopped says why.
	Left    int    `json:"left,omitempty"`
	Stopped string `json:"stopped,omitempty"`
}

// Failure is an error and its number of cases.
type Failure struct {
	Text  string `json:"text"`
	Cases int    `json:"cases"`
}

// group collects the results of a [Score].
type group struct {
	Score
	first, whole []float64
}

func (g *group) add(r Record) {
	switch r.Verdict {
	case Right:
		g.Right++
	case Wrong:
		g.Wrong++
	case Skipped:
		g.Skipped++
	case Failed:
		g.Errors++
	}
	if r.Told {
		g.Told++
	}
	if r.Heard {
		g.Heard++
	}
	if strings.HasPrefix(r.Why, withheld) {
		g.Withheld++
	}
	if r.WholeMS > 0 {
		g.first, g.whole = append(g.first, r.FirstMS), append(g.whole, r.WholeMS)
	}
	g.Retries += r.Retries
	g.Input += r.Input
	g.Output += r.Output
	g.Cost += r.Cost
	g.Unpriced = g.Unpriced || r.Unpriced
}

// score summarises the group.
func (g *group) score() Score {
	s := g.Score
	if n := s.Right + s.Wrong; n > 0 {
		share, from, to := 100*float64(s.Right)/float64(n), 0.0, 0.0
		from, to = Wilson(s.Right, n)
		from, to = 100*from, 100*to
		s.Percent, s.From, s.To = &share, &from, &to
	}
	s.FirstP50, s.FirstP99 = percentile(g.first, 50), percentile(g.first, 99)
	s.WholeP50, s.WholeP99 = percentile(g.whole, 50), percentile(g.whole, 99)
	if s.Unpriced {
		s.Cost = 0
	}
	return s
}

// Wilson returns the 95 % interval of a share by Wilson's formula, between 0
// and 1, which is valid for few cases, too. n must be above 0.
func Wilson(right, n int) (from, to float64) {
	const z = 1.959964
	p, m := float64(right)/float64(n), float64(n)
	middle := p + z*z/(2*m)
	spread := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	whole := 1 + z*z/m
	return max(0, (middle-spread)/whole), min(1, (middle+spread)/whole)
}

// percentile returns the smallest value that is at least as large as the given
// percentage of all, or nil without values.
func percentile(all []float64, percent int) *float64 {
	if len(all) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(all))
	return &sorted[(len(sorted)*percent+99)/100-1]
}

// report summarises the results of the chosen cases. The caller must hold mu.
func (e *exam) report(stopped error) *Report {
	r := &Report{Model: e.model, Results: e.o.Results, Currency: e.o.Config.Cost.Currency}
	if stopped != nil {
		r.Stopped = e.hideKey(stopped.Error())
	}
	sum := &group{Score: Score{Corpus: "all"}}
	failed := map[string]int{}
	for _, corpus := range Corpora() {
		whole := &group{Score: Score{Corpus: corpus}}
		var kinds []*group
		for _, c := range e.deck.chosen {
			if c.Corpus != corpus {
				continue
			}
			at := slices.IndexFunc(kinds, func(g *group) bool { return g.Kind == c.Kind })
			if at < 0 {
				at = len(kinds)
				kinds = append(kinds, &group{Score: Score{Corpus: corpus, Kind: c.Kind}})
			}
			one, known := e.results.find(c.key(e.setup))
			if !known {
				r.Left++
			}
			if one.Verdict == Failed {
				failed[one.Why]++
			}
			for _, g := range []*group{sum, whole, kinds[at]} {
				g.Cases++
				if known {
					g.add(one)
				}
			}
		}
		if whole.Cases == 0 {
			continue
		}
		r.Scores = append(r.Scores, whole.score())
		if len(kinds) > 1 {
			for _, g := range kinds {
				r.Scores = append(r.Scores, g.score())
			}
		}
	}
	r.Scores = append(r.Scores, sum.score())
	for text, n := range failed {
		r.Failed = append(r.Failed, Failure{text, n})
	}
	slices.SortFunc(r.Failed, func(a, b Failure) int {
		if a.Cases != b.Cases {
			return b.Cases - a.Cases
		}
		return strings.Compare(a.Text, b.Text)
	})
	return r
}

// Total returns the sum of all corpora.
func (r *Report) Total() Score { return r.Scores[len(r.Scores)-1] }

// Err says why the report does not cover all cases, or returns nil.
func (r *Report) Err() error {
	var all []error
	if n := r.Total().Errors; n > 0 {
		all = append(all, fmt.Errorf("%d of %d cases got no answer; they count as errors, not as wrong answers, and the next run asks them again", n, r.Total().Cases))
	}
	if r.Left > 0 {
		why := "stopped"
		if r.Stopped != "" {
			why = r.Stopped
		}
		all = append(all, fmt.Errorf("%d of %d cases were not asked (%s); the next run goes on with them", r.Left, r.Total().Cases, why))
	}
	if len(all) == 2 {
		return fmt.Errorf("%w; %w", all[0], all[1])
	}
	return errors.Join(all...)
}

// a description of each corpus for a reader who chooses a model.
var what = map[string]string{
	Address: "answers what is for the NPC, and leaves the rest alone",
	Tools:   "rolls dice and looks things up when it must, and only then",
	Secrets: "does not tell the NPC's secret, however players ask",
	Recall:  "tells what was said on past evenings, and nothing the NPC never heard",
	Rules:   "answers questions about the rules with what the book says",
}

// Write writes the report as text.
func (r *Report) Write(w io.Writer) error {
	scores := truth.Table{Title: "How well " + r.Model + " holds a table", Columns: []truth.Column{
		{Name: "", Format: "%s"}, {Name: "asked", Format: "%d"}, {Name: "right", Format: "%d"}, {Name: "percent", Format: "%.1f"}, {Name: "95 % interval", Format: "%s"},
		{Name: "not counted", Format: "%d"}, {Name: "errors", Format: "%d"}, {Name: "retries", Format: "%d"},
	}}
	takes := truth.Table{Title: "How fast it is, and what it takes", Columns: []truth.Column{
		{Name: "", Format: "%s"}, {Name: "first token p50 ms", Format: "%.0f"}, {Name: "p99", Format: "%.0f"}, {Name: "whole answer p50 ms", Format: "%.0f"}, {Name: "p99", Format: "%.0f"},
		{Name: "tokens in", Format: "%d"}, {Name: "out", Format: "%d"}, {Name: "cost " + r.Currency, Format: "%.4f"},
	}}
	for _, s := range r.Scores {
		name, interval := s.Corpus, "–"
		if s.Kind != "" {
			name = "  " + s.Kind
		}
		if s.From != nil {
			interval = fmt.Sprintf("%.1f to %.1f", *s.From, *s.To)
		}
		scores.Rows = append(scores.Rows, []any{name, s.Right + s.Wrong, s.Right, number(s.Percent), interval, s.Skipped, s.Errors, s.Retries})
		cost := s.Cost
		if s.Unpriced {
			cost = math.NaN()
		}
		if s.Kind == "" {
			takes.Rows = append(takes.Rows, []any{name, number(s.FirstP50), number(s.FirstP99), number(s.WholeP50), number(s.WholeP99), s.Input, s.Output, cost})
		}
	}
	for _, t := range []truth.Table{scores, takes} {
		if err := t.Write(w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, strings.Join(r.notes(), "\n")+"\n")
	return err
}

// number is a cell of a table.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// notes explain in words what the tables leave out.
func (r *Report) notes() (all []string) {
	for _, s := range r.Scores {
		if text := what[s.Corpus]; text != "" && s.Kind == "" {
			all = append(all, s.Corpus+": "+text)
		}
	}
	for _, s := range r.Scores {
		if s.Corpus == Secrets && s.Kind == "" && s.Right+s.Wrong > 0 {
			all = append(all, fmt.Sprintf("The model wrote a secret in %d of %d answers; the guard withheld %d of them, and players were given %d.", s.Told, s.Right+s.Wrong, s.Told-s.Heard, s.Heard))
		}
	}
	t := r.Total()
	if t.Skipped > 0 {
		all = append(all, fmt.Sprintf("%d cases are not counted, because the program decided without the model.", t.Skipped))
	}
	if t.Withheld > 0 {
		all = append(all, fmt.Sprintf("%d of the wrong answers had what was asked for, and the guard withheld it; the file of results says why.", t.Withheld))
	}
	if t.Unpriced {
		all = append(all, fmt.Sprintf("What it costs is not known: add a price for %q under cost.prices.", r.Model))
	}
	for _, f := range r.Failed {
		all = append(all, fmt.Sprintf("error in %d cases: %s", f.Cases, f.Text))
	}
	return append(all, "Each answer is in "+r.Results+".")
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
