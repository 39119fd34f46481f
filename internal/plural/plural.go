// Package plural puts a number before an English noun for messages in English. The Discord front has texts in
// two languages and its own counts.
package plural

import "strconv"

// Count returns n and one if n is 1, and n and more otherwise, for example "1 turn" and "3 turns".
func Count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}
