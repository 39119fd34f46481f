package exam

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// The corpora, in the order in which they are reported.
const (
	Address = "address"
	Tools   = "tools"
	Secrets = "secrets"
	Recall  = "recall"
	Rules   = "rules"
)

// Corpora lists the corpora.
func Corpora() []string { return []string{Address, Tools, Secrets, Recall, Rules} }

// Kinds of cases of which the judge or the report must know.
const (
	forNPC    = "for the NPC"
	forNobody = "for nobody"
	heardOf   = "heard of"
	notHeard  = "never heard of"
	smallTalk = "small talk"
)

// Case is one line that a player says at a table, and what makes its answer right.
type Case struct {
	ID, Corpus, Kind, Lang string
	// Cast are the NPCs at the table, NPC the one that is meant; empty if none is.
	Cast []Actor
	NPC  string
	// Leads is the player who leads the game; empty if there is none.
	Leads string
	// Before is what was said at the table before, in order.
	Before []Step
	// Speaker says Line.
	Speaker, Line string
	// Campaign names the evenings that the NPCs have in memory; empty if there are none.
	Campaign string

	// Tools are those of which the model must call one. Known are the rules that, if the
	// program has put one of them into the prompt, make such a call unnecessary.
	Tools []string
	Known []string
	// Want and Never are what the answer must and must not have in it, as the page of
	// testdata/truth/model says.
	Want  [][]string
	Never []string
}

// Actor is an NPC of a case.
type Actor struct {
	ID, Name, Role, Place, Personality string
	Aliases, Rules, Secrets            []string
	Scope, Tools                       []string
}

// npc is the actor as the configuration has it.
func (a Actor) npc() config.NPC {
	n := config.DefaultNPC()
	n.ID, n.Name, n.Aliases, n.Role, n.Place = a.ID, a.Name, a.Aliases, a.Role, a.Place
	n.Personality, n.BehaviorRules, n.KnowledgeScope, n.Tools = a.Personality, a.Rules, a.Scope, a.Tools
	n.Cascade.Mode = config.CascadeOff
	for _, s := range a.Secrets {
		n.SecretKnowledge = append(n.SecretKnowledge, config.KeptSecret{Text: s})
	}
	return n
}

// Step is a player's line of before, and what NPCs answered to it, by their names.
type Step struct {
	Speaker, Text string
	Replies       map[string]string
}

// meant returns the NPC that is meant.
func (c *Case) meant() Actor {
	i := slices.IndexFunc(c.Cast, func(a Actor) bool { return a.Name == c.NPC })
	if i < 0 {
		return Actor{}
	}
	return c.Cast[i]
}

// key names the case under what else the result depends on, so that a result counts no longer
// once either has changed.
func (c *Case) key(setup string) string {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("exam: a case is no JSON: %v", err)) // it has strings alone
	}
	sum := sha256.Sum256(append([]byte(setup+"\n"), raw...))
	return hex.EncodeToString(sum[:8])
}

// group is which cases a case is chosen from.
func (c *Case) group() string { return c.Corpus + "\n" + c.Kind + "\n" + c.Lang }

// deck is the cases that are chosen to be asked, and those that may stand in for one that says
// nothing about the model.
type deck struct {
	chosen []*Case
	spare  map[string][]*Case // by group
}

// deal chooses at most limit cases of each corpus, all if limit is 0. It takes kinds and languages
// in turn, and always the same cases first, so that a larger limit goes on where a smaller one
// ended.
func deal(all []Case, limit int) *deck {
	d := &deck{spare: map[string][]*Case{}}
	groups := map[string][]string{} // of each corpus, in the order of its files
	size := map[string]int{}
	for i := range all {
		c := &all[i]
		if d.spare[c.group()] == nil {
			groups[c.Corpus] = append(groups[c.Corpus], c.group())
		}
		d.spare[c.group()] = append(d.spare[c.group()], c)
		size[c.Corpus]++
	}
	for _, g := range d.spare {
		slices.SortFunc(g, func(a, b *Case) int { return strings.Compare(a.rank(), b.rank()) })
	}
	for _, corpus := range Corpora() {
		left := size[corpus]
		if limit > 0 {
			left = min(left, limit)
		}
		for left > 0 {
			for _, group := range groups[corpus] {
				if left == 0 {
					break
				}
				if d.draw(group) != nil {
					left--
				}
			}
		}
	}
	return d
}

// rank orders cases as if at random.
func (c *Case) rank() string {
	sum := sha256.Sum256([]byte(c.ID))
	return string(sum[:])
}

// draw chooses the next case of a group, nil if there is none.
func (d *deck) draw(group string) *Case {
	g := d.spare[group]
	if len(g) == 0 {
		return nil
	}
	d.spare[group] = g[1:]
	d.chosen = append(d.chosen, g[0])
	return g[0]
}
