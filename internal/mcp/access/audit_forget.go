package access

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Forgotten is the name that stands for callers who were forgotten.
const Forgotten = "forgotten"

const forgetCaller = `UPDATE calls SET who = ?, args_hash = '', args = '', error = '' WHERE who = ?`

const forgetDecider = `UPDATE calls SET decided_by = ? WHERE decided_by = ?`

// Forget takes a caller out of the log and returns in how many records it was.
// That there were these calls stays known, under the name [Forgotten]; with what
// they were made does not, nor is it left in the file, which is written anew.
// Records wait meanwhile. The calls of others stay as they are, whatever names are in them.
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
