package sqlite

import (
	"context"
	"fmt"
)

// applicationID identifies the file as Glyphoxa's. It spells "Glyx".
const applicationID = 0x476c7978

// migrate runs the remaining migrations. The file stores the number of completed steps (PRAGMA user_version),
// so a released step must never be changed; append another one instead.
func migrate(ctx context.Context, c *conn, steps []string) error {
	done, err := identify(ctx, c, len(steps))
	if err != nil || done == len(steps) {
		return err
	}
	return c.transact(ctx, "BEGIN IMMEDIATE", func() error {
		// Another process may have migrated the file meanwhile.
		done, err := identify(ctx, c, len(steps))
		if err != nil {
			return err
		}
		for i := done; i < len(steps); i++ {
			if err := c.script(ctx, steps[i]); err != nil {
				return fmt.Errorf("updating to version %d: %w", i+1, err)
			}
		}
		return c.script(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(steps)))
	})
}

// identify returns the number of completed steps, or why the database cannot be used.
func identify(ctx context.Context, c *conn, known int) (int, error) {
	var app, version, objects int
	err := c.Row(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`, nil, &app, &version, &objects)
	if err != nil {
		return 0, err
	}
	switch {
	case app == applicationID && version > known:
		return 0, fmt.Errorf("%w: the file has version %d, this program knows up to %d; update Glyphoxa or choose another file", ErrTooNew, version, known)
	case app == applicationID && version >= 0:
		return version, nil
	case app == 0 && version == 0 && objects == 0:
		return 0, nil
	}
	return 0, fmt.Errorf("%w; choose another file", ErrForeign)
}
