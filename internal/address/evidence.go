package address

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Evidence is the model's input for deciding whether a line that calls no NPC is for the one in the
// conversation.
type Evidence struct {
	Facts   []Fact
	Words   []uint16  // buckets of words and word pairs, without duplicates
	Meaning []float32 // vectors of the sentence and its context
	NPC     int       // index in the roster
}

// Fact is a named feature of a line and its context.
type Fact struct {
	Name  string
	Value float32
}

// Buckets is the number of buckets that words are hashed to.
const Buckets = 1 << 13

// gather collects the evidence on an utterance during a conversation with NPC p, negative if there is none.
func (s *Snapshot) gather(st *State, u *utterance, p int) *Evidence {
	e := &Evidence{NPC: p}
	fact := func(name string, value float32) {
		if value != 0 {
			e.Facts = append(e.Facts, Fact{name, value})
		}
	}
	is := func(name string, holds bool) {
		if holds {
			fact(name, 1)
		}
	}
	is("bias", true)

	// Who spoke with whom.
	open := p >= 0
	last := open && st.Last.Known && st.Last.NPC == p
	fresh := last && st.Fresh
	asked := last && strings.Contains(endOf(st.Said, 60), "?")
	own := open && st.Own.Known && st.Own.NPC == p && s.lasts(st.Own)
	toMe := last && st.LastTo == st.Speaker
	if !last && own && st.Asides == 0 { // meanwhile, others talked with another NPC
		fresh, toMe = true, true
	}
	when := "late"
	switch {
	case !open:
		when = "closed"
	case fresh && asked:
		when = "asked"
	case fresh:
		when = "told"
	case st.Asides == 0:
		when = "waiting" // the NPC has been spoken to and has not answered
	}
	is(when, true)
	who := "other"
	switch {
	case toMe:
		who = "me"
	case own:
		who = "own"
	}
	is(when+", "+who, true)
	asides := "0"
	switch n := st.Asides; {
	case n >= 9:
		asides = "9"
	case n >= 5:
		asides = "5"
	case n >= 3:
		asides = "3"
	case n > 0:
		asides = string(rune('0' + n))
	}
	if open {
		is("asides "+asides, true)
		is("asides "+asides+" "+who, true)
		fact("silence", float32(math.Log1p(max(0, st.Last.Ago.Seconds()-float64(len(u.tokens))*0.3))))
		is("answered", st.Answered > 0 && !fresh)
	}
	talkers := min(st.Talkers, 5)
	if talkers == 0 {
		talkers = 3 // unknown
	}
	is("talkers "+string(rune('0'+talkers)), true)

	// The previous line, if a player said it and it was for no NPC.
	before := &st.Before
	between := before.Known && before.NPC < 0 && !st.Fresh
	if between {
		byLeader := s.leads != "" && fold(before.Speaker) == s.leads
		is("after leader", byLeader)
		is("after leader, "+who, byLeader)
		is("after own", before.Speaker == st.Speaker)
		is("after another", before.Speaker != st.Speaker && !byLeader)
		is("after a question", before.Gist.Asks && before.Speaker != st.Speaker)
		is("named before", before.Gist.To != "" && before.Gist.To == u.speaker)
		is("dialogue", st.Earlier.Known && st.Earlier.Speaker == st.Speaker && before.Speaker != st.Speaker && st.Earlier.NPC < 0)
		is("quick", before.Ago.Seconds()-float64(len(u.tokens))*0.3 < 0.8)
	}
	is("after one for the NPC", before.Known && before.NPC == p && open && before.Speaker != st.Speaker && !fresh)
	is("mine was talk", st.Mine.Known && st.Mine.NPC < 0 && st.Mine.Ago < 20*time.Second)

	// The line itself.
	n := len(u.tokens)
	length := "25"
	for _, limit := range []struct {
		most int
		name string
	}{{1, "1"}, {3, "3"}, {6, "6"}, {12, "12"}, {25, "24"}} {
		if n <= limit.most {
			length = limit.name
			break
		}
	}
	is("words "+length, true)
	is("words "+length+" "+when, true)
	is("question", u.marked)
	is("question "+when, u.marked)
	is("question "+when+" "+who, u.marked)
	is("you", u.second)
	is("you "+when, u.second)
	is("quotes", u.quotes)
	is("crowd", u.crowd)
	is("crowd "+when, u.crowd)
	is("stranger", u.callsAbsent)
	is("about the NPC", slices.Contains(u.mentioned, p) && open)
	is("about the NPC, you", slices.Contains(u.mentioned, p) && open && u.second)
	is("about another", slices.ContainsFunc(u.mentioned, func(i int) bool { return i != p }))
	for i := range u.tokens {
		if m, ok := u.exact(i, n); ok && m.form.npc == player {
			is("about a player", true)
			break
		}
	}

	// How the line relates to earlier lines.
	line := u.meaning
	if open {
		near, talk := float32(0), float32(0)
		if last {
			near = closeness(line, st.lastMeaning())
			shared := float32(min(2, sharedWords(u, st.Said)))
			fact("shares words", shared)
			fact("shares words "+when, shared)
		}
		if between {
			talk = closeness(line, before.Gist.meaning)
			fact("near to talk", talk)
		}
		if st.Mine.Known && st.Mine.NPC == p {
			fact("near to own", closeness(line, st.Mine.Gist.meaning))
		}
		related := max(near, closeness(line, st.meantBefore))
		if st.Own.Known && st.Mine.Known && st.Mine.NPC == p {
			related = max(related, closeness(line, st.Mine.Gist.meaning))
		}
		fact("near to exchange", related)
		if words.German(words.Split(u.text)) {
			is("german", true)
			fact("near, german", near)
		}
		fact("near", near)
		fact("near "+when, near)
		fact("nearer than talk", near-talk)
	}
	v := line.of()
	e.Meaning = make([]float32, 0, 3*len(v))
	e.Meaning = append(e.Meaning, v...)
	times := func(m *meaning, use bool) {
		w := m.of()
		for i := range v {
			x := float32(0)
			if use && i < len(w) {
				x = 10 * v[i] * w[i]
			}
			e.Meaning = append(e.Meaning, x)
		}
	}
	times(st.lastMeaning(), last)
	times(before.Gist.meaning, between)
	e.Words = u.buckets(when)
	return e
}

// sharedWords counts the words of at least four letters that an utterance shares with a text.
func sharedWords(u *utterance, text string) int {
	text = fold(text)
	n := 0
	for i, t := range u.tokens {
		if len(t.text) >= 4 && t.class&(article|you|question|joins|sound|subject|opener|about|part) == 0 && strings.Contains(text, t.text) &&
			!slices.ContainsFunc(u.tokens[:i], func(o token) bool { return o.text == t.text }) {
			n++
		}
	}
	return n
}

// buckets returns the buckets of the utterance's words: each alone, in pairs, and combined with when. Names
// and numbers are replaced by placeholders.
func (u *utterance) buckets(when string) []uint16 {
	var out []uint16
	add := func(of ...string) {
		h := fnv.New32a()
		for _, p := range of {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
		if b := uint16(h.Sum32() % Buckets); !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	parts := make([]string, 0, len(u.tokens)+2)
	parts = append(parts, "^")
	for i := 0; i < len(u.tokens) && i < 40; i++ {
		w := u.tokens[i].text
		if m, ok := u.exact(i, len(u.tokens)); ok {
			w, i = "<name>", m.last
		} else if strings.ContainsAny(w, "0123456789") {
			w = "<number>"
		}
		parts = append(parts, w)
	}
	parts = append(parts, "$")
	for i, w := range parts[:len(parts)-1] {
		if i > 0 {
			add(w)
			add(when, w)
		}
		add(w, parts[i+1])
	}
	if len(parts) > 3 {
		add("^", parts[1], parts[2])
	}
	return out
}
