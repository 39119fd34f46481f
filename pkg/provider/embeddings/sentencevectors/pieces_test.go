package sentencevectors_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// TestPieces: a word is split the same way anywhere, punctuation is not part of it, and
// pieces are closer the more similar their meaning.
func TestPieces(t *testing.T) {
	if got := sentencevectors.Pieces("… — !?"); len(got) != 0 {
		t.Errorf("marks have the pieces %v", got)
	}
	one := func(word string) sentencevectors.Piece {
		t.Helper()
		got := sentencevectors.Pieces(word)
		if len(got) != 1 {
			t.Fatalf("%q is cut into %v, want it whole", word, got)
		}
		return got[0]
	}
	who, father, mother, seven := one("who"), one("father"), one("mother"), one("seven")
	both := sentencevectors.Pieces("Who? My father, who else!")
	if both[len(both)-2] != who || both[2] != father {
		t.Errorf("the pieces of a sentence are %v, want %d and %d among them", both, who, father)
	}
	if got := sentencevectors.Likeness(father, father); got < 0.999 || got > 1.001 {
		t.Errorf("a piece is like itself by %v", got)
	}
	near, far := sentencevectors.Likeness(father, mother), sentencevectors.Likeness(father, seven)
	if near != sentencevectors.Likeness(mother, father) || near <= far+0.1 {
		t.Errorf("father is like mother by %v and like seven by %v", near, far)
	}
}
