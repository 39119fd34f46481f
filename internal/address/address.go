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
	"strings"
	"time"
	"unicode"
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
	npcs   []NPC
	open   int // NPCs that hear more than their name
	lexica []lexicon
	leads  string // folded
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
	// Answered counts the lines to Last since it said them.
	Answered int
	// Asides counts the lines for nobody since anything was said to or by an NPC.
	Asides int
	// Talkers is how many players have spoken in the last minutes, the speaker included; zero if
	// it is not known.
	Talkers int
	// Leads says that the speaker leads the game by their role. Where others play, only what calls an NPC by
	// name is for it.
	Leads bool
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

	meant, meantBefore *meaning // of Said and SaidBefore
}

// said is the meaning of what the NPC said last.
func (st *State) said() *meaning {
	if st.meant == nil && st.Said != "" {
		st.meant = &meaning{text: st.Said}
	}
	return st.meant
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
	// Doubt is set where a judge who understands the line may decide otherwise; nil where
	// the decision is sure enough, or there is nothing to go by.
	Doubt *Doubt
}

// NewSnapshot prepares a roster. Names without a letter or digit name nobody.
func NewSnapshot(r Roster) *Snapshot {
	s := &Snapshot{window: r.Window, listen: r.Listening, starts: map[string][]int{}}
	if s.window == 0 {
		s.window = window
	}
	s.lexica, s.german = lexicaOf(r.Languages)
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
		d.Gist = gistOf(u)
	}
	return d
}

// decide is Detect for a text cut into words.
func (s *Snapshot) decide(st State, u *utterance) Decision {
	switch {
	case len(u.tokens) == 0 && !u.noise:
		return nobody("nothing was said")
	case forAnotherProgram(u.text):
		d := nobody("it is a command for another program")
		d.Elsewhere = true
		return d
	case u.sounds():
		d := nobody("a mere sound")
		d.BackChannel = true
		return d
	}
	if !u.corrected(&st) {
		u.findCalls(st)
	}
	if len(u.called) == 0 && !u.toPlayer && (s.leads == "" || u.speaker != s.leads) && !st.Leads {
		partner := s.onlyNPC()
		if p, ok := s.partner(st); ok {
			partner = p
		}
		if npc, ok := u.narratedCall(partner); ok {
			u.called, u.confidence, u.why, u.doubtful = []int{npc}, 0.9, "the speaker says that they turn to it", toldCall
		}
	}
	if s.leads != "" && u.speaker == s.leads && !(len(u.called) > 0 && u.hailed) {
		return nobody("said by whoever leads the game")
	}
	if st.Leads && st.Talkers != 1 && len(u.called) == 0 {
		return nobody("said by whoever leads the game")
	}
	switch {
	case len(u.called) > 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteGroup, Called: true, Confidence: u.confidence, Why: "several were called"}
	case len(u.called) == 1:
		return u.calledOne()
	case u.toPlayer:
		d := nobody("said to a player")
		d.NotFor, d.Elsewhere = u.notFor, true
		return d
	}
	return s.uncalled(st, u)
}

// uncalled decides for an utterance that calls nobody by name.
func (s *Snapshot) uncalled(st State, u *utterance) Decision {
	p, open := s.partner(st)
	crowd := u.group() || u.callsRoom()
	u.crowd = crowd
	alone := st.Talkers == 1
	switch {
	case s.listen == CalledOnly && !crowd:
		return nobody("nobody was called, and the NPCs listen for calls only")
	case alone && s.open == 1:
		return Decision{NPCs: []int{s.onlyNPC()}, Route: RouteOnlyNPC, Confidence: 0.8, Why: "there is one player and one NPC"}
	case !open && !crowd:
		return u.calledNobody()
	}
	if !open {
		p = -1
	}
	u.evidence = s.gather(&st, u, p)
	score := weights.Score(u.evidence)
	if alone {
		score += aloneShift
	}
	odds := Probability(score)
	bar := weights.Bar
	if u.group() || asksWhoIsHere(u.tokens, u.asks) {
		bar /= 2 // people are called, the question is only which
	}
	if s.listen == Eager {
		bar = min(bar, eagerBar)
		switch {
		case u.group():
			bar = eagerBar / 5
		case st.Barged:
			bar = 1
		}
	}
	d := s.likely(st, u, p, odds)
	if len(d.NPCs) == 0 {
		return d
	}
	doubt := &Doubt{NPCs: slices.Clone(d.NPCs), All: d.All, Route: d.Route, Odds: odds, Why: d.Why}
	switch {
	case open && slices.Contains(u.mentioned, p) && !u.second && !crowd:
		d = nobody("said about the NPC, not to it")
	case odds < bar:
		d = nobody("it sounds like talk among the players")
		d.Confidence = 1 - odds
	}
	if odds >= min(doubtFrom, bar) && odds < doubtTo {
		d.Doubt = doubt
	} else if len(d.NPCs) == 0 {
		d.Doubt = u.namesAnother(p)
	}
	return d
}

// likely is whom an utterance that calls nobody by name is for, if it is for an NPC. p is the NPC that is
// being talked with, below zero if none is.
func (s *Snapshot) likely(st State, u *utterance, p int, odds float64) Decision {
	goesOn := len(st.Group) > 1 && !st.GroupAll && st.GroupBy == st.Speaker && s.lasts(st.Last)
	switch {
	case u.crowd:
		if who := s.group(st); len(who) > 1 {
			return Decision{NPCs: who, All: true, Route: RouteGroup, Confidence: odds, Why: "everybody was called"}
		}
	case goesOn && u.second:
		return Decision{NPCs: s.audibleFirst(st.Group), Route: RouteGroup, Confidence: odds, Why: "the group goes on being spoken with"}
	}
	if p < 0 {
		return nobody("nobody was called")
	}
	return Decision{NPCs: []int{p}, Route: RouteContinuation, Confidence: odds, Why: "it goes on with the conversation"}
}

const (
	// aloneShift is how much likelier it is that a line is for an NPC where one player talks: there is
	// nobody else to talk to.
	aloneShift = 7
	// eagerBar is the probability from which an eager NPC takes a line.
	eagerBar = 0.05
)

// forAnotherProgram reports whether a line is a command for another bot, a roll in brackets or links and
// nothing else: "!r 1d20", "$help", "/roll", "[1d20+5]".
func forAnotherProgram(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > 1 && strings.ContainsRune("!$/?%&+=", rune(text[0])) && unicode.IsLetter(rune(text[1])) {
		return true
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && strings.ContainsAny(text, "0123456789") {
		return true
	}
	words := strings.Fields(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return !strings.HasPrefix(w, "http://") && !strings.HasPrefix(w, "https://")
	})
}

// Gather returns the evidence on a line that calls nobody, which is what weights are learned from. It
// is not ok for a line about which something else decides, a call for example.
func Gather(s *Snapshot, st State, text string) (e *Evidence, ok bool) {
	u := s.parseUtterance(text, st.Speaker)
	s.decide(st, u)
	return u.evidence, u.evidence != nil
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
