package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MoveOptions configure Backup and Restore. The zero value works.
type MoveOptions struct {
	// Place is the location of memory, see [Migrate]. If empty, it is the configuration's.
	Place string
	// Replace allows replacing existing content.
	Replace bool
	// ForgottenUsersFile is the file that lists forgotten users. If empty, it is the one next to the store.
	ForgottenUsersFile string
	// Report, if not nil, reports what takes long.
	Report func(text string)
}

// placeConfig returns the configuration with memory at a place: "sqlite" or "postgres" for those in the
// configuration, a connection string, "env:NAME" for a connection string in a variable, or the path of a
// file.
func placeConfig(cfg *config.Config, place string) (*config.Config, error) {
	at := *cfg
	if name, is := strings.CutPrefix(place, "env:"); is {
		if place = os.Getenv(name); !isDSN(place) {
			return nil, userfile.Usage(fmt.Errorf("the variable %s is empty or not a connection string; set it to postgres://user:password@host:5432/database", name))
		}
	}
	switch {
	case place == "":
	case place == config.StoreSQLite:
		at.Memory.Store = config.StoreSQLite
	case place == config.StorePostgres:
		if at.Memory.Store = config.StorePostgres; at.Memory.DSN == "" {
			return nil, userfile.Usage(errors.New("memory.dsn is not set, so Glyphoxa does not know the PostgreSQL server; set it, or name the server as env:NAME with a variable that holds postgres://user:password@host:5432/database"))
		}
	case isDSN(place):
		at.Memory.Store, at.Memory.DSN, at.Memory.Schema = config.StorePostgres, config.Secret(place), ""
	default:
		path, err := filepath.Abs(place)
		if err != nil {
			return nil, err
		}
		at.Memory.Store, at.Memory.Path = config.StoreSQLite, path
	}
	return &at, nil
}

func isDSN(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// openExisting opens an existing store. It does not create one.
func openExisting(ctx context.Context, cfg *config.Config) (memory.Store, error) {
	if !play.MayExist(cfg.Memory) {
		return nil, fmt.Errorf("%s: %w; there is no memory there", cfg.Memory.Path, fs.ErrNotExist)
	}
	return play.OpenStore(ctx, cfg.Memory, play.StoreOptions{})
}

// Migrate copies all of memory from one place to another that is empty; see placeConfig for places. It prints
// the number of copied records by kind.
func Migrate(ctx context.Context, w io.Writer, cfg *config.Config, from, to string, say func(string)) (err error) {
	source, err := placeConfig(cfg, from)
	if err != nil {
		return err
	}
	target, err := placeConfig(cfg, to)
	if err != nil {
		return err
	}
	a, err := openExisting(ctx, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if target.Memory.Store == source.Memory.Store && target.Memory.Path == source.Memory.Path && target.Memory.DSN == source.Memory.DSN {
		return userfile.Usage(fmt.Errorf("%s is the place it comes from; choose another place", a.Location()))
	}
	b, err := play.OpenStore(ctx, target.Memory, play.StoreOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	tally, err := play.Migrate(ctx, a, b, say)
	if errors.Is(err, memory.ErrNotEmpty) {
		return fmt.Errorf("%s: %w; choose an empty place", b.Location(), err)
	}
	if err != nil {
		return fmt.Errorf("nothing was copied: %w", err)
	}
	if _, err := b.ResumeForgetting(ctx); err != nil {
		return err
	}
	if err := copyForgottenUsers(play.ForgottenUsersFile(source), play.ForgottenUsersFile(target)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "copied %s from %s to %s, then counted and compared the copy:\n", plural.Count(tally.Total(), "record", "records"), a.Location(), b.Location())
	return errors.Join(err, tally.Write(w))
}

// copyForgottenUsers copies the list of forgotten users, unless the target has one.
func copyForgottenUsers(from, to string) error {
	content, err := userfile.Read(from, play.MaxForgottenBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return userfile.PlainFileError(err)
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return userfile.PlainFileError(err)
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// Backup writes all of memory to a file. It may be used while a table runs.
func Backup(ctx context.Context, w io.Writer, cfg *config.Config, file string, o MoveOptions) (err error) {
	at, err := placeConfig(cfg, o.Place)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); !o.Replace && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s already exists; choose another file name, or use --replace", file)
	}
	kept, err := openExisting(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	tally, err := play.Backup(ctx, kept, file, o.Report)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "wrote %s of %s to %s and read the file again:\n", plural.Count(tally.Total(), "record", "records"), kept.Location(), file)
	if err := errors.Join(err, tally.Write(w)); err != nil || o.Place != "" {
		return err
	}
	c, err := unimportedCampaign(ctx, cfg, kept)
	if err != nil || c == nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s is not part of it: it is only in memory after glyphoxa play or glyphoxa import\n", cfg.Campaign.World)
	return err
}

// Restore copies a backup into memory: all of it, or nothing. Users who were forgotten since the backup are
// forgotten in it too.
func Restore(ctx context.Context, w io.Writer, cfg *config.Config, file string, o MoveOptions) (err error) {
	at, err := placeConfig(cfg, o.Place)
	if err != nil {
		return err
	}
	if o.ForgottenUsersFile == "" {
		o.ForgottenUsersFile = play.ForgottenUsersFile(at)
	}
	withheld, err := play.ReadForgotten(o.ForgottenUsersFile)
	if err != nil {
		return err
	}
	b, err := play.OpenBackup(ctx, file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	kept, err := play.OpenStore(ctx, at.Memory, play.StoreOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	done, err := play.Restore(ctx, kept, b, o.Replace, withheld, o.Report)
	if errors.Is(err, memory.ErrNotEmpty) {
		return fmt.Errorf("%s: %w; use --replace to put the backup in its place", kept.Location(), err)
	}
	if err != nil {
		return err
	}
	for _, user := range done.Forgotten {
		if err := play.ForgetLearnt(ctx, kept, user); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "restored the backup of %s to %s and compared %s with it:\n", b.Made.Local().Format("2 January 2006, 15:04"), kept.Location(), plural.Count(done.Tally.Total(), "record", "records"))
	if err == nil {
		err = done.Tally.Write(w)
	}
	if n := len(done.Forgotten); n > 0 && err == nil {
		_, err = fmt.Fprintf(w, "also forgot %s who asked for it after the backup was made\n", plural.Count(n, "player", "players"))
	}
	return err
}
