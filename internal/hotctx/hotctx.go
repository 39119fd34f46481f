// Package hotctx assembles what an NPC knows right now: the scene, where it is and
// with whom, the last lines at the table, and the people, places and things just mentioned. It
// must do so within a few milliseconds, since the NPC is silent meanwhile.
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
	maxEntities = 5   // described per turn unless the query says otherwise
	maxFact     = 300 // characters of a description
	maxLine     = 400 // characters of a line
	maxCompany  = 8   // named as being in the same place
)

// Context is what an NPC knows right now.
type Context struct {
	// Scene is what the players were told is going on: "you" are they in it.
	Scene string
	// Date is the day in the world, empty if it is not known.
	Date string
	// Place is where the NPC is, empty if nobody knows, and Presence whether that is
	// in the scene.
	Place    string
	Presence Presence
	// Around names who and what is in that place by the world, as far as the NPC
	// knows, without who is at the table.
	Around []string
	// Company is who of the table is there.
	Company Company
	// Lines are the table's last lines as "Name: text", each on one line and with who
	// said it as [Attribution] has it, oldest first, without the NPC's own
	// conversation, which is in its history.
	Lines []string
	// Mind is what the NPC keeps in mind about who speaks to it, see [Source.SetMind].
	Mind []string
	// Diary is what the NPC has written down of earlier sessions, see [Source.SetDiary].
	Diary []string
	// Entities describe who and what was mentioned, a sentence or two each, with
	// where it is now.
	Entities []string
	// Recalled are lines of earlier that have to do with what was said, and Rules what the
	// rule book says of it, the likeliest first; see [Context.AddFound].
	Recalled, Rules []string
}

// Query says for whom and for what.
type Query struct {
	NPC Person
	// Others are the other NPCs at the table, and Players the names of the people.
	Others  []Person
	Players []string

	Session   string
	Scene     string
	Speaker   string
	Utterance string
	// Recent is how many lines of the session are taken.
	Recent int
	// Entities bounds how many of those mentioned are described. If zero, five are.
	Entities int
	// Lines are the session's last lines, oldest first, where the caller has them
	// in mind. If nil, they are read.
	Lines []memory.Line
	// Date is the day in the world, empty if it is not known.
	Date string
	// Blind says that the NPC sees nothing: it is told neither the scene nor what is
	// around, nor where things are.
	Blind bool
	// Groups say what the NPC knows by what it belongs to. If nil, it belongs to nothing.
	Groups *memory.Groups
}

// Graph is what the world is read from. It is safe for concurrent use.
// *sqlite.Store is one, and world.Graph, which has the world in mind and asks
// nobody.
type Graph interface {
	// FindEntities returns matching entities, best first.
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
	// Places returns the entity that each of the ids is in, where viewer may
	// know of it.
	Places(ctx context.Context, viewer string, ids ...string) (map[string]memory.Entity, error)
	// Inside returns at most limit entities that are in a place, as far as viewer
	// may know.
	Inside(ctx context.Context, viewer, place string, limit int) ([]memory.Entity, error)
}

// Source reads what an NPC knows. It is safe for concurrent use.
type Source struct {
	log   memory.SessionLog
	graph Graph
	mind  func(npc, speaker string, groups []string) []string
	diary func(npc string) []string
}

// New returns a Source over a session log and a knowledge graph.
func New(log memory.SessionLog, graph Graph) *Source { return &Source{log: log, graph: graph} }

// SetMind has of tell what an NPC, who belongs to some groups, keeps in mind about a
// speaker: some short texts, without asking anybody. It is called before the Source is used.
func (s *Source) SetMind(of func(npc, speaker string, groups []string) []string) { s.mind = of }

// SetDiary has of tell what an NPC has written down, the latest last, without asking anybody.
// It is called before the Source is used.
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
	if lines == nil { // those that the NPC heard
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

// lastLines are those of the lines that the NPC has in mind: what it heard, without its
// own conversation.
func lastLines(lines []memory.Line, q *Query) []string {
	var out []string
	left := q.Recent
	for _, l := range slices.Backward(lines) {
		if left--; left < 0 {
			break
		}
		if !q.Groups.Knows(l.Present, q.NPC.ID) {
			left++ // it was not there, and misses nothing
			continue
		}
		if l.NPC != q.NPC.ID && l.To != q.NPC.ID {
			out = append(out, Attribution(l)+": "+untrusted.Line(l.Text, maxLine))
		}
	}
	slices.Reverse(out)
	return out
}

// Marks stand behind the name of who said a line, as a model reads it. Names of players have
// no brackets, so none can forge one.
const (
	NPCMark    = " (NPC)"
	LeaderMark = " (DM)"
	PlayerMark = " (player)"
)

// Attribution is who said a line, as a model reads it: the name, and behind it what the
// speaker is, so that nobody passes for anybody else by a name.
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

// listSurroundings names who and what else is where the NPC is, but for who is at
// the table.
func (s *Source) listSurroundings(ctx context.Context, q *Query, here memory.Entity) ([]string, error) {
	inside, err := s.graph.Inside(ctx, q.NPC.ID, here.ID, maxCompany+1+len(q.Others)) // one is itself
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

// describeEntity says who or what an entity is, and where.
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

// findMentioned returns the entities that the utterance names, as far as the NPC
// knows of them.
func (s *Source) findMentioned(ctx context.Context, q Query) ([]memory.Entity, error) {
	words := candidateNames(q.Utterance)
	if len(words) == 0 {
		return nil, nil
	}
	most := cmp.Or(q.Entities, maxEntities)
	// One look for all words: more of them in a name make it a better match.
	hits, err := s.graph.FindEntities(ctx, memory.EntityQuery{
		Name: strings.Join(words, " "), Exact: true, Viewer: q.NPC.ID, Limit: most + 1, // one may be itself
	})
	if err != nil {
		return nil, fmt.Errorf("looking up who and what was mentioned: %w", err)
	}
	hits = slices.DeleteFunc(hits, func(e memory.Entity) bool { return e.ID == q.NPC.ID })
	return hits[:min(len(hits), most)], nil
}

// candidateNames are the words of an utterance that may be names, at most sixteen:
// those written with a capital first, then other long ones.
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
