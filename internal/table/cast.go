package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// cast is the list of NPCs of a table in the order in which they joined. Those that left stay in it, so that
// an index always means the same NPC.
type cast struct{ agents []*agent.Agent }

// present returns the indices of the NPCs that have not left.
func (c *cast) present() []int {
	var who []int
	for i, a := range c.agents {
		if !a.Left {
			who = append(who, i)
		}
	}
	return who
}

// npcsOf returns the configurations of some of the NPCs.
func (c *cast) npcsOf(who []int) []config.NPC {
	var npcs []config.NPC
	for _, i := range who {
		npcs = append(npcs, c.agents[i].NPC)
	}
	return npcs
}

// hearing returns those of the given NPCs that are not deaf.
func (c *cast) hearing(who []int) []int {
	return slices.DeleteFunc(slices.Clone(who), func(i int) bool { return c.agents[i].NPC.Senses.Deaf })
}

// all is the word for every NPC in orders.
const all = "all"

// findNPCs returns the NPCs called name, see [Lookup]; "all" means everyone.
func (c *cast) findNPCs(name string) ([]int, error) {
	here := c.present()
	if strings.EqualFold(strings.TrimSpace(name), all) {
		return here, nil
	}
	i, err := Lookup(c.npcsOf(here), name)
	if err != nil {
		return nil, err
	}
	return here[i : i+1], nil
}

// namesOf returns the name of a single NPC, or "everyone".
func (c *cast) namesOf(who []int) string {
	if len(who) == 1 {
		return c.agents[who[0]].NPC.Name
	}
	return "everyone"
}

// admitAgents adds agents to the cast. It returns the names of the NPCs that changed and of those that
// joined.
func (c *cast) admitAgents(agents []*agent.Agent) (changed, joined []string) {
	for _, a := range agents {
		i := slices.IndexFunc(c.agents, func(b *agent.Agent) bool { return b.NPC.ID == a.NPC.ID })
		switch {
		case i < 0:
			c.agents = append(c.agents, a)
			joined = append(joined, a.NPC.Name)
		case c.agents[i].Left:
			c.agents[i].Reconfigure(a)
			c.agents[i].Left = false
			joined = append(joined, a.NPC.Name)
		case c.agents[i].Reconfigure(a):
			changed = append(changed, a.NPC.Name)
		}
	}
	return changed, joined
}

// keyterms returns the names and aliases of the NPCs and the given further terms, without repeating any of
// these.
func (c *cast) keyterms(more []string) []string {
	var terms []string
	for _, npc := range c.npcsOf(c.present()) {
		terms = append(append(terms, npc.Name), npc.Aliases...)
	}
	for _, term := range more {
		if !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return terms
}

// recallConversations restores the histories of the NPCs from the log: each line of a player to an NPC with
// the NPC's answer in the same turn.
func (c *cast) recallConversations(lines []memory.Line) {
	said := map[int64]memory.Line{}
	for _, l := range lines {
		if l.NPC == "" {
			said[l.Turn] = l
			continue
		}
		if q, ok := said[l.Turn]; ok && q.To == l.NPC {
			for _, a := range c.agents {
				if a.NPC.ID == l.NPC {
					a.Remember(agent.Exchange{Source: agent.Source{User: q.User, Ref: q.Ref}, Turn: turnOf(l), Speaker: hotctx.Attribution(q), Utterance: q.Text, Answer: l.Text})
				}
			}
		}
	}
}

// editHistories changes the histories of the NPCs. Workers keep the history they were given.
func (c *cast) editHistories(e edit) {
	for _, a := range c.agents {
		if e.text == "" {
			a.RetractLines(e.matches)
		} else {
			a.Reword(e.matches, e.text)
		}
	}
}

func roster(npcs []config.NPC) address.Roster {
	var r address.Roster
	for _, n := range npcs {
		r.NPCs = append(r.NPCs, address.NPC{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Role: n.Role, AddressOnly: n.AddressOnly})
	}
	return r
}

// Lookup returns the index of the NPC called name: by id, name, alias, or a word that occurs in its name
// alone. The error suggests the nearest name.
func Lookup(cast []config.NPC, name string) (int, error) {
	name = strings.TrimSpace(name)
	var names, known []string
	for i, npc := range cast {
		for _, n := range append([]string{npc.Name, npc.ID}, npc.Aliases...) {
			if name != "" && strings.EqualFold(n, name) {
				return i, nil
			}
		}
		names = append(names, npc.Name)
		known = append(append(known, npc.Name), npc.Aliases...)
		for _, word := range strings.Fields(npc.Name) {
			if len(word) > len("the") {
				known = append(known, word)
			}
		}
	}
	if i, ok := address.NewSnapshot(roster(cast)).Named(name); ok {
		return i, nil
	}
	if near := userfile.Nearest(name, known); near != "" {
		return 0, fmt.Errorf("no NPC is called %q; did you mean %q?", name, near)
	}
	return 0, fmt.Errorf("no NPC is called %q; the NPCs here are %s", name, strings.Join(names, ", "))
}

// hasOwnVoice reports whether an NPC at the table has a speech-to-speech engine.
func (c *cast) hasOwnVoice() bool {
	return slices.ContainsFunc(c.agents, func(a *agent.Agent) bool { return !a.Left && a.NPC.Engine == config.EngineS2S })
}
