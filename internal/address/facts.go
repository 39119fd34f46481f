package address

import (
	"math/bits"
	"strings"
	"time"
)

// facts are what is looked at to decide whether a line that calls nobody is for the
// NPC that is being talked with.
type facts struct {
	u  *utterance
	st *State
	p  int // the NPC

	words    int
	count    [64]uint8 // by topic: how often
	lead     topic     // of the first words
	marked   bool      // it has a question mark
	pointed  bool      // it has marks
	asks     bool      // a question, with or without its mark
	formal   bool      // "haben sie", "habt ihr": nobody says that to a player
	declares bool      // "I sneak past …"
	we       bool
	selfPast bool  // "I saw"
	onlyFill bool  // nothing but "okay", "oh"
	stranger bool  // calls somebody whom nobody knows
	unknown  bool  // begins with a word set off that may be a name
	onlyAwe  bool  // nothing but exclamations
	onlyNum  bool  // nothing but a number
	player   bool  // a player is mentioned
	spoken   int8  // the NPC is mentioned: by name 2, by role 1
	other    bool  // another NPC is mentioned
	startsOn topic // of the first word that says something

	subjects topic // what it is about
	stems    [maxStems]stem
	self     bool // "I", "mine"
	us       bool // "us", "our"
	laughing bool
	begins   string // its first word that is no greeting
	orders   bool   // begins with a request
	lordly   bool   // "Ihr", "Sie" within a sentence, in capitals
	cased    bool   // it has capitals
	du       bool   // "du", "dein"
	ihr      bool   // "ihr", "euch": several players, or a lord

	said     saidFacts
	past     pastFacts
	own      bool // the speaker talked with the NPC
	toMe     bool // the NPC spoke to the speaker
	fresh    bool
	inTalk   bool // the line before was another player's, for nobody
	mineTalk bool // the speaker's own last was for nobody
	quiet    time.Duration
}

func (f *facts) n(t topic) int { return int(f.count[bits.TrailingZeros64(uint64(t))]) }

func (f *facts) has(t topic) bool { return f.n(t) > 0 }

// topicsAt is what the words at token i tell.
func (s *Snapshot) topicsAt(ts []token, i int) topic {
	var t topic
	for _, v := range s.vocabularies {
		t |= v.wordTopic(ts[i].text) | v.phraseTopic(ts, i)
	}
	return t
}

// wordTopics is what a word tells by itself.
func (s *Snapshot) wordTopics(word string) topic {
	var t topic
	for _, v := range s.vocabularies {
		t |= v.wordTopic(word)
	}
	return t
}

// gather looks an utterance up, and what was before it. The NPC p is talked with.
func (u *utterance) gather(st *State, p int) *facts {
	f := read(u)
	f.st, f.p = st, p
	f.names()
	f.history()
	return f
}

// read looks up what the utterance tells by itself.
func read(u *utterance) *facts {
	if u.facts != nil {
		return u.facts
	}
	f := &facts{u: u, words: len(u.tokens)}
	u.facts = f
	awe, num, rest := 0, 0, 0
	for i := range u.tokens {
		t := u.tokens[i].topic
		f.subjects |= t & allSubjects
		noteStem(&f.stems, stemOf(u.tokens[i]))
		for b := uint64(t); b != 0; b &= b - 1 {
			f.count[bits.TrailingZeros64(b)]++
		}
		if i < 3 {
			f.lead |= t
		}
		if f.startsOn == 0 && u.tokens[i].class&sound == 0 {
			f.startsOn = t
		}
		w := u.tokens[i]
		switch {
		case (t|u.s.wordTopics(squeeze(w.text)))&marvel != 0 || laughs(w.text):
			awe++
		case t&filling != 0 || u.s.class(squeeze(w.text))&sound != 0:
		default:
			rest++
		}
		if t&number != 0 || isDigits(w.text) || spelledNumber(w.text) {
			num++
			f.count[bits.TrailingZeros64(uint64(number))] |= 1
		}
		f.we = f.we || w.text == "we" || w.text == "wir" || w.text == "we'll" || w.text == "we'd" || w.text == "we've" || w.text == "we're" || w.text == "us" || w.text == "uns"
	}
	f.onlyAwe, f.onlyFill = awe > 0 && rest == 0, rest == 0
	f.onlyNum = num > 0 && num+f.smallWords() >= f.words && f.words <= 8
	f.grammar()
	f.strangers()
	f.persons()
	return f
}

func isDigits(w string) bool {
	return w != "" && strings.Trim(w, "0123456789") == ""
}

// spelledNumber reports whether a word is a German number written as one word.
func spelledNumber(w string) bool {
	return len(w) > 5 && (strings.HasSuffix(w, "zehn") || strings.HasSuffix(w, "zig") || strings.HasSuffix(w, "ßig") || strings.HasSuffix(w, "undert"))
}

// small are words that may surround a number.
var small = map[string]bool{
	"for": true, "me": true, "a": true, "an": true, "then": true, "i": true, "got": true, "have": true, "get": true, "that": true, "with": true, "it": true, "is": true, "the": true, "my": true,
	"bei": true, "mir": true, "ne": true, "eine": true, "ein": true, "ich": true, "hab": true, "habe": true, "dann": true, "glaub": true, "doch": true, "und": true, "und so": true, "nee": true, "na": true,
	"uh": true, "um": true, "same": true, "no": true, "oh": true, "ugh": true, "okay": true, "äh": true, "also": true, "nur": true, "only": true, "just": true, "and": true, "baby": true, "whoop": true,
}

// smallWords counts the words that may surround a number.
func (f *facts) smallWords() int {
	n := 0
	for _, t := range f.u.tokens {
		if small[t.text] || (t.class&(sound|opener) != 0 || t.topic&filling != 0) && t.topic&number == 0 {
			n++
		}
	}
	return n
}

// grammar finds questions, forms of address and declarations.
func (f *facts) grammar() {
	ts := f.u.tokens
	i := 0
	for i < len(ts)-1 && (ts[i].class&(opener|sound|joins) != 0 && ts[i].class&(question|you) == 0) {
		if ts[i].text == "there" && ts[i+1].class&question != 0 {
			break // "there is somebody" asks nothing
		}
		if ts[i].text == "hört" && ts[i+1].text != "mal" && f.verbFirst(i) {
			break
		}
		i++
	}
	for k := range ts {
		f.asks = f.asks || ts[k].stop == '?' && !ts[k].quoted
		f.pointed = f.pointed || ts[k].stop != 0
		if k+1 < len(ts) && ts[k].class&common == 0 || k+1 < len(ts) && len(ts[k].text) > 3 {
			next := ts[k+1].text
			f.formal = f.formal || f.u.s.german && (next == "sie" && (strings.HasSuffix(ts[k].text, "en") || ts[k].text == "sind") ||
				next == "ihr" && strings.HasSuffix(ts[k].text, "t") && ts[k].class&article == 0)
		}
	}
	f.marked = f.asks
	f.asks = f.asks || f.question(i)
	f.declares = f.declaration(i)
	if ts[i].class&subject != 0 && i+1 < len(ts) {
		f.selfPast = ts[i+1].topic&past != 0
	}
}

var pronoun = map[string]bool{
	"he": true, "she": true, "it": true, "they": true, "there": true, "that": true, "this": true, "those": true, "these": true, "anybody": true, "anyone": true, "somebody": true, "someone": true, "everybody": true, "everyone": true, "jemand": true, "einer": true,
	"du": true, "ihr": true, "sie": true, "er": true, "es": true, "man": true, "das": true, "der": true, "die": true, "ich": true, "wir": true, "da": true, "hier": true,
}

var germanVerb = map[string]bool{
	"ist": true, "sind": true, "hat": true, "haben": true, "hab": true, "habt": true, "kann": true, "können": true, "war": true, "waren": true, "darf": true, "soll": true, "sollen": true,
	"will": true, "wollen": true, "muss": true, "müssen": true, "wird": true, "gibt": true, "steht": true, "kommt": true, "geht": true, "liegt": true, "heißt": true, "sieht": true, "hört": true,
}

// declaration reports whether the speaker tells what they do: "I sneak past", "und
// ich zieh die Kapuze hoch".
func (f *facts) declaration(i int) bool {
	ts := f.u.tokens
	for k := i; k < len(ts) && k < i+10; k++ {
		t := ts[k]
		if t.text != "i" && t.text != "ich" && t.text != "i'm" && t.text != "i'll" && t.text != "we" && t.text != "wir" {
			continue
		}
		if k > i && f.asks && k < i+2 { // "can I grab …"
			return false
		}
		for n := k + 1; n < len(ts) && n <= k+3; n++ {
			about := ts[n].topic
			if about&doing != 0 {
				return true
			}
			if n == k+1 && !adverb[ts[n].text] {
				break
			}
		}
		if k > i && k-1 >= 0 && ts[k-1].topic&doing != 0 && f.u.s.german { // "dann schleich ich"
			return !f.asks
		}
	}
	return false
}

// adverb are words between "I" and what is declared.
var adverb = map[string]bool{
	"just": true, "quickly": true, "quietly": true, "slowly": true, "then": true, "also": true, "carefully": true, "start": true, "gently": true, "immediately": true, "now": true, "secretly": true, "try": true,
	"going": true, "to": true, "mir": true, "mich": true, "mal": true, "ganz": true, "einfach": true, "dann": true, "auch": true, "schnell": true, "leise": true, "natürlich": true,
}

// strangers finds a call of somebody whom nobody at the table knows: "Emil, put that
// down".
func (f *facts) strangers() {
	ts := f.u.tokens
	if len(ts) < 2 {
		return
	}
	for i := range ts[:min(len(ts), 4)] {
		f.stranger = f.stranger || ts[i].topic&kin != 0 && (i == 0 || ts[i-1].class&(article|you) == 0 && !governs[ts[i-1].text])
	}
	f.unknown = ts[0].closes && ts[0].class == 0 && f.lead == 0 && ts[0].stop == ','
}

// names finds who is mentioned without being called.
func (f *facts) names() {
	u := f.u
	for i := 0; i < len(u.tokens); i++ {
		m, ok := u.exact(i, len(u.tokens))
		if !ok {
			continue
		}
		for k := m.first; k <= m.last; k++ {
			u.tokens[k].name = true
		}
		switch {
		case m.form.npc == player:
			f.player = true
		case m.form.npc == f.p:
			kind := int8(2)
			if m.form.title || m.form.led {
				kind = 1
			}
			f.spoken = max(f.spoken, kind)
		case !m.form.title || i > 0 && u.tokens[i-1].class&article != 0:
			f.other = true
		}
		i = m.last
	}
}

// toGroup reports whether a line goes on with the NPCs that were called together.
func (f *facts) toGroup() bool {
	if f.has(aboutRules) || f.has(aboutEvening) || f.onlyAwe || f.onlyFill && !f.asks || f.declares || f.has(third) {
		return false
	}
	return f.has(yoursAll) || f.fresh && f.st.GroupSaid > 1 && f.said.shared == 0 && !f.has(courtesy)
}

// gameWords reports whether a line is of rules, dice, or the evening.
func (f *facts) gameWords() bool {
	return f.has(aboutRules) || f.has(aboutEvening) || f.has(modern) || f.has(mechanics) || f.onlyNum
}

// onSubject reports whether a line is on the subject of what the NPC has just said.
func (f *facts) onSubject() bool { return f.subjects&f.said.subjects != 0 }
