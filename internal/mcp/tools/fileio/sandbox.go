package fileio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"
)

// onlyDir, appended to a path, makes opening it fail at once if it is not a directory. Without it, opening a
// FIFO would wait for a writer.
const onlyDir = "/."

// sandbox is the directory that the tools are confined to. It is safe for concurrent use. Reads run
// concurrently, writes one at a time.
type sandbox struct {
	// base is an absolute path, or empty if it is unusable.
	base       string
	quota      int64
	maxEntries int
	// sync flushes a file's content to disk.
	sync func(*os.File) error

	// turn holds a value while a write runs, and guards the fields below. It is a channel so that waiting for
	// it can be cancelled.
	turn    chan struct{}
	counted time.Time // when used and entries were last counted; zero if never
	used    int64
	entries int
}

func newSandbox(baseDir string) *sandbox {
	s := &sandbox{
		quota:      DefaultQuota,
		maxEntries: MaxEntries,
		sync:       (*os.File).Sync,
		turn:       make(chan struct{}, 1),
	}
	if baseDir == "" {
		return s // avoids using the working directory by accident
	}
	if abs, err := filepath.Abs(baseDir); err == nil {
		s.base = abs
	}
	return s
}

// prepare counts the existing files. It ignores errors, because the next write counts again and reports them.
func (s *sandbox) prepare() {
	root, err := s.openRoot()
	if err != nil {
		return
	}
	defer root.Close()
	_ = s.countFiles(root)
}

// openRoot opens the directory. It is opened for each call, which costs only microseconds, so that it can be
// moved, replaced or mounted while the process runs.
func (s *sandbox) openRoot() (*os.Root, error) {
	if s.base == "" {
		return nil, errors.New("no sandbox directory is configured; set data_dir")
	}
	return os.OpenRoot(s.base + onlyDir)
}

// openOrCreate opens the directory and creates it if necessary.
func (s *sandbox) openOrCreate() (*os.Root, error) {
	root, err := s.openRoot()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.base, 0o700); err != nil {
			return nil, hostError("creating the sandbox directory", err)
		}
		root, err = s.openRoot()
	}
	if err != nil {
		return nil, hostError("opening the sandbox directory", err)
	}
	return root, nil
}

// readText returns the text of a file. It never blocks on a FIFO or a device.
func (s *sandbox) readText(name string) (string, error) {
	root, err := s.openRoot()
	if errors.Is(err, fs.ErrNotExist) {
		return "", reject("there is no such file")
	}
	if err != nil {
		return "", hostError("opening the sandbox directory", err)
	}
	defer root.Close()

	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return "", accessError("opening", err)
	}
	if err := checkReadable(info); err != nil {
		return "", err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return "", accessError("opening", err)
	}
	defer f.Close()
	// The file may have been replaced since the first check.
	if info, err = f.Stat(); err != nil {
		return "", hostError("reading", err)
	}
	if err := checkReadable(info); err != nil {
		return "", err
	}
	return readText(f, info.Size())
}

func checkReadable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return reject("it is a folder, not a file")
	case !info.Mode().IsRegular():
		return reject("it is not a regular file")
	case info.Size() > MaxFileSize:
		return reject("it has %d bytes, more than the %d that can be read", info.Size(), MaxFileSize)
	}
	return nil
}

// readText reads all of r. size is the expected number of bytes.
func readText(r io.Reader, size int64) (string, error) {
	data := make([]byte, 0, size+1)
	for len(data) <= MaxFileSize {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", hostError("reading", err)
		}
	}
	switch {
	case len(data) > MaxFileSize:
		return "", reject("it has more than the %d bytes that can be read", MaxFileSize)
	case !utf8.Valid(data):
		return "", reject("it is not a text file (invalid UTF-8)")
	}
	return string(data), nil
}
