package ruleslookup

import "strings"

// texts holds the texts that a library keeps. Each is stored once, in its own memory, because a substring of
// a file would keep the whole file in memory.
type texts map[string]string

// intern returns the stored copy of s.
func (t texts) intern(s string) string {
	kept, ok := t[s]
	if !ok {
		kept = strings.Clone(s)
		t[kept] = kept
	}
	return kept
}
