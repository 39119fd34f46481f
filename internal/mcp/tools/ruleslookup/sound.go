package ruleslookup

import (
	"maps"
	"slices"
	"strings"
)

// shortestSound is the minimum length of a key for which a name may be recognised in spite of an error. A key
// that matches exactly may be one letter shorter.
const shortestSound = 5

// sound is a name or alias that has a certain sound key.
type sound struct {
	doc   int32
	alias bool
}

// soundKey spells out how letters sound to an English or German ear. Sounds that are easily confused become
// the same, all vowels become one, doubled letters become single, and gaps between words are removed.
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
			if c == 'y' && i == 0 && isVowel(next) {
				add('j')
				continue
			}
			if c == 'e' && i == len(w)-1 && i > 2 {
				continue // silent in English, weak in German
			}
			add('a')
		case 'p', 't', 's', 'c', 'g', 'k', 'w', 'x', 'z', 'q', 'd':
			i += addCluster(add, c, next, w[i:], i == 0, i > 0 && isVowel(w[i-1]))
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

// addCluster adds a consonant whose sound depends on the next letters, on whether it begins its word, and
// on whether it follows a vowel. It returns how many additional letters it consumed.
func addCluster(add func(byte), c, next byte, rest string, first, after bool) int {
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
		return 0 // the next letter sounds instead
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
	case c == 'x' && first:
		add('s')
	case c == 'x':
		add('k')
		add('s')
	case c == 'q' && next == 'u':
		add('k')
		add('f')
		return 1
	case c == 'w' && (first && next == 'r' || after && !isVowel(next)):
		// silent: "wraith", "own"
	default:
		add(soundClass(c))
	}
	return 0
}

func isVowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }

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
		b.sounds[key] = append(b.sounds[key], sound{doc: doc, alias: alias})
	}
}

// fillSounds sorts the sounds.
func (b *builder) fillSounds(ix *index) {
	keys := slices.Sorted(maps.Keys(b.sounds))
	ix.sounds = newNearWords(keys)
	ix.sounding = make([][]sound, len(keys))
	for i, key := range keys {
		ix.sounding[i] = slices.Clone(b.sounds[key]) // drops the spare capacity left by append
	}
}

// scoreSounds raises the score of rules whose name sounds like a run of words in the query. A speech
// recogniser may have split the name at any point.
func (ix *index) scoreSounds(s *scratch, q *question) {
	s.touched = s.touched[:0]
	short := len(q.ws) <= 3
	var key []byte
	for from := range q.all {
		key = key[:0]
		near, unsure := short, false
		for to := from; to < min(len(q.all), from+5); to++ {
			key = appendSound(key, q.all[to].raw)
			unsure = unsure || slices.Contains(q.unsure, q.all[to].raw)
			near = near || unsure
			if to == from && (germanStop(q.all[to].raw) || stopWord(q.all[to].raw)) && len(q.all) > 1 && len(key) < 3 {
				break
			}
			worth := soundBonus
			if unsure || short && from == 0 && to == len(q.all)-1 {
				worth *= unsureSound
			}
			ix.scoreSound(s, key, near, worth)
			if last := q.all[to].raw; unsure && len(last) > 3 && strings.HasSuffix(last, "s") && key[len(key)-1] == 's' {
				ix.scoreSound(s, key[:len(key)-1], false, worth)
			}
			if first := q.all[from].raw; to == from && unsure && strings.HasPrefix(first, "th") {
				ix.scoreSound(s, append([]byte("t"), key[1:]...), near, worth)
			}
		}
	}
	s.flush()
}

// scoreSound scores the names that sound like key or, if near is set, similar to it.
func (ix *index) scoreSound(s *scratch, key []byte, near bool, worth float32) {
	if len(key) < shortestSound-1 || len(key) > 40 {
		return
	}
	if at, same := slices.BinarySearch(ix.sounds.words, string(key)); same {
		for _, c := range ix.sounding[at] {
			s.addSound(c, worth*float32(len(key))*(1+longSound*float32(max(0, len(key)-shortestSound))))
		}
		return
	}
	if !near || len(key) <= shortestSound {
		return
	}
	edits := 1
	if len(key) >= 9 {
		edits = 2
	}
	from, to := ix.sounds.between(string(key[:1]))
	for _, n := range ix.sounds.find(nil, string(key), edits, from, to) {
		for _, c := range ix.sounding[n.at] {
			s.addSound(c, worth*float32(len(key)-3*int(n.edits)))
		}
	}
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
