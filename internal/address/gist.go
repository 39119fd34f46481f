package address

// Gist is what a line told, as far as those after it are judged by that.
type Gist struct {
	Asks bool // a question
	You  bool // it says "you"
	Game bool // of rules, dice, or the evening
	// To is the player it calls or names, in lower case; empty if none.
	To string
	// Lordly is set if it says "Ihr" or "Sie" in capitals within a sentence.
	Lordly bool
	// Third is set if it speaks of "him" or "her".
	Third bool

	subjects topic
	stems    [maxStems]stem
}

// maxStems bounds the words of a line that are compared with another's.
const maxStems = 12

// stem is the hash of the front of a word that means something by itself; none is zero.
type stem uint32

// stemOf is the stem of a word.
func stemOf(t token) stem {
	if len(t.text) < minStem || t.class&(article|you|question|joins|sound|subject|tail|opener|about|part) != 0 {
		return 0
	}
	h := uint32(2166136261)
	for i := range min(len(t.text), stemBytes) {
		h = (h ^ uint32(t.text[i])) * 16777619
	}
	return stem(max(h, 1))
}

const (
	minStem   = 4 // bytes of a word that means something by itself, at least
	stemBytes = 5 // by which words are compared
)

// gist is what the utterance told.
func gist(u *utterance) Gist {
	f := read(u)
	g := Gist{Asks: f.asks, Game: f.gameWords(), Third: f.has(third), Lordly: f.lordly}
	for i, t := range u.tokens {
		g.You = g.You || t.class&you != 0
		if m, ok := u.exact(i, len(u.tokens)); ok && m.form.npc == player && g.To == "" {
			g.To = m.form.player
		}
	}
	g.subjects, g.stems = f.subjects, f.stems
	return g
}

// noteStem adds the stem of a word to those of a line.
func noteStem(stems *[maxStems]stem, s stem) {
	if s == 0 {
		return
	}
	for i := range stems {
		switch stems[i] {
		case s:
			return
		case 0:
			stems[i] = s
			return
		}
	}
}

// alike counts the stems that two lines share.
func alike(a, b *[maxStems]stem) int {
	n := 0
	for _, s := range a {
		if s == 0 {
			break
		}
		for _, o := range b {
			if o == s {
				n++
			}
			if o == 0 {
				break
			}
		}
	}
	return n
}
