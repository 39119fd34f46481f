package play

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	backupFormat  = "glyphoxa memory"
	backupVersion = 1
	// longestRecord bounds a line of a backup, in bytes, because several copies of a line are in memory while it
	// is read. The longest that is written contains the ids of the largest import and has less than 10 MB.
	longestRecord = 16 << 20
	// mostUnpacked bounds the unpacked size of a backup as a multiple of its size, and unpackedSpare is added to
	// that, in bytes. Real backups unpack to between 3 and 30 times their size, but gzip can reach 1,000 times,
	// and a small file must not fill the disk.
	mostUnpacked  = 100
	unpackedSpare = 1 << 30
	// longestEdge bounds the first and the last line.
	longestEdge = 64 << 10
	// progressEvery is the number of records between two reports of progress.
	progressEvery = 50_000
)

var (
	// ErrNoBackup means that a file is not a backup, or not a complete one.
	ErrNoBackup = errors.New("this is not a complete backup")
	errEnough   = errors.New("no more is wanted")
)

// header is the first line of a backup, and footer the last. Between them are the records, one on each line.
// The file is compressed with gzip.
type header struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Made    time.Time `json:"made"`
	From    string    `json:"from"`
}

type footer struct {
	Tally memory.Tally `json:"tally"`
}

// records returns the records of a store at one moment.
func records(ctx context.Context, s memory.Store) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		err := s.Dump(ctx, func(r memory.Record) error {
			if !yield(r, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(memory.Record{}, err)
		}
	}
}

// counting passes records through and reports the progress.
func counting(all iter.Seq2[memory.Record, error], say func(string)) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		n := 0
		for r, err := range all {
			if n++; n%progressEvery == 0 && say != nil {
				say(fmt.Sprintf("%d records so far, now those of the kind %s", n, r.Kind))
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Migrate copies all of a store into another one that is empty.
func Migrate(ctx context.Context, from, to memory.Store, say func(string)) (memory.Tally, error) {
	return to.Load(ctx, false, counting(records(ctx, from), say))
}

// Backup writes all of a store, as it is at one moment, to a file, and reads the file back to verify it. If
// that fails, an existing file stays unchanged. The store may be in use meanwhile.
func Backup(ctx context.Context, from memory.Store, file string, say func(string)) (tally memory.Tally, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-")
	if err != nil {
		return nil, fmt.Errorf("writing the backup: %w", userfile.PlainFileError(err))
	}
	defer func() {
		closed := f.Close()
		if errors.Is(closed, fs.ErrClosed) {
			closed = nil
		}
		if err = errors.Join(err, closed); err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	tally = memory.Tally{}
	packed := gzip.NewWriter(f)
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(header{backupFormat, backupVersion, time.Now().UTC(), from.Location()}); err != nil {
		return nil, fmt.Errorf("writing the backup: %w", err)
	}
	for r, err := range counting(records(ctx, from), say) {
		if err != nil {
			return nil, err
		}
		if err := errors.Join(tally.Add(r), lines.Encode(r)); err != nil {
			return nil, fmt.Errorf("writing the backup: %w", userfile.PlainFileError(err))
		}
	}
	if err := errors.Join(lines.Encode(footer{tally}), packed.Close(), f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("writing the backup: %w", userfile.PlainFileError(err))
	}
	b, err := OpenBackup(ctx, f.Name())
	if err != nil {
		return nil, err
	}
	for _, bad := range b.records() {
		err = errors.Join(err, bad)
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return nil, fmt.Errorf("reading the backup again: %w", err)
	}
	return tally, os.Rename(f.Name(), file)
}

// BackupFile is a backup that is open for reading.
type BackupFile struct {
	// Made is when the backup was made.
	Made time.Time
	file *os.File
	in   *bufio.Reader
	left int64           // bytes that it may still unpack to
	ctx  context.Context // cancels reading
}

// OpenBackup opens a backup, which is read record by record until ctx ends. It fails with [ErrNoBackup] if
// the file is not a backup.
func OpenBackup(ctx context.Context, file string) (*BackupFile, error) {
	f, err := userfile.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading the backup: %w", userfile.PlainFileError(err))
	}
	about, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the backup: %w", userfile.PlainFileError(err)), f.Close())
	}
	b := &BackupFile{file: f, ctx: ctx, left: unpackedSpare + mostUnpacked*about.Size()}
	packed, err := gzip.NewReader(bufio.NewReader(userfile.Reader(ctx, f)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: %v", file, ErrNoBackup, err), f.Close())
	}
	b.in = bufio.NewReaderSize(packed, 1<<16)
	var h header
	line, err := b.line()
	if err == nil && len(line) > longestEdge {
		err = ErrNoBackup
	}
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	switch {
	case err != nil || h.Format != backupFormat:
		return nil, errors.Join(fmt.Errorf("%s: %w", file, ErrNoBackup), f.Close())
	case h.Version != backupVersion:
		return nil, errors.Join(fmt.Errorf("%s: the backup has version %d, but this program reads version %d; update Glyphoxa", file, h.Version, backupVersion), f.Close())
	}
	b.Made = h.Made
	return b, nil
}

// Close closes the file.
func (b *BackupFile) Close() error { return b.file.Close() }

// line reads a line.
func (b *BackupFile) line() (line []byte, err error) {
	for {
		part, err := b.in.ReadSlice('\n')
		if b.left -= int64(len(part)); b.left < 0 {
			return nil, fmt.Errorf("it unpacks to more than %d times its size, so Glyphoxa did not write it; use another backup", mostUnpacked)
		}
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > longestRecord {
			return nil, fmt.Errorf("a record is larger than %d MB, so Glyphoxa did not write this backup; use another one", longestRecord>>20)
		}
	}
}

// records reads the records, once. The last error says whether they are complete.
func (b *BackupFile) records() iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		tally := memory.Tally{}
		for {
			line, err := b.line()
			if err == nil && line[0] == '{' {
				if err := b.end(line, tally); err != nil {
					yield(memory.Record{}, fmt.Errorf("%s: %w", b.file.Name(), err))
				}
				return
			}
			var r memory.Record
			if err == nil {
				err = json.Unmarshal(line, &r)
			}
			if err == nil {
				err = tally.Add(r)
			}
			if err != nil {
				if b.ctx.Err() == nil { // otherwise reading was cancelled
					err = fmt.Errorf("%s: %w: after %s: %v", b.file.Name(), ErrNoBackup, plural.Count(tally.Total(), "record", "records"), err)
				}
				yield(memory.Record{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// end compares the records that were read with the tally in the last line.
func (b *BackupFile) end(line []byte, came memory.Tally) error {
	var f footer
	if len(line) > longestEdge {
		return fmt.Errorf("%w: its last line is too long", ErrNoBackup)
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return fmt.Errorf("%w: %v", ErrNoBackup, err)
	}
	if err := f.Tally.Compare(came); err != nil {
		return fmt.Errorf("%w: %v", ErrNoBackup, err)
	}
	if _, err := b.in.ReadByte(); !errors.Is(err, io.EOF) { // gzip's checksum comes after it
		return fmt.Errorf("%w: something follows its end", ErrNoBackup)
	}
	return nil
}
