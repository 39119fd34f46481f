package memory

import "context"

// State holds what programs keep between runs, by space and key.
type State interface {
	// LoadState returns all values of a space, by key.
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	// StateSpaces lists the non-empty spaces whose names begin with prefix, sorted by name.
	StateSpaces(ctx context.Context, prefix string) ([]string, error)
	// SaveState saves values in a space, in one transaction. A nil value deletes its key; other keys are
	// unchanged.
	SaveState(ctx context.Context, space string, values map[string][]byte) error
}

// World reads and changes the knowledge graph as a whole.
type World interface {
	// World returns one snapshot of the graph: entities ordered by id, relations by their ends and type.
	World(ctx context.Context) ([]Entity, []Relation, error)
	// Change applies a batch in one transaction. The fact that describes an entity is updated with the
	// entity.
	Change(ctx context.Context, b Batch) error
	// ApplyCampaign applies the content of a campaign file to the world. An entry is applied if it is new or if the
	// file has changed it since the last ApplyCampaign. Otherwise later changes to it are kept.
	ApplyCampaign(ctx context.Context, entities []Entity, relations []Relation, facts []Fact) error
	// Places returns the entity in which each of the ids is, as far as viewer may know.
	Places(ctx context.Context, viewer string, ids ...string) (map[string]Entity, error)
	// Inside returns up to limit entities that are in a place, ordered by id, as far as viewer may know.
	Inside(ctx context.Context, viewer, place string, limit int) ([]Entity, error)
	// WorldChanges returns the latest changes of the world, newest first.
	WorldChanges(ctx context.Context, most int) ([]WorldChange, error)
	// WorldChange returns one change of the world, or [ErrNotFound].
	WorldChange(ctx context.Context, seq uint64) (WorldChange, error)
}

// Backlog is the indexing work that a store still has to do. The caller runs it in small pieces.
type Backlog interface {
	// Unindexed receives a value when something was written that may need indexing. It supports one reader.
	Unindexed() <-chan struct{}
	// Backlog counts what IndexLines and EmbedFacts still have to do.
	Backlog(ctx context.Context) (int, error)
	// IndexLines creates the facts of the oldest lines without one, and returns how many lines it handled; 0
	// when none are left.
	IndexLines(ctx context.Context) (int, error)
	// EmbedFacts computes the vectors of the newest facts without one, and returns how many facts it handled;
	// 0 when none are left.
	EmbedFacts(ctx context.Context) (int, error)
	// Semantic reports whether facts are found by meaning rather than by full text alone.
	Semantic() bool
}

// Forgetter deletes the store's data about a person.
type Forgetter interface {
	// ForgetUser deletes all lines that a user spoke, in all sessions, with the facts made from them (see
	// [FactOf]), and removes the user's id from the history of world changes. It returns the number of
	// deleted lines. An empty user has no lines.
	//
	// Only [Line.User] decides whose line it is, because players choose their names: another player, an NPC
	// or a place may have the same one. So nothing else changes: neither what others or NPCs said, nor other
	// facts, nor the world or its history, whatever names they contain.
	//
	// progress, if not nil, is called with the progress. If ctx or the process ends before the work is done,
	// ResumeForgetting finishes it.
	ForgetUser(ctx context.Context, user string, progress func(Forgetting)) (int, error)
	// ResumeForgetting finishes what interrupted calls of ForgetUser left, and returns the number of users.
	ResumeForgetting(ctx context.Context) (int, error)
	// NamesOf lists the names under which a user spoke.
	NamesOf(ctx context.Context, user string) ([]string, error)
	// Line returns the line with the given id, or [ErrNotFound].
	Line(ctx context.Context, id int64) (Line, error)
	// DeleteLine deletes one line as [SessionLog.Retract] does. An unknown id is [ErrNotFound].
	DeleteLine(ctx context.Context, id int64) error
}

// Campaigns manages what campaign files and sessions have added to a store.
type Campaigns interface {
	// CampaignChanges returns what [World.Settle] would do, without changing anything.
	CampaignChanges(ctx context.Context, entities []Entity, relations []Relation, facts []Fact) (Settlement, error)
	// Withdraw removes from the world what campaign files added: entities by id with their relations,
	// relations, and facts by source and text. What does not exist is ignored. A file that states it again
	// adds it again.
	Withdraw(ctx context.Context, entities []string, relations []Relation, facts []Fact) error
	// CampaignFacts returns up to limit facts that may come from campaign files, ordered by id, beginning after
	// the id after. It excludes facts made from lines and notes.
	CampaignFacts(ctx context.Context, after int64, limit int) ([]Fact, error)
	// RemoveSession deletes a session with its lines and the facts made from them, and returns the number of
	// lines. An unknown id is [ErrNotFound].
	RemoveSession(ctx context.Context, id string) (int, error)
}

// Store combines all interfaces of memory. The tests of the package memorytest check that implementations
// meet these contracts.
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
	// Location describes where the store is, for people: a path, or a server with its database. It contains
	// no secrets.
	Location() string
	// Close waits for running calls. Later calls fail with [ErrClosed]; another Close does nothing.
	Close() error
}

// Settlement is what [World.Settle] does, or would do.
type Settlement struct {
	// Added counts the entities that do not exist yet, Changed those whose entry has changed since the last
	// Settle, and Kept the rest.
	Added, Changed, Kept int
	// Relations and Facts count those that are new or changed.
	Relations, Facts int
}

// Nothing reports whether there is nothing to do.
func (s Settlement) Nothing() bool { return s.Added+s.Changed+s.Relations+s.Facts == 0 }
