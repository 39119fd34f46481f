package diceroller

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

// WithSeed makes the tools roll the same dice in every run.
func WithSeed(seed uint64) Option {
	return func(o *options) {
		var key [32]byte
		binary.LittleEndian.PutUint64(key[:], seed)
		o.src = &seeded{rng: rand.New(rand.NewChaCha8(key))}
	}
}

type seeded struct {
	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

func (s *seeded) IntN(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(n)
}

// String returns the canonical form.
func (e Expr) String() string { return string(e.appendTo(nil)) }

// Roll rolls the dice.
func (e Expr) Roll(src Source) Outcome { return e.rollOnto(nil, src) }

// Detail returns how the total is made up.
func (o Outcome) Detail() string { return string(o.appendDetail(nil)) }
