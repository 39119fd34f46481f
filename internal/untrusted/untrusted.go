// Package untrusted makes text from outside safe to print, to log and to put
// into a prompt: what players say, what tools return, what servers describe,
// why a vendor refuses. [Reason] alone also takes out what looks like a key.
//
// It does no I/O and starts no goroutine. It removes what is invisible or steers a terminal; it does not
// judge what the visible words say.
//
// A name can be made to pass for somebody else's, or to break a prompt, because everybody at a table is known by
// a name that the person chose. [Name] makes it safe to show, and [AlikeNames] reports whether two names
// would be taken for the same (files name*.go):
//
//	shown, err := untrusted.Name("Ｂartok\u200b: [DM]") // "Bartok DM"
//	untrusted.AlikeNames(shown, "Вartok")              // with a Cyrillic В
//
// It decides by properties of characters and by Unicode's table of characters that look alike (UTS #39).
package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks a cut. It counts as one of the runes a caller allows.
const ellipsis = '…'

// Clean returns s without terminal escape sequences and without runes that
// [Hidden] reports, with each invalid UTF-8 byte replaced by U+FFFD and the
// Unicode line and paragraph separators turned into '\n'. If more than
// maxRunes runes remain, it keeps the first maxRunes-1 and ends with "…";
// maxRunes of 0 or less sets no cap.
//
// Clean is idempotent, and returns s itself without allocating if there is
// nothing to do.
func Clean(s string, maxRunes int) string {
	i, n := cleanPrefix(s, maxRunes)
	if i == len(s) {
		return s
	}
	return rewrite(s, i, n, maxRunes)
}

// cleanPrefix returns the length in bytes and runes of the longest prefix of s
// that Clean may keep as it is.
func cleanPrefix(s string, maxRunes int) (size, runes int) {
	for size < len(s) {
		if maxRunes > 0 && runes == maxRunes {
			return size, runes
		}
		r, width := rune(s[size]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(s[size:])
			if r == utf8.RuneError && width == 1 || isSeparator(r) {
				return size, runes
			}
		}
		if Hidden(r) {
			return size, runes
		}
		size += width
		runes++
	}
	return size, runes
}

// rewrite finishes Clean from byte i on, with the n runes before it kept.
func rewrite(s string, i, n, maxRunes int) string {
	var b strings.Builder
	b.Grow(min(len(s), max(i, 256)) + utf8.UTFMax)
	b.WriteString(s[:i])
	for i < len(s) {
		if skip := escapeLen(s[i:]); skip > 0 {
			i += skip
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		i += width
		if Hidden(r) {
			continue
		}
		if isSeparator(r) {
			r = '\n'
		}
		if maxRunes > 0 && n == maxRunes {
			return cut(b.String())
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Line returns s on one line: cleaned, with runs of white space as one space, and
// with at most maxRunes runes as [Clean] counts them.
func Line(s string, maxRunes int) string {
	return Clean(strings.Join(strings.Fields(Clean(s, 0)), " "), maxRunes)
}

// Clip returns s, or its first maxRunes-1 runes and "…" if it has more than
// maxRunes. It takes nothing out; maxRunes is positive.
func Clip(s string, maxRunes int) string {
	runes, last := 0, 0
	for i := range s {
		if runes == maxRunes {
			return s[:last] + string(ellipsis)
		}
		last = i
		runes++
	}
	return s
}

// cut replaces the last rune of s by an ellipsis.
func cut(s string) string {
	_, width := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-width] + string(ellipsis)
}

// Hidden reports whether r has no business in text people read: control
// characters other than '\n' and '\t', zero-width and bidirectional format
// characters, variation selectors and tag characters.
func Hidden(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	case r < 0x300:
		return r == 0xad // soft hyphen
	}
	switch {
	case r == 0x34f, // combining grapheme joiner
		r >= 0x180b && r <= 0x180f,
		r >= 0xfe00 && r <= 0xfe0f,
		r >= 0xe0000 && r <= 0xe0fff:
		return true
	case r >= 0x600 && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2:
		return false // signs that enclose numbers: format characters, yet drawn
	}
	return unicode.Is(unicode.Cf, r)
}

// isSeparator reports whether r breaks a line in a way few readers expect.
func isSeparator(r rune) bool { return r == 0x2028 || r == 0x2029 }
