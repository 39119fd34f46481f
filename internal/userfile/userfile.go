// Package userfile opens the files that people name: campaigns, backups, recordings,
// configurations, scenes, rules. It opens regular files alone and bounds what is read
// of them, because a pipe or a device would block a command or never end, and a
// file may be larger than memory. For example:
//
//	text, err := userfile.Read("campaign.yaml", 16<<20)
//
// It starts no goroutine.
//
// [ReadYAML] reads YAML files that people write, and reports everything that is wrong with one in one go: which
// line, what, and what would be right. What a file may hold is said by a struct and its tags alone:
// [ReadYAML] enforces them, [Schema] publishes them. yaml is a key's name (and ",inline" takes in the keys
// of a struct), doc explains it, and required, enum, keys, min, max, format and nonempty say what fits.
//
//   - noun, on a blank field, is what messages call the struct: "an entity".
//   - line marks an int that takes the line the struct is on.
//   - short marks the key that a single value in place of the struct stands for.
//   - inherit marks a key that takes over the limits of the key its struct is
//     under; except lists words that it does not take over.
//
// A field of a named string type takes any single value as it is written, one that implements
// [encoding.TextUnmarshaler] reads its text itself, [Value] and any take what comes. Time and memory are
// linear in the size of the text, whatever it holds (files yaml*.go).
//
// A [Problem] describes what is wrong with a file: where, what, and what would be right (files problem*.go). An
// error marked with [Usage] means that the caller, not the program, has to do something else.
package userfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	// ErrNotRegular means that a path names a pipe, a device or a socket.
	ErrNotRegular = errors.New("is no regular file; copy it to one and name that")
	// ErrDirectory means that a path names a directory.
	ErrDirectory = errors.New("is a directory; name a file")
	// ErrTooLarge means that a file holds more than is read of it.
	ErrTooLarge = errors.New("is too large")
)

// Open opens a regular file. It never waits for a pipe's other end. Errors are
// *[fs.PathError].
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name) // so that no device is opened, which may act on that
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return checked(f, name)
}

// checked looks at the file that was opened, which another may have put in the place
// of the one that was there before.
func checked(f *os.File, name string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil {
		if err = regular(info); err != nil {
			err = &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrDirectory
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}

// Read returns the content of a regular file of at most so many bytes.
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, most)
}

// ReadFS is [Read] for a file of fsys, which is one of this package's if it is on disk.
func ReadFS(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return readAll(f, name, most)
}

func readAll(f io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: it has more than %s", ErrTooLarge, size(most))}
	}
	return data, nil
}

// size is a number of bytes in words.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d kB", n>>10)
}

// FS returns the files below an opened directory. Links that lead out of it are
// refused, as is all but regular files and directories.
func FS(root *os.Root) fs.FS { return tree{root.FS(), root} }

// Dir returns the files below a directory, of which only regular ones are opened.
// Links may lead out of it.
func Dir(name string) fs.FS { return loose{os.DirFS(name), name} }

type tree struct {
	fs.FS
	root *os.Root
}

// Open implements [fs.FS].
func (t tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if info, err := t.root.Stat(name); err != nil {
		return nil, err
	} else if err := regular(info); err != nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := t.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return openInTree(f, name)
}

// Stat implements [fs.StatFS].
func (t tree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

// ReadDir implements [fs.ReadDirFS].
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.FS, name) }

type loose struct {
	fs.FS
	dir string
}

// Open implements [fs.FS].
func (l loose) Open(name string) (fs.File, error) {
	info, err := fs.Stat(l.FS, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if err := regular(info); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, err := os.OpenFile(filepath.Join(l.dir, filepath.FromSlash(name)), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return openInTree(f, name)
}

// Stat implements [fs.StatFS].
func (l loose) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.FS, name) }

// ReadDir implements [fs.ReadDirFS].
func (l loose) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(l.FS, name) }

func openInTree(f *os.File, name string) (fs.File, error) {
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return f, nil
	}
	checkedFile, err := checked(f, name)
	if err != nil {
		return nil, err
	}
	return checkedFile, nil
}

// Reader returns r until ctx ends, and then ctx's cause, so that a command ends while
// it reads a large file.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}
