package openai

import "strings"

// unrepeated removes text that a vendor sends again: each piece may contain all text so far, and messages that
// hold the whole text may come beside the pieces or after them.
//
// A piece that begins with all text before it may also be a person who stutters ("No. " and "No. I will not."),
// so unrepeated holds such pieces back until one decides.
type unrepeated struct {
	all        []byte   // text so far, without held
	held       []string // pieces, each beginning with all text, and with the piece before it
	cumulative bool     // each piece contains all text so far
	pieces     bool     // text came in pieces
}

// mostHeld bounds the number of pieces that are held back.
const mostHeld = 8

// piece returns what is new in the next piece of a text.
func (u *unrepeated) piece(piece string) string {
	if piece == "" {
		return ""
	}
	u.pieces = true
	if u.cumulative {
		return u.extend(piece)
	}
	out := ""
	if len(u.held) > 0 {
		last := u.held[len(u.held)-1]
		if strings.HasPrefix(piece, last) && len(u.held) < mostHeld {
			if distinct(last) {
				u.cumulative, u.held = true, nil
				return u.extend(piece)
			}
			u.held = append(u.held, piece)
			return ""
		}
		out = u.release()
	}
	if len(u.all) > 0 && len(piece) >= len(u.all) && strings.HasPrefix(piece, string(u.all)) {
		u.held = append(u.held, piece)
		return out
	}
	u.all = append(u.all, piece...)
	return out + piece
}

// release returns the held pieces as parts of the text.
func (u *unrepeated) release() string {
	out := strings.Join(u.held, "")
	u.all, u.held = append(u.all, out...), nil
	return out
}

// extend returns what a piece that contains all text so far adds to it.
func (u *unrepeated) extend(piece string) string {
	rest, ok := strings.CutPrefix(piece, string(u.all))
	switch {
	case ok:
		u.all = []byte(piece)
		return rest
	case strings.HasPrefix(string(u.all), piece):
		return ""
	}
	u.all = append(u.all, piece...)
	return piece
}

// whole returns what is new in a message that holds the whole text so far.
func (u *unrepeated) whole(message string) string {
	if message == "" {
		return ""
	}
	out := ""
	if len(u.held) > 0 {
		if last := u.held[len(u.held)-1]; strings.HasPrefix(message, last) && !strings.HasPrefix(message, string(u.all)+strings.Join(u.held, "")) {
			u.held = nil
		} else {
			out = u.end()
		}
	}
	switch rest, ok := strings.CutPrefix(message, string(u.all)); {
	case ok:
		u.all = []byte(message)
		return out + rest
	case u.pieces:
		return out // the same text in another form, such as without spaces at its ends
	}
	u.all = append(u.all, message...)
	return out + message
}

// end returns the text that is held back at the end of an answer.
func (u *unrepeated) end() string {
	if len(u.held) == 0 {
		return ""
	}
	last := u.held[len(u.held)-1]
	grows := len(u.held) > 1
	for i := 1; i < len(u.held); i++ {
		grows = grows && len(u.held[i]) > len(u.held[i-1])
	}
	if grows || distinct(string(u.all)) {
		u.held = nil
		return u.extend(last)
	}
	return u.release()
}

// distinct reports whether a text is unlikely to be said twice in a row.
func distinct(text string) bool {
	const length, characters = 10, 5
	seen := map[rune]bool{}
	n := 0
	for _, r := range text {
		n++
		seen[r] = true
	}
	return n >= length && len(seen) >= characters
}
