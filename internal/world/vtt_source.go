package world

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Bounds on the input.
//
// Together they keep an import below 512 MB of memory for any input: a file is in memory while it is read, as
// is the decoded form of one of its documents; of all documents, only texts and names are kept.
const (
	maxFile      = 64 << 20  // bytes of a file of JSON or of one document per line, or of a database log
	maxTable     = 96 << 20  // bytes of all files of a database
	maxTotal     = 512 << 20 // bytes of all files
	maxDirectory = 32 << 20  // bytes of an archive's directory
	maxNames     = 200_000   // files in a directory or archive, including media
	maxDepth     = 12        // nested directories
	maxDocs      = 100_000   // documents of a world
	maxTexts     = 48 << 20  // bytes kept of all documents
	maxParts     = 300_000   // pages, tokens, notes and items of all documents
	maxValues    = 1_000_000 // decoded values of a document
	maxKeys      = 10_000    // keys of a document
	maxSheet     = 250_000   // values of a sheet
	maxTags      = 250_000   // tags of an HTML text
	maxRelations = 150_000   // relations of a campaign
)

// errTooLarge aborts reading an archive's directory.
var errTooLarge = errors.New("the list of files is too long")

// tooLarge returns an error for an exceeded bound.
func tooLarge(what string, n int, unit string) error {
	return fmt.Errorf("%s %d %s, and no more are read; export less of the world at a time", what, n, unit)
}

// maxNameLength bounds a file's path in an archive, in bytes.
const maxNameLength = 1024

// openZip opens an archive and checks that its paths stay inside.
func openZip(f io.ReaderAt, size int64) (fs.FS, error) {
	listed := &counted{ReaderAt: f, bytesLeft: maxDirectory}
	z, err := zip.NewReader(listed, size)
	if listed.bytesLeft < 0 {
		return nil, tooLarge("the zip file's list of files has more than", maxDirectory>>20, "MB")
	}
	listed.done = true
	if err != nil {
		return nil, fmt.Errorf("the zip file is broken: %v; export it again", err)
	}
	if len(z.File) > maxNames {
		return nil, fmt.Errorf("the zip file holds %d files, more than %d; export less of the world at a time", len(z.File), maxNames)
	}
	for _, f := range z.File {
		// The zip reader lists every directory of every path, so that a few deep paths would take gigabytes.
		if len(f.Name) > maxNameLength || strings.Count(f.Name, "/") > maxDepth {
			return nil, fmt.Errorf("the zip file names %.60q and so on, which is too long or too deep; it was not made by a virtual tabletop", f.Name)
		}
		if name := strings.TrimSuffix(f.Name, "/"); !fs.ValidPath(name) || strings.Contains(name, `\`) {
			return nil, fmt.Errorf("the zip file names %q, which is no path within it; it was not made by a virtual tabletop", f.Name)
		}
		if f.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("the zip file holds a link, %q; export it again without links", f.Name)
		}
	}
	return z, nil
}

// counted limits how much of an archive is read for its directory, whose declared length is untrusted.
type counted struct {
	io.ReaderAt
	bytesLeft int64
	done      bool // the directory was read
}

// ReadAt implements [io.ReaderAt].
func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	if c.done {
		return c.ReaderAt.ReadAt(p, at)
	}
	if c.bytesLeft -= int64(len(p)); c.bytesLeft < 0 {
		return 0, errTooLarge
	}
	return c.ReaderAt.ReadAt(p, at)
}

// readFile reads a whole file.
func (r *reader) readFile(fsys fs.FS, name string) ([]byte, error) {
	return r.readUpTo(fsys, name, maxFile)
}

// readUpTo reads a whole file of at most most bytes.
func (r *reader) readUpTo(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return r.readAll(f, name, most)
}

// readAll reads the rest of a file within the bounds.
func (r *reader) readAll(f io.Reader, name string, most int64) ([]byte, error) {
	most = min(most, r.budget)
	f, size := userfile.Reader(r.ctx, f), f
	var b bytes.Buffer
	if s, ok := size.(fs.File); ok { // only a hint
		if info, err := s.Stat(); err == nil {
			b.Grow(int(max(0, min(info.Size(), most))) + bytes.MinRead + 1)
		}
	}
	if _, err := b.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data := b.Bytes()
	switch {
	case int64(len(data)) <= most:
	case most == r.budget:
		return nil, fmt.Errorf("%s: %w", name, tooLarge("all files together have more than", maxTotal>>20, "MB"))
	default:
		return nil, fmt.Errorf("%s: %w", name, tooLarge("it has more than", int(most>>20), "MB"))
	}
	r.budget -= int64(len(data))
	return bytes.TrimPrefix(data, []byte("\uFEFF")), nil
}

// isJSON reports whether a text may be JSON.
func isJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// survey lists the contents of a directory or archive: the file that identifies a Foundry VTT world or a
// Roll20 export, package manifests, and otherwise databases and JSON files.
type survey struct {
	world, roll20     string
	manifests, levels []string
	files             []string
}

// survey searches a directory or archive.
func (r *reader) survey(fsys fs.FS) (s survey, err error) {
	names := 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if names++; names > maxNames || strings.Count(name, "/") > maxDepth {
			return fmt.Errorf("%s: there are more than %d files, or directories deeper than %d; name the world's own directory", name, maxNames, maxDepth)
		}
		switch base := path.Base(name); {
		case d.IsDir():
		case base == "world.json":
			s.world = shorter(s.world, name)
		case base == "campaign.json":
			s.roll20 = shorter(s.roll20, name)
		case base == "module.json" || base == "system.json":
			s.manifests = append(s.manifests, name)
		case base == "CURRENT":
			s.levels = append(s.levels, path.Dir(name))
		case path.Ext(base) == ".db" || path.Ext(base) == ".json":
			s.files = append(s.files, name)
		}
		return nil
	})
	if s.roll20 != "" || s.world != "" || len(s.manifests) > 0 {
		s.files, s.levels = nil, nil // the manifests name the relevant ones
	}
	slices.Sort(s.files)
	return s, err
}

// shorter returns the path with fewer directories.
func shorter(a, b string) string {
	if a != "" && strings.Count(a, "/") <= strings.Count(b, "/") {
		return a
	}
	return b
}
