package address

import "math/bits"

// maxLetters is the maximum number of letters compared of a word or name.
const maxLetters = 32

// heard is how a word sounds, in comparable forms: a phonetic spelling, and the keys of two phonetic schemes.
type heard struct {
	buf     [2*maxLetters + 2]rune
	n       int
	letters uint64 // set of letters in the spelling
	english key
	cologne key
}

// key is a phonetic key: the classes of a word's consonants.
type key struct {
	buf [maxLetters]byte
	n   uint8
}

func (k *key) addClass(c byte) {
	if int(k.n) < len(k.buf) && (k.n == 0 || k.buf[k.n-1] != c) {
		k.buf[k.n] = c
		k.n++
	}
}

func (h *heard) spelling() []rune { return h.buf[:h.n] }

// setSound sets h to the sound of words spoken without a pause.
func (h *heard) setSound(german bool, words ...token) {
	var raw [maxLetters]rune
	n := 0
	for _, w := range words {
		for _, r := range w.text {
			if r = plain(r); r != '\'' && n < len(raw) {
				raw[n] = r
				n++
			}
		}
	}
	h.respell(raw[:n])
	h.letters = 0
	for _, r := range h.spelling() {
		h.letters |= 1 << (uint32(r) % 64)
	}
	h.english = consonants(h.spelling())
	h.cologne = key{}
	if german {
		h.cologne = cologne(raw[:n])
	}
}

// sounds reports whether h and o have the same key in one of the schemes.
func (h *heard) sounds(o *heard) bool {
	return h.english == o.english || h.cologne.n > 0 && h.cologne == o.cologne
}

// far reports whether h and o are certainly more than limit letters apart.
func (h *heard) far(o *heard, limit int) bool {
	return h.n-o.n > limit || o.n-h.n > limit || bits.OnesCount64(h.letters^o.letters) > 2*limit
}

// plain removes the accent from a lower-case Latin letter.
func plain(r rune) rune {
	if r < 0x80 {
		return r
	}
	switch r {
	case 'á', 'à', 'â', 'ä', 'ã', 'å', 'æ':
		return 'a'
	case 'é', 'è', 'ê', 'ë':
		return 'e'
	case 'í', 'ì', 'î', 'ï':
		return 'i'
	case 'ó', 'ò', 'ô', 'ö', 'õ', 'ø', 'œ':
		return 'o'
	case 'ú', 'ù', 'û', 'ü':
		return 'u'
	case 'ç', 'š', 'ß', 'ž':
		return 's'
	case 'ñ':
		return 'n'
	case 'ł':
		return 'l'
	}
	return r
}

func vowel(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// digraphs are letter groups that sound like one, with a replacement. Longer ones come first.
var digraphs = []struct{ from, to string }{
	{"ough", "o"}, {"augh", "o"}, {"sch", "x"}, {"ck", "k"}, {"ph", "f"}, {"th", "t"}, {"dt", "t"}, {"tz", "s"},
	{"sh", "x"}, {"ch", "k"}, {"gh", "g"}, {"qu", "kv"}, {"wh", "v"}, {"ay", "e"}, {"ey", "e"}, {"ai", "e"},
	{"ei", "e"}, {"ee", "i"}, {"ea", "i"}, {"ie", "i"}, {"oo", "u"}, {"ou", "u"}, {"ae", "a"}, {"oe", "o"}, {"ue", "u"},
}

// respell spells a word as it sounds, so that "Greymantle" and "Graymantel" become equal, or nearly so.
func (h *heard) respell(raw []rune) {
	h.n = 0
	put := func(r rune) {
		if h.n == 0 || h.buf[h.n-1] != r {
			h.buf[h.n] = r
			h.n++
		}
	}
	for i := 0; i < len(raw); {
		if to, n := digraph(raw[i:]); n > 0 && !(i == 0 && to == "g") {
			for _, r := range to {
				put(r)
			}
			i += n
			continue
		}
		switch r := raw[i]; r {
		case 'c':
			if i+1 < len(raw) && (raw[i+1] == 'e' || raw[i+1] == 'i' || raw[i+1] == 'y') {
				put('s')
			} else {
				put('k')
			}
		case 'q':
			put('k')
		case 'z':
			put('s')
		case 'y':
			put('i')
		case 'w':
			if i+1 < len(raw) || i == 0 || raw[i-1] != 'o' { // "Harrow" ends in a vowel
				put('v')
			}
		case 'x':
			put('k')
			put('s')
		case 'h':
			silent := i > 0 && vowel(raw[i-1]) && (i+1 == len(raw) || !vowel(raw[i+1]))
			if !silent {
				put('h')
			}
		default:
			put(r)
		}
		i++
	}
	h.ending()
}

// ending removes or unifies endings that are hard to distinguish by ear.
func (h *heard) ending() {
	n := h.n
	switch {
	case n > 4 && h.buf[n-2] == 'e' && h.buf[n-1] == 'r':
		h.buf[n-2], h.n = 'a', n-1
	case n > 4 && h.buf[n-2] == 'e' && h.buf[n-1] == 'l':
		h.buf[n-2], h.n = 'l', n-1
	case n > 3 && h.buf[n-1] == 'e':
		h.n = n - 1
	}
}

// digraph returns the replacement for the digraph that raw begins with and its length, or 0 if there is none.
func digraph(raw []rune) (to string, n int) {
	for _, d := range digraphs {
		if len(raw) < len(d.from) || raw[0] != rune(d.from[0]) {
			continue
		}
		same := true
		for k := range len(d.from) {
			same = same && raw[k] == rune(d.from[k])
		}
		if same {
			return d.to, len(d.from)
		}
	}
	return "", 0
}

// consonants returns the English key of a respelt word: its consonants, with voiced and voiceless ones
// unified, and a mark for a leading vowel.
func consonants(word []rune) key {
	var k key
	for i, r := range word {
		switch r {
		case 'a', 'e', 'i', 'o', 'u':
			if i == 0 {
				k.addClass('A')
			}
		case 'b', 'p':
			k.addClass('P')
		case 'd', 't':
			k.addClass('T')
		case 'g', 'k':
			k.addClass('K')
		case 'f', 'v':
			k.addClass('F')
		case 'n', 'm':
			k.addClass('N')
		case 'h':
			if i == 0 {
				k.addClass('H')
			}
		default:
			k.addClass(byte(r%128) | 0x80)
		}
	}
	return k
}

// cologne returns a word's key in the Cologne phonetics, which are designed for German names.
func cologne(word []rune) key {
	var k key
	var before byte // code of the previous letter; vowels separate equal codes
	at := func(i int) rune {
		if i < 0 || i >= len(word) {
			return 0
		}
		return word[i]
	}
	for i, r := range word {
		codes := cologneCodes(at(i-1), r, at(i+1), i == 0)
		for _, c := range []byte(codes) {
			if c != before && (c != '0' || i == 0) {
				if int(k.n) < len(k.buf) {
					k.buf[k.n] = c
					k.n++
				}
			}
			before = c
		}
	}
	return k
}

// cologneCodes returns the codes of letter r between before and after.
func cologneCodes(before, r, after rune, first bool) string {
	hissing := after == 'c' || after == 's' || after == 'z'
	switch r {
	case 'a', 'e', 'i', 'j', 'o', 'u', 'y':
		return "0"
	case 'b':
		return "1"
	case 'p':
		if after == 'h' {
			return "3"
		}
		return "1"
	case 'd', 't':
		if hissing {
			return "8"
		}
		return "2"
	case 'f', 'v', 'w':
		return "3"
	case 'g', 'k', 'q':
		return "4"
	case 'c':
		return cologneC(before, after, first)
	case 'x':
		if before == 'c' || before == 'k' || before == 'q' {
			return "8"
		}
		return "48"
	case 'l':
		return "5"
	case 'm', 'n':
		return "6"
	case 'r':
		return "7"
	case 's', 'z':
		return "8"
	}
	return ""
}

// cologneC returns the code of a c: hard before some letters, otherwise sibilant.
func cologneC(before, after rune, first bool) string {
	hard := false
	switch after {
	case 'a', 'h', 'k', 'o', 'q', 'u', 'x':
		hard = true
	case 'l', 'r':
		hard = first
	}
	if hard && before != 's' && before != 'z' {
		return "4"
	}
	return "8"
}
