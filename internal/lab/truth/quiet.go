package truth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/lab/tabletalk"
)

// AddressLesson is the training data for the weights of internal/address.
func (o Options) AddressLesson() tabletalk.Lesson {
	return tabletalk.Lesson{
		Source:    tabletalk.Source{Talk: o.Talk, Exchanges: o.corpus("exchanges")},
		Sequences: o.corpus("address"), Aside: setAside, Say: o.Say,
	}
}

// Quiet plays evenings of real table talk with planted written exchanges, and
// counts the NPCs' answers to lines for no NPC, and the lines that reach their
// addressee. With a judge it also plays them without one first.
func Quiet(_ context.Context, o Options) (*Report, error) {
	report := &Report{}
	part := tabletalk.Tune
	if o.Held {
		part = tabletalk.Test
	}
	right, judged := judges[o.Judge]
	if !judged && o.Judge != "" {
		return nil, fmt.Errorf("there is no judge %q; there are perfect, nine, slow and failing", o.Judge)
	}
	all, err := o.AddressLesson().Plant(part, 7)
	if err != nil {
		return nil, err
	}
	for _, heard := range []bool{false, true} {
		form := map[bool]string{false: "written", true: "heard"}[heard]
		without := o.playEvenings(all, heard, nil)
		last := without
		if judged {
			last = o.playEvenings(all, heard, &right)
			report.Tables = append(report.Tables, compare(form+", "+part+", without and with the judge "+o.Judge, without, last))
		}
		report.Tables = append(report.Tables, scoreTable("table talk, "+form+", "+part, last.scores.sorted()), last.falseTable("answers to lines for nobody, "+form+", "+part))
		if !heard {
			report.Misses = append(report.Misses, last.misses...)
		}
		for why, n := range last.causes {
			report.Notes = append(report.Notes, fmt.Sprintf("%s %4d %s", form, n, why))
		}
		slices.Sort(report.Notes)
	}
	return report, nil
}

// quietScore is the result of evenings. Maps are by language unless noted.
type quietScore struct {
	scores tally // by language and kind of line
	hours  map[string]float64
	wrong  map[string]int // answers to lines for no NPC
	asked  map[string]int // lines about which the judge was asked
	causes map[string]int // of wrong answers
	misses []string
}

// playEvenings plays evenings with a judge that is right with a probability, or
// without one if that is nil.
func (o Options) playEvenings(all []*tabletalk.Evening, heard bool, right *float64) *quietScore {
	q := &quietScore{scores: tally{}, hours: map[string]float64{}, wrong: map[string]int{}, asked: map[string]int{}, causes: map[string]int{}}
	missed := func(format string, args ...any) { q.misses = append(q.misses, fmt.Sprintf(format, args...)) }
	errs := rand.New(rand.NewPCG(11, 3))
	for _, p := range all {
		o.say(p.Name)
		lang := p.Language
		var decides tabletalk.Judge
		if right != nil {
			decides = plantedJudge(*right, errs, func() { q.asked[lang]++ })
		}
		lines, took := p.Play(heard, true, rand.New(rand.NewPCG(3, 3)), decides)
		q.hours[lang] += took
		for _, l := range lines {
			if l.ToNPC {
				q.scores.count(lang+" "+l.Kind, l.Right)
				if !l.Right {
					missed("%s %s: %s: %q went to %v: %s", p.Name, l.Kind, l.Speaker, l.Text, l.Got.NPCs, l.Got.Why)
				}
				continue
			}
			if l.Kind != "talk" {
				q.scores.count(lang+" "+l.Kind+" left alone", l.Right)
			}
			if len(l.Got.NPCs) > 0 {
				q.wrong[lang]++
				q.causes[lang+" "+l.Got.Route+": "+l.Got.Why]++
				missed("%s false: %s: %q went to %v: %s (%.2f)", p.Name, l.Speaker, l.Text, l.Got.NPCs, l.Got.Why, l.Got.Confidence)
			}
		}
	}
	return q
}

// languages are those of the evenings.
var languages = []string{"en", "de"}

// falseTable is the table of answers to lines for no NPC.
func (q *quietScore) falseTable(title string) Table {
	t := Table{Title: title, Columns: []Column{{"language", "%s"}, {"hours", "%.1f"}, {"answers", "%d"}, {"an hour", "%.2f"}}}
	for _, lang := range languages {
		t.Rows = append(t.Rows, []any{lang, q.hours[lang], q.wrong[lang], float64(q.wrong[lang]) / q.hours[lang]})
	}
	return t
}

// compare is the table of the main figures, without a judge and with one.
func compare(title string, without, with *quietScore) Table {
	t := Table{Title: title, Columns: []Column{
		{"", "%s"}, {"false an hour", "%.2f"}, {"calls", "%.1f"}, {"narrated", "%.1f"}, {"follow-ups", "%.1f"}, {"joiners", "%.1f"}, {"goodbyes", "%.1f"}, {"judged an hour", "%.1f"},
	}}
	for _, lang := range languages {
		for _, one := range []struct {
			name string
			q    *quietScore
		}{{lang + " without", without}, {lang + " with", with}} {
			row := []any{one.name, float64(one.q.wrong[lang]) / one.q.hours[lang]}
			for _, kind := range []string{"call", "narrated", "follow", "join", "bye"} {
				s := one.q.scores.of(lang + " " + kind)
				row = append(row, s.percent())
			}
			t.Rows = append(t.Rows, append(row, float64(one.q.asked[lang])/one.q.hours[lang]))
		}
	}
	return t
}

// judges maps each judge's name to how often it is right; slow and failing
// judges never decide.
var judges = map[string]float64{"perfect": 1, "nine": 0.9, "slow": 0, "failing": 0}

// plantedJudge returns a judge that knows the planted lines. It is right about
// a doubtful line with probability right. If it is wrong, it assigns a line for
// no NPC to the likeliest one, and any other line to none. With 0 it never
// decides in time. asked is called for each line in question.
func plantedJudge(right float64, rng *rand.Rand, asked func()) tabletalk.Judge {
	return func(_ *address.Snapshot, _ address.State, l *tabletalk.Line, d address.Decision) address.Decision {
		if d.Doubt == nil {
			return d
		}
		asked()
		if right == 0 {
			return d
		}
		if l.ToNPC == (rng.Float64() < right) {
			if l.ToNPC {
				return d.For(0)
			}
			who := 0
			if len(d.Doubt.NPCs) > 0 {
				who = d.Doubt.NPCs[0]
			}
			return d.For(who)
		}
		return d.ForNoNPC()
	}
}
