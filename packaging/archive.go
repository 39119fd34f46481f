package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// A member is a file of an archive or an image's layer.
type member struct {
	name  string // with slashes, and a final one for a directory
	from  string // source file, unless text is set
	text  []byte
	mode  int64
	owner int // its user and group
}

// members returns the files of an archive with one program, below its only
// directory top.
func (r *release) members(t target, top, program, pages string) ([]member, error) {
	list := []member{{name: path.Join(top, filepath.Base(program)), from: program, mode: 0o755}}
	for _, name := range []string{"README.md", "LICENSE", "NOTICE", "srd/ATTRIBUTION.md"} {
		list = append(list, member{name: path.Join(top, path.Base(name)), from: filepath.Join(r.root, filepath.FromSlash(name)), mode: 0o644})
	}
	if t.os == "linux" && program == t.program {
		list = append(list, member{name: path.Join(top, "glyphoxa.service"), from: filepath.Join(r.root, "packaging", "glyphoxa.service"), mode: 0o644})
	}
	err := filepath.WalkDir(pages, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(pages, file)
		if err != nil {
			return err
		}
		list = append(list, member{name: path.Join(top, filepath.ToSlash(rel)), from: file, mode: 0o644})
		return nil
	})
	return list, err
}

// writeArchive writes one program's archive for a system: a zip for Windows,
// otherwise a tar.gz.
func (r *release) writeArchive(t target, name, program, pages string) (err error) {
	list, err := r.members(t, name, program, pages)
	if err != nil {
		return err
	}
	suffix, write := ".tar.gz", r.writeTarGz
	if t.os == "windows" {
		suffix, write = ".zip", r.writeZip
	}
	f, err := os.Create(filepath.Join(r.dist, name+suffix))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f, list)
}

func (r *release) writeTarGz(w io.Writer, list []member) error {
	packed := gzip.NewWriter(w)
	if err := r.writeTar(packed, list); err != nil {
		return err
	}
	return packed.Close()
}

// writeTar writes files with the commit's time.
func (r *release) writeTar(w io.Writer, list []member) error {
	out := tar.NewWriter(w)
	for _, m := range list {
		in, size, err := m.open()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: m.name, Size: size, Mode: m.mode, Uid: m.owner, Gid: m.owner, ModTime: r.when, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if m.name[len(m.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		err = out.WriteHeader(h)
		if err == nil {
			_, err = io.Copy(out, in)
		}
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return out.Close()
}

func (r *release) writeZip(w io.Writer, list []member) error {
	out := zip.NewWriter(w)
	for _, m := range list {
		in, _, err := m.open()
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: r.when}
		h.SetMode(fs.FileMode(m.mode))
		entry, err := out.CreateHeader(h)
		if err == nil {
			_, err = io.Copy(entry, in)
		}
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return out.Close()
}

// open returns a file's content and size.
func (m member) open() (io.ReadCloser, int64, error) {
	if m.from == "" {
		return io.NopCloser(bytes.NewReader(m.text)), int64(len(m.text)), nil
	}
	f, err := os.Open(m.from)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}
