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
	"math"
	"slices"
	"time"
)

// Routes say why an utterance is for whom it is for.
const (
	RouteName         = "name"         // it calls an NPC, or asks after one while nobody is talked with
	RouteGroup        = "group"        // it calls several
	RouteContinuation = "continuation" // it goes on with a conversation
	RouteOnlyNPC      = "only_npc"     // no other NPC listens without its name
	RouteNone         = "none"         // it is for no NPC
)

// window is how long a conversation lasts by default.
const window = 90 * time.Second

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
	// Role is what it is to those who do not know its name: "innkeeper", "captain of
	// the watch". It is called by that, too, in either language.
	Role string
	// AddressOnly NPCs hear only their name.
	AddressOnly bool
}

// Roster is who sits at a table.
type Roster struct {
	NPCs []NPC
	// Players are names of people, who are spoken to as well.
	Players []string
	// Leads is the player who leads the game; empty if nobody is known to.
	Leads string
	// Languages lists BCP 47 tags. If empty, English and German are spoken.
	Languages []string
	// Window is how long a conversation lasts. If zero, 90 s; below zero there
	// are none.
	Window time.Duration
	// Listening is how readily the NPCs take what calls nobody.
	Listening Listening
}

// Snapshot is a roster made ready for [Detect]. It is immutable.
type Snapshot struct {
	npcs         []NPC
	open         int // NPCs that hear more than their name
	lexica       []lexicon
	vocabularies []*vocabulary
	leads        string // folded
	german       bool
	window       time.Duration
	listen       Listening
	forms        []form
	shapes       []shape          // of forms
	starts       map[string][]int // forms by first word, longest first
}

// Partner is the NPC of a conversation. The zero value is nobody.
type Partner struct {
	Known bool
	NPC   int // index in the roster
	// Ago is how long it has been silent and not been spoken to.
	Ago time.Duration
}

// State is what has just happened at the table. [Talk] keeps it.
type State struct {
	// Speaker is the player who speaks.
	Speaker string
	// Last is the NPC that spoke or was spoken to last, at the whole table.
	Last Partner
	// LastTo is the player Last was in conversation with; empty if everyone.
	LastTo string
	// Own is the NPC that Speaker spoke to last.
	Own Partner
	// Said are the last words of Last; empty if it was spoken to and has not answered.
	Said string
	// SaidBefore are the last words of whichever NPC spoke before.
	SaidBefore string
	// Fresh is set while nobody has spoken since Last said them.
	Fresh bool
	// Lordly is set if Last has said "Ihr" or "Sie" to somebody, or was spoken to so.
	Lordly bool
	// Answered counts the lines to Last since it said them.
	Answered int
	// Asides counts the lines for nobody since anything was said to or by an NPC.
	Asides int
	// Before is the line of a player before this one, Earlier the one before that, and
	// Mine the speaker's own last.
	Before, Earlier, Mine Remark
	// Group are the NPCs that were called together last, if that conversation goes
	// on, and GroupBy who called them. GroupAll is set if everyone was.
	Group    []int
	GroupBy  string
	GroupAll bool
	// GroupSaid is how many of them have answered since.
	GroupSaid int
	// Barged is set once a player has interrupted Last: the conversation is over
	// until someone is named.
	Barged bool
}

// Remark is a line of a player. The zero value is none.
type Remark struct {
	Known   bool
	Speaker string
	NPC     int // whom it was for, as an index in the roster; nobody below zero
	Ago     time.Duration
	Gist    Gist
}

// Decision is whom an utterance is for.
type Decision struct {
	// NPCs are indices in the roster: none, one, or several, of whom the first leads
	// and the second may react.
	NPCs []int
	// All is set if everybody in the room was called; NPCs are then the two who answer.
	All bool
	// NotFor are NPCs that were called and are now told that they were not meant.
	NotFor []int
	Route  string
	// Called says that the utterance calls them by their names. Else it is only likely
	// to be for them.
	Called bool
	// Elsewhere says of an utterance for nobody that it plainly is for somebody who is
	// no NPC: it calls a player, or is about the rules beyond doubt.
	Elsewhere bool
	// Confidence lies between 0 and 1.
	Confidence float64
	// Why is the reason in a few words, for people who ask.
	Why string
	// Gist is what the utterance told, for [Talk].
	Gist Gist
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
	s.vocabularies = vocabulariesOf(r.Languages)
	s.leads = fold(r.Leads)
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
	d := s.decide(st, u)
	if len(u.tokens) > 0 && !d.BackChannel {
		d.Gist = gist(u)
	}
	return d
}

// decide is Detect for a text cut into words.
func (s *Snapshot) decide(st State, u *utterance) Decision {
	switch {
	case len(u.tokens) == 0 && !u.noise:
		return nobody("nothing was said")
	case u.sounds():
		d := nobody("a mere sound")
		d.BackChannel = true
		return d
	}
	if !u.corrected(&st) {
		u.findCalls(st)
	}
	if s.leads != "" && u.speaker == s.leads && !(len(u.called) > 0 && u.hailed) {
		return nobody("said by whoever leads the game")
	}
	switch {
	case len(u.called) > 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteGroup, Called: true, Confidence: u.confidence, Why: "several were called"}
	case len(u.called) == 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteName, Called: true, Confidence: u.confidence, Why: u.why, NotFor: u.notFor}
	case u.toPlayer:
		d := nobody("said to a player")
		d.NotFor, d.Elsewhere = u.notFor, true
		return d
	}
	return s.uncalled(st, u)
}

// uncalled decides for an utterance that calls nobody.
func (s *Snapshot) uncalled(st State, u *utterance) Decision {
	f := u.gather(&st, s.likely(st))
	if d, ok := s.several(st, u, f); ok {
		return d
	}
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
	if _, ok := s.partner(st); ok {
		return s.continued(u, f)
	}
	if len(u.mentioned) > 0 && u.asks && !u.second {
		if who := u.mentioned[0]; !s.npcs[who].AddressOnly {
			return Decision{NPCs: []int{who}, Route: RouteName, Confidence: 0.5, Why: "asked after, and nobody else is being talked with"}
		}
	}
	return nobody("nobody was called")
}

// likely is the NPC that the speaker is talking with, the first if there is none.
func (s *Snapshot) likely(st State) int {
	p, _ := s.partner(st)
	return p
}

// several decides for an utterance that calls a room, a pair, or goes on with a group.
func (s *Snapshot) several(st State, u *utterance, f *facts) (Decision, bool) {
	if len(st.Group) > 1 && !st.GroupAll && st.GroupBy == st.Speaker && s.lasts(st.Last) && f.toGroup() {
		return Decision{NPCs: s.audibleFirst(st.Group), Route: RouteGroup, Confidence: 0.8, Why: "the group goes on being spoken with"}, true
	}
	if u.callsRoom(f) {
		if who := s.group(st); len(who) > 1 {
			return Decision{NPCs: who, All: true, Route: RouteGroup, Confidence: 0.8, Why: "everybody in the room was called"}, true
		}
	}
	if u.group() && !f.has(aboutRules) && !f.has(aboutEvening) && !(f.has(crew) && s.lasts(st.Last) && s.listen != Eager) && (!f.has(planning) || !st.Last.Known || f.has(yoursAll) && !f.inTalk) {
		if who := s.group(st); len(who) > 1 {
			return Decision{NPCs: who, All: !f.has(yoursAll), Route: RouteGroup, Confidence: 0.9, Why: "a group was called"}, true
		}
	}
	return Decision{}, false
}

// audibleFirst puts those who may speak in front of the muted.
func (s *Snapshot) audibleFirst(npcs []int) []int {
	out := slices.Clone(npcs)
	slices.SortStableFunc(out, func(a, b int) int {
		switch {
		case s.npcs[a].Muted == s.npcs[b].Muted:
			return 0
		case s.npcs[a].Muted:
			return 1
		}
		return -1
	})
	return out
}

// continued decides for an utterance that calls nobody while the speaker's NPC is p.
func (s *Snapshot) continued(u *utterance, f *facts) Decision {
	u.weighed = true
	sum, why := f.weigh()
	about := slices.Contains(u.mentioned, f.p) && !u.second
	if f.stranger {
		return nobody("it calls somebody who is not at the table")
	}
	if about {
		why = "said about the NPC, not to it"
	}
	against := sum <= 0 || about
	if s.listen == Eager {
		against = about || f.st.Barged || sum <= -eagerness
		if !against {
			why = "the conversation goes on"
		}
	}
	if against {
		d := nobody(why)
		d.Elsewhere = f.has(rulesSure)
		return d
	}
	return Decision{NPCs: []int{f.p}, Route: RouteContinuation, Confidence: sure(sum), Why: why}
}

// eagerness is how much must speak against it before an eager NPC leaves a line alone.
const eagerness = 8

// sure makes a confidence of evidence.
func sure(sum float64) float64 { return 1 / (1 + math.Exp(-sum)) }

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
	if !s.lasts(st.Last) {
		return 0, false
	}
	p := st.Last.NPC
	if !st.Fresh && st.LastTo != "" && st.LastTo != st.Speaker && s.lasts(st.Own) {
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
