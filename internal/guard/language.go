package guard

import (
	"strings"
	"unicode"
)

// tongue is a language that is recognised by its commonest words.
type tongue int

const (
	anyTongue tongue = iota // several are spoken, or one that is not known
	english
	german
)

func tongueOf(tag string) tongue {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch base {
	case "en":
		return english
	case "de":
		return german
	}
	return anyTongue
}

// Words that are common in one language and none in the other, and words of others.
var (
	commonEnglish = newWordSet(`
		the and of to is are was were be been have has had you your we they he she it its this that these those with for from
		not don't can't won't i'm i'll i'd i've you're it's that's there here what who when where why how which would could
		should my our their them us if but or as at by on then than just only very some any no nothing will shall can do does
		did go going come get got give take make made let me him her his know see say said tell told want need like please
		down up out into over after before again never always under sit friend back about because more most much many all
		good well too off now through one two three four five i am`)
	commonGerman = newWordSet(`
		der die das den dem des ein eine einen einem einer und oder aber ist sind war waren wird werden wurde hat habe haben
		hatte ich du er sie es wir ihr mich dich mir dir uns euch ihn ihm ihnen nicht kein keine keinen mein meine dein deine
		sein seine mit von vom zu zum zur auf aus bei nach vor über unter durch für gegen ohne um im ins am wenn dann weil
		dass daß ob wie wo wer was warum wann noch schon nur auch sehr mehr viel viele hier dort jetzt immer nie nichts etwas
		kann kannst können will wollen muss müssen soll sollen gibt geht kommt komm macht sag sagt weiß gut ja nein doch mal
		so wieder morgen heute gern freilich bitte danke aber genug keinem keiner diese dieser dieses man sich habt seid
		nich nix dat wat ick nu hinne ham isses haste biste kannste willste gell freili`)
	commonElsewhere = newWordSet(`
		le la les un une des du de je tu il elle nous vous ils est sont et ou mais dans avec pour pas que qui ne ce cette mon ma
		el los las una es son y o pero en con por para no que mi su yo tú usted está muy como más del al se lo
		il gli uno è sono e ma nel per non che mio sua io lei molto come della degli di questo
		o os as um uma é são mas com não meu minha você
		het een en ik jij hij zij wij zijn niet met voor van maar ook dat deze
		jag du han hon och inte är att det som på med för
		nie jest się na do że to ale z i w ten jak
		est et non in cum ad sed ut qui quae quod sunt esse meam meum tuam suam mihi tibi nobis vobis eo hoc quia nunc semper
		j'ai n'ai c'est d'un d'une qu'il n'est l'ai sous chez sans cette ces ses mes ho hai fatto ha sotto lasciare nella nel della
		he ha era estaba bajo sobre tengo heb hebt mijn jouw onder niet`)
)

// isForeign reports whether a sentence is, as a whole, in another language than t.
func (t tongue) isForeign(s *sentence) bool {
	if t == anyTongue || len(s.words) == 0 {
		return false
	}
	if foreignScript(s.raw) {
		return true
	}
	own, other := commonEnglish, commonGerman
	if t == german {
		own, other = commonGerman, commonEnglish
	}
	if len(s.words) < 3 {
		return false
	}
	ours, theirs, elsewhere, quoted := 0, 0, 0, false
	for i := range s.words {
		w := s.words[i].text
		if strings.ContainsAny(s.gap(i), "\"“”„«»") {
			quoted = !quoted
		}
		switch {
		case own[w] && !other[w], own[strings.TrimSuffix(w, "'s")] && strings.HasSuffix(w, "'s") && t == german:
			ours++
		case other[w] && !own[w] && !quoted:
			theirs++
		case commonElsewhere[w] && !own[w] && !quoted:
			elsewhere++
		case t == english && !quoted && strings.ContainsAny(s.raw[s.words[i].start:s.words[i].end], "äöüßÄÖÜ"):
			theirs++
		}
	}
	n := len(s.words)
	switch {
	case ours > 0 && (theirs+elsewhere) <= 3*ours:
		return false
	case theirs >= 2 && 4*theirs >= n, theirs >= 1 && ours == 0 && n <= 6 && 3*theirs >= n:
		return true
	}
	return n >= 5 && elsewhere >= 2 && 3*elsewhere >= n || ours == 0 && n >= 4 && elsewhere >= 2
}

// foreignScript reports whether letters are, for the most part, none of Latin script.
func foreignScript(raw string) bool {
	latin, foreign := 0, 0
	for _, r := range raw {
		switch {
		case r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z'):
			latin++
		case r >= 0x80 && unicode.IsLetter(r) && unicode.Is(unicode.Latin, r):
			latin++
		case r >= 0x80 && unicode.IsLetter(r):
			foreign++
		}
	}
	return foreign > latin
}
