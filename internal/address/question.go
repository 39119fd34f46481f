package address

import "strings"

// question finds whether a line asks. Its clause begins at token i. A recogniser without
// punctuation leaves only the grammar.
func (f *facts) question(i int) bool {
	ts := f.u.tokens
	if ts[i].text == "was" && f.u.s.german || wordsThatAsk[ts[i].text] || ts[i].class&asking != 0 || f.asksYou(i) || f.verbFirst(i) {
		return true
	}
	for k := i; k < len(ts); k++ {
		if !ts[k].quoted && f.asksAt(k, k == i || ts[k].opens) {
			return true
		}
	}
	return f.tagged()
}

// asksYou reports whether a verb and "you" or "I" begin at token i.
func (f *facts) asksYou(i int) bool {
	if i+1 >= len(f.u.tokens) {
		return false
	}
	verb, next := f.u.tokens[i].text, f.u.tokens[i+1].text
	return f.u.asksYou(i) && !noVerb[verb] && (next != "du" || strings.HasSuffix(verb, "t"))
}

// verbFirst reports whether a verb and whom it asks about begin at token i: "hört der",
// "does the", "gibt's".
func (f *facts) verbFirst(i int) bool {
	ts := f.u.tokens
	t := ts[i]
	if f.u.s.german && t.owns && !withS[t.text] && (strings.HasSuffix(t.text, "t") || strings.HasSuffix(t.text, "b")) {
		return true // "schmeckt's"
	}
	if i+1 >= len(ts) || t.closes || noVerb[t.text] {
		return false
	}
	next := ts[i+1]
	if object := next.text == "it" || next.text == "that" || next.text == "this"; object && (t.text == "do" || t.text == "have") {
		return false
	}
	switch {
	case t.class&question != 0 && (next.class&(you|subject) != 0 || pronoun[next.text]):
		return true
	case auxiliaries[t.text] && i+2 < len(ts) && (next.class&(you|subject|article) != 0 || pronoun[next.text] || next.name || next.text == "not"):
		return t.text != "have" && t.text != "do" || next.text != "a" && next.text != "the"
	case contracted[t.text] && t.text != "don't":
		return true
	case !f.u.s.german || !askedAfter[next.text]:
		return false
	}
	if (next.text == "die" || next.text == "das") && orders[t.text] {
		return false // "holt das Bier"
	}
	return germanVerb[t.text] || len(t.text) > 3 && (strings.HasSuffix(t.text, "st") || strings.HasSuffix(t.text, "t") || strings.HasSuffix(t.text, "en")) && t.class&(article|asking) == 0
}

// asksAt reports whether a question begins at token k in the middle of a line: "was
// soll", "for how long", "do you".
func (f *facts) asksAt(k int, front bool) bool {
	ts := f.u.tokens
	t := ts[k]
	if k+1 >= len(ts) {
		return k > 0 && closingWords[t.text] && !mentions[ts[k-1].text]
	}
	next := ts[k+1]
	wh := wordsThatAsk[t.text] || t.class&asking != 0 || t.text == "was" || t.text == "wen" || t.text == "wem"
	switch {
	case k > 0 && wh && prepositions[ts[k-1].text] && (k == 1 || front):
		return true // "auf wen", "since when"
	case wh && (finite[next.text] || t.owns) && (k == 0 || !mentions[ts[k-1].text]):
		return true
	case t.text == "how" && (next.text == "much" || next.text == "many" || next.text == "long" || next.text == "far"):
		return k == 0 || !mentions[ts[k-1].text]
	case prepositions[t.text] && (welcher[next.text] || wordsThatAsk[next.text]):
		return true
	case t.text == "denn" && k > 0 && !t.opens:
		return true
	case front && any_[t.text]:
		return true
	case asksWithYou[t.text] && next.text == "you" && k+2 < len(ts):
		return front || !linksBefore[ts[k-1].text] && ts[k-1].class&asking == 0
	case front && t.text == "you" && (next.text == "reckon" || next.text == "sure" || next.text == "ready"):
		return true
	}
	return false
}

// tagged reports whether a line ends by asking for assent: "haven't you", "doesn't he",
// "oder".
func (f *facts) tagged() bool {
	ts := f.u.tokens
	n := len(ts)
	if n < 4 {
		return false
	}
	last, before := ts[n-1].text, ts[n-2].text
	switch {
	case last == "oder" || last == "gell" || last == "innit" || last == "ne" || before == "oder" && (last == "wie" || last == "was" || last == "nicht"):
		return true
	case (contracted[before] || auxiliaries[before]) && (pronoun[last] || last == "you" || last == "i" || last == "we"):
		return true
	case before == "you" && last == "think" && ts[n-3].text == "do", before == "you" && last == "noticed":
		return true
	}
	return false
}

var (
	wordsThatAsk = setOf(`who who's whose who'd who'll whom where'd why'd what'd wer wen wem wessen wonach worüber worum wozu weswegen womit wovon worauf wofür woran woraus wogegen wobei`)
	welcher      = setOf(`welcher welche welches welchen welchem wen wem wessen wann was`)
	prepositions = setOf(`auf an bei für vor mit von zu aus in nach gegen über unter um seit bis wegen since for by with to from of about until on at`)
	auxiliaries  = setOf(`do does did is are was were has have had can could will would should shall may must am`)
	contracted   = setOf(`isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't won't wouldn't shouldn't`)
	asksWithYou  = setOf(`do did have are can could would will were don't didn't haven't aren't can't couldn't won't`)
	askedAfter   = setOf(`er sie es wir man ihr du ich der die das jemand irgendwer irgendjemand einer eigentlich denn noch dein deine euer eure`)
	finite       = setOf(`is are was were do does did can could would should will have has had am ist sind war waren hat haben habt hast soll sollen sollte will wollt kann kannst können könnt muss müssen macht machen meint meinst kostet wird werden würde bin bist seid geht kommt darf dürfen hab habe`)
	mentions     = setOf(`know knows knew wonder guess see saw told tell ask asked sure remember care forget think thought weiß wissen weißt wisst sag sagt gesagt frag fragt gucken guck schau schauen egal or so and`)
	closingWords = setOf(`what where who when why wo wann wer wem wen woher wohin warum wieso`)
	linksBefore  = setOf(`and so as than like if that what how when while because before since who but nor i we they he she things way all everything`)
	noVerb       = setOf(`damit mit seit dort heimlichkeit gut erst fast`)
	withS        = setOf(`it that let what got`)
	any_         = setOf(`anyone anybody anything any`)
)
