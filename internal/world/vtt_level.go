package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
)

// readLevel reads a LevelDB database, in which Foundry VTT keeps its collections since version 11. Keys
// contain the kind of a document, such as "!actors!id" and "!journal.pages!id.id".
func (r *reader) readLevel(fsys fs.FS, dir, pack string, players access) (err error) {
	r.options.Progress("reading " + dir)
	files, err := r.loadLevel(fsys, dir)
	if err != nil {
		return err
	}
	if err := r.checkLevel(files); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer func() {
		if broken := recover(); broken != nil { // the library trusts data with a valid checksum
			err = fmt.Errorf("%s: the database is broken: %v; export it again", dir, broken)
		}
	}()
	db, err := leveldb.Open(files, &opt.Options{ReadOnly: true, Strict: opt.StrictAll, ErrorIfMissing: true, DisableBufferPool: true, DisableBlockCache: true})
	if err != nil {
		return fmt.Errorf("%s: the database is broken: %v; close the world in Foundry VTT and copy it again", dir, err)
	}
	defer db.Close()
	c := newCollector(r, dir, pack, players)
	it := db.NewIterator(nil, nil)
	defer it.Release()
	for it.Next() {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := c.addRecord(string(it.Key()), bytes.Clone(it.Value())); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return fmt.Errorf("%s: the database is broken: %v; close the world in Foundry VTT and copy it again", dir, err)
	}
	return c.finish()
}

// loadLevel loads the files of a database into memory, because they may be in an archive, and reading must
// not write to the directory.
func (r *reader) loadLevel(fsys fs.FS, dir string) (*levelFiles, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	l := &levelFiles{files: map[storage.FileDesc][]byte{}}
	left, logs := int64(maxTable), int64(maxLogs)
	for _, e := range entries {
		fd, ok := levelFile(e.Name())
		if e.Name() == "CURRENT" {
			data, err := r.readUpTo(fsys, path.Join(dir, e.Name()), 1<<10)
			if err != nil {
				return nil, err
			}
			l.current, _ = levelFile(strings.TrimSpace(string(data)))
		}
		if !ok {
			continue
		}
		most := &left
		if fd.Type == storage.TypeJournal {
			most = &logs
		}
		data, err := r.readUpTo(fsys, path.Join(dir, e.Name()), *most)
		if err != nil {
			return nil, err
		}
		*most -= int64(len(data))
		l.files[fd] = data
	}
	return l, nil
}

// levelFile returns the type of a database file from its name.
func levelFile(name string) (fd storage.FileDesc, ok bool) {
	text, kind := "", storage.FileType(0)
	switch {
	case strings.HasPrefix(name, "MANIFEST-"):
		text, kind = name[len("MANIFEST-"):], storage.TypeManifest
	case path.Ext(name) == ".log":
		text, kind = trimExt(name), storage.TypeJournal
	case path.Ext(name) == ".ldb" || path.Ext(name) == ".sst":
		text, kind = trimExt(name), storage.TypeTable
	default:
		return fd, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return storage.FileDesc{Type: kind, Num: n}, err == nil && n >= 0
}

// levelFiles are the files of a read-only database. It implements [storage.Storage].
type levelFiles struct {
	files   map[storage.FileDesc][]byte
	current storage.FileDesc
}

var errReadOnly = errors.New("the database is only read")

type unlocked struct{}

func (unlocked) Unlock() {}

func (l *levelFiles) Lock() (storage.Locker, error)                   { return unlocked{}, nil }
func (l *levelFiles) Log(string)                                      {}
func (l *levelFiles) SetMeta(storage.FileDesc) error                  { return errReadOnly }
func (l *levelFiles) Create(storage.FileDesc) (storage.Writer, error) { return nil, errReadOnly }
func (l *levelFiles) Remove(storage.FileDesc) error                   { return errReadOnly }
func (l *levelFiles) Rename(_, _ storage.FileDesc) error              { return errReadOnly }
func (l *levelFiles) Close() error                                    { return nil }

// GetMeta returns the current manifest.
func (l *levelFiles) GetMeta() (storage.FileDesc, error) {
	if l.current.Type != storage.TypeManifest {
		return l.current, os.ErrNotExist
	}
	return l.current, nil
}

// List returns the files of the given types.
func (l *levelFiles) List(types storage.FileType) (found []storage.FileDesc, err error) {
	for fd := range l.files {
		if fd.Type&types != 0 {
			found = append(found, fd)
		}
	}
	return found, nil
}

// Open opens a file.
func (l *levelFiles) Open(fd storage.FileDesc) (storage.Reader, error) {
	data, ok := l.files[fd]
	if !ok {
		return nil, os.ErrNotExist
	}
	return levelReader{bytes.NewReader(data)}, nil
}

type levelReader struct{ *bytes.Reader }

func (levelReader) Close() error { return nil }

// readLines reads an NeDB file, in which Foundry VTT kept a collection before version 11: one document per
// line, where the last one with an ID counts.
func (r *reader) readLines(name string, data []byte, pack string, players access) error {
	r.options.Progress("reading " + name)
	c := newCollector(r, name, pack, players)
	collection := strings.TrimSuffix(path.Base(name), ".db")
	last := map[string]json.RawMessage{}
	var order []string
	for line := 1; len(data) > 0; line++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		var head struct {
			ID      string  `json:"_id"`
			Deleted bool    `json:"$$deleted"`
			Index   present `json:"$$indexCreated"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			return fmt.Errorf("%s:%d: this is no document: %v; copy the file again while the world is closed", name, line, err)
		}
		switch {
		case bool(head.Index):
			continue
		case head.ID == "":
			return fmt.Errorf("%s:%d: the document has no _id; copy the file again while the world is closed", name, line)
		}
		if _, known := last[head.ID]; !known {
			if len(order) >= maxDocs {
				return fmt.Errorf("%s: %w", name, tooLarge("it holds more than", maxDocs, "documents"))
			}
			order = append(order, head.ID)
		}
		if last[head.ID] = text; head.Deleted {
			last[head.ID] = nil
		}
	}
	for _, id := range order {
		if last[id] == nil {
			continue
		}
		kind := collection
		if _, known := collections[kind]; !known {
			kind = guessCollection(last[id])
		}
		if err := c.addRecord("!"+kind+"!"+id, last[id]); err != nil {
			return err
		}
	}
	return c.finish()
}

var _ io.ReaderAt = levelReader{}
