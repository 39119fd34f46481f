package ruleslookup

import "strings"

// texts are those that a library keeps, each once and in memory of its own: a text cut
// out of a file keeps all of the file.
type texts map[string]string

// keep returns s as it is kept.
func (t texts) keep(s string) string {
	kept, ok := t[s]
	if !ok {
		kept = strings.Clone(s)
		t[kept] = kept
	}
	return kept
}
