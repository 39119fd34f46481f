package guard

import (
	"strings"
	"sync"
)

// meaning is what a group of words of the lexicon has in common.
type meaning struct {
	weight float32
	deed   bool     // it is done, and what a secret is about
	words  []string // stems
	faint  []string // stems of words that only point to it
	light  []string // function words that do
}

// lexicon knows words of both languages by their stems.
type lexicon struct {
	meanings []meaning
	deeds    int // meanings before this one are deeds
	byStem   map[string][]int
}

// Weights of a word of a secret in what is told of it.
const (
	weightLight  = 0.35
	weightSimple = 0.7
	weightThing  = 1
	weightName   = 1.2
	weightDeed   = 1.5
)

// sharedLexicon is built when the first NPC with a secret is made ready.
var sharedLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{byStem: map[string][]int{}}
	l.add(deeds, weightThing)
	l.deeds = len(l.meanings)
	l.add(things, weightThing)
	l.add(lightWords, weightLight)
	return l
})

// add takes in groups, one a line. A line that begins with * is of deeds, with - of
// words that tell less; a word that ends in ~ only points to the meaning.
func (l *lexicon) add(groups string, weight float32) {
	for line := range strings.Lines(groups) {
		m := meaning{weight: weight}
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "*"); ok {
			line, m.deed, m.weight = rest, true, weightDeed
		} else if rest, ok := strings.CutPrefix(line, "-"); ok {
			line, m.weight = rest, weightSimple
		}
		id := len(l.meanings)
		for w := range strings.FieldsSeq(line) {
			w, faint := strings.CutSuffix(w, "~")
			s := stem(fold(w))
			if faint && functionWords[fold(w)] {
				m.light = append(m.light, fold(w))
				continue
			}
			if faint {
				m.faint = append(m.faint, s)
				continue
			}
			m.words = append(m.words, s)
			if ids := l.byStem[s]; len(ids) == 0 || ids[len(ids)-1] != id {
				l.byStem[s] = append(ids, id)
			}
		}
		if len(m.words) > 0 {
			l.meanings = append(l.meanings, m)
		}
	}
}

// split takes a compound apart into two words of the lexicon.
func (l *lexicon) split(w string) (first, second string, ok bool) {
	for i := 3; i <= len(w)-3; i++ {
		a, b := stem(w[:i]), stem(w[i:])
		if len(l.byStem[a]) > 0 && len(l.byStem[b]) > 0 {
			return a, b, true
		}
	}
	return "", "", false
}

// functionWords tell nothing by themselves.
var functionWords = newWordSet(`
	a an the this that these those he she it they we i you me him her us them his hers its their our my your mine yours
	is are was were be been being am has have had having of to in on at by for from with without and or but nor so as if
	than then there here who whom whose which what when where why how whatever whoever not no yes all any some every each
	either neither both only just also too very much more most many few less least into onto upon over out up down off
	about after before during while until till since because though although again ever never always now still yet even
	will would shall should can could may might must do does did done 's 't because against between among through
	der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner er sie es ihr ihm ihn ihnen
	wir uns euch du dich dir ich mich mir mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein
	seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere euer eure ist sind war waren bin bist seid
	wird werden wurde wurden worden hat habe haben hast habt hatte hatten hätte hätten wäre wären und oder aber sondern
	denn weil dass ob wenn als wie wo wer wen wem was wann warum welche welcher welches von vom zu zum zur in im ins an am
	ans auf aufs aus bei beim mit nach vor vorm über durch für gegen ohne um bis seit nicht nichts nur auch noch schon
	sehr mehr viel viele wenig damit dazu davon daran darauf dafür dabei da dann hier dort so ja nein doch mal man sich
	ab weg los fort hin her heraus herein hinein hinaus herum zurück selbst alle alles allem jeder jede jedes etwas immer nie niemals jetzt nun
`)
