package web

// This file serves the files of pages that are part of the program, compressed once,
// and sets what every answer to a browser has. It starts no goroutine.

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// Files are the files of a page, as they are written: they need no build (docs/adr/0062).
type Files struct{ all map[string]file }

// file is one of them.
type file struct {
	kind, tag    string
	plain, small []byte
}

// shared are modules and styles that all pages have.
//
//go:embed shared
var shared embed.FS

// served is the directory that pages load their files from.
const served = "web"

// LoadFiles reads all files of a directory of a file system that is part of the program, and
// those that all pages share, which are served as if they were there, too. None of it can
// fail but by a mistake in it.
func LoadFiles(from fs.FS, dir string) *Files {
	f := &Files{all: map[string]file{}}
	f.read(shared, "shared", served)
	f.read(from, dir, served)
	return f
}

// read reads what a directory has, which is served under another's name.
func (f *Files) read(from fs.FS, dir, as string) {
	err := fs.WalkDir(from, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err = z.Write(data); err == nil {
			err = z.Close()
		}
		sum := sha256.Sum256(data)
		f.all[as+strings.TrimPrefix(name, dir)] = file{kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: data, small: small.Bytes()}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("a page's own files: %v", err))
	}
}

func kindOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// Serve answers with the file of a name.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request, name string) {
	one, ok := f.all[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("ETag", one.tag)
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == one.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := one.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = one.small
	}
	h.Set("Content-Type", one.kind)
	h.Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body) // who left needs no page
}

// contentPolicy lets a page load and reach what this server has, and nothing else: no code
// in the page itself, no text made into markup, no frame around it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Secure sets what every answer has. more are further directives of the page's content
// policy, such as "media-src 'self'".
func Secure(next http.Handler, more ...string) http.Handler {
	policy := strings.Join(append([]string{contentPolicy}, more...), "; ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}
