package config

import (
	"strconv"
	"unicode/utf8"
)

// quote makes s fit for a message: escaped, and cut so that a pasted key is not
// shown whole.
func quote(s string) string {
	const most, shown = 40, 12
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(string([]rune(s)[:shown]) + "…")
}
