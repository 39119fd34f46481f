package userfile

import (
	"strconv"
	"unicode/utf8"
)

// Quote makes s fit for a message: escaped, and cut so that a pasted key is not
// shown whole.
func Quote(s string) string {
	const most, shown = 40, 12
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s)[:shown]) + "…")
}
