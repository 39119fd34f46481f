package userfile

import (
	"strconv"
	"unicode/utf8"
)

// Quote prepares s for a message. It escapes s, and truncates it so that a key pasted by mistake is not shown
// in full.
func Quote(s string) string {
	const most, shown = 40, 12
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s)[:shown]) + "…")
}
