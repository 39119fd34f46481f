package truth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/lab/tabletalk"
)

// AddressLesson is what the weights of internal/address are learned from.
func (o Options) AddressLesson() tabletalk.Lesson {
	return tabletalk.Lesson{
		Source:    tabletalk.Source{Talk: o.Talk, Exchanges: o.corpus("exchanges")},
		Sequences: o.corpus("address"), Aside: setAside, Say: o.Say,
	}
}

// Quiet plays evenings of real table talk with written exchanges planted in them, and counts what NPCs
// answer that was for nobody, and what reaches them of what was for them.
func Quiet(_ context.Context, o Options) (*Report, error) {
	report := &Report{}
	part := tabletalk.Tune
	if o.Held {
		part = tabletalk.Test
	}
	all, err := o.AddressLesson().Plant(part, 7)
	if err != nil {
		return nil, err
	}
	for _, heard := range []bool{false, true} {
		scores := tally{}
		falseAnswers, causes, hours := map[string]int{}, map[string]int{}, map[string]float64{}
		for _, p := range all {
			o.say(p.Name)
			rng := rand.New(rand.NewPCG(3, 3))
			lines, took := p.Play(heard, true, rng, nil)
			lang := p.Language
			hours[lang] += took
			for _, l := range lines {
				if l.ToNPC {
					scores.count(lang+" "+l.Kind, l.Right)
					if !l.Right && !heard {
						report.missed("%s %s: %s: %q went to %v: %s", p.Name, l.Kind, l.Speaker, l.Text, l.Got.NPCs, l.Got.Why)
					}
					continue
				}
				if l.Kind != "talk" {
					scores.count(lang+" "+l.Kind+" left alone", l.Right)
				}
				if len(l.Got.NPCs) > 0 {
					falseAnswers[lang]++
					causes[lang+" "+l.Got.Route+": "+l.Got.Why]++
					if !heard {
						report.missed("%s false: %s: %q went to %v: %s (%.2f)", p.Name, l.Speaker, l.Text, l.Got.NPCs, l.Got.Why, l.Got.Confidence)
					}
				}
			}
		}
		form := map[bool]string{false: "written", true: "heard"}[heard]
		report.Tables = append(report.Tables, scoreTable("table talk, "+form+", "+part, scores.sorted()))
		t := Table{Title: "answers to lines for nobody, " + form + ", " + part, Columns: []Column{{"language", "%s"}, {"hours", "%.1f"}, {"answers", "%d"}, {"an hour", "%.2f"}}}
		for _, lang := range []string{"en", "de"} {
			t.Rows = append(t.Rows, []any{lang, hours[lang], falseAnswers[lang], float64(falseAnswers[lang]) / hours[lang]})
		}
		report.Tables = append(report.Tables, t)
		for why, n := range causes {
			report.Notes = append(report.Notes, fmt.Sprintf("%s %4d %s", form, n, why))
		}
		slices.Sort(report.Notes)
	}
	return report, nil
}
