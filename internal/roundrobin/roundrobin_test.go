package roundrobin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/roundrobin"
)

// take empties a queue of owners, one letter each, and returns the order they were taken in.
func take(o *roundrobin.Order, waiting string) string {
	var taken strings.Builder
	all := strings.Split(waiting, "")
	for len(all) > 0 {
		i := o.Next(len(all), func(i int) string { return all[i] })
		o.Took(all[i])
		taken.WriteString(all[i])
		all = slices.Delete(all, i, i+1)
	}
	return taken.String()
}

func TestOrder(t *testing.T) {
	for waiting, want := range map[string]string{
		"":          "",
		"aaaa":      "aaaa",
		"abc":       "abc",
		"aaaaab":    "aabaaa",
		"aaaabbbb":  "aabaabbb",
		"aaaaaabcb": "aabaacaab",
	} {
		if got := take(&roundrobin.Order{}, waiting); got != want {
			t.Errorf("%q is taken as %q, want %q", waiting, got, want)
		}
	}
	var o roundrobin.Order
	o.Took("a")
	o.Took("a")
	if got := take(&o, "ab"); got != "ba" {
		t.Errorf("after two of a come %q, want ba", got)
	}
}
