package sqlite

// steps returns the migrations in order. To change the schema, append a step.
func steps() []string {
	return []string{stepMemory, stepState, stepWorld, stepAuthors, stepSpaces, stepLeaders, stepWorldChanges, stepWitnesses, stepForgetting, stepPlans, stepTopics, stepOwnWords, stepOlderSQLite}
}

// stepMemory creates the tables of the three layers.
//
// Times are microseconds since 1970. The column visible lists the NPCs that know of a row, framed by U+001F
// so that an id can be found as a substring; empty means everyone. The full-text tables store no text: they
// index normalised words, which the ascii tokenizer does not split.
//
// Vectors have tables of their own; see stepSpaces.
const stepMemory = `
CREATE TABLE sessions (
	n        INTEGER PRIMARY KEY,
	id       TEXT NOT NULL UNIQUE,
	campaign TEXT NOT NULL,
	started  INTEGER NOT NULL,
	ended    INTEGER
) STRICT;

CREATE TABLE lines (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n),
	turn    INTEGER NOT NULL,
	speaker TEXT NOT NULL,
	npc     TEXT NOT NULL,
	heard   TEXT NOT NULL,
	text    TEXT NOT NULL,
	at      INTEGER NOT NULL
) STRICT;
CREATE INDEX lines_by_session ON lines (session, id);
CREATE VIRTUAL TABLE lines_text USING fts5 (words, content = '', columnsize = 0, tokenize = 'ascii');

CREATE TABLE facts (
	id       INTEGER PRIMARY KEY,
	source   TEXT NOT NULL,
	text     TEXT NOT NULL,
	at       INTEGER NOT NULL,
	visible  TEXT NOT NULL,
	embedded INTEGER NOT NULL DEFAULT 0,
	UNIQUE (source, text)
) STRICT;
CREATE INDEX facts_pending ON facts (id) WHERE embedded = 0;
CREATE INDEX facts_restricted ON facts (id) WHERE visible <> '';
CREATE VIRTUAL TABLE facts_text USING fts5 (words, content = '', columnsize = 0, tokenize = 'ascii');

CREATE TABLE vector_space (
	only INTEGER PRIMARY KEY CHECK (only = 1),
	name TEXT NOT NULL,
	dims INTEGER NOT NULL
) STRICT;

CREATE TABLE entities (
	id          TEXT PRIMARY KEY,
	type        TEXT NOT NULL COLLATE NOCASE,
	name        TEXT NOT NULL,
	key         TEXT NOT NULL,
	description TEXT NOT NULL,
	aliases     TEXT,
	attributes  TEXT,
	visible     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX entities_by_key ON entities (key);

CREATE TABLE entity_names (
	key    TEXT NOT NULL,
	alias  INTEGER NOT NULL,
	entity TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	PRIMARY KEY (key, alias, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (entity);

CREATE TABLE entity_words (
	word   TEXT NOT NULL,
	runes  INTEGER NOT NULL,
	entity TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	PRIMARY KEY (word, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_words_by_length ON entity_words (runes, word, entity);
CREATE INDEX entity_words_by_entity ON entity_words (entity);

CREATE TABLE relations (
	src     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	type    TEXT NOT NULL,
	dst     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
	note    TEXT NOT NULL,
	visible TEXT NOT NULL,
	PRIMARY KEY (src, type, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_by_dst ON relations (dst);
`

// stepState adds the state of programs, by space and key.
const stepState = `
CREATE TABLE state (
	space TEXT NOT NULL,
	key   TEXT NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (space, key)
) STRICT, WITHOUT ROWID;
`

// stepWorld adds the positions of entities and the table filed, which records the last version of each
// entity and relation in a campaign file; see [Store.Settle].
const stepWorld = `
ALTER TABLE entities ADD COLUMN x REAL;
ALTER TABLE entities ADD COLUMN y REAL;
ALTER TABLE entities ADD COLUMN z REAL;

CREATE TABLE filed (
	what TEXT PRIMARY KEY,
	hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`

// stepAuthors adds the speaker's user id and the message of a line, so that it can be deleted. From this step
// on, the full-text tables overwrite deleted words at once instead of keeping them until the next merge.
const stepAuthors = `
ALTER TABLE lines ADD COLUMN user TEXT NOT NULL DEFAULT '';
ALTER TABLE lines ADD COLUMN ref TEXT NOT NULL DEFAULT '';
INSERT INTO lines_text (lines_text, rank) VALUES ('secure-delete', 1);
INSERT INTO facts_text (facts_text, rank) VALUES ('secure-delete', 1);
`

// stepSpaces allows vectors of several embedders at the same time, so that a change of embedder does not need
// a long transaction. The latest row of vector_spaces belongs to the current embedder; its table of vectors
// is created once the length of the vectors is known. The column embedded of a fact is the number of the
// space with its vector, 0 without a vector, and negative if the embedder of that space rejected the text.
//
// indexed_lines is the id up to which every line has its fact.
const stepSpaces = `
CREATE TABLE vector_spaces (
	n    INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	dims INTEGER NOT NULL
) STRICT;
INSERT INTO vector_spaces (n, name, dims) SELECT 1, name, dims FROM vector_space;
DROP TABLE vector_space;
DROP INDEX facts_pending;
CREATE INDEX facts_by_space ON facts (embedded, id);

CREATE TABLE indexed_lines (
	only INTEGER PRIMARY KEY CHECK (only = 1),
	line INTEGER NOT NULL
) STRICT;
INSERT INTO indexed_lines (only, line) VALUES (1, 0);
`

// stepLeaders adds whether the speaker of a line was the DM.
const stepLeaders = `
ALTER TABLE lines ADD COLUMN dm INTEGER NOT NULL DEFAULT 0;
`

// stepWorldChanges adds the history of the world: what changed and who changed it. Times are microseconds
// since 1970.
const stepWorldChanges = `
CREATE TABLE world_changes (
	seq    INTEGER PRIMARY KEY,
	at     INTEGER NOT NULL,
	who    TEXT NOT NULL,
	cause  TEXT NOT NULL,
	data   BLOB,
	undoes INTEGER NOT NULL,
	undone INTEGER NOT NULL
) STRICT;
`

// stepWitnesses adds who may know of a line or fact, and the in-world day. Each distinct list is stored once,
// in the encoding of the column visible. There are few of them, so that visibility can be decided before
// ranking. Audience 0 is everyone. A line without a date has no day.
const stepWitnesses = `
CREATE TABLE audiences (
	n   INTEGER PRIMARY KEY,
	ids TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO audiences (n, ids) VALUES (0, '');
INSERT OR IGNORE INTO audiences (ids) SELECT DISTINCT visible FROM facts;

ALTER TABLE lines ADD COLUMN audience INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lines ADD COLUMN day INTEGER;
ALTER TABLE lines ADD COLUMN date TEXT NOT NULL DEFAULT '';
DROP INDEX lines_by_session;
CREATE INDEX lines_by_session ON lines (session, id, audience);
CREATE INDEX lines_by_day ON lines (day, id) WHERE day IS NOT NULL;

ALTER TABLE facts ADD COLUMN audience INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN day INTEGER;
ALTER TABLE facts ADD COLUMN date TEXT NOT NULL DEFAULT '';
UPDATE facts SET audience = (SELECT n FROM audiences WHERE ids = visible) WHERE visible <> '';
DROP INDEX facts_restricted;
ALTER TABLE facts DROP COLUMN visible;
CREATE INDEX facts_by_audience ON facts (audience, id);
`

// stepTopics adds the topic of a fact and the day from which it holds. Of the facts on a topic, the one with
// the latest stated is current. Stating a fact again updates stated.
const stepTopics = `
ALTER TABLE facts ADD COLUMN topic TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN stated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN since_day INTEGER;
ALTER TABLE facts ADD COLUMN since TEXT NOT NULL DEFAULT '';
CREATE INDEX facts_by_topic ON facts (topic, stated, id) WHERE topic <> '';
`

// stepPlans adds plans: changes of the world that are recorded first and then executed in steps. A plan that
// is not ready is still being recorded, or was given up. The orders of a plan are executed in ascending
// order.
const stepPlans = `
CREATE TABLE plans (
	n     INTEGER PRIMARY KEY AUTOINCREMENT,
	begun INTEGER NOT NULL,
	ready INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE orders (
	n    INTEGER PRIMARY KEY,
	plan INTEGER NOT NULL REFERENCES plans (n) ON DELETE CASCADE,
	what BLOB NOT NULL
) STRICT;
CREATE INDEX orders_by_plan ON orders (plan, n);
`
