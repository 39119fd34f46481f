// Package memory defines the three layers an NPC remembers with: the session
// log (L1), the semantic index (L2) and the knowledge graph (L3). The
// sub-package sqlite implements all of them in one embedded file.
//
// All implementations are safe for concurrent use.
package memory

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is returned when an id names nothing, or nothing the viewer may see.
var ErrNotFound = errors.New("not found in memory")

// ErrClosed means the store is closed.
var ErrClosed = errors.New("database is closed")

// Anyone is the viewer who is none of the NPCs: it sees what everyone may know.
const Anyone = "*"

// Line is one thing that was said. It enters the log only when it was heard.
type Line struct {
	// ID is assigned by the log, increasing in order of speech.
	ID int64 `json:"id"`
	// Session is the id of the session it was said in.
	Session string `json:"session_id"`
	// Turn is the turn's number within the session.
	Turn int64 `json:"turn"`
	// Speaker is the display name of who spoke.
	Speaker string `json:"speaker"`
	// NPC is the speaking NPC's id, empty for a player.
	NPC string `json:"npc,omitempty"`
	// DM says that the player who spoke led the game.
	DM bool `json:"dm,omitempty"`
	// To is the id of the NPC it was said to, empty if to nobody.
	To   string    `json:"to,omitempty"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// User is who spoke as the transport knows them, such as
	// "discord:80351110224678912"; empty for NPCs and where players are not told
	// apart.
	User string `json:"-"`
	// Ref names the message a line was written in, as the transport knows it;
	// empty for speech.
	Ref string `json:"-"`
	// Present lists who may know of the line: the ids of the NPCs who heard it, those
	// of groups that were told (see [Groups.Share]), and [Anyone] if it was said
	// openly before the players. [Heard] makes such a list, also for what no NPC
	// heard. An empty one means that nobody kept who was there, as in lines of
	// earlier versions; then everyone of the session heard it.
	Present []string `json:"-"`
	// Date is the day in the world, zero if it is not known.
	Date Date `json:"date,omitzero"`
}

// Role is what somebody is at a table.
type Role string

// Roles.
const (
	RolePlayer Role = "player"
	RoleDM     Role = "dm"
	RoleNPC    Role = "npc"
)

// Role is what the speaker is, whatever the name says.
func (l Line) Role() Role {
	switch {
	case l.NPC != "":
		return RoleNPC
	case l.DM:
		return RoleDM
	}
	return RolePlayer
}

// FactOf is the fact by which a line is found by its meaning, for those who heard it.
func FactOf(l Line) Fact {
	return Fact{Source: "session:" + l.Session, Text: l.Speaker + ": " + l.Text, At: l.At, Visible: l.Present, Date: l.Date}
}

// Session is one sitting at a table.
type Session struct {
	ID       string
	Campaign string
	Started  time.Time
	// Ended is zero while the session runs, and after a crash.
	Ended time.Time
	Lines int
}

// LineQuery selects lines by full text.
type LineQuery struct {
	// Text is free text; any punctuation in it is harmless.
	Text string
	// Session restricts the search to one session if not empty.
	Session string
	// Viewer is for whom is searched: only lines that it may know of are found (see
	// [Line.Present]). Empty sees all.
	Viewer string
	// Days restricts the search to lines said on these days of the world. With an
	// empty Text all of them are found, the newest first.
	Days *Days
	// ByWords compares lines by their words alone, without asking an embedding model, which
	// may be far away.
	ByWords bool
	// Limit is the most hits returned; 0 means 10.
	Limit int
}

// LineHit is a line with its score; higher is better.
type LineHit struct {
	Line
	Score float64 `json:"score"`
	// Nearest says that the line is only the nearest to what was asked, which nothing that
	// was said answers as far as can be told.
	Nearest bool `json:"nearest,omitempty"`
	// Evidence is what the words of the question that are in the line and around it weigh, by how
	// rare they are; 0 if the log does not know.
	Evidence float64 `json:"evidence,omitempty"`
}

// SessionLog is L1.
type SessionLog interface {
	// StartSession opens a session and returns it.
	StartSession(ctx context.Context, campaign string) (Session, error)
	// EndSession marks a session as ended.
	EndSession(ctx context.Context, id string) error
	// Reopen lets a session go on that was cut off or ended: its end is zero
	// again. An unknown id is [ErrNotFound].
	Reopen(ctx context.Context, id string) error
	// Sessions lists sessions, newest first; limit 0 means all.
	Sessions(ctx context.Context, limit int) ([]Session, error)
	// Append writes lines in one transaction and returns them with their ids.
	// They are durable, also against a power cut, when it returns.
	Append(ctx context.Context, lines ...Line) ([]Line, error)
	// AppendMissing is Append after an earlier one of the same lines whose outcome is not
	// known: those that are among the last 1,024 of their session, by turn, NPC, speaker
	// and time, are not written twice, and returned with the ids they have.
	AppendMissing(ctx context.Context, lines ...Line) ([]Line, error)
	// Recent returns the last n lines of a session, oldest first.
	Recent(ctx context.Context, session string, n int) ([]Line, error)
	// RecentFor returns the last n lines of a session that viewer may know of, oldest
	// first. An empty viewer sees all.
	RecentFor(ctx context.Context, session, viewer string, n int) ([]Line, error)
	// SearchLines finds lines by full text, best first.
	SearchLines(ctx context.Context, q LineQuery) ([]LineHit, error)
	// Retract deletes the lines of a session that were written in a message and
	// returns how many those were. Nothing finds them any more: the facts made of
	// them (see [FactOf]) go with them, unless a line that stays says the same.
	// An empty ref means no message.
	Retract(ctx context.Context, session, ref string) (int, error)
	// Reword gives the lines of a session that were written in a message another
	// text, in the facts made of them too, and returns how many those are.
	Reword(ctx context.Context, session, ref, text string) (int, error)
	// Forget is [Forgetter.ForgetUser] without progress.
	Forget(ctx context.Context, user string) (int, error)
}

// Forgetting is how far it is.
type Forgetting struct {
	// Phase is the phase that it is in, of so many, from 1 on.
	Phase, Phases int
	// Lines is how many lines are deleted.
	Lines int
}

// Fact is a piece of text the semantic index finds by meaning.
type Fact struct {
	ID int64 `json:"id"`
	// Source says where it comes from: "session:ID", "entity:ID".
	Source string    `json:"source"`
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
	// Date is the day in the world on which it was said, zero if it is not known.
	Date Date `json:"date,omitzero"`
	// Topic is what the fact settles, such as "nettie rank". Of the facts of one topic
	// that a viewer may know of, the one stated last stands; it supersedes those before,
	// which are kept. A fact without a topic supersedes none. What is read again of it
	// is a key that stands for it.
	Topic string `json:"topic,omitempty"`
	// Since is the day in the world from which on it is true; zero means since it was
	// said.
	Since Date `json:"since,omitzero"`
	// Visible lists the ids of NPCs and groups that may find it; empty means everyone.
	Visible []string `json:"-"`
}

// FactHit is a fact with its similarity, 0 to 1.
type FactHit struct {
	Fact
	Score float64 `json:"score"`
	// Superseded is when something later was said of the fact's topic, zero while the fact
	// stands, and Until the day in the world from which on that is true.
	Superseded time.Time `json:"superseded,omitzero"`
	Until      Date      `json:"until,omitzero"`
}

// Index is L2.
type Index interface {
	// Remember adds facts; one with the same Source and Text is kept once. Stated again,
	// a fact that was superseded stands again.
	Remember(ctx context.Context, facts ...Fact) error
	// Unremember deletes the facts of a source that have one of the texts; unknown
	// ones are passed over. Nothing finds them any more.
	Unremember(ctx context.Context, source string, texts ...string) error
	// SearchFacts finds the k facts nearest in meaning that viewer may see,
	// best first. An empty viewer sees all. One that is superseded comes after the one
	// that stands, which is found with it.
	SearchFacts(ctx context.Context, text, viewer string, k int) ([]FactHit, error)
}

// Entity is a node of the knowledge graph.
type Entity struct {
	// ID is a slug such as "rusty-flagon".
	ID string `json:"id"`
	// Type is "npc", "location", "faction", "item" or the campaign's own word.
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Aliases     []string          `json:"aliases,omitempty"`
	Description string            `json:"description,omitempty"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	// Position is where it is on the map, in the campaign's own unit; nil if it
	// has not been placed.
	Position *Position `json:"position,omitempty"`
	// Visible lists the ids of NPCs and groups that know of it; empty means everyone.
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
	// Visible lists the ids of NPCs and groups that know of it; empty means everyone.
	Visible []string `json:"-"`
}

// EntityQuery selects entities.
type EntityQuery struct {
	// Name matches names and aliases: exact first, then prefix, then words.
	// Empty matches all.
	Name string
	// Exact leaves out what is only similar: beginnings and misheard words.
	Exact bool
	// Type restricts to one type if not empty.
	Type string
	// Viewer is the NPC asking; empty sees all.
	Viewer string
	// Limit is the most entities returned; 0 means 20.
	Limit int
}

// Neighbourhood is an entity with what is connected to it.
type Neighbourhood struct {
	Entity    Entity
	Relations []Relation
	// Connected holds the entities at the other ends, by distance then name.
	Connected []Entity
}

// Graph is L3.
type Graph interface {
	// PutEntities inserts or replaces entities by id, in one transaction.
	PutEntities(ctx context.Context, entities ...Entity) error
	// PutRelations inserts or replaces relations by (From, Type, To).
	PutRelations(ctx context.Context, relations ...Relation) error
	// RemoveEntity deletes an entity and its relations.
	RemoveEntity(ctx context.Context, id string) error
	// Entity returns one entity if viewer may see it, else ErrNotFound.
	Entity(ctx context.Context, id, viewer string) (Entity, error)
	// FindEntities returns matching entities, best first.
	FindEntities(ctx context.Context, q EntityQuery) ([]Entity, error)
	// Neighbours returns an entity and what lies within depth edges (1 to 3)
	// in either direction, as far as viewer may see.
	Neighbours(ctx context.Context, id, viewer string, depth int) (Neighbourhood, error)
}
