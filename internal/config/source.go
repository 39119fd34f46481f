package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxWorld is the maximum size of a campaign file, in bytes.
const maxWorld = 64 << 20

// source is the place of a configuration's files: on disk or in the program.
type source struct {
	// fsys is nil if the files are on disk.
	fsys fs.FS
	// dir is the absolute directory of the configuration file, if it is on disk.
	dir string
	// file is the configuration file, for use by read.
	file string
	// display is the configuration file as the user gave it.
	display string
}

// findSource decides which configuration is read.
func findSource(name, dir string, builtIn fs.FS) source {
	if name == "" {
		name = DefaultFile
		_, err := os.Stat(filepath.Join(dir, name))
		if builtIn != nil && errors.Is(err, fs.ErrNotExist) {
			return source{fsys: builtIn, file: DefaultFile, display: BuiltIn}
		}
	}
	file := absolute(dir, name)
	return source{dir: filepath.Dir(file), file: file, display: name}
}

// join converts a path in the configuration file to a path in the source.
func (s source) join(elem ...string) string {
	p := filepath.Join(elem...)
	if p == "" {
		return ""
	}
	if s.fsys != nil {
		return path.Clean(filepath.ToSlash(p))
	}
	return absolute(s.dir, p)
}

// shown returns a path in the configuration file in the form in which the user knows it.
func (s source) shown(p string) string {
	switch {
	case filepath.IsAbs(p):
		return p
	case s.fsys != nil:
		return path.Join(BuiltIn, filepath.ToSlash(p))
	}
	return filepath.Join(filepath.Dir(s.display), p)
}

func (s source) open(p string) (fs.File, error) {
	if s.fsys != nil {
		return s.fsys.Open(p)
	}
	return userfile.Open(p)
}

func (s source) stat(p string) (fs.FileInfo, error) {
	if s.fsys != nil {
		return fs.Stat(s.fsys, p)
	}
	return os.Stat(p)
}

// maxFile is the maximum size of a configuration file, in bytes.
const maxFile = 4 << 20

// read returns the content of a regular file. It opens nothing else, because that might block forever. main
// means that p is the configuration file itself.
func (s source) read(p string, main bool) ([]byte, *userfile.Flaw) {
	info, err := s.stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) && main:
		return nil, fileFlaw("there is no such file", "check the path given with --config, or create the file")
	case err != nil:
		return nil, unreadableFlaw(err)
	case info.IsDir():
		return nil, fileFlaw("this is a directory", "name a file")
	case !info.Mode().IsRegular():
		return nil, fileFlaw("this is not a regular file", "replace it with one")
	}
	data, err := s.readAll(p, maxFile+1)
	if err != nil {
		return nil, unreadableFlaw(err)
	}
	return data, nil
}

func (s source) readAll(p string, most int64) ([]byte, error) {
	f, err := s.open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// list returns the names of the NPC files in directory p, sorted.
func (s source) list(p string) ([]string, *userfile.Flaw) {
	info, err := s.stat(s.join(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fileFlaw("there is no such directory", "correct the path or create the directory")
	case err == nil && !info.IsDir():
		return nil, fileFlaw("this is not a directory", "name the directory with the NPC files")
	}
	var entries []fs.DirEntry
	if err == nil && s.fsys != nil {
		entries, err = fs.ReadDir(s.fsys, s.join(p))
	} else if err == nil {
		entries, err = os.ReadDir(s.join(p))
	}
	if err != nil {
		return nil, unreadableFlaw(err)
	}
	var names []string
	for _, e := range entries {
		if isYAML(e.Name()) && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// fileFlaw returns a flaw that concerns a file as a whole.
func fileFlaw(what, fix string) *userfile.Flaw {
	return &userfile.Flaw{Line: 1, What: what, Fix: fix}
}

// unreadableFlaw says why a file cannot be read, without its path.
func unreadableFlaw(err error) *userfile.Flaw {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fileFlaw(fmt.Sprintf("cannot be read: %v", err), "check the path and its permissions")
}

// ReadWorld returns the content of Campaign.World, from disk or from the program. The file may have at most
// 64 MiB. If it does not exist, or none is configured, the error wraps fs.ErrNotExist.
func (c *Config) ReadWorld() ([]byte, error) {
	if c.Campaign.World == "" {
		return nil, fmt.Errorf("reading the campaign: none is configured: %w", fs.ErrNotExist)
	}
	var s source
	if !filepath.IsAbs(c.Campaign.World) { // an absolute path is on disk, even if the configuration is built in
		s.fsys = c.Source
	}
	data, err := s.readAll(c.Campaign.World, maxWorld+1)
	if err != nil {
		return nil, fmt.Errorf("reading the campaign: %w", err)
	}
	if len(data) > maxWorld {
		return nil, fmt.Errorf("reading the campaign: %s is larger than %d MiB", c.Campaign.World, maxWorld>>20)
	}
	return data, nil
}
