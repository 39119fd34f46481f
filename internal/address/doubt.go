package address

import "slices"

// Doubt is what a decision leaves open. A judge who understands the line may decide it; who has none
// goes by the decision.
type Doubt struct {
	// NPCs, All and Route are those of the decision if the line is for an NPC after all. NPCs is empty
	// if it is not known for which.
	NPCs  []int
	All   bool
	Route string
	// Odds is the probability that the line is for them; 0 if it is not known.
	Odds float64
	// Why is what is doubtful, in a few words.
	Why string
}

// doubtFrom and doubtTo bound the probabilities at which a line that calls nobody is in doubt. They are
// chosen by the evenings of table talk that choose the bar, see docs/adr/0085-a-judge-decides-the-grey-zone.md.
const doubtFrom, doubtTo = 0.2, 0.95

// doubtful are the reasons for a call that may be none: whoever calls somebody else, speaks about a
// character or uses a word that is also a name says the same.
type doubtful string

const (
	misheard   doubtful = "the name was not heard right"
	toldCall   doubtful = "the speaker tells that they turn to it"
	commonName doubtful = "the name is an ordinary word"
)

// calledOne is the decision for an utterance that calls one NPC.
func (u *utterance) calledOne() Decision {
	d := Decision{NPCs: slices.Clone(u.called), Route: RouteName, Called: true, Confidence: u.confidence, Why: u.why, NotFor: u.notFor}
	if u.doubtful != "" && !u.hailed {
		d.Doubt = &Doubt{NPCs: slices.Clone(u.called), Route: RouteName, Odds: u.confidence, Why: string(u.doubtful)}
	}
	return d
}

// calledNobody is the decision for an utterance that calls nobody while no NPC is talked with.
func (u *utterance) calledNobody() Decision {
	d := nobody("nobody was called")
	if d.Doubt = u.namesAnother(anyone); d.Doubt == nil && u.tells {
		d.Doubt = &Doubt{Route: RouteName, Why: "the speaker tells that they speak to somebody"}
	}
	return d
}

// namesAnother is the doubt about an utterance that names an NPC and calls none, while p is talked with.
func (u *utterance) namesAnother(p int) *Doubt {
	named := slices.DeleteFunc(u.named(), func(npc int) bool { return npc == p })
	if len(named) == 0 {
		return nil
	}
	return &Doubt{NPCs: named, Route: RouteName, Why: "it names an NPC"}
}

// named are the NPCs that the utterance names in any way, those aside that hear calls alone.
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

// RouteJudged is the route of a line that a judge says is for an NPC that is not talked with.
const RouteJudged = "judged"

// For is the decision for the same line once a judge has said that it is for an NPC.
func (d Decision) For(npc int) Decision {
	out := Decision{NPCs: []int{npc}, Route: RouteJudged, Called: true, Confidence: 1, Why: judgeSays, NotFor: d.NotFor, Gist: d.Gist}
	if u := d.Doubt; u != nil && len(u.NPCs) > 0 && u.NPCs[0] == npc && u.Route != RouteGroup {
		out.Route, out.Called = u.Route, d.Called || u.Route == RouteName
	}
	return out
}

// ForAll is the decision for the same line once a judge has said that it is for several NPCs. npcs are all that
// may answer, in the order in which they do.
func (d Decision) ForAll(npcs []int) Decision {
	out := Decision{NPCs: npcs, All: true, Route: RouteGroup, Confidence: 1, Why: judgeSays, NotFor: d.NotFor, Gist: d.Gist}
	if u := d.Doubt; u != nil && u.Route == RouteGroup {
		out.NPCs, out.All = slices.Clone(u.NPCs), u.All
	}
	return out
}

// judgeSays is why a line is for whom a judge says.
const judgeSays = "the judge says so"

// Company are the NPCs that answer when all are called.
func (s *Snapshot) Company(st State) []int { return s.group(st) }

// ForNobody is the decision for the same line once a judge has said that it is for no NPC.
func (d Decision) ForNobody() Decision {
	out := nobody(judgeSays)
	out.Gist, out.NotFor = d.Gist, d.NotFor
	return out
}
