package vtt

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
)

// Bounds on what is read.
const (
	maxFile  = 128 << 20 // bytes of one file
	maxTotal = 512 << 20 // bytes of all files together
	maxNames = 200_000   // files of a directory or archive, pictures and sounds included
	maxDepth = 12        // directories within directories
	maxDocs  = 100_000   // documents of a world
)

// errTooLarge is what is told of what does not fit the bounds.
var errTooLarge = errors.New("it is larger than what is read; export less of the world at a time")

// openZip opens an archive whose names stay within it.
func openZip(f io.ReaderAt, size int64) (fs.FS, error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, fmt.Errorf("the zip file is broken: %v; export it again", err)
	}
	if len(z.File) > maxNames {
		return nil, fmt.Errorf("the zip file holds %d files, more than %d; export less of the world at a time", len(z.File), maxNames)
	}
	for _, f := range z.File {
		if name := strings.TrimSuffix(f.Name, "/"); !fs.ValidPath(name) || strings.Contains(name, `\`) {
			return nil, fmt.Errorf("the zip file names %q, which is no path within it; it was not made by a virtual tabletop", f.Name)
		}
		if f.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("the zip file holds a link, %q; export it again without links", f.Name)
		}
	}
	return z, nil
}

// readFile reads a file whole.
func (r *reader) readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return r.readAll(f, name)
}

// readAll reads what is left of a file, as far as the bounds allow.
func (r *reader) readAll(f io.Reader, name string) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	most := min(maxFile, r.budget)
	var b bytes.Buffer
	if s, ok := f.(fs.File); ok { // its size is only a hint
		if info, err := s.Stat(); err == nil && info.Size() < most {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	if _, err := b.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data := b.Bytes()
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: %w", name, errTooLarge)
	}
	r.budget -= int64(len(data))
	return bytes.TrimPrefix(data, []byte("\uFEFF")), nil
}

// isJSON reports whether a text may be JSON.
func isJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// survey is what is in a directory or an archive: what tells a world of Foundry VTT or
// an export of Roll20, manifests of packages, and else databases and JSON files.
type survey struct {
	world, roll20     string
	manifests, levels []string
	files             []string
}

// survey looks through a directory or an archive.
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
		s.files, s.levels = nil, nil // those that count are named by them
	}
	slices.Sort(s.files)
	return s, err
}

// shorter is the name with fewer directories before it.
func shorter(a, b string) string {
	if a != "" && strings.Count(a, "/") <= strings.Count(b, "/") {
		return a
	}
	return b
}
