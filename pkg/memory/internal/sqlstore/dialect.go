package sqlstore

import (
	"context"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Dialect is a database as a [Store] needs it. Methods that take a connection are called within a
// transaction, on a connection of the same database.
type Dialect interface {
	DB
	// Syntax returns what is written differently. It is called once.
	Syntax() Syntax
	Lines
	Facts
	Vectors
	Files
	Records
	Forgetting
}

// Syntax is what is written differently from database to database.
type Syntax struct {
	// Least is the function that returns the least of its arguments.
	Least string
	// User is the column of lines with the id of the user who spoke.
	User string
	// SameFact is a condition on facts: those with a source and a text, whose parameters are what
	// FactKey returns.
	SameFact string
	FactKey  func(source, text string) []any
	// KnowsUser selects whether something is kept of a user that forgetting them would change, or
	// forgetting them is not finished. BeginForgetting writes down that a user is to be forgotten
	// up to the last line. NamesOf selects under which names a user spoke, in order. The user is
	// the parameter of each.
	KnowsUser, BeginForgetting, NamesOf string
	// FiledBy is the column by which what campaign files said is found.
	FiledBy string
	// Checks are those of [Store.Verify] that only this database needs.
	Checks []Check
	// SpaceKind selects from vector_spaces how the vectors of a space are kept, and Kind is how a
	// new space keeps them.
	SpaceKind, Kind string
	// List returns a source of rows with the values of a list parameter and their places, as the
	// columns value and key of a table j. kind is the type of the values in PostgreSQL.
	List func(param, kind string) string
	// Contains returns a condition: the text in a column contains one of the texts in a list
	// parameter.
	Contains func(column, param string) string
	// Heard returns a condition on the column audience of a table: its list contains one of the
	// texts in a list parameter. The lists are looked up once for a whole query.
	Heard func(table, param string) string
	// Clip cuts a word, or a key of several, to what an index takes.
	Clip func(string) string
	// Reach returns the beginning of a query that defines near (id, depth): every entity around
	// $1 with its distance, as far as $2 may see and $3 edges away. Both the edge and the entity
	// behind it must be visible to be crossed, so that a hidden entity connects nothing. visible
	// returns the condition on what $2 may see of a table.
	Reach func(visible func(table string) string) string
	// RemovedLines is how many lines of a session are deleted in one transaction, so that others
	// wait for no longer than some milliseconds.
	RemovedLines int
}

// Utterance is a line with the number of its session and, if it is new, of its audience.
type Utterance struct {
	memory.Line
	SessionNumber, Audience int64
}

// Lines keep lines and the words by which they are found.
type Lines interface {
	// InsertLines inserts lines with their words and enters their ids.
	InsertLines(ctx context.Context, c Conn, lines []Utterance) error
	// DeleteLines deletes lines with their words.
	DeleteLines(ctx context.Context, c Conn, lines []Utterance) error
	// ReplaceWords makes a line found by the words of another text.
	ReplaceWords(ctx context.Context, c Conn, old Utterance, text string) error
	// StillSaid returns which texts of facts are made by a line of a session.
	StillSaid(ctx context.Context, c Conn, session int64, texts []string) ([]string, error)
	// FindLines returns the full text of lines.
	FindLines(c Conn, q LineFilter) FullTextIndex
	// Hidden returns which lines are not to be shown, because their user is being forgotten. It
	// returns nil if there are none.
	Hidden(ctx context.Context, c Conn) (func(memory.Line) bool, error)
}

// LineFilter narrows a search of lines.
type LineFilter struct {
	// Session is the number of a session, 0 for all.
	Session int64
	// Keys are those of the viewer, nil for one who sees all.
	Keys []string
	Days *memory.Days
}

// NewFact is a fact to be inserted. Its topic is a key.
type NewFact struct {
	memory.Fact
	Audience int64
}

// Scored is a match; a higher score is better.
type Scored struct {
	ID    int64
	Score float64
}

// Facts keep facts and the words by which they are found.
type Facts interface {
	// InsertFact inserts a fact with its words and returns its id.
	InsertFact(ctx context.Context, c Conn, f NewFact) (int64, error)
	// DeleteFacts deletes facts of a source by their different texts, from everything that finds
	// them. Texts that are no fact are passed over.
	DeleteFacts(ctx context.Context, c Conn, source string, texts []string) error
	// FindFacts returns the full text of facts that one of the keys may see, and that have no
	// vector in a space, unless that is 0.
	FindFacts(c Conn, keys []string, space int64) FullTextIndex
	// HideFacts leaves out facts made of lines that are not to be shown. It may change all.
	HideFacts(ctx context.Context, c Conn, all []memory.FactHit) ([]memory.FactHit, error)
}

// Space is where the vectors of one embedder are; N is 0 if there is none.
type Space struct {
	N    int64
	Name string
	Dims int
	Kind string
}

// Vectors keep the vectors of facts, by space.
type Vectors interface {
	// MakeSpace makes a space with its row in vector_spaces.
	MakeSpace(ctx context.Context, c Conn, space Space) error
	// DropSpaces drops spaces with their rows, in transactions of its own.
	DropSpaces(ctx context.Context, numbers []int64) error
	// InsertVector stores the vector of a fact.
	InsertVector(ctx context.Context, c Conn, space Space, fact int64, vector []float32) error
	// CountVectors returns how many vectors there are in a space.
	CountVectors(ctx context.Context, c Conn, space Space) (int64, error)
	// Nearest returns the k facts nearest to a vector that one of the keys may see.
	Nearest(ctx context.Context, c Conn, space Space, vector []float32, keys []string, k int) ([]Scored, error)
	// LineVectors returns the vectors of the facts made of lines, by the lines' ids.
	LineVectors(ctx context.Context, c Conn, space Space, ids []int64) (map[int64][]float32, error)
	// Sketch reads some of the vectors that are not in the sketch by which the nearest are found,
	// and reports whether there may be more.
	Sketch(ctx context.Context, c Conn, space Space) (more bool, err error)
}

// Files keep what campaign files said last, as hashes by key.
type Files interface {
	Filed(ctx context.Context, c Conn, keys []string) (map[string][]byte, error)
	File(ctx context.Context, c Conn, key string, hash []byte) error
	Unfile(ctx context.Context, c Conn, key string) error
}

// Records are taken in as a whole.
type Records interface {
	// WriteLong is Write for a transaction that takes as long as it needs. Where the database
	// can end it in between, it ends with ctx.
	WriteLong(ctx context.Context, doing string, fn func(context.Context, Conn) error) error
	// DeleteAll deletes everything but the audience of everyone and the row of indexed_lines.
	DeleteAll(ctx context.Context, c Conn) error
	// NewLoader returns what inserts records on a connection.
	NewLoader(s *Store, c Conn) Loader
	// Verify compares full texts with what they are of, and says what is wrong.
	Verify(ctx context.Context, c Conn) ([]string, error)
}

// Loader inserts records with what they are found by. It may insert them later, together, but no
// later than it finishes.
type Loader interface {
	Add(ctx context.Context, r memory.Record) error
	Finish(ctx context.Context) error
}

// Forgetting deletes what a user said.
type Forgetting interface {
	// FinishForgetting does what is left to do of a user who is being forgotten, in steps between
	// which others write, and returns how many lines it deleted. What is done already it does not
	// find again. progress may be nil.
	FinishForgetting(ctx context.Context, s *Store, user string, progress func(memory.Forgetting)) (int, error)
}

// SeesAll reports whether keys are of a viewer who sees all.
func SeesAll(keys []string) bool { return len(keys) == 1 && keys[0] == "" }
