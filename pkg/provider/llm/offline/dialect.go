package offline

import "strings"

// contracted maps colloquial words in plain form to their full forms, by language.
var contracted = [len(languages)]map[string]string{
	english: contractions(`ya=you yer=your ur=your wanna=want to gonna=going to lemme=let me gimme=give me whatcha=what are you
		wotcha=what are you dya=do you dyou=do you yall=you cmon=come on wot=what wut=what wat=what plz=please pls=please
		aint=is not innit=is it not summat=something owt=anything nowt=nothing n=and tho=though cuz=because
		dyu=do you gotcha=got you kinda=kind of sorta=sort of outta=out of dunno=dont know`),
	german: contractions(`nen=einen ne=eine nem=einem ner=einer n=ein nich=nicht ned=nicht net=nicht nix=nichts dat=das wat=was dit=das
		ick=ich icke=ich unsre=unsere ham=haben hamse=haben sie is=ist isses=ist es un=und uff=auf ooch=auch aba=aber scho=schon
		hob=hab host=hast san=sind wos=was wia=wie woas=weiss kummt=kommt kimmt=kommt gibbet=gibt es gibs=gibt es jibts=gibt es
		wars=war es hats=hat es habter=habt ihr seider=seid ihr wollter=wollt ihr koennter=koennt ihr seids=seid ihr habts=habt ihr
		wisster=wisst ihr kennter=kennt ihr ma=mal bissl=bisschen bisserl=bisschen heut=heute oeich=euch`),
}

// contractions parses "a=b c d=e": a stands for "b c", d for "e".
func contractions(list string) map[string]string {
	out, last := map[string]string{}, ""
	for w := range strings.FieldsSeq(list) {
		if short, long, ok := strings.Cut(w, "="); ok {
			last, out[short] = short, long
			continue
		}
		out[last] += " " + w
	}
	return out
}

// spellOut returns the standard form of a colloquial word: "haste" becomes "hast du", "hirin" becomes
// "hiring".
func (l *lexicon) spellOut(word string, lang language) string {
	if long := contracted[lang][word]; long != "" {
		return long
	}
	if l.vocabulary[word] {
		return word
	}
	if stem, ok := strings.CutSuffix(word, "ste"); ok && lang == german && len(stem) > 1 && l.vocabulary[stem+"st"] {
		return stem + "st du"
	}
	if strings.HasSuffix(word, "in") && lang == english && l.vocabulary[word+"g"] {
		return word + "g"
	}
	return l.correct(word)
}

// spokenWords returns the words of a line for comparison with phrases, as tokens and as strings, with the
// index of each word's original token.
func (l *lexicon) spokenWords(toks []token, lang language) (out []token, said []string, origin []int) {
	for i, k := range toks {
		words := strings.Fields(l.spellOut(plainWord(k.fold), lang))
		for n, w := range words {
			t := token{start: k.start, end: k.end, fold: w}
			if n == len(words)-1 {
				t.stop = k.stop
			}
			out, said, origin = append(out, t), append(said, w), append(origin, i)
		}
	}
	return out, said, origin
}

// isSwapped reports whether two words differ only by two swapped adjacent letters.
func isSwapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
