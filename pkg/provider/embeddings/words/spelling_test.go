package words_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, row := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0},
		{"fireball", "fireball", 3, 0},
		{"fireball", "firebal", 3, 1},
		{"fireball", "fierball", 3, 1},
		{"fireball", "fyreball", 3, 1},
		{"kitten", "sitting", 9, 3},
		{"kitten", "sitting", 3, 3},
		{"a", "abcdef", 3, 3},
		{"bär", "bar", 3, 1},
		{"", "abc", 9, 3},
		{long, long + "y", 3, 1},
		{"x", "x", 0, 0},
	} {
		if got := words.Distance([]rune(row.a), []rune(row.b), row.limit); got != row.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", row.a, row.b, row.limit, got, row.want)
		}
	}
}

func TestDistanceIsOne(t *testing.T) {
	word := rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 80)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		exact := words.Distance(a, b, 1<<20)
		if back := words.Distance(b, a, 1<<20); back != exact {
			t.Errorf("Distance is %d one way and %d the other", exact, back)
		}
		if (exact == 0) != (string(a) == string(b)) {
			t.Errorf("Distance(%q, %q) = %d", a, b, exact)
		}
		limit := rapid.IntRange(0, 8).Draw(t, "limit")
		if got := words.Distance(a, b, limit); got != min(exact, limit) {
			t.Errorf("with limit %d = %d, want %d", limit, got, min(exact, limit))
		}
	})
}

func TestShortWordsNeedNoMemory(t *testing.T) {
	a, b := []rune("thunderwave"), []rune("thundrewafe")
	if n := testing.AllocsPerRun(100, func() { words.Distance(a, b, 5) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
