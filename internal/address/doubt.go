package address

import "slices"

// Doubt is the open part of a decision. A judge that understands the line may decide it. Without a judge, the
// decision stands.
type Doubt struct {
	// NPCs, All and Route are those of the decision if the line is for an NPC after all. NPCs is empty if it
	// is unknown for which.
	NPCs  []int
	All   bool
	Route string
	// Odds is the probability that the line is for them; 0 if unknown.
	Odds float64
	// Why is the reason for the doubt, in a few words.
	Why string
}

// doubtFrom and doubtTo are the probabilities between which a line that calls no one is in doubt. They were
// chosen on the recorded table talk that also sets the bar; see
// docs/adr/0085-a-language-model-judges-lines-whose-addressee-is-in-doubt.md.
const doubtFrom, doubtTo = 0.2, 0.95

// doubtful is a reason why an apparent call may be none: the same words may call someone else, be about a
// character, or contain a word that is also a name.
type doubtful string

const (
	misheard   doubtful = "the name was not heard right"
	toldCall   doubtful = "the speaker tells that they turn to it"
	commonName doubtful = "the name is an ordinary word"
)

// decideCalled returns the decision about an utterance that calls one NPC.
func (u *utterance) decideCalled() Decision {
	d := Decision{NPCs: slices.Clone(u.called), Route: RouteName, Called: true, Confidence: u.confidence, Why: u.why, NotFor: u.notFor}
	if u.doubtful != "" && !u.hailed {
		d.Doubt = &Doubt{NPCs: slices.Clone(u.called), Route: RouteName, Odds: u.confidence, Why: string(u.doubtful)}
	}
	return d
}

// decideUncalled returns the decision about an utterance that calls no one, outside a conversation.
func (u *utterance) decideUncalled() Decision {
	d := forNoNPC("nobody was called")
	if d.Doubt = u.namesAnother(anyone); d.Doubt == nil && u.tellsAddressee {
		d.Doubt = &Doubt{Route: RouteName, Why: "the speaker tells that they speak to somebody"}
	}
	return d
}

// namesAnother returns the doubt about an utterance that names an NPC but calls none, during a conversation
// with p. It returns nil if it names no other NPC.
func (u *utterance) namesAnother(p int) *Doubt {
	named := slices.DeleteFunc(u.named(), func(npc int) bool { return npc == p })
	if len(named) == 0 {
		return nil
	}
	return &Doubt{NPCs: named, Route: RouteName, Why: "it names an NPC"}
}

// named returns the NPCs that the utterance names in any way, except those that react only to their name.
func (u *utterance) named() []int {
	var who []int
	for i := range u.tokens {
		m, ok := u.exact(i, len(u.tokens))
		if ok && !m.owned && m.form.npc != player && !u.s.npcs[m.form.npc].AddressOnly && !slices.Contains(who, m.form.npc) {
			who = append(who, m.form.npc)
		}
	}
	return who
}

// RouteJudged is the route of a line that a judge assigns to an NPC outside its conversation.
const RouteJudged = "judged"

// For returns the decision about the same line once a judge has said that it is for npc.
func (d Decision) For(npc int) Decision {
	out := Decision{NPCs: []int{npc}, Route: RouteJudged, Called: true, Confidence: 1, Why: judgeSays, NotFor: d.NotFor, Gist: d.Gist}
	if u := d.Doubt; u != nil && len(u.NPCs) > 0 && u.NPCs[0] == npc && u.Route != RouteGroup {
		out.Route, out.Called = u.Route, d.Called || u.Route == RouteName
	}
	return out
}

// ForAll returns the decision about the same line once a judge has said that it is for several NPCs. npcs are
// all that may answer, in order.
func (d Decision) ForAll(npcs []int) Decision {
	out := Decision{NPCs: npcs, All: true, Route: RouteGroup, Confidence: 1, Why: judgeSays, NotFor: d.NotFor, Gist: d.Gist}
	if u := d.Doubt; u != nil && u.Route == RouteGroup {
		out.NPCs, out.All = slices.Clone(u.NPCs), u.All
	}
	return out
}

// judgeSays is the reason of decisions made by a judge.
const judgeSays = "the judge model decided"

// Company returns the NPCs that answer when everyone is called.
func (s *Snapshot) Company(st State) []int { return s.group(st) }

// ForNoNPC returns the decision about the same line once a judge has said that it is for no NPC.
func (d Decision) ForNoNPC() Decision {
	out := forNoNPC(judgeSays)
	out.Gist, out.NotFor = d.Gist, d.NotFor
	return out
}
