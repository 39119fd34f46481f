// Package hotctx assembles what an NPC knows right now: the scene, its place and company, the last lines at
// the table, and the people, places and things just mentioned. It has to finish within a few milliseconds
// because the NPC stays silent meanwhile.
//
//	src := hotctx.New(log, graph)
//	c, err := src.Assemble(ctx, hotctx.Query{NPC: mira, Session: id, Speaker: "Ana", Utterance: text, Recent: 12})
package hotctx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	maxEntities = 5   // entities described per turn unless the query sets another number
	maxFact     = 300 // characters of a description
	maxLine     = 400 // characters of a line
	maxCompany  = 8   // names listed as being in the same place
)

// Context is the NPC's current knowledge.
type Context struct {
	// Scene is the situation as described to the players; "you" in it refers to them.
	Scene string
	// Date is the in-world date, empty if unknown.
	Date string
	// Place is the NPC's place, empty if unknown. Presence tells whether it is in the scene.
	Place    string
	Presence Presence
	// Around lists the entities in that place of the world, as far as the NPC knows of them, without those at
	// the table.
	Around []string
	// Company lists those at the table who are with the NPC.
	Company Company
	// Lines are the last lines at the table as "Name: text", oldest first, each on a single line and
	// attributed by [Attribution]. They exclude the NPC's own conversation, which is in its history.
	Lines []string
	// Mind holds the NPC's memories of the speaker, see [Source.SetMind].
	Mind []string
	// Diary holds the NPC's notes about earlier sessions, see [Source.SetDiary].
	Diary []string
	// Entities describe the people, places and things mentioned, a sentence or two each, with their present
	// place.
	Entities []string
	// Recalled are earlier lines related to the utterance, and Rules are excerpts from the rule book, best
	// first; see [Context.AddFound].
	Recalled, Rules []string
}

// Query describes the turn that a context is assembled for.
type Query struct {
	NPC Person
	// Others are the other NPCs at the table, and Players the names of the people.
	Others  []Person
	Players []string

	Session   string
	Scene     string
	Speaker   string
	Utterance string
	// Recent is the number of session lines to include.
	Recent int
	// Entities is the maximum number of mentioned entities to describe. The default is 5.
	Entities int
	// Lines are the session's last lines, oldest first, if the caller has them in memory. If nil, Assemble
	// reads them.
	Lines []memory.Line
	// Date is the in-world date, empty if unknown.
	Date string
	// Blind means that the NPC cannot see: the context omits the scene, the surroundings and where things
	// are.
	Blind bool
	// Groups give the NPC the knowledge of its groups. If nil, it belongs to no group.
	Groups *memory.Groups
}

// Graph gives access to the world. It is safe for concurrent use. Implementations are *sqlite.Store and
// world.Graph, which holds the world in memory.
type Graph interface {
	// FindEntities returns matching entities, best first.
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
	// Places returns the place of each ID, where viewer may know of it.
	Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error)
	// Inside returns at most limit entities in a place, as far as viewer may know of them.
	Inside(ctx context.Context, viewer, place string, limit int) ([]memory.Entity, error)
}

// Source reads an NPC's knowledge. It is safe for concurrent use.
type Source struct {
	log   memory.SessionLog
	graph Graph
	mind  func(npc, speaker string, groups []string) []string
	diary func(npc string) []string
}

// New returns a Source over a session log and a knowledge graph.
func New(log memory.SessionLog, graph Graph) *Source { return &Source{log: log, graph: graph} }

// SetMind sets the function that returns what an NPC, given its groups, remembers about a speaker, as short
// texts. The function must not do I/O. SetMind has to be called before the Source is used.
func (s *Source) SetMind(of func(npc, speaker string, groups []string) []string) { s.mind = of }

// SetDiary sets the function that returns an NPC's diary, latest entry last. The function must not do I/O.
// SetDiary has to be called before the Source is used.
func (s *Source) SetDiary(of func(npc string) []string) { s.diary = of }

// Assemble gathers the context of a turn.
func (s *Source) Assemble(ctx context.Context, q Query) (Context, error) {
	c := Context{Scene: q.Scene, Date: q.Date}
	if s.mind != nil {
		c.Mind = s.mind(q.NPC.ID, q.Speaker, q.Groups.Of(q.NPC.ID))
	}
	if s.diary != nil {
		c.Diary = s.diary(q.NPC.ID)
	}
	lines := q.Lines
	if lines == nil { // read those that the NPC heard
		var err error
		if lines, err = s.log.RecentFor(ctx, q.Session, q.NPC.ID, q.Recent); err != nil {
			return c, fmt.Errorf("reading the last lines: %w", err)
		}
	}
	c.Lines = lastLines(lines, &q)
	hits, err := s.findMentioned(ctx, q)
	if err != nil {
		return c, err
	}
	ids := []string{q.NPC.ID}
	for _, e := range hits {
		ids = append(ids, e.ID)
	}
	for _, p := range q.Others {
		ids = append(ids, p.ID)
	}
	places, err := s.graph.Places(ctx, q.NPC.ID, ids...)
	if err != nil {
		return c, fmt.Errorf("looking up where who and what was mentioned is: %w", err)
	}
	for _, e := range hits {
		if q.Blind {
			e.Position, e.Description = nil, ""
			delete(places, e.ID)
		}
		c.Entities = append(c.Entities, describeEntity(e, places))
	}
	c.placePeople(&q, places)
	if q.Blind {
		c.Scene, c.Presence, c.Company.NPCs, c.Company.MoreNPCs = "", Unplaced, nil, 0
		return c, nil
	}
	if here, ok := places[q.NPC.ID]; ok {
		c.Around, err = s.listSurroundings(ctx, &q, here)
	}
	return c, err
}

// lastLines returns the recent lines that the NPC heard, without its own conversation.
func lastLines(lines []memory.Line, q *Query) []string {
	var out []string
	left := q.Recent
	for _, l := range slices.Backward(lines) {
		if left--; left < 0 {
			break
		}
		if !q.Groups.Knows(l.Present, q.NPC.ID) {
			left++ // the NPC did not hear this line, so it does not count
			continue
		}
		if l.NPC != q.NPC.ID && l.To != q.NPC.ID {
			out = append(out, Attribution(l)+": "+untrusted.Line(l.Text, maxLine))
		}
	}
	slices.Reverse(out)
	return out
}

// Marks follow the speaker's name in a line for the model. Player names cannot contain brackets, so a player
// cannot forge a mark.
const (
	NPCMark    = " (NPC)"
	LeaderMark = " (DM)"
	PlayerMark = " (player)"
)

// Attribution returns the speaker of a line as shown to the model: the name followed by the speaker's role,
// so that a player cannot pose as another by choosing a name.
func Attribution(l memory.Line) string {
	mark := PlayerMark
	switch l.Role() {
	case memory.RoleNPC:
		return l.Speaker + NPCMark
	case memory.RoleDM:
		mark = LeaderMark
	}
	return strings.TrimSuffix(l.Speaker, mark) + mark
}

// listSurroundings returns the names of the entities in the NPC's place that are not at the table.
func (s *Source) listSurroundings(ctx context.Context, q *Query, here memory.Entity) ([]string, error) {
	inside, err := s.graph.Inside(ctx, q.NPC.ID, here.ID, maxCompany+1+len(q.Others)) // one is the NPC itself
	if err != nil {
		return nil, fmt.Errorf("looking up what is around: %w", err)
	}
	var names []string
	for _, e := range inside {
		atTable := e.ID == q.NPC.ID || slices.ContainsFunc(q.Others, func(p Person) bool { return p.ID == e.ID })
		if !atTable && len(names) < maxCompany {
			names = append(names, e.Name)
		}
	}
	return names, nil
}

// describeEntity describes an entity and its place.
func describeEntity(e memory.Entity, places map[string]memory.Entity) string {
	text := fmt.Sprintf("%s (%s):", e.Name, e.Type)
	if about := untrusted.Clip(e.Description, maxFact); about != "" {
		text += " " + about
	}
	if place, ok := places[e.ID]; ok {
		return fmt.Sprintf("%s Now in %s.", text, place.Name)
	}
	if p := e.Position; p != nil {
		return fmt.Sprintf("%s Now at %g, %g, %g on the map.", text, p[0], p[1], p[2])
	}
	return text
}

// findMentioned returns the entities named in the utterance, as far as the NPC knows of them.
func (s *Source) findMentioned(ctx context.Context, q Query) ([]memory.Entity, error) {
	words := candidateNames(q.Utterance)
	if len(words) == 0 {
		return nil, nil
	}
	most := cmp.Or(q.Entities, maxEntities)
	// A single lookup covers all words; the more of them a name contains, the better it matches.
	hits, err := s.graph.FindEntities(ctx, memory.EntityQuery{
		Name: strings.Join(words, " "), Exact: true, Viewer: q.NPC.ID, Limit: most + 1, // one may be the NPC itself
	})
	if err != nil {
		return nil, fmt.Errorf("looking up who and what was mentioned: %w", err)
	}
	hits = slices.DeleteFunc(hits, func(e memory.Entity) bool { return e.ID == q.NPC.ID })
	return hits[:min(len(hits), most)], nil
}

// candidateNames returns at most sixteen words of an utterance that may be names: capitalised words first,
// then other long ones.
func candidateNames(utterance string) []string {
	var capital, other []string
	for i, w := range strings.FieldsFunc(utterance, func(r rune) bool { return !isWord(r) }) {
		w = strings.Trim(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s"), "'’-")
		switch {
		case len(w) < 3 || slices.Contains(capital, w) || slices.Contains(other, w):
		case w != strings.ToLower(w) && i > 0:
			capital = append(capital, w)
		case len(w) > 3:
			other = append(other, w)
		}
		if len(capital)+len(other) > 64 {
			break
		}
	}
	all := append(capital, other...)
	return all[:min(len(all), 16)]
}

func isWord(r rune) bool {
	return r == '\'' || r == '’' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80 && r != '“' && r != '”' && r != '„' && r != '–' && r != '—' && r != '…'
}
