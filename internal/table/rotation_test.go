package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/table"
)

// drain empties a queue with one letter per owner, and returns the order.
func drain(o *table.Rotation, waiting string) string {
	var order strings.Builder
	all := strings.Split(waiting, "")
	for len(all) > 0 {
		i := o.Next(len(all), func(i int) string { return all[i] })
		o.Record(all[i])
		order.WriteString(all[i])
		all = slices.Delete(all, i, i+1)
	}
	return order.String()
}

func TestRotation(t *testing.T) {
	for waiting, want := range map[string]string{
		"":          "",
		"aaaa":      "aaaa",
		"abc":       "abc",
		"aaaaab":    "aabaaa",
		"aaaabbbb":  "aabaabbb",
		"aaaaaabcb": "aabaacaab",
	} {
		if got := drain(&table.Rotation{}, waiting); got != want {
			t.Errorf("%q is drained as %q, want %q", waiting, got, want)
		}
	}
	var o table.Rotation
	o.Record("a")
	o.Record("a")
	if got := drain(&o, "ab"); got != "ba" {
		t.Errorf("after two of a come %q, want ba", got)
	}
}
