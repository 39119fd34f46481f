package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxBytes is the part of an utterance that is examined.
	maxBytes = 4 << 10
	// maxWords is the maximum number of words in a name.
	maxWords = 6
	// maxNote is the maximum length of a note on a sound, in bytes.
	maxNote = 40
)

// token is a folded word with its context.
type token struct {
	text   string
	class  class
	opens  bool // it begins a clause
	closes bool // it ends a clause
	stop   rune // the mark that ends its clause: one of , . ? or 0
	owns   bool // it had an 's
	quoted bool
}

// fold unifies case, composed letters and apostrophes.
func fold(text string) string {
	text = strings.ToLower(norm.NFC.String(text))
	return strings.ReplaceAll(text, "’", "'")
}

// cut shortens text to maxBytes without splitting a character.
func cut(text string) string {
	if len(text) <= maxBytes {
		return text
	}
	n := maxBytes
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// split appends the words of a folded text to ts.
func split(ts []token, text string) []token {
	quoted, opens := false, true
	for text != "" {
		start := strings.IndexFunc(text, isLetter)
		gap := text
		if start >= 0 {
			gap = text[:start]
		}
		stop, quotes := marks(gap)
		if n := len(ts); n > 0 && (stop != 0 || quotes > 0) {
			ts[n-1].closes, ts[n-1].stop = true, stop
			opens = true
		}
		quoted = quoted != (quotes%2 == 1)
		if start < 0 {
			break
		}
		word, rest := cutWord(text[start:])
		t := token{text: word, opens: opens, quoted: quoted}
		t.text, t.owns = strings.CutSuffix(word, "'s")
		ts, text, opens = append(ts, t), rest, false
	}
	if n := len(ts); n > 0 {
		ts[n-1].closes = true
	}
	if quoted { // an unclosed quotation mark is ignored
		for i := range ts {
			ts[i].quoted = false
		}
	}
	return ts
}

// cutWord splits off the word at the beginning of text. An apostrophe between letters is part of the word.
func cutWord(text string) (word, rest string) {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if r == '\'' {
			if next, _ := utf8.DecodeRuneInString(text[end+size:]); !isLetter(next) {
				break
			}
		} else if !isLetter(r) {
			break
		}
		end += size
	}
	return text[:end], text[end:]
}

// marks returns the strongest mark in a gap between words, and the number of quotation marks in it.
func marks(gap string) (stop rune, quotes int) {
	for i, r := range gap {
		switch r {
		case '?':
			stop = '?'
		case '!', '.', '…':
			if stop != '?' {
				stop = '.'
			}
		case ',', ';', ':', '–', '—':
			if stop == 0 {
				stop = ','
			}
		case '-':
			if stop == 0 && i > 0 && i+1 < len(gap) { // a dash rather than a hyphen
				stop = ','
			}
		case '"', '“', '”', '„', '«', '»':
			quotes++
		}
	}
	return stop, quotes
}

// utterance is a text being analysed. It is used by one call only.
type utterance struct {
	s       *Snapshot
	speaker string
	text    string // as it was written
	tokens  []token
	noise   bool // it contained a transcriber's note such as "[laughter]"
	second  bool // it says "you"
	asks    bool
	marked  bool // it has a question mark
	quotes  bool // part of it is quoted
	crowd   bool // it calls everyone, or several people
	// callsAbsent is set if it calls someone who is not at the table: "hey Siri".
	callsAbsent bool
	meaning     *meaning
	evidence    *Evidence // the model's input, if the model decided

	called         []int // at most maxCalled NPCs
	mentioned      []int
	notFor         []int // excluded by a correction
	toPlayer       bool
	doubtful       doubtful // why the first call may be none; empty if it is certain
	tellsAddressee bool     // it says that someone is addressing someone right now
	hailed         bool     // the call is unmistakable: "hey Bart"
	confidence     float64
	why            string
}

// parseUtterance splits an utterance into words.
func (s *Snapshot) parseUtterance(text, speaker string) *utterance {
	u := &utterance{s: s, speaker: fold(speaker), text: cut(text)}
	u.meaning = &meaning{text: u.text}
	text, u.noise = s.withoutNotes(fold(cut(text)))
	u.tokens = split(make([]token, 0, 8+len(text)/5), text)
	for i := range u.tokens {
		t := &u.tokens[i]
		t.class = s.class(t.text)
		u.quotes = u.quotes || t.quoted
		u.second = u.second || t.class&you != 0
		u.marked = u.marked || t.stop == '?' && !t.quoted
		u.asks = u.asks || t.stop == '?' || i == 0 && t.class&question != 0
	}
	u.unquote()
	return u
}

// unquote removes quotation marks around the speaker's own words: around everything, or after "I say".
func (u *utterance) unquote() {
	whole := true
	for _, t := range u.tokens {
		whole = whole && t.quoted
	}
	own := len(u.tokens) > 2 && u.tokens[0].class&subject != 0 && u.tokens[1].class&says != 0
	if !whole && !own {
		return
	}
	for i := range u.tokens {
		u.tokens[i].quoted = false
	}
}

// withoutNotes removes a transcriber's notes on sounds from a folded text.
func (s *Snapshot) withoutNotes(text string) (string, bool) {
	if !strings.ContainsAny(text, "[(*♪") {
		return text, false
	}
	var b strings.Builder
	found := false
	for text != "" {
		i := strings.IndexAny(text, "[(*")
		if i < 0 {
			break
		}
		shut := map[byte]byte{'[': ']', '(': ')', '*': '*'}[text[i]]
		n := strings.IndexByte(text[i+1:], shut)
		if n < 0 || !s.isNote(text[i+1:i+1+n]) {
			b.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		found = true
		b.WriteString(text[:i] + " ")
		text = text[i+n+2:]
	}
	b.WriteString(text)
	return b.String(), found
}

// isNote reports whether text is a note on a sound.
func (s *Snapshot) isNote(text string) bool {
	if len(text) > maxNote {
		return false
	}
	var few [4]token
	ts := split(few[:0], text)
	for _, t := range ts {
		if s.class(t.text)&(sound|noise) == 0 {
			return false
		}
	}
	return len(ts) > 0
}

// sounds reports whether the utterance consists of sounds only.
func (u *utterance) sounds() bool {
	for i, t := range u.tokens {
		if u.s.class(squeeze(t.text))&sound == 0 && !laughs(t.text) {
			return false
		}
		if t.class&queries != 0 && i == len(u.tokens)-1 && t.stop == '?' {
			return false
		}
	}
	return len(u.tokens) > 0 || u.noise
}

// squeeze reduces runs of one letter to one: "hmmm" becomes "hm".
func squeeze(word string) string {
	run := false
	for i := 1; i < len(word); i++ {
		run = run || word[i] == word[i-1]
	}
	if !run || len(word) > 32 {
		return word
	}
	out := make([]rune, 0, 32)
	for _, r := range word {
		if n := len(out); n == 0 || out[n-1] != r {
			out = append(out, r)
		}
	}
	return string(out)
}

// laughs reports whether a word is a laugh: "haha", "hehehe", "muhaha".
func laughs(word string) bool {
	n := 0
	for word = strings.TrimPrefix(word, "mu"); len(word) >= 2 && word[0] == 'h' && strings.IndexByte("aeio", word[1]) >= 0; n++ {
		word = word[2:]
	}
	return n >= 2 && (word == "" || word == "h")
}
