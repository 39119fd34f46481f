package address

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// saidFacts are of the NPC's last words.
type saidFacts struct {
	asks, many, all bool
	who             bool // which of them
	yesNo           bool
	why             bool
	orders          bool  // its last sentence tells somebody to do something
	formal          bool  // it says "Ihr" or "Sie" to players
	shared          int   // words of the line that it said
	subjects        topic // what it was about
	sharedBefore    int   // words of the line that an NPC said before
}

// pastFacts are of the lines of players before.
type pastFacts struct {
	shared    int  // words of the line before, which was for nobody
	subject   bool // it is about the same
	toSpeaker bool // it called or named the speaker
	dialogue  bool // the speaker spoke before it, for nobody
	onMine    bool // the speaker spoke to the NPC before it
	twice     bool // it was the speaker's own
	open      bool // the NPC's question is unanswered
}

// typedQuiet stands for the silence before a line of which it is not known: neither quick
// nor slow.
const typedQuiet = 1800 * time.Millisecond

// history takes in what happened before.
func (f *facts) history() {
	st := f.st
	f.own = st.Own.Known && st.Own.NPC == f.p && f.u.s.lasts(st.Own)
	last := st.Last.Known && st.Last.NPC == f.p
	f.fresh = last && st.Fresh
	f.toMe = last && st.LastTo == st.Speaker
	f.inTalk = st.Before.Known && st.Before.NPC < 0 && st.Before.Speaker != st.Speaker && !st.Fresh
	f.mineTalk = st.Mine.Known && st.Mine.NPC < 0
	f.quiet = st.Last.Ago
	if st.Before.Known {
		f.quiet = min(f.quiet, st.Before.Ago)
	}
	f.quiet -= time.Duration(f.words) * 300 * time.Millisecond
	if f.quiet < 0 { // nobody speaks that fast: it was typed, and when it was begun is not known
		f.quiet = typedQuiet
	}
	f.said, f.past = saidFacts{}, pastFacts{}
	if last && st.Said != "" {
		f.readSaid()
	}
	if st.SaidBefore != "" {
		f.said.sharedBefore, _ = f.u.s.compare(st.SaidBefore, f)
	}
	f.remarks()
}

// remarks takes in the lines of players before.
func (f *facts) remarks() {
	st, h := f.st, &f.past
	h.open = f.said.asks && st.Answered == 0
	before := &st.Before
	if !before.Known {
		return
	}
	h.twice = before.Speaker == st.Speaker && !st.Fresh
	h.toSpeaker = before.Gist.To != "" && before.Gist.To == f.u.speaker && !st.Fresh
	if before.NPC < 0 && !st.Fresh {
		h.shared = alike(&f.stems, &before.Gist.stems)
		h.subject = f.subjects&before.Gist.subjects != 0
		if e := &st.Earlier; e.Known && e.Speaker == st.Speaker && before.Speaker != st.Speaker {
			h.dialogue, h.onMine = e.NPC < 0, e.NPC == f.p
		}
	}
}

// readSaid looks at the NPC's last words.
func (f *facts) readSaid() {
	var buf [80]token
	text := f.st.Said
	ts := split(buf[:0], fold(text))
	g := &f.said
	from := 0 // where its last sentence begins
	for i, t := range ts {
		g.asks = t.stop == '?' || g.asks && i < len(ts)-1 && len(ts)-i < 8
		if i < len(ts)-1 && (t.stop == '?' || t.stop == '.') {
			from = i + 1
		}
		switch t.text {
		case "many", "much", "viel", "viele", "old", "far", "weit", "long", "lang", "spät":
			g.many = true
		case "all", "alle", "ihr", "euch", "lot", "you":
			g.all = true
		}
	}
	if g.asks {
		f.readQuestion(ts)
	} else if from < len(ts) {
		g.orders = orders[ts[from].text]
	}
	g.formal = f.u.s.german && addressesLords(text)
	g.shared, g.subjects = f.u.s.compare(text, f)
}

// readQuestion finds what kind of question the NPC asked.
func (f *facts) readQuestion(ts []token) {
	g, from, end := &f.said, 0, len(ts)
	for i, t := range ts {
		if t.stop == '?' {
			end = i + 1
		}
	}
	for i := range ts[:max(end-1, 0)] {
		if ts[i].stop == '?' || ts[i].stop == '.' {
			from = i + 1
		}
	}
	plain := true
	for i, t := range ts[from:end] {
		switch t.text {
		case "who", "whose", "which", "wer", "wem", "wen", "welcher", "welche", "wessen":
			g.who, plain = true, false
		case "where", "wo", "wohin", "woher":
			plain = false
		case "why", "warum", "wieso", "wozu", "wofür":
			g.why, plain = true, false
		case "what", "what's", "how", "when", "was", "wie", "wann", "worauf":
			plain = plain && i > 2
		}
	}
	g.yesNo = plain
}

// addressesLords reports whether a German text speaks to somebody as "Ihr" or "Sie".
func addressesLords(text string) bool {
	begins := true
	for text != "" {
		i := strings.IndexFunc(text, unicode.IsLetter)
		if i < 0 {
			return false
		}
		begins = begins || strings.ContainsAny(text[:i], ".!?:…„\"")
		word := text[i:]
		if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
			word = word[:n]
		}
		if r, _ := utf8.DecodeRuneInString(word); !begins && unicode.IsUpper(r) {
			switch word {
			case "Ihr", "Euch", "Euer", "Eure", "Euren", "Eurem", "Eurer", "Sie", "Ihnen", "Ihre", "Ihren":
				return true
			}
		}
		text, begins = text[i+len(word):], false
	}
	return false
}

// compare counts the words that a text shares with a line, and tells what it is about.
func (s *Snapshot) compare(text string, f *facts) (shared int, about topic) {
	var buf [80]token
	var stems [maxStems]stem
	for _, t := range split(buf[:0], fold(text)) {
		t.class = s.class(t.text)
		about |= s.wordTopics(t.text) & allSubjects
		h := stemOf(t)
		if h == 0 {
			continue
		}
		for _, o := range f.stems {
			if o == h {
				noteStem(&stems, h)
			}
		}
	}
	for _, h := range stems {
		if h != 0 {
			shared++
		}
	}
	return shared, about
}

// persons finds who is spoken of, and to.
func (f *facts) persons() {
	ts := f.u.tokens
	for _, t := range ts {
		switch t.text {
		case "i", "i'm", "i'd", "i'll", "i've", "me", "my", "mine", "ich", "mich", "mir", "mein", "meine", "meinen", "meinem":
			f.self = true
		case "us", "our", "ours", "uns", "unser", "unsere", "unseren":
			f.us = true
		case "du", "dich", "dir", "dein", "deine", "deinen", "deinem", "deiner":
			f.du = true
		case "ihr", "euch", "euer", "eure", "euren", "eurem", "eurer":
			f.ihr = true
		}
	}
	f.lordly = f.u.s.german && addressesLords(f.u.text)
	f.cased = f.lordly || strings.ContainsFunc(f.u.text, unicode.IsUpper)
	f.laughing = slices.ContainsFunc(ts, func(t token) bool { return laughs(t.text) })
	i := 0
	for i < len(ts)-1 && ts[i].class&(opener|sound|joins) != 0 {
		i++
	}
	if i < len(ts) {
		f.orders = orders[ts[i].text] && ts[i].class&(subject|article) == 0
		f.begins = ts[i].text
	}
}
