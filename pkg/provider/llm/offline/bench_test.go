package offline_test

import (
	"strings"
	"testing"
)

// BenchmarkHostileUtterance limits the work for a hostile utterance: the pattern matcher
// is at worst quadratic in the words it examines.
func BenchmarkHostileUtterance(b *testing.B) {
	for _, word := range []string{"what did ", "was hat ", "use echo ", "roll a ", "wie ", "2d6 ", "write ", "who is a ", "and roll "} {
		b.Run(strings.TrimSpace(word), func(b *testing.B) {
			req := request(strings.Repeat(word, 2000), allTools()...)
			for b.Loop() {
				ask(b, req)
			}
		})
	}
}
