package address

import (
	"context"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// Gist is the part of a line that matters for judging later lines.
type Gist struct {
	Asks bool // it has a question mark
	You  bool // it says "you"
	// To is the player whom it calls or names, in lower case; empty if none.
	To string

	meaning *meaning
}

// gistOf returns the gist of the utterance.
func gistOf(u *utterance) Gist {
	g := Gist{Asks: u.marked, You: u.second, meaning: u.meaning}
	for i := range u.tokens {
		if m, ok := u.exact(i, len(u.tokens)); ok && m.form.npc == player {
			g.To = m.form.player
			break
		}
	}
	return g
}

// meaning is a text with its vector, which is computed on first use. Case and white space do not matter. It
// is safe for concurrent use. nil is the meaning of no text.
type meaning struct {
	text   string
	once   sync.Once
	vector []float32
}

// meaningBytes limits the part of a text that is embedded, because the cost of encoding grows with the square
// of the length.
const meaningBytes = 240

// of returns the vector of the text, or nil if there is none.
func (m *meaning) of() []float32 {
	if m == nil || m.text == "" {
		return nil
	}
	m.once.Do(func() {
		if v, err := sentencevectors.New().Embed(context.Background(), []string{endOf(strings.Join(strings.Fields(fold(m.text)), " "), meaningBytes)}); err == nil {
			m.vector = v[0]
		}
	})
	return m.vector
}

// closeness returns the cosine of two meanings, or 0 if one of them has no vector.
func closeness(a, b *meaning) float32 {
	v, w := a.of(), b.of()
	if len(v) == 0 || len(v) != len(w) {
		return 0
	}
	var sum float32
	for i, x := range v {
		sum += x * w[i]
	}
	return sum
}
