package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Imported is the result of an import.
type Imported struct {
	Campaign *Campaign
	// Format describes the format, such as "a Foundry VTT world".
	Format string
	// Hidden counts the entities and facts that only the DM knows.
	Hidden int
	// Left counts content that has no place in a campaign, by kind.
	Left map[string]int
}

// ImportOptions configure ReadImport. The zero value works.
type ImportOptions struct {
	// Name is the campaign's name. If empty, it comes from the content or the file's name.
	Name string
	// Progress, if not nil, receives progress messages.
	Progress func(text string)
}

// ReadImport imports a file or directory.
func ReadImport(ctx context.Context, name string, o ImportOptions) (*Imported, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, userfile.PlainFileError(err)))
	}
	r := newReader(ctx, o)
	base := filepath.Base(filepath.Clean(name))
	if info.IsDir() {
		root, err := os.OpenRoot(name) // rejects links that lead outside
		if err != nil {
			return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, userfile.PlainFileError(err)))
		}
		defer root.Close()
		return r.finish(name, base, func() error { return r.readTree(userfile.FS(root)) })
	}
	f, err := userfile.Open(name)
	if err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, userfile.PlainFileError(err)))
	}
	defer f.Close()
	var magic [4]byte
	n, _ := io.ReadFull(f, magic[:])
	if string(magic[:n]) == "PK\x03\x04" {
		if info, err = f.Stat(); err != nil {
			return nil, err
		}
		archive, err := openZip(f, info.Size())
		if err != nil {
			return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, err))
		}
		return r.finish(name, trimExt(base), func() error { return r.readTree(archive) })
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading %s: it cannot be read from the beginning; name a regular file", name))
	}
	data, err := r.readAll(f, base, maxFile)
	if err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, err))
	}
	if !isJSON(data) {
		c, err := ParseCampaign(name, data)
		if err != nil {
			return nil, userfile.Usage(err)
		}
		if o.Name != "" {
			c.Name = o.Name
		}
		return &Imported{Campaign: c, Format: "a campaign file", Hidden: countHidden(c)}, nil
	}
	return r.finish(name, trimExt(base), func() error { return r.readJSON(base, data) })
}

// countHidden counts what only the DM knows.
func countHidden(c *Campaign) (n int) {
	for _, e := range c.Entities {
		if isHidden(e.Visible) {
			n++
		}
	}
	for _, f := range c.Facts {
		if isHidden(f.Visible) {
			n++
		}
	}
	return n
}

func isHidden(visible []string) bool { return len(visible) == 1 && visible[0] == DMOnly }

// trimExt returns a file's name without its extension.
func trimExt(base string) string {
	if short := base[:len(base)-len(path.Ext(base))]; short != "" {
		return short
	}
	return base
}

// reader reads one file or directory.
type reader struct {
	ctx     context.Context
	options ImportOptions
	// budget is how many more bytes may be read, texts how many of them may be kept, and parts how many parts
	// of documents may be kept.
	budget, texts int64
	parts         int
	// format, title and system were found in the input.
	format, title, system string
	docs                  []*document
	skipped               map[string]int
}

func newReader(ctx context.Context, o ImportOptions) *reader {
	return &reader{ctx: ctx, options: o, skipped: map[string]int{}, budget: maxTotal, texts: maxTexts, parts: maxParts}
}

// finish reads the input and builds a campaign.
func (r *reader) finish(name, base string, read func() error) (*Imported, error) {
	if err := read(); err != nil {
		return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, err))
	}
	if len(r.docs) == 0 {
		return nil, userfile.Usage(fmt.Errorf("reading %s: %w", name, errNothing))
	}
	for _, title := range []string{base, r.title, r.options.Name} {
		if title = oneLine(title); title != "" {
			r.title = title
		}
	}
	c, err := build(r.ctx, r.title, r.system, r.docs)
	if err != nil {
		return nil, err
	}
	c.File = name
	return &Imported{Campaign: c, Format: r.format, Hidden: countHidden(c), Left: r.skipped}, nil
}

// errNothing is returned for input without anything to import.
var errNothing = errors.New("there is nothing to import in it; name a campaign file (YAML), a Foundry VTT world or compendium (its directory, a zip of it, or exported JSON), or a Roll20 export (zip or JSON)")

// readTree reads a directory or an archive.
func (r *reader) readTree(fsys fs.FS) error {
	found, err := r.survey(fsys)
	if err != nil {
		return err
	}
	switch {
	case found.world != "":
		return r.readWorld(fsys, path.Dir(found.world))
	case found.roll20 != "":
		data, err := r.readFile(fsys, found.roll20)
		if err != nil {
			return err
		}
		return r.readJSON(found.roll20, data)
	}
	r.format = "a Foundry VTT compendium"
	for _, manifest := range found.manifests {
		if err := r.readManifest(fsys, manifest); err != nil {
			return err
		}
	}
	for _, dir := range found.levels {
		if err := r.readLevel(fsys, dir, "", nobody); err != nil {
			return err
		}
	}
	for _, file := range found.files {
		data, err := r.readFile(fsys, file)
		if err != nil {
			return err
		}
		if path.Ext(file) == ".db" {
			err = r.readLines(file, data, "", nobody)
		} else {
			err = r.readJSON(file, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
