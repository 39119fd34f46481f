// Package untrusted makes text from outside safe to print, to log and to put into a prompt: what players say,
// what tools return, how servers describe themselves, and why a vendor refuses a request. It removes
// characters that are invisible or control a terminal. It does not judge the meaning of the visible words.
// Only [Reason] also removes text that looks like a key.
//
//	text := untrusted.Clean(answer, 2000)
//
// Players at a table choose their own names, and a name can be made to look like another player's or to break
// a prompt. [Name] makes a name safe to show, and [AlikeNames] reports whether people would take two names
// for the same (files name*.go):
//
//	shown, err := untrusted.Name("Ｂartok\u200b: [DM]") // "Bartok DM"
//	untrusted.AlikeNames(shown, "Вartok")              // with a Cyrillic В
//
// Names are compared by the properties of their characters and by Unicode's table of confusable characters
// (UTS #39). The package does no I/O and starts no goroutine.
package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis marks a cut. It counts towards the maximum number of runes.
const ellipsis = '…'

// Clean returns s without terminal escape sequences and without runes that [Hidden] reports. It replaces each
// invalid UTF-8 byte with U+FFFD, and Unicode line and paragraph separators with '\n'. If more than maxRunes
// runes remain, it keeps the first maxRunes-1 and appends "…". If maxRunes is 0 or less, there is no limit.
//
// Clean is idempotent. If there is nothing to change, it returns s itself without allocating.
func Clean(s string, maxRunes int) string {
	i, n := cleanPrefix(s, maxRunes)
	if i == len(s) {
		return s
	}
	return rewrite(s, i, n, maxRunes)
}

// cleanPrefix returns the length, in bytes and in runes, of the longest prefix of s that Clean can keep
// unchanged.
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

// rewrite completes Clean from byte i on, after the first n runes have been kept.
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

// Line returns s cleaned and on one line, with runs of white space replaced by one space, and with at most
// maxRunes runes, counted as [Clean] does.
func Line(s string, maxRunes int) string {
	return Clean(strings.Join(strings.Fields(Clean(s, 0)), " "), maxRunes)
}

// Clip returns s, or its first maxRunes-1 runes and "…" if it has more than maxRunes. It removes nothing
// else. maxRunes must be positive.
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

// cut replaces the last rune of s with an ellipsis.
func cut(s string) string {
	_, width := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-width] + string(ellipsis)
}

// Hidden reports whether r does not belong in text that people read: control characters other than '\n' and
// '\t', zero-width and bidirectional format characters, variation selectors, and tag characters.
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
		return false // signs that enclose numbers are format characters, but visible
	}
	return unicode.Is(unicode.Cf, r)
}

// isSeparator reports whether r is a line break that few readers expect.
func isSeparator(r rune) bool { return r == 0x2028 || r == 0x2029 }
