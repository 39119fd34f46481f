package embeddings_test

import (
	"math/rand/v2"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings"
)

// TestDot compares Dot with the defining sum, for every length around the block size and
// for the largest components.
func TestDot(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		a, b := make([]int8, n), make([]int8, n+n%3)
		for i := range b {
			b[i] = int8(chance.IntN(256) - 128)
		}
		want := int32(0)
		for i := range a {
			a[i] = int8(chance.IntN(256) - 128)
			if n%7 == 0 {
				a[i], b[i] = -128, -128
			}
			want += int32(a[i]) * int32(b[i])
		}
		if got := embeddings.DotBytes(a, b); got != want {
			t.Errorf("product of %d components is %d, want %d", n, got, want)
		}
		if got := embeddings.DotBytes(b, a); got != want {
			t.Errorf("product of %d components is %d the other way round, want %d", n, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	if got := embeddings.Bytes("A\xff"); len(got) != 2 || got[0] != 65 || got[1] != -1 {
		t.Errorf("bytes are %v, want 65 and -1", got)
	}
	if got := embeddings.Bytes(""); len(got) != 0 {
		t.Errorf("bytes of nothing are %v", got)
	}
}

func BenchmarkDot(b *testing.B) {
	v, w := make([]int8, 256), make([]int8, 256)
	for b.Loop() {
		embeddings.DotBytes(v, w)
	}
}
