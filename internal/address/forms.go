package address

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// player is the NPC of a form that names a player.
	player = -1
	// anyone is the preferred NPC if there is no preference.
	anyone = -2
)

// form is one way to name someone. Its words are folded.
type form struct {
	words  []string
	npc    int
	player string // the player's full name, if npc is player
	title  bool   // names its bearer only as a form of address
	role   bool   // is the bearer's role rather than a name; never matched by sound
	common bool   // is also an everyday word
	led    bool   // begins with a word that names no one, as in "the sage"
	whole  heard  // all words as one
	each   []heard
}

// name is a name with its owner.
type name struct {
	words  []string
	npc    int
	player string
}

// learnForms creates the forms of everyone at the table: full names, aliases, and each word of a name that
// belongs to only one of them. A word that names an NPC never names a player. For example, "Bartok" means
// Bartok the Barkeep, whatever the players are called.
func (s *Snapshot) learnForms(players []string) {
	var npcs, others []name
	for i, n := range s.npcs {
		for _, text := range append([]string{n.Name}, n.Aliases...) {
			npcs = append(npcs, name{words: wordsOf(text), npc: i})
		}
	}
	for _, p := range players {
		others = append(others, name{words: wordsOf(p), npc: player, player: fold(p)})
	}
	taken := map[string]bool{}
	add := func(n name) {
		key := strings.Join(n.words, " ")
		if len(n.words) == 0 || len(n.words) > maxWords || taken[key] {
			return
		}
		if n.npc == player && s.class(key)&(subject|you|article|joins|sound) != 0 {
			return // "I" calls no one, whatever a player's name is
		}
		taken[key] = true
		f := s.newForm(n)
		_, reach := allowance(f.whole.n, false)
		s.forms = append(s.forms, f)
		s.shapes = append(s.shapes, shape{f.whole.letters, f.whole.n, reach, len(n.words) == 1})
	}
	shared := map[string]bool{}
	for _, names := range [][]name{npcs, others} {
		for _, n := range names {
			add(n)
		}
		for _, n := range names {
			rest := n.words
			for len(rest) > 1 && s.class(rest[0])&part != 0 {
				rest = rest[1:]
			}
			add(name{rest, n.npc, n.player})
		}
		for _, n := range s.singles(names, shared) {
			add(n)
		}
	}
	s.learnRoles(taken)
	for i, f := range s.forms {
		s.starts[f.words[0]] = append(s.starts[f.words[0]], i)
	}
	for _, is := range s.starts {
		slices.SortStableFunc(is, func(a, b int) int { return len(s.forms[b].words) - len(s.forms[a].words) })
	}
}

// learnRoles creates the forms of roles that only one NPC has. They name it only as a form of address.
func (s *Snapshot) learnRoles(taken map[string]bool) {
	type role struct {
		words []string
		npc   int
	}
	var all []role
	holders := map[string]int{}
	for i, n := range s.npcs {
		seen := map[string]bool{}
		for _, words := range rolesOf(n.Role) {
			key := strings.Join(words, " ")
			if !seen[key] {
				seen[key] = true
				holders[key]++
				all = append(all, role{words, i})
			}
		}
	}
	for _, r := range all {
		key := strings.Join(r.words, " ")
		if holders[key] > 1 || taken[key] || s.class(key)&(subject|you|article|joins|sound) != 0 {
			continue
		}
		taken[key] = true
		f := s.newForm(name{words: r.words, npc: r.npc})
		f.title, f.role = true, true
		s.forms = append(s.forms, f)
		s.shapes = append(s.shapes, shape{reach: -1})
	}
}

// singles returns the words of names that belong to one person only, and records the others in shared.
func (s *Snapshot) singles(names []name, shared map[string]bool) []name {
	first := map[string]name{}
	var order []string
	for _, n := range names {
		if len(n.words) > maxWords {
			continue
		}
		for _, w := range n.words {
			if len(w) < 3 || s.class(w)&(part|article|you) != 0 {
				continue
			}
			f, seen := first[w]
			switch {
			case !seen:
				first[w] = name{[]string{w}, n.npc, n.player}
				order = append(order, w)
			case f.npc != n.npc || f.player != n.player:
				shared[w] = true
			}
		}
	}
	var out []name
	for _, w := range order {
		if !shared[w] {
			out = append(out, first[w])
		}
	}
	return out
}

func (s *Snapshot) newForm(n name) form {
	f := form{words: n.words, npc: n.npc, player: n.player, led: s.class(n.words[0])&part != 0 && s.class(n.words[0])&article != 0}
	ts := make([]token, len(n.words))
	for i, w := range n.words {
		ts[i].text = w
	}
	f.whole.setSound(s.german, ts...)
	f.each = make([]heard, len(ts))
	for i := range ts {
		f.each[i].setSound(s.german, ts[i])
	}
	if len(n.words) == 1 {
		c := s.class(n.words[0])
		f.title, f.common = c&title != 0, c&^(title|honorific|part) != 0
	}
	return f
}

// wordsOf returns the folded words of a name.
func wordsOf(text string) []string {
	var out []string
	for _, t := range split(nil, fold(cut(text))) {
		out = append(out, t.text)
	}
	return out
}

// Named returns the NPC with the given name: its full name, an alias, or a word of these that belongs to it
// only.
func (s *Snapshot) Named(name string) (npc int, ok bool) {
	words := wordsOf(name)
	if len(words) == 0 {
		return 0, false
	}
	for _, i := range s.starts[words[0]] {
		if f := &s.forms[i]; f.npc != player && slices.Equal(f.words, words) {
			return f.npc, true
		}
	}
	return 0, false
}

// Names returns the names of each NPC: its full name, its aliases, and the words of these and of its role
// that belong to it only. [Snapshot.Named] accepts all of them.
func (s *Snapshot) Names() [][]string {
	names := make([][]string, len(s.npcs))
	for _, f := range s.forms {
		if f.npc != player {
			names[f.npc] = append(names[f.npc], strings.Join(f.words, " "))
		}
	}
	return names
}

// HeardAs returns the NPC whose name the words are or sound like, as a recogniser may have misheard it: "bar
// talk". Use it only for words that cannot be anything but a name.
func (s *Snapshot) HeardAs(words string) (npc int, ok bool) {
	if npc, ok = s.Named(words); ok {
		return npc, true
	}
	u := s.parseUtterance(words, "")
	if n := len(u.tokens); n == 0 || n > 3 || n == 1 && everyday(u.tokens) {
		return 0, false
	}
	var whole heard
	whole.setSound(s.german, u.tokens...)
	npc, least := player, maxLetters
	for i := range s.forms {
		f := &s.forms[i]
		limit := f.whole.n / 3
		if d := distance(&whole, &f.whole, limit); f.role || f.whole.n < 4 || d > limit || d > least {
			continue
		} else if d < least {
			npc, least = f.npc, d
		} else if f.npc != npc {
			npc = player // ambiguous
		}
	}
	return npc, npc != player
}

// match is a form found in an utterance, at the tokens from first to last.
type match struct {
	form        *form
	first, last int
	owned       bool // "Bartok's", "Bartoks"
	cost        int  // distance between the heard words and the form; 0 if equal
}

// exact returns the longest form at token i and before token end.
func (u *utterance) exact(i, end int) (match, bool) {
	word := u.tokens[i].text
	if m, ok := u.spelt(word, i, end); ok {
		m.owned = u.tokens[m.last].owns
		return m, true
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && u.s.german && len(stem) > 2 {
		m, ok := u.spelt(stem, i, i+1)
		m.owned = true
		return m, ok && !m.form.title
	}
	return match{}, false
}

// spelt is exact with token i spelt as word.
func (u *utterance) spelt(word string, i, end int) (match, bool) {
next:
	for _, n := range u.s.starts[word] {
		f := &u.s.forms[n]
		if i+len(f.words) > end || f.npc == player && f.player == u.speaker {
			continue
		}
		for k, w := range f.words[1:] {
			if t := u.tokens[i+1+k]; t.text != w {
				continue next
			}
		}
		return match{form: f, first: i, last: i + len(f.words) - 1}, true
	}
	return match{}, false
}

// similar returns the form that the tokens from first to last sound most like. careful accepts only close
// forms, for places where calls are rare. Between equally close forms, it returns that of prefer, or the
// first.
func (u *utterance) similar(first, last int, careful bool, prefer int) (match, bool) {
	ts := u.tokens[first : last+1]
	if len(ts) > 3 || ts[len(ts)-1].owns || everyday(ts) {
		return match{}, false
	}
	var whole heard
	var each [3]heard
	whole.setSound(u.s.german, ts...)
	for i := range ts {
		if len(ts) > 1 {
			each[i].setSound(u.s.german, ts[i])
		}
	}
	best := match{cost: 1 << 10}
	for i := range u.s.shapes {
		one := len(ts) == 1 || u.s.shapes[i].single
		if one && !u.s.shapes[i].fits(&whole) {
			continue
		}
		f := &u.s.forms[i]
		if f.role || careful && (f.title || f.common) || f.npc == player && f.player == u.speaker {
			continue
		}
		cost, ok := 0, false
		switch n := len(f.words); {
		case n == 1 || one && !f.led:
			cost, ok = near(&whole, &f.whole, careful || len(ts) > 1)
		case n == len(ts):
			cost, ok = nearEach(each[:n], f.each, careful)
		}
		if !ok || cost > best.cost || cost == best.cost && (best.form.npc == prefer || f.npc != prefer) {
			continue
		}
		best = match{form: f, first: first, last: last, cost: cost}
	}
	return best, best.form != nil
}

// shape holds the features of a form for a quick comparison.
type shape struct {
	letters  uint64
	n, reach int  // number of letters, and how many of them may be wrong at most
	single   bool // a single word
}

// fits reports whether h may be the form.
func (s *shape) fits(h *heard) bool {
	return h.n-s.n <= s.reach && s.n-h.n <= s.reach && bits.OnesCount64(h.letters^s.letters) <= 2*s.reach
}

// nearEach applies near word by word.
func nearEach(a, b []heard, careful bool) (cost int, ok bool) {
	for i := range a {
		c, ok := near(&a[i], &b[i], careful)
		if !ok {
			return 0, false
		}
		cost += c
	}
	return cost, true
}

// everydayWord reports whether a word is too frequent in English or German to be a name.
func everydayWord(t token) bool { return words.Stop(t.text) && t.class&(honorific|title) == 0 }

// everyday reports whether words are certainly not a name: a single everyday word, or several with a function
// word among them.
func everyday(ts []token) bool {
	if len(ts) == 1 {
		return ts[0].class&^(honorific|title) != 0 || everydayWord(ts[0])
	}
	return slices.ContainsFunc(ts, func(t token) bool {
		return everydayWord(t) || t.class&(article|you|about|question|joins|sound|subject) != 0
	})
}

// clipped is the cost of a name whose first sound was missed.
const clipped = 5

// near reports whether a, which was heard, may be b, and the cost: two for each letter, one less if it sounds
// the same.
func near(a, b *heard, careful bool) (cost int, ok bool) {
	limit, sounding := allowance(b.n, careful)
	if b.n > 0 && !a.far(b, sounding) {
		same := a.sounds(b)
		if same {
			limit = sounding
		}
		if d := distance(a, b, limit); d == 0 {
			return 0, true
		} else if d <= limit && same {
			return 2*d - 1, true
		} else if d <= limit {
			return 2 * d, true
		}
	}
	if lost := b.n - a.n; !careful && lost >= 1 && lost <= b.n/4 && lost <= 2 && a.n >= 3 && slices.Equal(a.spelling(), b.spelling()[lost:]) {
		return clipped, true
	}
	return 0, false
}

// distance returns the edit distance of a and b, or a value above limit if it is greater.
func distance(a, b *heard, limit int) int {
	if a.far(b, limit) {
		return limit + 1
	}
	return words.Distance(a.spelling(), b.spelling(), limit+1)
}

// allowance returns how many letters of a name with n letters may be wrong, and how many if the phonetic key
// matches.
func allowance(n int, careful bool) (alike, sounding int) {
	switch {
	case careful && n < 5:
		return 0, 0
	case careful:
		return 1, 1
	case n < 4:
		return 0, 0
	case n == 4:
		return 0, 1
	case n < 8:
		return 1, 2
	}
	return 2, 3
}
