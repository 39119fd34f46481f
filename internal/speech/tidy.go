package speech

import (
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// tidyText returns the runes of text that matter to a reader: letters with their marks, digits as 0 to 9, a
// few signs, simple punctuation and single spaces. Quotes, markup, emoji and invisible runes are removed.
func tidyText(text string) []rune {
	in := []rune(strings.ToValidUTF8(untrusted.Clean(text, 0), " "))
	out := make([]rune, 0, len(in))
	lineStart, quoted, single := true, false, false
	for i, r := range in {
		prev, next := rune(' '), rune(' ')
		if len(out) > 0 {
			prev = out[len(out)-1]
		}
		if i+1 < len(in) {
			next = in[i+1]
		}
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			if isWord(prev) {
				out = append(out, ',')
			}
			r, lineStart = ' ', true
		case lineStart && strings.ContainsRune("#>•‣-+*=~_ \t", r) && !unicode.IsDigit(next) && !isWord(next):
			continue // a heading, quotation, bullet or rule
		default:
			lineStart = false
			switch {
			case r == '~' && (next == '~' || i > 0 && in[i-1] == '~'):
				r = 0
			case (r == '*' || r == '·') && prev == ' ' && next == ' ' && len(out) > 1 && isDigit(out[len(out)-2]):
				r = '×'
			case isSuper(r) && (isSuper(next) || i > 0 && isSuper(in[i-1]) || r != '²' && r != '³'):
				if i == 0 || !isSuper(in[i-1]) {
					out = append(out, '^')
				}
				r = superDigit(r)
			case strings.ContainsRune(":*/_-", r) && isGenderForm(in, i):
				r = 0
			case isDoubleQuote(r):
				r, quoted = inchOr(r, prev, quoted)
			case isApostrophe(r) && isDigit(prev) && !isDigit(next):
				if r = 0; !single && (!unicode.IsLetter(next) || next == 'x') {
					r = '′'
				}
				single = false
			default:
				single = single || isApostrophe(r) && !isWord(prev) && isWord(next)
				r = plainRune(r, prev, next)
			}
		}
		switch {
		case r == 0, r == ' ' && prev == ' ' && len(out) > 0:
		default:
			out = append(out, r)
		}
	}
	return out
}

func isDoubleQuote(r rune) bool { return strings.ContainsRune("\"“”„«»″", r) }

// inchOr returns the inch sign for a mark after a number that does not close a quotation, otherwise 0. It
// also returns whether a quotation is open after it.
func inchOr(r, prev rune, quoted bool) (rune, bool) {
	switch {
	case r == '″', isDigit(prev) && !quoted && (r == '"' || r == '”'):
		if isDigit(prev) {
			return '″', quoted
		}
		return 0, quoted
	}
	return 0, !quoted
}

// plainRune returns the replacement of r between prev and next: r itself, another rune, or 0 to remove it.
func plainRune(r, prev, next rune) rune {
	switch {
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return r
	case unicode.IsSpace(r), r == '\\':
		return ' '
	case r == '_':
		return '_'
	case isApostrophe(r):
		switch {
		case unicode.IsLetter(prev) && unicode.IsLetter(next):
			return '\''
		case isDigit(prev) && isDigit(next): // 5'10"
			return '′'
		}
		return 0
	case r == '^' && isWord(prev) && isDigit(next):
		return r
	case r == '·' && isDigit(prev) && isDigit(next):
		return '×'
	case isQuote(r), r == '`', r == '^', r == '¿', r == '¡':
		return 0
	case r == '*':
		if prev >= '0' && prev <= '9' && next >= '0' && next <= '9' {
			return '×'
		}
		return '*'
	case unicode.IsDigit(r):
		return '0' + digitValue(r)
	case unicode.IsLetter(r):
		return r
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r):
		if (unicode.IsLetter(prev) || unicode.IsMark(prev)) && (r < 0xfe00 || r > 0xfe0f) {
			return r
		}
		return 0
	}
	return plainSign(r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' || r == '‘' || r == '`' }

// digitValue returns the value of a decimal digit of any script. The digits of a script are consecutive,
// beginning with zero.
func digitValue(r rune) rune {
	first := r
	for unicode.IsDigit(first - 1) {
		first--
	}
	return (r - first) % 10
}

// plainSign returns the sign that the reader knows for r, a pause, a space, or 0.
func plainSign(r rune) rune {
	switch r {
	case '.', ',', '!', '?', ';', ':', '…', '-', '(', ')', '[', ']', '+', '=', '/', '#', '@', '&', '%', '°', '§', '$', '€', '£', '×', '÷', '±', '~', '–', '′', '<', '>', '≤', '≥', '¢', '¥':
		return r
	case '—', '―', '→', '⇒', '|', '、', '，', '،':
		return '—'
	case '−':
		return '−'
	case '‐', '‑':
		return '-'
	case '。', '．', '｡', '।', '۔':
		return '.'
	case '！', '‼':
		return '!'
	case '？', '؟', '⁇', '⁈', '⁉':
		return '?'
	case '：':
		return ':'
	case '；':
		return ';'
	case '⋅', '∗':
		return '×'
	case '⁄', '∕':
		return '/'
	case '≈':
		return '~'
	case '½', '⅓', '⅔', '¼', '¾', '⅛', '⅕', '⅖', '⅗', '⅘', '⅙', '⅚', '⅐', '⅜', '⅝', '⅞', '⅑', '⅒', '²', '³', '√', '∞', '≠', '‰':
		return r
	}
	if unicode.IsSymbol(r) || unicode.Is(unicode.Me, r) {
		return 0
	}
	return ' '
}
