package untrusted

import "strings"

// Introducers of terminal control sequences, in their 7-bit form after ESC.
const (
	esc        = 0x1b
	bell       = 0x07
	csi        = '['
	stringLike = "]PX^_" // OSC, DCS, SOS, PM, APC
)

// escapeLen returns the length of the terminal control sequence at the beginning of s, or 0 if there is none.
// If a sequence is unterminated, only its introducer counts, so that a stray ESC cannot swallow the text that
// follows.
func escapeLen(s string) int {
	kind, body, ok := introducer(s)
	switch {
	case !ok:
		return 0
	case kind == csi:
		return body + csiLen(s[body:])
	case strings.IndexByte(stringLike, kind) >= 0:
		return body + stringLen(s[body:])
	}
	return body
}

// introducer returns the kind of sequence that begins s, and where its body starts. C1 controls such as
// U+009B are equivalent to ESC and one byte.
func introducer(s string) (kind byte, body int, ok bool) {
	if len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f {
		return s[1] - 0x40, 2, true
	}
	if s == "" || s[0] != esc {
		return 0, 0, false
	}
	i := 1
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f { // ESC ( B and similar
		i++
	}
	if i == len(s) || s[i] < 0x30 || s[i] > 0x7e {
		return 0, i, true
	}
	if i > 1 {
		return 0, i + 1, true
	}
	return s[i], 2, true
}

// csiLen returns the length of a CSI sequence's parameters, intermediates and final byte.
func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		return i + 1
	}
	return 0
}

// stringLen returns the length of a control string including its terminator, or 0 if another control
// character or the end of s comes first.
func stringLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == bell:
			return i + 1
		case s[i] == esc:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f:
			if s[i+1] == 0x9c {
				return i + 2
			}
			return 0
		case s[i] < 0x20:
			return 0
		}
	}
	return 0
}
