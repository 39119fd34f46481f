package store

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
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// asideName is the directory beside what is kept with the lines that the store did not
	// take by the end of their session.
	asideName = "unkept"
	// takenAtOnce is how many of them are written at once.
	takenAtOnce = 256
)

// AsideDir is where lines wait that the store of a configuration did not take.
func AsideDir(cfg *config.Config) string {
	return filepath.Join(filepath.Dir(WithheldFile(cfg)), asideName)
}

// setAside is a line in a file: all of it, also what nobody is shown.
type setAside struct {
	memory.Line
	User    string   `json:"user,omitempty"`
	Ref     string   `json:"ref,omitempty"`
	Present []string `json:"present,omitempty"`
}

func (s setAside) line() memory.Line {
	l := s.Line
	l.User, l.Ref, l.Present = s.User, s.Ref, s.Present
	return l
}

// SetAside writes lines to a new file in dir, which is made if it is not there, and returns
// its path once it is durable. [TakeIn] brings them into the store.
func SetAside(dir string, lines []memory.Line) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", problem.FileError(err)
	}
	f, err := os.CreateTemp(dir, time.Now().UTC().Format("2006-01-02-150405-")+"*.part")
	if err != nil {
		return "", problem.FileError(err)
	}
	w := bufio.NewWriter(f)
	out := json.NewEncoder(w)
	for _, l := range lines {
		if err == nil {
			err = out.Encode(setAside{l, l.User, l.Ref, l.Present})
		}
	}
	path = f.Name()[:len(f.Name())-len(".part")] + ".jsonl"
	if err = errors.Join(err, w.Flush(), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it says half of what it should
		return "", problem.FileError(err)
	}
	return path, syncDir(dir)
}

// syncDir makes the names in a directory durable, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return problem.FileError(err)
	}
	_ = d.Sync() // some systems have no such thing
	return d.Close()
}

// TakeIn appends to log what was set aside in dir, in the order in which it was said, and
// removes the files. Nothing is written twice, and nothing of who was forgotten since. It
// returns how many lines it took in; those of a file that cannot be taken in stay there,
// and the error names it.
func TakeIn(ctx context.Context, dir string, log memory.SessionLog, forgotten Withheld) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return 0, err
	}
	slices.Sort(files)
	var errs []error
	for _, file := range files {
		lines, err := readAside(file, forgotten)
		if err == nil {
			err = appendAside(ctx, log, lines)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("taking in what was said, from %s: %w", file, err))
			continue
		}
		n += len(lines)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, problem.FileError(err))
		}
	}
	return n, errors.Join(errs...)
}

// readAside reads a file, but for what somebody said who was forgotten afterwards.
func readAside(file string, forgotten Withheld) (lines []memory.Line, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, problem.FileError(err)
	}
	in := json.NewDecoder(bufio.NewReader(f))
	in.DisallowUnknownFields()
	for {
		var s setAside
		if err = in.Decode(&s); err != nil {
			break
		}
		if !forgotten.After(s.User, s.At) {
			lines = append(lines, s.line())
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return lines, errors.Join(err, f.Close())
}

func appendAside(ctx context.Context, log memory.SessionLog, lines []memory.Line) error {
	for some := range slices.Chunk(lines, takenAtOnce) {
		if _, err := log.AppendMissing(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}
