// Package memory defines the three layers of an NPC's memory: the session log (L1), the semantic index (L2)
// and the knowledge graph (L3). The packages sqlite and postgres implement all of them.
//
// For example, to store a line and find it again:
//
//	lines, err := store.Append(ctx, memory.Line{Session: s.ID, Speaker: "Mara", Text: "The key is under the mat."})
//	hits, err := store.SearchLines(ctx, memory.LineQuery{Text: "where is the key"})
//
// All implementations are safe for concurrent use.
package memory

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is returned for an id that does not exist, or that the viewer may not see.
var ErrNotFound = errors.New("not found in memory")

// ErrClosed is returned by a store that has been closed.
var ErrClosed = errors.New("database is closed")

// Anyone is a viewer that is not an NPC. It sees only what is visible to everyone.
const Anyone = "*"

// Line is one thing that was said. A line is logged only once it has been heard.
type Line struct {
	// ID is assigned by the log. Ids increase in the order of speech.
	ID int64 `json:"id"`
	// Session is the id of the session in which the line was said.
	Session string `json:"session_id"`
	// Turn is the turn's number within the session.
	Turn int64 `json:"turn"`
	// Speaker is the display name of the player or NPC who spoke.
	Speaker string `json:"speaker"`
	// NPC is the id of the speaking NPC; empty for a player.
	NPC string `json:"npc,omitempty"`
	// DM reports that the speaker is the DM.
	DM bool `json:"dm,omitempty"`
	// To is the id of the NPC the line was addressed to; empty if there is none.
	To   string    `json:"to,omitempty"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// User identifies the player to the transport, such as "discord:80351110224678912". It is empty for NPCs,
	// and where the transport does not identify players.
	User string `json:"-"`
	// Ref is the transport's id of the message that contains the line; empty for speech.
	Ref string `json:"-"`
	// Present lists who may know of the line: the ids of the NPCs who heard it, of the groups it was shared
	// with (see [Groups.Share]), and [Anyone] if it was said openly before the players. Use [Heard] to build
	// the list, also when no NPC heard the line. An empty list means that the audience was not recorded, as
	// in lines of earlier versions; such a line is visible to everyone.
	Present []string `json:"-"`
	// Date is the in-world day; zero if unknown.
	Date Date `json:"date,omitzero"`
}

// Role is a speaker's role at the table: player, DM or NPC.
type Role string

// The roles a speaker can have.
const (
	RolePlayer Role = "player"
	RoleDM     Role = "dm"
	RoleNPC    Role = "npc"
)

// Role returns the role of the speaker, independent of the speaker's name.
func (l Line) Role() Role {
	switch {
	case l.NPC != "":
		return RoleNPC
	case l.DM:
		return RoleDM
	}
	return RolePlayer
}

// FactOf returns the fact under which a line is indexed by meaning, visible to those who heard the line.
func FactOf(l Line) Fact {
	return Fact{Source: "session:" + l.Session, Text: l.Speaker + ": " + l.Text, At: l.At, Visible: l.Present, Date: l.Date}
}

// Session is one sitting at a table.
type Session struct {
	ID       string
	Campaign string
	Started  time.Time
	// Ended is zero while the session is running, and after a crash.
	Ended time.Time
	Lines int
}

// LineQuery selects lines by full text.
type LineQuery struct {
	// Text is free text. Punctuation has no special meaning.
	Text string
	// Session restricts the search to one session; empty searches all.
	Session string
	// Viewer is the NPC that searches. Only lines it may know of are returned (see [Line.Present]); empty
	// sees all.
	Viewer string
	// Days restricts the search to lines said on these in-world days. With an empty Text, all of them match,
	// newest first.
	Days *Days
	// ByWords searches by words alone, without a call to the embedding model, because that model may be
	// remote.
	ByWords bool
	// Limit is the maximum number of hits; 0 means 10.
	Limit int
}

// LineHit is a line with its score; higher is better.
type LineHit struct {
	Line
	Score float64 `json:"score"`
	// Nearest means that the line is only the closest match, and that probably no line answers the question.
	Nearest bool `json:"nearest,omitempty"`
	// Evidence is the combined weight, by rarity, of those words of the question that occur in the line or
	// around it; 0 if the log does not compute it.
	Evidence float64 `json:"evidence,omitempty"`
}

// SessionLog is the log of everything that was said (L1).
type SessionLog interface {
	// StartSession opens a session and returns it.
	StartSession(ctx context.Context, campaign string) (Session, error)
	// EndSession marks a session as ended.
	EndSession(ctx context.Context, id string) error
	// Reopen continues a session that was cut off or ended, by clearing its end. An unknown id is
	// [ErrNotFound].
	Reopen(ctx context.Context, id string) error
	// Sessions lists sessions, newest first; limit 0 means all.
	Sessions(ctx context.Context, limit int) ([]Session, error)
	// Append writes lines in one transaction and returns them with their ids. When it returns, they are
	// durable, even across a power cut.
	Append(ctx context.Context, lines ...Line) ([]Line, error)
	// AppendMissing retries an Append whose outcome is unknown. Lines that are already among the last 1,024
	// of their session, compared by turn, NPC, speaker and time, are not written again; they are returned
	// with their existing ids.
	AppendMissing(ctx context.Context, lines ...Line) ([]Line, error)
	// Recent returns the last n lines of a session, oldest first.
	Recent(ctx context.Context, session string, n int) ([]Line, error)
	// RecentFor returns the last n lines of a session that viewer may know of, oldest first. An empty viewer
	// sees all.
	RecentFor(ctx context.Context, session, viewer string, n int) ([]Line, error)
	// SearchLines finds lines by full text, best first.
	SearchLines(ctx context.Context, q LineQuery) ([]LineHit, error)
	// Retract deletes the lines of a session that came from the message ref, and returns their number. The
	// facts made from them (see [FactOf]) are deleted as well, unless a remaining line has the same text. An
	// empty ref matches nothing.
	Retract(ctx context.Context, session, ref string) (int, error)
	// Reword replaces the text of the lines that came from the message ref, and of the facts made from them,
	// and returns the number of lines.
	Reword(ctx context.Context, session, ref, text string) (int, error)
	// Forget is [Forgetter.ForgetUser] without progress reports.
	Forget(ctx context.Context, user string) (int, error)
}

// Forgetting is the progress of [Forgetter.ForgetUser].
type Forgetting struct {
	// Phase is the current phase, from 1 to Phases.
	Phase, Phases int
	// Lines is the number of lines deleted so far.
	Lines int
}

// Fact is a text that the semantic index finds by its meaning.
type Fact struct {
	ID int64 `json:"id"`
	// Source is where the fact comes from, such as "session:ID" or "entity:ID".
	Source string    `json:"source"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
	// Date is the in-world day on which it was said; zero if unknown.
	Date Date `json:"date,omitzero"`
	// Topic is the subject of the fact, such as "nettie rank". Of all facts with one topic that a viewer may
	// know of, the one stated last is current; it supersedes the earlier ones, which are kept. A fact without
	// a topic supersedes none. In facts read from a store, Topic is a key derived from the original text.
	Topic string `json:"topic,omitempty"`
	// Since is the in-world day from which the fact holds; zero means the day it was said.
	Since Date `json:"since,omitzero"`
	// Visible lists the ids of the NPCs and groups that may find the fact; empty means everyone.
	Visible []string `json:"-"`
}

// FactHit is a fact with its similarity, 0 to 1.
type FactHit struct {
	Fact
	Score float64 `json:"score"`
	// Superseded is the time at which a later fact on the same topic was stated, zero while this fact is
	// current. Until is the in-world day from which the later fact holds.
	Superseded time.Time `json:"superseded,omitzero"`
	Until      Date      `json:"until,omitzero"`
}

// Index finds facts by meaning (L2).
type Index interface {
	// Remember adds facts. A fact with the same Source and Text is stored once. Stating a superseded fact
	// again makes it current again.
	Remember(ctx context.Context, facts ...Fact) error
	// Unremember deletes the facts of a source with one of the given texts. Unknown texts are ignored.
	Unremember(ctx context.Context, source string, texts ...string) error
	// SearchFacts returns the k facts nearest in meaning that viewer may see, best first. An empty viewer
	// sees all. A superseded fact comes after the current one, which is always returned with it.
	SearchFacts(ctx context.Context, text, viewer string, k int) ([]FactHit, error)
}

// Entity is a node of the knowledge graph.
type Entity struct {
	// ID is a slug such as "rusty-flagon".
	ID string `json:"id"`
	// Type is "npc", "location", "faction", "item", or a word the campaign defines.
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Aliases     []string          `json:"aliases,omitempty"`
	Description string            `json:"description,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	// Position is where the entity is on the map, in the campaign's unit; nil if it has not been placed.
	Position *Position `json:"position,omitempty"`
	// Visible lists the ids of the NPCs and groups that know of the entity; empty means everyone.
	Visible []string `json:"-"`
}

// Position is a point on the map: x, y and z.
type Position [3]float64

// Relation is a directed, typed edge.
type Relation struct {
	From string `json:"from"`
	// Type is a verb phrase in snake_case, such as "lives_in".
	Type string `json:"type"`
	To   string `json:"to"`
	Note string `json:"note,omitempty"`
	// Visible lists the ids of the NPCs and groups that know of the relation; empty means everyone.
	Visible []string `json:"-"`
}

// EntityQuery selects entities.
type EntityQuery struct {
	// Name is matched against names and aliases: exactly first, then by prefix, then by words. Empty matches
	// all.
	Name string
	// Exact excludes similar names: prefixes, and words that were probably misheard.
	Exact bool
	// Type restricts the result to one type; empty means all.
	Type string
	// Viewer is the NPC that asks; empty sees all.
	Viewer string
	// Limit is the maximum number of entities; 0 means 20.
	Limit int
}

// Neighbourhood is an entity with everything connected to it.
type Neighbourhood struct {
	Entity    Entity
	Relations []Relation
	// Connected holds the entities at the other ends, ordered by distance, then by name.
	Connected []Entity
}

// Graph is the knowledge graph (L3).
type Graph interface {
	// PutEntities inserts or replaces entities by id, in one transaction.
	PutEntities(ctx context.Context, entities ...Entity) error
	// PutRelations inserts or replaces relations by (From, Type, To).
	PutRelations(ctx context.Context, relations ...Relation) error
	// RemoveEntity deletes an entity and its relations.
	RemoveEntity(ctx context.Context, id string) error
	// Entity returns an entity, or [ErrNotFound] if it does not exist or viewer may not see it.
	Entity(ctx context.Context, id, viewer string) (Entity, error)
	// FindEntities returns matching entities, best first.
	FindEntities(ctx context.Context, q EntityQuery) ([]Entity, error)
	// Neighbours returns an entity and everything viewer may see within depth edges (1 to 3), in either
	// direction.
	Neighbours(ctx context.Context, id, viewer string, depth int) (Neighbourhood, error)
}
