// Package address decides whom an utterance is for: one NPC, several, or none. It works on transcripts and
// allows for misheard names. For example:
//
//	s := address.NewSnapshot(address.Roster{NPCs: []address.NPC{{ID: "bartok", Name: "Bartok"}}})
//	d := address.Detect(s, address.State{Speaker: "Mara"}, "Bartok, what do you sell?")
//	// d.NPCs is [0] and d.Route is RouteName.
//
// It does no I/O, reads no clock and keeps no state: [Detect] is a function of a [Snapshot], a [State] and a
// text. It only reads them, so they can be shared between goroutines.
//
// It knows English and German words. In other languages, exact and similar names, punctuation and
// conversations still count, but greetings, groups and mere sounds are not recognised.
package address

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Routes are the reasons why an utterance is for the NPCs it is for.
const (
	RouteName         = "name"         // it calls an NPC, or asks about one outside a conversation
	RouteGroup        = "group"        // it calls several NPCs
	RouteContinuation = "continuation" // it continues a conversation
	RouteOnlyNPC      = "only_npc"     // only one NPC listens to more than its name
	RouteNone         = "none"         // it is for no NPC
)

// window is the default duration of a conversation.
const window = 90 * time.Second

// Listening is how readily NPCs react to a line that calls none of them.
type Listening uint8

const (
	// Attentive NPCs react to a line in a running conversation if it is plausibly for them.
	Attentive Listening = iota
	// Eager NPCs react to any line in a running conversation unless it is certainly for someone else.
	Eager
	// CalledOnly NPCs react only if they are called, alone or as a group.
	CalledOnly
)

// NPC is an NPC that can be addressed.
type NPC struct {
	ID, Name string
	Aliases  []string
	// Muted NPCs are addressed like any other, so that a line for them does not go to another NPC. But in a
	// group, an NPC that is not muted leads.
	Muted bool
	// Role describes the NPC to those who do not know its name, such as "innkeeper" or "captain of the
	// watch". It can also be called by its role, in English or German.
	Role string
	// AddressOnly NPCs react only to their name.
	AddressOnly bool
}

// Roster lists who is at a table.
type Roster struct {
	NPCs []NPC
	// Players are the players' names, because players are addressed as well.
	Players []string
	// Leads is the player who leads the game; empty if unknown.
	Leads string
	// Languages lists BCP 47 tags. If empty, English and German are assumed.
	Languages []string
	// Window is how long a conversation lasts after its last line. If zero, 90 s; if negative, there are no
	// conversations.
	Window time.Duration
	// Listening is how readily the NPCs react to lines that call no one.
	Listening Listening
}

// Snapshot is a roster prepared for [Detect]. It is immutable.
type Snapshot struct {
	npcs   []NPC
	open   int // number of NPCs that react to more than their name
	lexica []lexicon
	leads  string // folded
	german bool
	window time.Duration
	listen Listening
	forms  []form
	shapes []shape          // of forms
	starts map[string][]int // forms by first word, longest first
}

// Partner is the NPC of a conversation. The zero value is none.
type Partner struct {
	Known bool
	NPC   int // index in the roster
	// Ago is the time since the NPC last spoke or was spoken to.
	Ago time.Duration
}

// State is the recent state of the table. [Talk] provides it.
type State struct {
	// Speaker is the player who says the line.
	Speaker string
	// Last is the NPC that most recently spoke or was spoken to.
	Last Partner
	// LastTo is the player with whom Last was in conversation; empty for everyone.
	LastTo string
	// Own is the NPC that Speaker spoke to most recently.
	Own Partner
	// Said is the end of what Last said; empty if it was spoken to and has not answered.
	Said string
	// SaidBefore is the end of the previous NPC's words.
	SaidBefore string
	// Fresh reports that no one has spoken since Last said that.
	Fresh bool
	// Answered is the number of lines to Last since then.
	Answered int
	// Asides is the number of lines for no NPC since an NPC last spoke or was spoken to.
	Asides int
	// Talkers is the number of players who spoke in the last minutes, including the speaker; zero if unknown.
	Talkers int
	// Leads reports that the speaker's role is to lead the game. If there are other players, such a line is
	// for an NPC only if it calls the NPC by name.
	Leads bool
	// Before is the previous line of a player, Earlier the one before that, and Mine the speaker's own
	// previous line.
	Before, Earlier, Mine Remark
	// Group are the NPCs that were last called together, if that conversation continues. GroupBy is who
	// called them. GroupAll is set if everyone was called.
	Group    []int
	GroupBy  string
	GroupAll bool
	// GroupSaid is the number of them that have answered since.
	GroupSaid int
	// Barged is set once a player has interrupted Last. The conversation is then over until an NPC is named.
	Barged bool

	meant, meantBefore *meaning // of Said and SaidBefore
}

// lastMeaning returns the meaning of Said.
func (st *State) lastMeaning() *meaning {
	if st.meant == nil && st.Said != "" {
		st.meant = &meaning{text: st.Said}
	}
	return st.meant
}

// Remark is a line of a player. The zero value is no line.
type Remark struct {
	Known   bool
	Speaker string
	NPC     int // the NPC it was for, as an index in the roster; negative if none
	Ago     time.Duration
	Gist    Gist
}

// Decision is whom an utterance is for.
type Decision struct {
	// NPCs are indices in the roster: none, one, or several. Of several, the first leads and the second may
	// react.
	NPCs []int
	// All is set if everyone in the room was called. NPCs are then the two that answer.
	All bool
	// NotFor are NPCs that were called and that a correction now excludes.
	NotFor []int
	Route  string
	// Called reports that the utterance calls the NPCs by name. Otherwise it is only likely to be for them.
	Called bool
	// Elsewhere reports that an utterance for no NPC is clearly for someone else: it calls a player, or is a
	// command for another program.
	Elsewhere bool
	// Confidence is between 0 and 1.
	Confidence float64
	// Why is the reason in a few words, for people.
	Why string
	// Gist summarises the utterance for [Talk].
	Gist Gist
	// BackChannel reports that the utterance was a mere sound such as "mhm", which requires no answer. It is
	// then for no NPC.
	BackChannel bool
	// Doubt is set if a judge that understands the line may decide otherwise. It is nil if the decision is
	// certain enough, or if there is nothing to judge.
	Doubt *Doubt
}

// NewSnapshot prepares a roster. It ignores names without a letter or digit.
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

// Detect decides whom text is for. It never panics. It uses the first 4 KiB of the text.
func Detect(s *Snapshot, st State, text string) Decision {
	u := s.parseUtterance(text, st.Speaker)
	d := s.decide(st, u)
	if len(u.tokens) > 0 && !d.BackChannel {
		d.Gist = gistOf(u)
	}
	return d
}

// decide is Detect for a parsed text.
func (s *Snapshot) decide(st State, u *utterance) Decision {
	switch {
	case len(u.tokens) == 0 && !u.noise:
		return forNoNPC("nothing was said")
	case forAnotherProgram(u.text):
		d := forNoNPC("it is a command for another program")
		d.Elsewhere = true
		return d
	case u.sounds():
		d := forNoNPC("a mere sound")
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
		return forNoNPC("said by the game master")
	}
	if st.Leads && st.Talkers != 1 && len(u.called) == 0 {
		return forNoNPC("said by the game master")
	}
	switch {
	case len(u.called) > 1:
		return Decision{NPCs: slices.Clone(u.called), Route: RouteGroup, Called: true, Confidence: u.confidence, Why: "several were called"}
	case len(u.called) == 1:
		return u.decideCalled()
	case u.toPlayer:
		d := forNoNPC("said to a player")
		d.NotFor, d.Elsewhere = u.notFor, true
		return d
	}
	return s.uncalled(st, u)
}

// uncalled decides about an utterance that calls no one by name.
func (s *Snapshot) uncalled(st State, u *utterance) Decision {
	p, open := s.partner(st)
	crowd := u.group() || u.callsRoom()
	u.crowd = crowd
	alone := st.Talkers == 1
	switch {
	case s.listen == CalledOnly && !crowd:
		return forNoNPC("nobody was called, and the NPCs listen for calls only")
	case alone && s.open == 1:
		return Decision{NPCs: []int{s.onlyNPC()}, Route: RouteOnlyNPC, Confidence: 0.8, Why: "there is one player and one NPC"}
	case !open && !crowd:
		return u.decideUncalled()
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
		bar /= 2 // people are called, the question is only who
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
		d = forNoNPC("said about the NPC, not to it")
	case odds < bar:
		d = forNoNPC("it sounds like talk among the players")
		d.Confidence = 1 - odds
	}
	if odds >= min(doubtFrom, bar) && odds < doubtTo {
		d.Doubt = doubt
	} else if len(d.NPCs) == 0 {
		d.Doubt = u.namesAnother(p)
	}
	return d
}

// likely returns whom an utterance that calls no one by name is for, if it is for an NPC at all. p is the NPC
// in the current conversation, negative if there is none.
func (s *Snapshot) likely(st State, u *utterance, p int, odds float64) Decision {
	goesOn := len(st.Group) > 1 && !st.GroupAll && st.GroupBy == st.Speaker && s.lasts(st.Last)
	switch {
	case u.crowd:
		if who := s.group(st); len(who) > 1 {
			return Decision{NPCs: who, All: true, Route: RouteGroup, Confidence: odds, Why: "everyone was called"}
		}
	case goesOn && u.second:
		return Decision{NPCs: s.audibleFirst(st.Group), Route: RouteGroup, Confidence: odds, Why: "the group goes on being spoken with"}
	}
	if p < 0 {
		return forNoNPC("nobody was called")
	}
	return Decision{NPCs: []int{p}, Route: RouteContinuation, Confidence: odds, Why: "it goes on with the conversation"}
}

const (
	// aloneShift is added to the score of a line if only one player talks, because there is no one else to
	// talk to.
	aloneShift = 7
	// eagerBar is the probability from which an eager NPC reacts to a line.
	eagerBar = 0.05
)

// forAnotherProgram reports whether a line is nothing but a command for another bot, a roll in brackets or
// links: "!r 1d20", "$help", "/roll", "[1d20+5]".
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

// Gather returns the evidence on a line that calls no one, from which weights are learned. ok is false if
// something else decides about the line, such as a call.
func Gather(s *Snapshot, st State, text string) (e *Evidence, ok bool) {
	u := s.parseUtterance(text, st.Speaker)
	s.decide(st, u)
	return u.evidence, u.evidence != nil
}

// audibleFirst moves muted NPCs to the end.
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

func forNoNPC(why string) Decision {
	return Decision{Route: RouteNone, Confidence: 1, Why: why}
}

// lasts reports whether the conversation with p continues.
func (s *Snapshot) lasts(p Partner) bool {
	return p.Known && p.NPC >= 0 && p.NPC < len(s.npcs) && p.Ago <= s.window
}

// partner returns the NPC that the speaker is talking with: the last one, or the speaker's own if the last
// one talked with someone else.
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

// group returns the NPCs that answer when everyone is called: the last one to speak, then the speaker's own,
// then in the order of the roster. Muted NPCs come last.
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
