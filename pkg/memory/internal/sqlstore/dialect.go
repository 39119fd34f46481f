package sqlstore

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Dialect is a [Store]'s interface to a database. Methods with a Conn parameter are called within a
// transaction, on a connection to the same database.
type Dialect interface {
	DB
	// Syntax returns the SQL that differs between databases. It is called once.
	Syntax() Syntax
	Lines
	Facts
	Vectors
	Files
	Records
	Forgetting
}

// Syntax is the SQL that differs between databases.
type Syntax struct {
	// Least is the function that returns the smallest of its arguments.
	Least string
	// User is the column of lines that holds the id of the user who spoke.
	User string
	// SameFact is a condition on facts that selects those with a given source and text. Its parameters come
	// from FactKey.
	SameFact string
	FactKey  func(source, text string) []any
	// KnowsUser selects whether the database holds anything about a user that forgetting would change, or an
	// unfinished forgetting. BeginForgetting records that a user is to be forgotten up to the last line.
	// NamesOf selects the names under which a user spoke, in order. Each takes the user as its parameter.
	KnowsUser, BeginForgetting, NamesOf string
	// FiledBy is the column that identifies an entry of the table filed.
	FiledBy string
	// Checks are additional checks of [Store.Verify] for this database.
	Checks []Check
	// SpaceKind selects from vector_spaces how the vectors of a space are stored. Kind is how a new space
	// stores them.
	SpaceKind, Kind string
	// List returns a row source with the values of a list parameter and their positions, as the columns value
	// and key of a table j. kind is the type of the values in PostgreSQL.
	List func(param, kind string) string
	// Contains returns the condition that the text in a column contains one of the texts in a list parameter.
	Contains func(column, param string) string
	// Heard returns a condition on the column audience of a table: the audience's list contains one of the
	// texts in a list parameter. The audiences are looked up once per query.
	Heard func(table, param string) string
	// Clip shortens a word, or a key of several words, to the length that an index
	// accepts.
	Clip func(string) string
	// Reach returns the beginning of a query that defines near (id, depth): every entity within $3 edges of
	// $1 that $2 may see, with its distance. A path continues only through visible edges and visible
	// entities, so that a hidden entity connects nothing. visible returns the condition on what $2 may see of
	// a table.
	Reach func(visible func(table string) string) string
	// RemovedLines is the number of lines of a session that are deleted in one transaction. It is small so
	// that other writers wait only a few milliseconds.
	RemovedLines int
}

// Utterance is a line with the number of its session and, if the line is new, the number of its audience.
type Utterance struct {
	memory.Line
	SessionNumber, Audience int64
}

// Lines stores lines and their search words.
type Lines interface {
	// InsertLines inserts lines with their search words and sets their ids.
	InsertLines(ctx context.Context, c Conn, lines []Utterance) error
	// DeleteLines deletes lines with their search words.
	DeleteLines(ctx context.Context, c Conn, lines []Utterance) error
	// ReplaceWords replaces the search words of a line by those of another text.
	ReplaceWords(ctx context.Context, c Conn, old Utterance, text string) error
	// StillProduced returns those of the fact texts that some line of the session still produces.
	StillProduced(ctx context.Context, c Conn, session int64, texts []string) ([]string, error)
	// FindLines returns the full-text index of the lines that pass the filter.
	FindLines(c Conn, q LineFilter) FullTextIndex
	// Hidden returns a function that reports lines to hide, because their user is being forgotten. It returns
	// nil if there are none.
	Hidden(ctx context.Context, c Conn) (func(memory.Line) bool, error)
}

// LineFilter narrows a search of lines.
type LineFilter struct {
	// Session is the number of a session; 0 means all.
	Session int64
	// Keys are the viewer's keys; nil means a viewer who sees all.
	Keys []string
	Days *memory.Days
}

// NewFact is a fact to insert. Its Topic is already a key (see topicKey).
type NewFact struct {
	memory.Fact
	Audience int64
}

// Scored is a match; a higher score is better.
type Scored struct {
	ID    int64
	Score float64
}

// Facts stores facts and their search words.
type Facts interface {
	// InsertFact inserts a fact with its search words and returns its id.
	InsertFact(ctx context.Context, c Conn, f NewFact) (int64, error)
	// DeleteFacts deletes the facts of a source with the given texts, which are distinct, and removes them
	// from every index. Texts without a fact are ignored.
	DeleteFacts(ctx context.Context, c Conn, source string, texts []string) error
	// FindFacts returns the full-text index of the facts that one of the keys may see. If space is not 0, it
	// covers only the facts without a vector in that space.
	FindFacts(c Conn, keys []string, space int64) FullTextIndex
	// HideFacts removes facts made from hidden lines. It may modify all.
	HideFacts(ctx context.Context, c Conn, all []memory.FactHit) ([]memory.FactHit, error)
}

// Space identifies the vectors of one embedder. N is 0 if there are none.
type Space struct {
	N    int64
	Name string
	Dims int
	Kind string
}

// Vectors stores the vectors of facts, by space.
type Vectors interface {
	// MakeSpace creates a space and its row in vector_spaces.
	MakeSpace(ctx context.Context, c Conn, space Space) error
	// DropSpaces drops spaces and their rows, in transactions of its own.
	DropSpaces(ctx context.Context, numbers []int64) error
	// InsertVector stores the vector of a fact.
	InsertVector(ctx context.Context, c Conn, space Space, fact int64, vector []float32) error
	// CountVectors returns the number of vectors in a space.
	CountVectors(ctx context.Context, c Conn, space Space) (int64, error)
	// Nearest returns the k facts nearest to a vector that one of the keys may see.
	Nearest(ctx context.Context, c Conn, space Space, vector []float32, keys []string, k int) ([]Scored, error)
	// LineVectors returns the vectors of the facts made from lines, by line id.
	LineVectors(ctx context.Context, c Conn, space Space, ids []int64) (map[int64][]float32, error)
	// Sketch adds some of the missing vectors to the sketch used by Nearest, and reports whether there may be
	// more.
	Sketch(ctx context.Context, c Conn, space Space) (more bool, err error)
}

// Files stores what campaign files last said, as hashes by key.
type Files interface {
	Filed(ctx context.Context, c Conn, keys []string) (map[string][]byte, error)
	File(ctx context.Context, c Conn, key string, hash []byte) error
	Unfile(ctx context.Context, c Conn, key string) error
}

// Records loads and verifies whole stores.
type Records interface {
	// WriteLong is Write without a time limit. Where the database can interrupt a transaction, it ends with
	// ctx.
	WriteLong(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
	// DeleteAll deletes everything except the audience of everyone and the row of indexed_lines.
	DeleteAll(ctx context.Context, c Conn) error
	// NewLoader returns a loader that inserts records on a connection.
	NewLoader(s *Store, c Conn) Loader
	// Verify compares the full-text indexes with the stored texts and returns the problems.
	Verify(ctx context.Context, c Conn) ([]string, error)
}

// Loader inserts records together with their search words. It may insert them later and in batches, but no
// later than Finish.
type Loader interface {
	Add(ctx context.Context, r memory.Record) error
	Finish(ctx context.Context) error
}

// Forgetting deletes a user's lines.
type Forgetting interface {
	// FinishForgetting does the remaining work of forgetting a user, in steps between which others can write,
	// and returns the number of lines it deleted. It skips work that is already done. progress may be nil.
	FinishForgetting(ctx context.Context, s *Store, user string, progress func(memory.Forgetting)) (int, error)
}

// SeesAll reports whether keys belong to a viewer who sees all.
func SeesAll(keys []string) bool { return len(keys) == 1 && keys[0] == "" }
