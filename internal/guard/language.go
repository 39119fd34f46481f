package guard

import (
	"strings"
	"unicode"
)

// tongue is a language that is recognised by its most common words.
type tongue int

const (
	anyTongue tongue = iota // several languages, or an unknown one
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

// Words that are common in one language and do not exist in the other.
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
)

// languages are the languages that an NPC may speak.
type languages struct {
	tongue tongue // the NPC's only language, if its words are known
	own    []int  // indices of the languages in the trigrams; none if all are allowed
}

// languagesOf parses BCP 47 tags. If one is unknown to the trigrams, all languages are allowed.
func languagesOf(tags []string) languages {
	var l languages
	for _, tag := range tags {
		base, _, _ := strings.Cut(strings.ToLower(tag), "-")
		i, ok := sharedTrigrams().byTag[base]
		if !ok {
			return languages{}
		}
		l.own = append(l.own, i)
	}
	if len(tags) == 1 {
		l.tongue = tongueOf(tags[0])
	}
	return l
}

// The difference of log-likelihoods from which a sentence counts as foreign: foreignBar, plus foreignPerWord
// for each word that belongs only to the allowed languages. None of 1158 ordinary lines in English and German
// reaches it.
const (
	foreignBar     = 8
	foreignPerWord = 6
)

// isForeign reports whether a sentence as a whole is in another language. Words on the card, such as place
// names, are ignored.
func (l *languages) isForeign(s *sentence, card wordSet) bool {
	if len(l.own) == 0 || len(s.words) == 0 {
		return false
	}
	if foreignScript(s.raw) {
		return true
	}
	if len(s.words) < 3 || s.isList(s.label()) { // names of things belong to no language
		return false
	}
	ours, theirs, quoted := 0, 0, false
	telling := make([]byte, 0, len(s.raw))
	for i := range s.words {
		w := s.words[i].text
		if strings.ContainsAny(s.gap(i), "\"“”„«»") {
			quoted = !quoted
		}
		if !card[w] {
			telling = append(append(telling, s.raw[s.words[i].start:s.words[i].end]...), ' ')
		}
		en, de := commonEnglish[w] || w == "a" || strings.HasSuffix(w, "'s") && l.tongue != german, commonGerman[w] || strings.HasSuffix(w, "'s") && l.tongue == german
		switch {
		case l.tongue == anyTongue && (en || de), l.tongue == english && en && !de, l.tongue == german && de && !en:
			ours++
		case l.tongue == english && de && !quoted, l.tongue == german && en && !de && !quoted:
			theirs++
		case l.tongue == english && !quoted && strings.ContainsAny(s.raw[s.words[i].start:s.words[i].end], "äöüßÄÖÜ"):
			theirs++
		}
	}
	n := len(s.words)
	switch {
	case ours > 0 && theirs > 0 && theirs <= 3*ours, quoted, strings.ContainsAny(s.raw, "\"“”„«»"):
		return false
	case ours <= theirs && (theirs >= 2 && 4*theirs >= n || theirs >= 1 && ours == 0 && n <= 6 && 3*theirs >= n):
		return true
	}
	return sharedTrigrams().likelierElsewhere(string(telling), l.own) >= float32(foreignBar+foreignPerWord*ours)
}

// foreignScript reports whether most letters are not Latin.
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
