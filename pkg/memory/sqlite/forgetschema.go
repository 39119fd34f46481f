package sqlite

// stepForgetting prepares for deleting lines efficiently. Sessions count their lines. The table speakers
// lists the sessions in which a user spoke and under which names, so that finding one user's lines does not
// scan all lines. Lines are indexed by message, and by the length and ending of the fact they produce.
//
// A row of forgetting is a user who is being forgotten. As soon as it exists, none of that user's lines up to
// its line are returned, and the process that opens the file does the remaining work in steps. [stepOwnWords]
// removes the columns names, keep, instead and fact.
const stepForgetting = `
ALTER TABLE sessions ADD COLUMN lines INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET lines = (SELECT count(*) FROM lines WHERE session = n);

CREATE TABLE speakers (
	user    TEXT NOT NULL,
	speaker TEXT NOT NULL,
	session INTEGER NOT NULL,
	PRIMARY KEY (user, speaker, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX speakers_by_name ON speakers (speaker);
INSERT INTO speakers (user, speaker, session) SELECT DISTINCT user, speaker, session FROM lines WHERE user <> '';

CREATE TRIGGER lines_added AFTER INSERT ON lines BEGIN
	UPDATE sessions SET lines = lines + 1 WHERE n = new.session;
	INSERT OR IGNORE INTO speakers (user, speaker, session) SELECT new.user, new.speaker, new.session WHERE new.user <> '';
END;
CREATE TRIGGER lines_deleted AFTER DELETE ON lines BEGIN
	UPDATE sessions SET lines = lines - 1 WHERE n = old.session;
END;

CREATE INDEX lines_by_message ON lines (session, ref) WHERE ref <> '';
CREATE INDEX lines_alike ON lines (session, octet_length(speaker) + octet_length(text), substr(speaker || ': ' || text, -8));

CREATE TABLE forgetting (
	user    TEXT PRIMARY KEY,
	names   TEXT NOT NULL,
	keep    TEXT NOT NULL,
	instead TEXT NOT NULL,
	line    INTEGER NOT NULL,
	fact    INTEGER NOT NULL,
	gone    INTEGER NOT NULL DEFAULT 0,
	phase   INTEGER NOT NULL DEFAULT 0
) STRICT;
`

// stepOwnWords removes the data that was needed to replace a user's names in others' lines, which forgetting
// no longer does, and the index for finding users by name. That replacement was the second phase; a user in
// that phase continues with the next.
const stepOwnWords = `
ALTER TABLE forgetting DROP COLUMN names;
ALTER TABLE forgetting DROP COLUMN keep;
ALTER TABLE forgetting DROP COLUMN instead;
ALTER TABLE forgetting DROP COLUMN fact;
DROP INDEX speakers_by_name;
UPDATE forgetting SET phase = phase - 1 WHERE phase > 1;
`

// stepOlderSQLite replaces the only schema element that SQLite before 3.43 cannot read, because
// octet_length() was added in that version. With it, the sqlite3 of Debian 12 (3.40) and of Ubuntu 22.04
// (3.37) rejected every query of the file.
const stepOlderSQLite = `
DROP INDEX lines_alike;
CREATE INDEX lines_alike ON lines (session, length(CAST(speaker AS BLOB)) + length(CAST(text AS BLOB)), substr(speaker || ': ' || text, -8));
`
