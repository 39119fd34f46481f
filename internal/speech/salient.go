package speech

import (
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// SalientKind is the reason why a sentence is worth keeping.
type SalientKind string

// The kinds, most important first.
const (
	SalientPromise SalientKind = "promise"
	SalientDebt    SalientKind = "debt"
	SalientTrust   SalientKind = "trust"
	SalientDeath   SalientKind = "death"
	SalientChange  SalientKind = "change"
	SalientSecret  SalientKind = "secret"
	SalientKin     SalientKind = "kin"
	SalientPlace   SalientKind = "place"
	SalientGift    SalientKind = "gift"
	SalientName    SalientKind = "name"
)

// BetweenPeople reports whether a kind concerns the relationship between the speaker and the listener.
func (k SalientKind) BetweenPeople() bool {
	return k == SalientPromise || k == SalientDebt || k == SalientTrust
}

const (
	minWords = 3   // fewer cannot be understood later
	maxRunes = 300 // maximum length of a sentence
)

// phrases are the phrases that make a sentence worth keeping, in normalised words. A word that ends in "*"
// matches any word with that beginning. They are searched in this order.
var phrases = []struct {
	kind SalientKind
	list string
}{
	{SalientPromise, `i promise|we promise|i swear|we swear|you have my word|you have our word|i give you my word|my word on it|i vow|we vow|
promised you|promised us|promised to|promised him|promised her|promised them|promised me|deal we|we have a deal|it is a deal|it s a deal|i will bring you|we will bring you|we ll bring you|i ll bring you|
versprech*|versprochen|schwore|ich schwor*|mein wort|unser wort|ihr habt mein wort|abgemacht|wir bringen euch|wir bringen dir|ich bringe euch|ich bringe dir`},
	{SalientDebt, `owe|owes|owed|in your debt|in our debt|in his debt|in her debt|pay you back|pay me back|pay us back|repay|lent|borrowed|
schulde|schuldest|schuldet|schulden|schuldig|geliehen|zuruckzahl*|zahle es zuruck|stehen in eurer schuld|stehe in eurer schuld`},
	{SalientTrust, `trust you|trust us|trust me|trust him|trust her|trust them|trusts us|trusts you|never forgive|forgive you|betrayed|i like you|i hate you|
vertrau*|misstrau*|traue dir|traue euch|traue ihm|traue ihr|verzeih*|verraten|verriet`},
	{SalientDeath, `died|is dead|are dead|was killed|were killed|killed|murdered|drowned|buried|has fallen|
ist tot|sind tot|starb|starben|gestorben|getotet|ermordet|ertrunken|begraben|gefallen ist`},
	{SalientChange, `no longer|not any more|anymore|from now on|is now|are now|has become|have become|became|married|was elected|was crowned|has left|moved to|burned down|burnt down|
nicht mehr|ab jetzt|von nun an|ist jetzt|sind jetzt|ist geworden|wurde zum|wurde zur|geheiratet|heiratet|abgebrannt|ist fort|weggezogen|gekront`},
	{SalientSecret, `secret|secretly|nobody knows|no one knows|don t tell|do not tell|between us|password|the code is|
geheim*|heimlich|niemand weiss|keiner weiss|sag es niemand*|sagt es niemand*|unter uns|losungswort|parole|passwort`},
	{SalientKin, `my brother|my sister|my mother|my father|my son|my daughter|my wife|my husband|my uncle|my aunt|my cousin|my niece|my nephew|my grandmother|my grandfather|
his brother|his sister|his mother|his father|his son|his daughter|his wife|her brother|her sister|her mother|her father|her son|her daughter|her husband|widow|
mein bruder|meine schwester|meine mutter|mein vater|mein sohn|meine tochter|meine frau|mein mann|mein onkel|meine tante|seine schwester|sein bruder|sein vater|seine mutter|
sein sohn|seine tochter|seine frau|ihr bruder|ihre schwester|ihr vater|ihre mutter|ihr sohn|ihre tochter|ihr mann|witwe|witwer`},
	{SalientPlace, `lives in|lives at|live in|is hidden|are hidden|hid|hidden in|hidden under|lies under|lies beneath|is kept in|is kept at|is in the|is under the|is behind the|is beneath the|
wohnt|wohne|lebt in|versteckt|liegt unter|liegt in|liegt hinter|ist in der|ist im|ist unter|ist hinter|aufbewahrt`},
	{SalientGift, `gave you|gave us|gave me|gave him|gave her|give you this|take this|here is your|here are your|keep it|is yours|
gab dir|gab euch|gab uns|gab mir|gab ihm|gab ihr|schenk*|nimm das|nehmt das|gehort dir|gehort euch|behalte`},
	{SalientName, `my name is|is called|are called|is named|they call me|they call him|they call her|known as|
ich heisse|heisst|mein name ist|nennt mich|nennt man|genannt wird`},
}

// SalientSentence is a sentence worth keeping.
type SalientSentence struct {
	Text string
	Kind SalientKind
}

// FindSalient returns the sentences of a text that are worth keeping, in order. It skips questions and
// sentences with fewer than three words.
func FindSalient(text string) []SalientSentence {
	var out []SalientSentence
	var cut Splitter
	for _, s := range append(cut.Push(text), cut.Flush()...) {
		if kind, ok := kindOf(s); ok {
			out = append(out, SalientSentence{s, kind})
		}
	}
	return out
}

func kindOf(sentence string) (SalientKind, bool) {
	if strings.HasSuffix(sentence, "?") {
		return "", false
	}
	ws := words.Split(sentence)
	if len(ws) < minWords || utf8.RuneCountInString(sentence) > maxRunes {
		return "", false
	}
	for _, m := range matchers {
		for _, p := range m.phrases {
			if p.in(ws) {
				return m.kind, true
			}
		}
	}
	return "", false
}

// phrase is a sequence of normalised words.
type phrase []string

func (p phrase) in(ws []string) bool {
	for i := 0; i+len(p) <= len(ws); i++ {
		n := 0
		for n < len(p) && wordIs(ws[i+n], p[n]) {
			n++
		}
		if n == len(p) {
			return true
		}
	}
	return false
}

func wordIs(word, pattern string) bool {
	if stem, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(word, stem)
	}
	return word == pattern
}

type matcher struct {
	kind    SalientKind
	phrases []phrase
}

// matchers are the phrases, split into words. They must not be modified.
var matchers = func() (all []matcher) {
	for _, p := range phrases {
		m := matcher{kind: p.kind}
		for one := range strings.SplitSeq(p.list, "|") {
			if ws := strings.Fields(one); len(ws) > 0 {
				m.phrases = append(m.phrases, ws)
			}
		}
		all = append(all, m)
	}
	return all
}()
