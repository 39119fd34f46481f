package tabletalk

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// reactionForms are common forms of a reaction, with words around it.
var reactionForms = [][2]string{{"", ""}, {"oh ", ""}, {"yeah ", ""}, {"that's ", ""}, {"", " okay"}, {"das ist ", ""}, {"ja ", ""}, {"", " wow"}}

const (
	// uptakeSteps is the number of steps after which the weights hardly change.
	uptakeSteps = 400
	// uptakeErrs is the share of lines to NPCs at or above the bar, which would
	// count as assent.
	uptakeErrs = 0.02
)

// LearnUptake trains the distinction of assent from lines to an NPC: the
// reactions that internal/address lists against the lines with which players
// continue in written conversations. The model then also recognises reactions
// close in meaning to the listed ones.
func (l Lesson) LearnUptake() (*address.Weights, error) {
	var assent, lines []Example
	rng := rand.New(rand.NewPCG(5, 5))
	all := address.Reactions()
	for i, r := range all {
		for _, form := range reactionForms {
			assent = append(assent, uptakeOf(form[0]+r+form[1], true))
		}
		assent = append(assent, uptakeOf(r+" "+all[(i+1+rng.IntN(len(all)-1))%len(all)], true))
	}
	for _, part := range []string{Learn, Tune} {
		exchanges, err := l.readExchanges(part)
		if err != nil {
			return nil, err
		}
		for _, x := range exchanges {
			asked := false // an answer to a question is not assent, and the question tells them apart
			for _, t := range x.Turns {
				if t.Who == "N" {
					asked = strings.Contains(t.Text, "?")
				}
				if !asked && (t.Kind == "follow" || t.Kind == "join") {
					lines = append(lines, uptakeOf(t.Text, false), uptakeOf(unmarked(t.Text), false))
				}
			}
		}
	}
	for i := range lines {
		lines[i].Counts = float64(len(assent)) / float64(len(lines))
	}
	w := Fit(slices.Concat(assent, lines), uptakeSteps)
	w.Words = nil
	var scores []float64
	for _, x := range lines {
		scores = append(scores, address.Probability(w.Score(x.Evidence)))
	}
	slices.Sort(scores)
	w.Bar = scores[int(float64(len(scores))*(1-uptakeErrs))]
	return w, nil
}

func uptakeOf(text string, assents bool) Example {
	return Example{Evidence: address.GatherReaction(text), ToNPC: assents, Counts: 1, Text: text}
}
