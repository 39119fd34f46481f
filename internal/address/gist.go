package address

import (
	"context"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// Gist is what a line told, as far as the lines after it are judged by that.
type Gist struct {
	Asks bool // it has a question mark
	You  bool // it says "you"
	// To is the player it calls or names, in lower case; empty if none.
	To string

	meaning *meaning
}

// gistOf is what the utterance told.
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

// meaning is a text and its vector, which is computed once, when it is first needed; case and blanks do
// not matter. It is safe for
// concurrent use; nil is the meaning of nothing.
type meaning struct {
	text   string
	once   sync.Once
	vector []float32
}

// meaningBytes bounds the part of a text that is embedded, because the encoder's cost grows with the
// square of the length.
const meaningBytes = 240

// of is the vector of the text, nil if there is nothing to embed.
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

// closeness is the cosine of two meanings, 0 if one of them is nothing.
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
