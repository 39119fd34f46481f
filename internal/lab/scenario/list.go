package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// same reports whether two lists are equal, and describes the difference.
func same(got, want []string) (bool, string) {
	if slices.Equal(got, want) {
		return true, ""
	}
	text := "got " + listed(got)
	if len(got) > shown {
		n := 0
		for n < min(len(got), len(want)) && got[n] == want[n] {
			n++
		}
		text += fmt.Sprintf(", %d in all; number %d differs", len(got), n+1)
	}
	return false, text
}

// shown bounds the printed part of a list, to fit on one line.
const shown = 12

// few returns the beginning of a list, with its length.
func few(list []string) []string {
	if len(list) <= shown {
		return list
	}
	return append(list[:shown:shown], fmt.Sprintf("… %d in all", len(list)))
}

// listed quotes the beginning of a list.
func listed(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	parts := repeated(quoted)
	if len(parts) > shown {
		parts = append(parts[:shown], "…")
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// repeated prints consecutive duplicates in a list once, with their number.
func repeated(list []string) []string {
	var out []string
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		if i += n; n > 1 {
			out = append(out, fmt.Sprintf("%s ×%d", list[i-1], n))
		} else {
			out = append(out, list[i-1])
		}
	}
	return out
}
