package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

const maintainer = "MrWong99 <MrWong99@users.noreply.github.com>"

// writePackage writes the Debian package of a Linux system, as described in
// nfpm.yaml, with the manual pages.
func (r *release) writePackage(t target) (err error) {
	made, err := os.MkdirTemp("", "glyphoxa-deb-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	version := debianVersion(r.version, r.when.Format("20060102"))
	values := map[string]string{
		"VERSION": version, "ARCH": t.arch, "MAINTAINER": maintainer,
		"PROGRAM": t.program, "PAGES": r.pages, "MADE": made,
	}
	config, err := nfpm.ParseFileWithEnvMapping(filepath.Join(r.root, "packaging", "nfpm.yaml"), func(name string) string { return values[name] })
	if err != nil {
		return err
	}
	changes := fmt.Sprintf("glyphoxa (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n", version, r.version, maintainer, r.when.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	if err := r.pack([]byte(changes), filepath.Join(made, "changelog.gz")); err != nil {
		return err
	}
	info, err := config.Get("deb")
	if err != nil {
		return err
	}
	pages, err := r.packPages(made)
	if err != nil {
		return err
	}
	info.Contents, info.MTime = append(info.Contents, pages...), r.when
	for _, c := range info.Contents {
		if c.FileInfo == nil {
			c.FileInfo = &files.ContentFileInfo{}
		}
		c.FileInfo.MTime = r.when
	}
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.dist, fmt.Sprintf("glyphoxa_%s_%s.deb", version, t.arch)))
	if err != nil {
		return err
	}
	return errors.Join(deb.Default.Package(info, f), f.Close())
}

// packPages compresses the manual pages as Debian requires.
func (r *release) packPages(to string) (list files.Contents, err error) {
	pages, err := fs.Glob(os.DirFS(r.pages), "man/*.1")
	if err != nil || len(pages) == 0 {
		return nil, errors.Join(err, errors.New("there are no manual pages"))
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(r.pages, page))
		if err != nil {
			return nil, err
		}
		name := filepath.Base(page) + ".gz"
		if err := r.pack(text, filepath.Join(to, name)); err != nil {
			return nil, err
		}
		list = append(list, &files.Content{Source: filepath.Join(to, name), Destination: "/usr/share/man/man1/" + name, FileInfo: &files.ContentFileInfo{Mode: 0o644}})
	}
	return list, nil
}

// pack writes text to a file, compressed as Debian requires: with the best
// compression, without a name and a time.
func (r *release) pack(text []byte, to string) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return os.WriteFile(to, packed.Bytes(), 0o644)
}

// describedAfter matches git describe's output for a commit after a tag.
var describedAfter = regexp.MustCompile(`^(.*)-(\d+)-g([0-9a-f]+)$`)

// debianVersion returns a version that Debian orders correctly: a pre-release
// before its release, a commit after a tag newer than the tag, and a commit
// without any tag before all releases.
func debianVersion(version, day string) string {
	name, dirty := strings.CutSuffix(version, "-dirty")
	after := ""
	if m := describedAfter.FindStringSubmatch(name); m != nil {
		name, after = m[1], "+"+m[2]+".g"+m[3]
	}
	name = strings.TrimPrefix(name, "v")
	if !regexp.MustCompile(`^\d+\.\d+`).MatchString(name) {
		name = "0.0~" + day + "." + regexp.MustCompile(`[^0-9A-Za-z]+`).ReplaceAllString(name, ".")
	}
	name = strings.Replace(name, "-", "~", 1) // 1.2.0-rc.1
	name = strings.ReplaceAll(name, "-", ".") + after
	if dirty {
		name += "+dirty"
	}
	return name
}
