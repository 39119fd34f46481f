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

// The corpora, in report order.
const (
	Address = "address"
	Tools   = "tools"
	Secrets = "secrets"
	Recall  = "recall"
	Rules   = "rules"
)

// Corpora lists the corpora.
func Corpora() []string { return []string{Address, Tools, Secrets, Recall, Rules} }

// Kinds of cases that the judge or the report treats specially.
const (
	forNPC    = "for the NPC"
	forNobody = "for nobody"
	heardOf   = "heard of"
	notHeard  = "never heard of"
	smallTalk = "small talk"
)

// Case is one line that a player says at a table, and the criteria for a right
// answer.
type Case struct {
	ID, Corpus, Kind, Lang string
	// Cast are the NPCs at the table, NPC the addressee; empty if no NPC is
	// meant.
	Cast []Actor
	NPC  string
	// Leads is the player who leads the game, or empty.
	Leads string
	// Before are the earlier lines at the table, in order.
	Before []Step
	// Speaker says Line.
	Speaker, Line string
	// Campaign names the evenings in the NPCs' memory, or is empty.
	Campaign string

	// Tools lists tools, one of which the model must call. Known are rules that
	// make the call unnecessary if the program has put one of them into the
	// prompt.
	Tools []string
	Known []string
	// Want and Never list content that the answer must and must not have, as
	// described in testdata/truth/model.
	Want  [][]string
	Never []string
}

// Actor is an NPC of a case.
type Actor struct {
	ID, Name, Role, Place, Personality string
	Aliases, Rules, Secrets            []string
	Scope, Tools                       []string
}

// npc returns the actor in the configuration's form.
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

// Step is an earlier player's line, and the NPCs' answers by name.
type Step struct {
	Speaker, Text string
	Replies       map[string]string
}

// meant returns the NPC that the line addresses.
func (c *Case) meant() Actor {
	i := slices.IndexFunc(c.Cast, func(a Actor) bool { return a.Name == c.NPC })
	if i < 0 {
		return Actor{}
	}
	return c.Cast[i]
}

// key identifies the case and everything its result depends on, so that a
// result becomes invalid when either changes.
func (c *Case) key(setup string) string {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("exam: a case is no JSON: %v", err)) // it contains only strings
	}
	sum := sha256.Sum256(append([]byte(setup+"\n"), raw...))
	return hex.EncodeToString(sum[:8])
}

// group is the set of cases from which a case is drawn.
func (c *Case) group() string { return c.Corpus + "\n" + c.Kind + "\n" + c.Lang }

// deck holds the chosen cases, and replacements for cases that say nothing
// about the model.
type deck struct {
	chosen []*Case
	spare  map[string][]*Case // by group
}

// deal chooses at most limit cases of each corpus, all if limit is 0. It
// alternates kinds and languages and always starts with the same cases, so that
// a larger limit extends a smaller one.
func deal(all []Case, limit int) *deck {
	d := &deck{spare: map[string][]*Case{}}
	groups := map[string][]string{} // of each corpus, in file order
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

// rank orders cases pseudo-randomly.
func (c *Case) rank() string {
	sum := sha256.Sum256([]byte(c.ID))
	return string(sum[:])
}

// draw returns the next case of a group, or nil.
func (d *deck) draw(group string) *Case {
	g := d.spare[group]
	if len(g) == 0 {
		return nil
	}
	d.spare[group] = g[1:]
	d.chosen = append(d.chosen, g[0])
	return g[0]
}
