package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Forgotten replaces the names of forgotten callers.
const Forgotten = "forgotten"

const forgetCaller = `UPDATE calls SET who = ?, args_hash = '', args = '', error = '' WHERE who = ?`

const forgetDecider = `UPDATE calls SET decided_by = ? WHERE decided_by = ?`

// Forget removes a caller from the log and returns the number of changed records. The records remain under
// the name [Forgotten], but without arguments, and the file is rewritten so that it no longer contains the
// removed data. Meanwhile, new records wait. Records of other callers do not change, even if they contain the
// name.
func (l *Log) Forget(ctx context.Context, who string) (int, error) {
	if err := l.awaitWritten(ctx); err != nil {
		return 0, fmt.Errorf("forgetting a caller in the audit log: %w", err)
	}
	n, err := l.db.forget(context.WithoutCancel(ctx), who)
	if err != nil {
		return n, fmt.Errorf("forgetting a caller in the audit log: %w", err)
	}
	return n, nil
}

func (d *database) forget(ctx context.Context, who string) (n int, err error) {
	err = d.transact(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, forgetCaller, Forgotten, who)
		if err != nil {
			return err
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return err
		}
		n = int(changed)
		_, err = tx.ExecContext(ctx, forgetDecider, Forgotten, who)
		return err
	})
	if err != nil {
		return 0, err
	}
	if _, err := d.writer.ExecContext(ctx, `VACUUM`); err != nil {
		return n, err
	}
	var busy bool
	var frames, moved int
	if err := d.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved); err != nil {
		return n, err
	}
	if busy {
		return n, errors.New("the log is being read; try again")
	}
	return n, nil
}
