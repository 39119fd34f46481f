// Package userfile opens the files that users name: campaigns, backups, recordings, configurations, scenes
// and rules. It opens only regular files, because a pipe or a device could block a command or never end. It
// limits how much of a file is read, because a file may be larger than memory. For example:
//
//	text, err := userfile.Read("campaign.yaml", 16<<20)
//
// The package starts no goroutine.
//
// [ReadYAML] reads YAML files that users write, and reports all problems of a file at once: the line, the
// mistake, and a valid example. A struct and its tags alone define the contents of a file. [ReadYAML]
// enforces them and [Schema] publishes them. The tag yaml is the name of a key (",inline" includes the keys
// of a struct), doc describes the key, and required, enum, keys, min, max, format and nonempty restrict its
// value.
//
//   - noun, on a blank field, is what messages call the struct, such as "an entity".
//   - line marks an int that receives the line number of the struct.
//   - short marks the key that is set if a single value is given instead of a mapping.
//   - inherit marks a key that inherits the limits of the key that contains its
//     struct; except lists words that it does not inherit.
//
// A field of a named string type accepts any single value as it is written. A field that implements
// [encoding.TextUnmarshaler] parses its text itself. [Value] and any accept everything. Time and memory are
// linear in the size of the text, whatever it contains (files yaml*.go).
//
// A [Problem] describes a problem in a file: where it is, the mistake and a valid example (files
// problem*.go). An error marked with [Usage] means that the user, not the program, has to do something
// differently.
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
	// ErrNotRegular means that a path refers to a pipe, a device or a socket.
	ErrNotRegular = errors.New("is no regular file; copy it to one and name that")
	// ErrDirectory means that a path refers to a directory.
	ErrDirectory = errors.New("is a directory; name a file")
	// ErrTooLarge means that a file is larger than the limit.
	ErrTooLarge = errors.New("is too large")
)

// Open opens a regular file. It never waits for the other end of a pipe. Its errors are of type
// *[fs.PathError].
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name) // avoids opening a device, because that could trigger an action
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

// checked checks the file after opening it, because it may have been replaced since the first check.
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

// Read returns the content of a regular file. A file larger than most bytes is an error.
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, most)
}

// ReadFS is like [Read], for a file of fsys. For files on disk, fsys must come from [FS] or [Dir].
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

// size formats a number of bytes.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d kB", n>>10)
}

// FS returns a file system of the files below an opened directory. It refuses links that lead out of the
// directory, and everything other than regular files and directories.
func FS(root *os.Root) fs.FS { return tree{root.FS(), root} }

// Dir returns a file system of the files below a directory. It opens only regular files. Links may lead out
// of the directory.
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

// Reader returns a reader that reads from r until ctx is done and then returns the cause of ctx, so that a
// command can be stopped while it reads a large file.
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
