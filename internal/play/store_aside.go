package play

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// spillDirName is the directory, next to the store, of the lines that the store had not accepted by the end of
	// their session.
	spillDirName = "unkept"
	// importBatch is how many of these lines are written at once.
	importBatch = 256
)

// SpillDir returns the directory of the lines that the store of a configuration did not accept.
func SpillDir(cfg *config.Config) string {
	return filepath.Join(filepath.Dir(ForgottenUsersFile(cfg)), spillDirName)
}

// spilledLine is a line in a file, including the fields that are not shown.
type spilledLine struct {
	memory.Line
	User    string   `json:"user,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Present []string `json:"present,omitempty"`
}

func (s spilledLine) line() memory.Line {
	l := s.Line
	l.User, l.Ref, l.Present = s.User, s.Ref, s.Present
	return l
}

// SpillFile is a file, private to its owner, for the lines of a session that the store does not accept at
// present. It is created with the first line. [ImportSpilled] imports the lines into the store at the next start,
// unless the session has stored them before. It is not safe for concurrent use.
type SpillFile struct{ dir, path string }

// NewSpillFile returns an aside in dir, which need not exist yet.
func NewSpillFile(dir string) *SpillFile { return &SpillFile{dir: dir} }

// Add appends lines, and returns the path of the file once they are durable. If it fails, none of them is in
// the file.
func (a *SpillFile) Add(lines []memory.Line) (path string, err error) {
	if len(lines) == 0 {
		return a.path, nil
	}
	if a.path == "" {
		if err := a.create(); err != nil {
			return "", err
		}
	}
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", userfile.PlainFileError(err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		if err = writeSpilled(f, lines); err != nil {
			_ = f.Truncate(end) // it was written only in part
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", userfile.PlainFileError(err)
	}
	return a.path, nil
}

// create creates a file with a unique name.
func (a *SpillFile) create() error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return userfile.PlainFileError(err)
	}
	f, err := os.CreateTemp(a.dir, time.Now().UTC().Format("2006-01-02-150405-")+"*.jsonl")
	if err != nil {
		return userfile.PlainFileError(err)
	}
	a.path = f.Name()
	if err := f.Close(); err != nil {
		return userfile.PlainFileError(err)
	}
	return syncDir(a.dir)
}

// Replace replaces the lines in the file. Without lines it deletes the file. If it fails, nothing changes.
func (a *SpillFile) Replace(lines []memory.Line) error {
	if a.path == "" && len(lines) == 0 {
		return nil
	}
	if len(lines) == 0 {
		if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return userfile.PlainFileError(err)
		}
		a.path = ""
		return syncDir(a.dir)
	}
	if a.path == "" {
		_, err := a.Add(lines)
		return err
	}
	part := a.path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return userfile.PlainFileError(err)
	}
	if err = errors.Join(writeSpilled(f, lines), f.Close()); err == nil {
		err = os.Rename(part, a.path)
	}
	if err != nil {
		_ = os.Remove(part)
		return userfile.PlainFileError(err)
	}
	return syncDir(a.dir)
}

// writeSpilled writes lines and returns when they are durable.
func writeSpilled(f *os.File, lines []memory.Line) error {
	w := bufio.NewWriter(f)
	out := json.NewEncoder(w)
	for _, l := range lines {
		if err := out.Encode(spilledLine{l, l.User, l.Ref, l.Present}); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Sync())
}

// syncDir makes the names in a directory durable, where the system supports that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return userfile.PlainFileError(err)
	}
	_ = d.Sync() // some systems do not support it
	return d.Close()
}

// ImportSpilled appends the lines in dir to log, in the order in which they were said, and removes the files. It
// writes no line twice, and none of users who were forgotten since. It returns how many lines it imported.
// Files that cannot be imported stay, and the error names them.
func ImportSpilled(ctx context.Context, dir string, log memory.SessionLog, forgotten ForgottenUsers) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return 0, err
	}
	slices.Sort(files)
	var errs []error
	for _, file := range files {
		lines, err := readSpilled(file, forgotten)
		if err == nil {
			err = appendSpilled(ctx, log, lines)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("taking in what was said, from %s: %w", file, err))
			continue
		}
		n += len(lines)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, userfile.PlainFileError(err))
		}
	}
	return n, errors.Join(errs...)
}

// readSpilled reads a file. It leaves out lines of users who were forgotten later, and a last line that was
// written only in part.
func readSpilled(file string, forgotten ForgottenUsers) (lines []memory.Line, err error) {
	f, err := userfile.Open(file)
	if err != nil {
		return nil, userfile.PlainFileError(err)
	}
	in := json.NewDecoder(bufio.NewReader(f))
	in.DisallowUnknownFields()
	for {
		var s spilledLine
		if err = in.Decode(&s); err != nil {
			break
		}
		if !forgotten.After(s.User, s.At) {
			lines = append(lines, s.line())
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return lines, errors.Join(err, f.Close())
}

func appendSpilled(ctx context.Context, log memory.SessionLog, lines []memory.Line) error {
	for some := range slices.Chunk(lines, importBatch) {
		if _, err := log.AppendMissing(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}
