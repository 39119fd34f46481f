package ruleslookup

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/spelling"
)

const (
	// shortestSound is the length of the shortest key by which a name is heard with an
	// error in it; a key that is the same may be a letter shorter.
	shortestSound = 5

	// soundBonus is what a name that is heard in the query adds, per letter of its key.
	soundBonus = 0.8
)

// sound is a name or alias by how it sounds.
type sound struct {
	key   string
	doc   int32
	alias bool
}

// soundKey writes letters the way they sound to an English or German ear: what is
// easily confused is the same, vowels are one, doubled letters single, and gaps between
// words are gone.
func soundKey(b []byte, ws []word) []byte {
	for _, w := range ws {
		b = appendSound(b, w.raw)
	}
	return b
}

func appendSound(b []byte, w string) []byte {
	add := func(c byte) {
		if len(b) == 0 || b[len(b)-1] != c {
			b = append(b, c)
		}
	}
	for i := 0; i < len(w); i++ {
		next := byte(0)
		if i+1 < len(w) {
			next = w[i+1]
		}
		switch c := w[i]; c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			if c == 'e' && i == len(w)-1 && i > 2 {
				continue // silent in English, weak in German
			}
			add('a')
		case 'p', 't', 's', 'c', 'g', 'k', 'w', 'x', 'z', 'q', 'd':
			i += addCluster(add, c, next, w[i:])
		case 'b', 'f', 'v', 'j', 'r', 'l', 'm', 'n':
			add(soundClass(c))
		case 'h':
			if i == 0 {
				add('h')
			}
		default:
			add(c)
		}
	}
	return b
}

// addCluster adds a consonant whose sound depends on what follows, and returns how many
// letters more it took.
func addCluster(add func(byte), c, next byte, rest string) int {
	soft := next == 'e' || next == 'i' || next == 'y'
	switch {
	case c == 'p' && next == 'h', c == 't' && next == 'h':
		add('f')
		return 1
	case c == 's' && next == 'c' && len(rest) > 2 && rest[2] == 'h':
		add('j')
		return 2
	case c == 't' && next == 's' && len(rest) > 3 && rest[2:4] == "ch":
		add('j')
		return 3
	case c == 't' && next == 'c', c == 'd' && next == 'g':
		return 0 // what follows sounds
	case c == 's' && next == 'h':
		add('j')
		return 1
	case c == 'c' && next == 'h':
		add('k')
		return 1
	case c == 'g' && next == 'h':
		return 1
	case c == 'k' && next == 'n':
		return 0
	case c == 'g' && soft:
		add('j')
	case c == 'c' && soft, c == 's', c == 'z':
		add('s')
	case c == 'x':
		add('k')
		add('s')
	default:
		add(soundClass(c))
	}
	return 0
}

func soundClass(c byte) byte {
	switch c {
	case 'p':
		return 'b'
	case 'd':
		return 't'
	case 'c', 'g', 'q':
		return 'k'
	case 'w', 'v':
		return 'f'
	}
	return c
}

// addSound indexes a name or alias by its sound.
func (b *builder) addSound(doc int32, ws []word, alias bool) {
	if key := string(soundKey(nil, ws)); len(key) >= shortestSound-1 && len(ws) <= longestTitle {
		b.sounds = append(b.sounds, sound{key: key, doc: doc, alias: alias})
	}
}

// fillSounds orders the sounds by how they begin and by their length, so that those that
// may be meant by the same key are together.
func (b *builder) fillSounds(ix *index) {
	b.sounds = slices.Clone(b.sounds) // without what appending reserved
	slices.SortStableFunc(b.sounds, func(x, y sound) int {
		return cmp.Or(cmp.Compare(x.key[0], y.key[0]), cmp.Compare(len(x.key), len(y.key)))
	})
	ix.sounds = b.sounds
	ix.soundLetters = make([]uint32, len(b.sounds))
	ix.bySound = make(map[string][]int32, len(b.sounds))
	for i, s := range b.sounds {
		ix.soundLetters[i] = letterSet(s.key)
		ix.bySound[s.key] = append(ix.bySound[s.key], int32(i))
	}
}

// scoreSounds rewards rules whose name sounds like a run of the query's words, which a
// speech recogniser may have cut anywhere.
func (ix *index) scoreSounds(s *scratch, q *question) {
	s.touched = s.touched[:0]
	short := len(q.ws) <= 3
	var key []byte
	for from := range q.all {
		key = key[:0]
		near := short
		for to := from; to < min(len(q.all), from+5); to++ {
			key = appendSound(key, q.all[to].raw)
			near = near || slices.Contains(q.unsure, q.all[to].raw)
			if to == from && (germanStop(q.all[to].raw) || stopWord(q.all[to].raw)) && len(q.all) > 1 && len(key) < 3 {
				break
			}
			ix.scoreSound(s, key, near)
		}
	}
	s.flush()
}

// scoreSound scores the names that sound like key or, if near is set, nearly so.
func (ix *index) scoreSound(s *scratch, key []byte, near bool) {
	if len(key) < shortestSound-1 || len(key) > 40 {
		return
	}
	if same := ix.bySound[string(key)]; len(same) > 0 {
		for _, i := range same {
			s.addSound(ix.sounds[i], soundBonus*float32(len(key)))
		}
		return
	}
	if !near || len(key) < shortestSound {
		return
	}
	edits := 1
	if len(key) >= 9 {
		edits = 2
	}
	set := letterSet(string(key))
	end := ix.soundFrom(key[0], len(key)+edits+1)
	for i := ix.soundFrom(key[0], len(key)-edits); i < end; i++ {
		if bits.OnesCount32(ix.soundLetters[i]^set) > 2*edits {
			continue
		}
		c := &ix.sounds[i]
		if d := spelling.Distance(key, []byte(c.key), edits+1); d <= edits {
			s.addSound(*c, soundBonus*float32(len(key)-3*d))
		}
	}
}

// soundFrom is where the sounds begin that start with a letter and have a length at least.
func (ix *index) soundFrom(first byte, length int) int {
	at, _ := slices.BinarySearchFunc(ix.sounds, length, func(s sound, length int) int {
		return cmp.Or(cmp.Compare(s.key[0], first), cmp.Compare(len(s.key), length))
	})
	return at
}

func (s *scratch) addSound(c sound, worth float32) {
	if worth <= 0 {
		return
	}
	if c.alias {
		worth *= 0.9
	}
	if s.word[c.doc] == 0 {
		s.touched = append(s.touched, c.doc)
	}
	s.word[c.doc] = max(s.word[c.doc], worth)
}
