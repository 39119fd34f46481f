package tier

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// Classes of bytes.
const (
	classWord   = iota // a letter or digit, or a byte of a multi-byte rune
	classSpace         // ends a word
	classClause        // ends a word and a clause
	classStop          // ends a word, a clause and a sentence
)

var classes = func() (t [256]uint8) {
	for i := range utf8.RuneSelf {
		t[i] = classSpace
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-32] = classWord, classWord
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = classWord
	}
	for _, c := range []byte(",;:()") {
		t[c] = classClause
	}
	for _, c := range []byte(".!?\n") {
		t[c] = classStop
	}
	return t
}()

// foldRune folds a rune beyond ASCII. It returns the bytes to add to the folded word, or a class that ends
// the word. Umlauts are transcribed (ä as ae), whether composed or not, so that all spellings match.
func foldRune(r rune) (folded string, class uint8) {
	switch r = unicode.ToLower(r); r {
	case 'ä', 'æ':
		return "ae", classWord
	case 'ö', 'œ':
		return "oe", classWord
	case 'ü':
		return "ue", classWord
	case 'ß':
		return "ss", classWord
	case '\u0308': // combining diaeresis
		return "e", classWord
	case '…', '。', '！', '？', '\u2028', '\u2029':
		return "", classStop
	case '–', '—', '„', '“', '”', '«', '»', '，':
		return "", classClause
	}
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
		return "", classSpace
	}
	return "", classWord
}

// mix adds eight folded bytes, as a little-endian number, to a word's hash. The last chunk of a word is
// padded with zeros.
func mix(h, chunk uint64) uint64 { return (h ^ chunk) * 0x9E3779B97F4A7C15 }

// hasher hashes a word byte by byte. It is used where the fast path does not apply.
type hasher struct {
	h, chunk uint64
	n        int
}

func (w *hasher) add(c byte) {
	w.chunk |= uint64(c) << (8 * (w.n & 7))
	if w.n++; w.n&7 == 0 {
		w.h, w.chunk = mix(w.h, w.chunk), 0
	}
}

func (w *hasher) sum() uint64 {
	if w.n&7 == 0 {
		return w.h
	}
	return mix(w.h, w.chunk)
}

// fold appends the folded form of the word at the start of text to buf. It returns the end of the word, and
// the end and class of a separator rune beyond ASCII directly after it (classSpace if an ASCII separator or
// the end of the text follows).
func fold(buf []byte, text string) (word []byte, end, sep int, class uint8) {
	for end < len(text) {
		c := text[end]
		if c < utf8.RuneSelf {
			if classes[c] != classWord {
				return buf, end, end, classSpace
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			buf = append(buf, c)
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[end:])
		folded, class := foldRune(r)
		if class != classWord {
			return buf, end, end + size, class
		}
		if folded == "" { // a letter of another alphabet stays as it is
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
		}
		buf = append(buf, folded...)
		end += size
	}
	return buf, end, end, classSpace
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load8 returns the eight bytes at text[i:], padded with zeros.
func load8(text []byte, i int) uint64 {
	if i+8 <= len(text) {
		return binary.LittleEndian.Uint64(text[i:])
	}
	return loadTail(text[i:])
}

//go:noinline
func loadTail(text []byte) (b uint64) {
	for k, c := range text {
		b |= uint64(c) << (8 * k)
	}
	return b
}

// ascii reports whether text is pure ASCII.
func ascii(text []byte) bool {
	var any uint64
	for ; len(text) >= 8; text = text[8:] {
		any |= binary.LittleEndian.Uint64(text)
	}
	return (any|loadTail(text))&highs == 0
}

// separators returns a mask of the 64 bytes at text[base:] that are not ASCII letters or digits. Bytes beyond
// the end count as separators.
func separators(text []byte, base int) uint64 {
	var mask uint64
	for k := 0; k < 64 && base+k < len(text); k += 8 {
		mask |= uint64(wordBytes(load8(text, base+k))) << k
	}
	return ^mask
}

// wordBytes returns a mask of the eight ASCII bytes of b that are letters or digits.
func wordBytes(b uint64) uint8 {
	x := b | 0x20*ones
	letters := (x + (0x80-'a')*ones) &^ (x + (0x7f-'z')*ones)
	digits := (b + (0x80-'0')*ones) &^ (b + (0x7f-'9')*ones)
	// Gather the top bit of each byte; the multiplication moves them side by side.
	return uint8((letters | digits) & highs >> 7 * 0x0102040810204080 >> 56)
}

// asciiHash returns the hash of the ASCII letters and digits text[i:end].
func asciiHash(text []byte, i, end int) uint64 {
	var h uint64
	for ; end-i >= 8; i += 8 {
		h = mix(h, binary.LittleEndian.Uint64(text[i:])|0x20*ones)
	}
	if n := end - i; n > 0 {
		h = mix(h, (load8(text, i)|0x20*ones)&(1<<(8*n&63)-1))
	}
	return h
}
