package address

import (
	"slices"
	"strings"
)

// vocative finds a name that is called without punctuation: the words before do not govern it, and the words
// after address someone. Some recognisers write no punctuation.
func (u *utterance) vocative(c *clause) ([]match, bool) {
	ms := c.matches()
	for k := len(ms) - 1; k >= 0; k-- {
		m := ms[k]
		if m.owned || m.form.led && u.tokens[m.first].class&article != 0 && (c.first > 0 || !u.leadsClause(c, m.first)) || k > 0 && ms[k-1].last+1 == m.first {
			continue // a run is examined from its first name
		}
		run := u.adjacentNames(c, m.first)
		if run[len(run)-1].owned || !u.mayFollow(c, m) {
			continue
		}
		next := run[len(run)-1].last + 1
		front := u.leadsClause(c, m.first)
		switch {
		case next >= c.core && (front || len(run) > 1 && u.afterHail(c, m.first)):
			return run, true
		case next >= c.core:
			continue
		case m.form.led:
			continue // "the captain you …"
		case m.form.title && front && (!u.tellsOf(next) || u.tokens[next].class&joins != 0 && len(run) == 1 || next+1 < c.core && points[u.tokens[next+1].text]):
			return run, true
		case u.turnsTo(next, m.form.common) && !(front && len(run) == 1 && m.form.common && modalName[m.form.words[0]] && !u.saysWhatWas(next)):
			return run, true
		case len(run) == 1 && alwaysCalled[m.form.words[0]] && addresses(u.tokens, m):
			return run, true
		case front && len(run) == 1 && !m.form.common && startsClause(u.tokens[next:]):
			return run, true // "Möwe das Fass da …"
		case front && len(run) > 1 && !u.tellsOf(next) && u.second:
			return run, true
		}
	}
	return nil, false
}

// points are words after a verb that make a question of "captain is …".
var points = setOf(`that this it there he she das es er sie da`)

// modalName are names that are verbs before a pronoun: "May I", "Will you".
var modalName = map[string]bool{"may": true, "will": true, "hope": true, "can": true, "mark": true}

// tellsPast are verbs in the past tense.
var tellsPast = setOf(`was were had did said saw went came got told gave took heard knew left made found lost
	war waren warst hatte hatten hattest hat haben habt gesagt gesehen gehört gewesen wusste kam ging stand saß`)

// saysWhatWas reports whether "you" and a verb in the past tense follow: "May you said …".
func (u *utterance) saysWhatWas(i int) bool {
	if u.tokens[i].class&you == 0 {
		return true // a question word, or a verb
	}
	return i+1 < len(u.tokens) && tellsPast[u.tokens[i+1].text]
}

// leadsClause reports whether only greetings, sounds and honorifics precede token i in its clause.
func (u *utterance) leadsClause(c *clause, i int) bool {
	for k := c.first; k < i; k++ {
		t := u.tokens[k]
		if t.class&(opener|sound|honorific|hail|joins) == 0 && !callOpener[t.text] || t.class&(article) != 0 && t.class&opener == 0 {
			return false
		}
	}
	return true
}

// callOpener are further words that may precede a name that is called.
var callOpener = map[string]bool{"nice": true, "great": true, "actually": true, "anyway": true, "guys": true, "hang": true, "hold": true, "moment": true, "quick": true, "question": true, "mal": true, "denn": true}

// afterHail reports whether a greeting is directly before token i.
func (u *utterance) afterHail(c *clause, i int) bool {
	return i > c.first && u.tokens[i-1].class&hail != 0
}

// mayFollow reports whether a name may be a call after the words before it.
func (u *utterance) mayFollow(c *clause, m match) bool {
	i := m.first
	for i > c.first && u.tokens[i-1].class&honorific != 0 && u.tokens[i-1].class&article == 0 {
		i--
	}
	if i == c.first {
		return true
	}
	before := u.tokens[i-1]
	if before.class&hail != 0 {
		return true
	}
	if before.class&joins != 0 && u.leadsClause(c, i) {
		return true
	}
	if before.class&article != 0 && before.class&(opener|you) == 0 || governs[before.text] {
		return false
	}
	if before.class&joins != 0 && i-1 > c.first && !u.leadsClause(c, i) {
		return false
	}
	return true
}

// governs are words that make a name after them part of the sentence.
var governs = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`did does do has will would can could should may might must of to with from at for by about like than as in on into near behind under over after before against without between through towards toward around is was are were be am been
		ask tell asked told see saw meet met know knew trust follow get got call called named meant mean want help give gave let find kill hit grab take love hate thank say says said not and or if that because while whether the
		von mit zu zum zur bei beim über an am für gegen in im auf aus nach vor hinter unter ohne um durch neben zwischen als wie ist war sind sein heißt frag fragt frage sag sagt gefragt gesagt wegen seit bis dass ob weil wenn und oder nicht kein
		hat habe hab kennt kenne traut glaubt sieht sehe seh gib gibt hilft hilf hol holt auch bloß anders mein meine der die das den dem ein eine ne würde würd lass lasst was wer`) {
		m[w] = true
	}
	return m
}()

// tellsOf reports whether a statement about someone continues at token i: "is hiding", "hat das Bier".
func (u *utterance) tellsOf(i int) bool {
	t := u.tokens[i]
	if u.turnsTo(i, false) {
		return false
	}
	return t.class&about != 0 && t.class&(you|subject) == 0 || u.thirdPerson(t)
}

// turnsTo reports whether the words from token i on address someone: a question, "you", or a request. careful
// excludes requests, for names that are also everyday words.
func (u *utterance) turnsTo(i int, careful bool) bool {
	t := u.tokens[i]
	next := token{}
	if i+1 < len(u.tokens) {
		next = u.tokens[i+1]
	}
	switch {
	case t.class&asking != 0 && t.class&about == 0, questionWord[t.text]:
		return true
	case t.text == "ihr" || t.text == "sie":
		return false
	case t.text == "you" || t.text == "du" || t.text == "you've" || t.text == "you're" || t.text == "you'd" || t.text == "your" || t.text == "dein" || t.text == "y'all" || t.text == "dich":
		return true
	case alwaysAsks[t.text] && (next.class&(you|subject|article) != 0 || pronoun[next.text]):
		return true
	case mayAsk[t.text]:
		return pronoun[next.text] && next.text != "der" && next.text != "die" && next.text != "ihr" && !(i+2 < len(u.tokens) && persons[u.tokens[i+2].text]) || next.class&subject != 0 ||
			(next.text == "the" || next.text == "der" || next.text == "die" || next.text == "das") && (i+4 < len(u.tokens) && !superlative(u.tokens[i+2:]))
	case u.asksYou(i):
		return true
	case u.s.german && (strings.HasSuffix(t.text, "t") || strings.HasSuffix(t.text, "en")) && t.class&question == 0 && (next.text == "ihr" || next.text == "du" || next.text == "sie" || next.text == "man" || next.text == "wir" || next.text == "dein" || next.text == "deine"):
		return true
	case careful:
		return false
	case orders[t.text]:
		return true
	case t.text == "please" || t.text == "bitte" || t.class&hail != 0:
		return true
	}
	return false
}

// startsClause reports whether words begin a sentence of their own, which cannot be about the person named
// before it.
func startsClause(ts []token) bool {
	switch ts[0].text {
	case "the", "this", "that", "these", "those", "my", "our", "there", "here", "if", "when", "we", "i", "i'm", "i've", "i'll", "we've", "we're", "it's", "that's", "there's", "he's", "she's", "they're",
		"das", "die", "diese", "dieser", "dieses", "mein", "meine", "unser", "unsere", "wenn", "ich", "wir", "es", "er", "hier", "da":
		return len(ts) > 2
	case "and", "und":
		return len(ts) > 3 && resumes[ts[1].text]
	}
	return false
}

var pronoun = setOf(`he she it they there that this those these anybody anyone somebody someone everybody everyone jemand einer
	du ihr sie er es man das der die ich wir da hier`)

// resumes are words that begin a new sentence after "and".
var resumes = setOf(`wenn was wie wo warum dann if what how then why where`)

// alwaysCalled are titles that are hardly ever used without an article except as a form of address.
var alwaysCalled = setOf(`majestät majesty sire mylady milady milord hoheit durchlaucht exzellenz`)

// addresses reports whether a title, after "Herr" or "my", is not governed by the words before it.
func addresses(ts []token, m match) bool {
	if !m.form.title || m.first == 0 || m.owned {
		return false
	}
	i := m.first
	for i > 0 && (ts[i-1].class&honorific != 0 && ts[i-1].class&article == 0 || ts[i-1].text == "my" || ts[i-1].text == "your" || ts[i-1].text == "eure" || ts[i-1].text == "euer") {
		i--
	}
	if i == m.first && m.form.role && !alwaysCalled[m.form.words[0]] {
		return false
	}
	return i == 0 || ts[i-1].class&(article|joins|part) == 0 && !governs[ts[i-1].text] && !quotesSomebody[ts[i-1].text]
}

// superlative reports whether words make "is the …" a statement.
func superlative(ts []token) bool {
	return len(ts) == 0 || slices.Contains([]string{"best", "only", "one", "most", "kind", "sort", "guy", "worst", "same", "beste", "einzige", "bester", "erste", "typ"}, ts[0].text)
}

var (
	questionWord = setOf(`who whose whom who'd who'll what what'd why'd where'd how'd wer wem wen wessen was warum wieso`)
	// alwaysAsks are verbs that cannot follow a name as its predicate.
	alwaysAsks = setOf(`do did are were have can could would will should shall may must am don't didn't aren't couldn't wouldn't won't can't
		hast bist kannst willst weißt magst darfst musst sollst wirst kennst siehst hörst glaubst machst gehst kommst habt seid könnt wollt wisst müsst dürft kennt haben sind können wollen wissen müssen dürfen waren wart warst hättest hätten würden würdest könntest könntet könnten darf soll muss dürften`)
	// persons are words that make "is that …" a statement.
	persons = setOf(`woman man guy girl boy lady fellow person kid bloke dwarf elf`)
	mayAsk  = setOf(`is was has does isn't wasn't hasn't ist war hat kann gibt steht liegt kommt läuft heißt brennt geht stimmt hört`)
	// orders are verbs that begin a request. An English verb about someone would end in s.
	orders = setOf(`tell show give look bring come stop wait help catch take hold get make let listen pass pour open close keep put read write sing drop stay go run move sit teach report relax report hand
		wake hear start turn put lift push pull open close pick throw pass wait calm hide duck jump climb swim ride tie untie cut lower raise light douse fill pour feed step stand swear promise imagine think look behave breathe
		talk speak answer explain hurry watch follow hide lead guide check fetch find try leave drink eat sell buy forget remember calm don't never just another one two three got any last here
		zeig gib bring komm halt warte hilf nimm mach leg lass hör sag erzähl erklär lauf geh bleib setz schau guck lenk pack teil hol trink iss lies schreib sing zeigt gebt bringt kommt haltet wartet helft nehmt macht legt lasst hört sagt erzählt erklärt lauft geht bleibt setzt schaut
		wach weck wart dreh zieh drück heb wirf fang mach öffne schließ schließt zünd rede red sprich antworte denk stell steh steig spring schwimm reit versteck bind schwör versprich beruhig beruhigt sieh seht guckt wacht redet sprecht zieht werft nehmt steigt springt
		holt trinkt esst schreibt vergib vergebt entschuldigen entschuldige entschuldigt verzeih verzeiht auf wir ich noch zwei drei vier ein eine einen was`)
)

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
