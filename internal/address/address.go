// Package address decides whom an utterance is for: one NPC, several, or none.
// It works on the transcript as it was heard, misheard names included.
//
// It does no I/O, reads no clock and keeps no
// state: [Detect] is a function of a [Snapshot], a [State] and a text, and all
// three are only read, so any number of goroutines may share them.
//
// It knows the words of English and German. In other languages exact and
// similar names, punctuation and conversations still count; greetings, groups
// and mere sounds are not recognised.
package address

import (
	"slices"
	"time"
)

// Routes say why an utterance is for whom it is for.
const (
	RouteName         = "name"         // it calls an NPC
	RouteGroup        = "group"        // it calls several
	RouteContinuation = "continuation" // it goes on with a conversation
	RouteOnlyNPC      = "only_npc"     // no other NPC listens without its name
	RouteNone         = "none"         // it is for no NPC
)

// window is how long a conversation lasts by default.
const window = 30 * time.Second

// Listening is how readily the NPCs of a table take a line that calls none of them.
type Listening uint8

const (
	// Attentive NPCs take a line of a running conversation if it is plausibly to them.
	Attentive Listening = iota
	// Eager NPCs take any line of a running conversation that is not surely for
	// somebody else.
	Eager
	// CalledOnly NPCs hear only who calls them, alone or as a group.
	CalledOnly
)

// NPC is someone who may be addressed.
type NPC struct {
	ID, Name string
	Aliases  []string
	// Muted NPCs are addressed like any other, so that what is said to them does
	// not go elsewhere, but another leads a group.
	Muted bool
	// AddressOnly NPCs hear only their name.
	AddressOnly bool
}

// Roster is who sits at a table.
type Roster struct {
	NPCs []NPC
	// Players are names of people, who are spoken to as well.
	Players []string
	// Languages lists BCP 47 tags. If empty, English and German are spoken.
	Languages []string
	// Window is how long a conversation lasts. If zero, 30 s; below zero there
	// are none.
	Window time.Duration
	// Listening is how readily the NPCs take what calls nobody.
	Listening Listening
}

// Snapshot is a roster made ready for [Detect]. It is immutable.
type Snapshot struct {
	npcs   []NPC
	open   int // NPCs that hear more than their name
	lexica []lexicon
	german bool
	window time.Duration
	listen Listening
	forms  []form
	shapes []shape          // of forms
	starts map[string][]int // forms by first word, longest first
}

// Partner is the NPC of a conversation. The zero value is nobody.
type Partner struct {
	Known bool
	NPC   int // index in the roster
	// Ago is how long it has been silent and not been spoken to.
	Ago time.Duration
}

// State is what has just happened at the table.
type State struct {
	// Speaker is the player who speaks.
	Speaker string
	// Last is the NPC that spoke or was spoken to last, at the whole table.
	Last Partner
	// LastTo is the player Last was in conversation with; empty if everyone.
	LastTo string
	// Own is the NPC that Speaker spoke to last.
	Own Partner
	// Barged is set once a player has interrupted Last: the conversation is over
	// until someone is named.
	Barged bool
}

// Decision is whom an utterance is for.
type Decision struct {
	// NPCs are indices in the roster: none, one, or two, of whom the first leads
	// and the second may react.
	NPCs  []int
	Route string
	// Called says that the utterance calls them by their names. Else it is only likely
	// to be for them.
	Called bool
	// Confidence lies between 0 and 1.
	Confidence float64
	// Why is the reason in a few words, for people who ask.
	Why string
	// BackChannel reports that the utterance was a mere sound such as "mhm",
	// which asks for no answer. It then is for nobody.
	BackChannel bool
}

// NewSnapshot prepares a roster. Names without a letter or digit name nobody.
func NewSnapshot(r Roster) *Snapshot {
	s := &Snapshot{window: r.Window, listen: r.Listening, starts: map[string][]int{}}
	if s.window == 0 {
		s.window = window
	}
	s.lexica, s.german = lexicaOf(r.Languages)
	for _, n := range r.NPCs {
		n.Aliases = slices.Clone(n.Aliases)
		s.npcs = append(s.npcs, n)
		if !n.AddressOnly {
			s.open++
		}
	}
	s.learnForms(r.Players)
	return s
}

// Detect decides whom text is for. It never panics and looks at the first
// 4 KiB of the text.
func Detect(s *Snapshot, st State, text string) Decision {
	u := s.parseUtterance(text, st.Speaker)
	switch {
	case len(u.tokens) == 0 && !u.noise:
		return nobody("nothing was said")
	case u.sounds():
		d := nobody("a mere sound")
		d.BackChannel = true
		return d
	}
	u.findCalls(st)
	switch {
	case len(u.called) > 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteGroup, Called: true, Confidence: u.confidence, Why: "several were called"}
	case len(u.called) == 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteName, Called: true, Confidence: u.confidence, Why: u.why}
	case u.toPlayer:
		return nobody("said to a player")
	}
	if u.group() {
		if who := s.group(st); len(who) > 1 {
			return Decision{NPCs: who, Route: RouteGroup, Confidence: 0.9, Why: "a group was called"}
		}
	}
	return s.uncalled(st, u)
}

// uncalled decides for an utterance that calls nobody.
func (s *Snapshot) uncalled(st State, u *utterance) Decision {
	if s.listen == CalledOnly {
		return nobody("nobody was called, and the NPCs listen for calls only")
	}
	if s.open == 1 {
		for i, n := range s.npcs {
			if !n.AddressOnly {
				return Decision{NPCs: []int{i}, Route: RouteOnlyNPC, Confidence: 0.8, Why: "no other NPC listens"}
			}
		}
	}
	if p, ok := s.partner(st); ok {
		if slices.Contains(u.mentioned, p) && !u.second {
			return nobody("said about the NPC, not to it")
		}
		return Decision{NPCs: []int{p}, Route: RouteContinuation, Confidence: 0.7, Why: "the conversation goes on"}
	}
	if len(u.mentioned) > 0 && u.asks && !u.second {
		if who := u.mentioned[0]; !s.npcs[who].AddressOnly {
			return Decision{NPCs: []int{who}, Route: RouteName, Confidence: 0.5, Why: "asked after, and nobody else is being talked with"}
		}
	}
	return nobody("nobody was called")
}

func nobody(why string) Decision {
	return Decision{Route: RouteNone, Confidence: 1, Why: why}
}

// lasts reports whether the conversation with p goes on.
func (s *Snapshot) lasts(p Partner) bool {
	return p.Known && p.NPC >= 0 && p.NPC < len(s.npcs) && p.Ago <= s.window
}

// partner returns the NPC that the speaker is talking with: the one heard
// last, or their own if that one talked with somebody else.
func (s *Snapshot) partner(st State) (int, bool) {
	if st.Barged || !s.lasts(st.Last) {
		return 0, false
	}
	p := st.Last.NPC
	if st.LastTo != "" && st.LastTo != st.Speaker && s.lasts(st.Own) {
		p = st.Own.NPC
	}
	return p, !s.npcs[p].AddressOnly
}

// group returns the NPCs that answer when all are called: whoever spoke last,
// then the speaker's own, then by order of the roster. The muted come last.
func (s *Snapshot) group(st State) []int {
	var who []int
	for _, muted := range []bool{false, true} {
		add := func(i int) {
			if n := s.npcs[i]; len(who) < 2 && n.Muted == muted && !n.AddressOnly && !slices.Contains(who, i) {
				who = append(who, i)
			}
		}
		for _, p := range []Partner{st.Last, st.Own} {
			if s.lasts(p) {
				add(p.NPC)
			}
		}
		for i := range s.npcs {
			add(i)
		}
	}
	return who
}
