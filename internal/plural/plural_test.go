package plural_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/plural"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 entities", 1: "1 entity", 2: "2 entities", 21: "21 entities"} {
		if got := plural.Count(n, "entity", "entities"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
