package memory

import "context"

// State is what programs keep between runs, by space and key.
type State interface {
	// LoadState returns everything kept in a space, by key.
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	// StateSpaces lists the spaces in which something is kept and whose names begin
	// with prefix, by name.
	StateSpaces(ctx context.Context, prefix string) ([]string, error)
	// SaveState keeps values in a space, in one transaction; a nil value removes its
	// key. Keys that are not mentioned stay.
	SaveState(ctx context.Context, space string, values map[string][]byte) error
}

// World is the knowledge graph as a whole, and how it changes.
type World interface {
	// World returns the graph as it is at one moment: entities by id, relations by
	// their ends and type.
	World(ctx context.Context) ([]Entity, []Relation, error)
	// Change carries out a batch in one transaction. The fact that tells an entity's
	// description follows the entity.
	Change(ctx context.Context, b Batch) error
	// Settle puts what a campaign file says into the world: an entry takes effect when
	// it is new or differs from what the file said last, and else leaves alone what has
	// become of it since.
	Settle(ctx context.Context, entities []Entity, relations []Relation, facts []Fact) error
	// Places returns the entity that each of the ids is in, as far as viewer may know.
	Places(ctx context.Context, viewer string, ids ...string) (map[string]Entity, error)
	// Inside returns at most limit entities that are in a place, by id, as far as
	// viewer may know.
	Inside(ctx context.Context, viewer, place string, limit int) ([]Entity, error)
	// WorldChanges returns the latest changes of the world, the newest first.
	WorldChanges(ctx context.Context, most int) ([]WorldChange, error)
	// WorldChange returns one change of the world, or [ErrNotFound].
	WorldChange(ctx context.Context, seq uint64) (WorldChange, error)
}

// Backlog is what a store has still to make findable. Its work is done in small
// pieces by whoever calls.
type Backlog interface {
	// Unindexed has a value when something was written that may have to be indexed.
	// It is for one reader.
	Unindexed() <-chan struct{}
	// Backlog counts what IndexLines and EmbedFacts have left to do.
	Backlog(ctx context.Context) (int, error)
	// IndexLines makes the facts of the oldest lines that have none and returns how
	// many lines it has seen to, 0 when there are no more.
	IndexLines(ctx context.Context) (int, error)
	// EmbedFacts gives the newest facts without a vector theirs and returns how many
	// it has seen to, 0 when there are no more.
	EmbedFacts(ctx context.Context) (int, error)
	// Semantic reports whether facts are found by meaning, not by full text alone.
	Semantic() bool
}

// Forgetter forgets people.
type Forgetter interface {
	// ForgetUser deletes the lines that a user spoke, in all sessions, with the facts made
	// of them (see [FactOf]), and the user's id where it says who changed the world. It
	// returns how many lines it deleted. An empty user has no lines.
	//
	// Only [Line.User] decides whose a line is, because players choose their names: another
	// player, an NPC or a place may have the same one. So nothing else changes: not what others
	// or NPCs said, not the other facts, not the world or its history, whatever names are in it.
	//
	// progress, if not nil, is called with how far it is. If ctx or the process ends before
	// all is done, GoOnForgetting does the rest.
	ForgetUser(ctx context.Context, user string, progress func(Forgetting)) (int, error)
	// GoOnForgetting finishes what ForgetUser began and did not come to the end of, and
	// returns how many users that were.
	GoOnForgetting(ctx context.Context) (int, error)
	// NamesOf lists under which names a user spoke.
	NamesOf(ctx context.Context, user string) ([]string, error)
	// Line returns a line by its id, or [ErrNotFound].
	Line(ctx context.Context, id int64) (Line, error)
	// DeleteLine deletes one line, as [SessionLog.Retract] does, or returns [ErrNotFound].
	DeleteLine(ctx context.Context, id int64) error
}

// Campaigns is what campaigns brought and left.
type Campaigns interface {
	// Unsettled tells what [World.Settle] would do, and changes nothing.
	Unsettled(ctx context.Context, entities []Entity, relations []Relation, facts []Fact) (Settlement, error)
	// Withdraw takes out of the world what campaign files said: entities by id, with
	// their relations; relations; and facts by source and text. What is not there is
	// passed over, and a file that says it again is heard.
	Withdraw(ctx context.Context, entities []string, relations []Relation, facts []Fact) error
	// ToldFacts returns at most limit facts that campaign files may have told, by id from
	// the first after one. Facts made of lines and notes are none.
	ToldFacts(ctx context.Context, after int64, limit int) ([]Fact, error)
	// RemoveSession deletes a session with its lines and the facts made of them and
	// returns how many lines those were. An unknown id is [ErrNotFound].
	RemoveSession(ctx context.Context, id string) (int, error)
}

// Store is all of memory in one place. The package memorytest holds
// implementations to what is said here.
type Store interface {
	SessionLog
	Index
	Graph
	State
	World
	Backlog
	Forgetter
	Campaigns
	Portable
	// Location says where it is, for people: a path or a server and its database,
	// never a secret.
	Location() string
	// Close waits for running calls. Later calls fail with [ErrClosed]; closing again
	// does nothing.
	Close() error
}

// Settlement is what settling a campaign does, or would do.
type Settlement struct {
	// Added counts the entities that are not there, Changed those of which something
	// else is said than the last time, and Kept the rest.
	Added, Changed, Kept int
	// Relations and Facts count those that are new or of which something else is said.
	Relations, Facts int
}

// Nothing reports whether nothing would be done.
func (s Settlement) Nothing() bool { return s.Added+s.Changed+s.Relations+s.Facts == 0 }
