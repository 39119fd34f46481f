package sqlite

// stepForgetting adds what makes taking back cheap. The lines of a session are
// counted as they come and go; speakers says in which sessions a user spoke, and
// under which names, so that nobody has to look through all lines for those of one
// user; a message is found by its name, and a line that makes the same fact
// by its length and its end.
//
// A row of forgetting is a user who is being forgotten: from the moment it is there,
// nothing of that user up to its line is found, and the process that opens the file does what
// is left in steps. The columns names, keep, instead and fact went with [stepOwnWords].
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

// stepOwnWords drops what forgetting needed to replace a user's names in what others said,
// which it does not do any more; nothing looks for users by their names either. The phase that did so was the second; who waits for it goes on
// with the next.
const stepOwnWords = `
ALTER TABLE forgetting DROP COLUMN names;
ALTER TABLE forgetting DROP COLUMN keep;
ALTER TABLE forgetting DROP COLUMN instead;
ALTER TABLE forgetting DROP COLUMN fact;
DROP INDEX speakers_by_name;
UPDATE forgetting SET phase = phase - 1 WHERE phase > 1;
`

// stepOlderSQLite replaces the only schema element that SQLite before 3.43 cannot read, because
// octet_length() is new there: with it, the sqlite3 of Debian 12 (3.40) and of Ubuntu 22.04
// (3.37) refused every query of the file.
const stepOlderSQLite = `
DROP INDEX lines_alike;
CREATE INDEX lines_alike ON lines (session, length(CAST(speaker AS BLOB)) + length(CAST(text AS BLOB)), substr(speaker || ': ' || text, -8));
`
