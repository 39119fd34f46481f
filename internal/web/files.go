package web

// This file serves the embedded files of pages, compressed once, and sets the headers of all responses to
// browsers. It starts no goroutine.

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

// Files are a page's files. They need no build step (docs/adr/0062).
type Files struct{ all map[string]file }

// file is one of the files.
type file struct {
	kind, tag    string
	plain, small []byte
}

// shared are modules and styles that all pages have.
//
//go:embed shared
var shared embed.FS

// served is the directory from which pages load their files.
const served = "web"

// LoadFiles reads all files of an embedded directory, and those shared by all pages, which are served from
// the same directory. It panics on an error, because embedded files cannot fail to read.
func LoadFiles(from fs.FS, dir string) *Files {
	f := &Files{all: map[string]file{}}
	f.read(shared, "shared", served)
	f.read(from, dir, served)
	return f
}

// read reads the files of a directory, which are served under as.
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

// Serve sends a file by name.
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
	_, _ = w.Write(body) // the client may be gone
}

// contentPolicy restricts a page to this server's resources: no inline code, no text parsed as markup, no
// embedding in frames.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Secure sets the security headers of all responses. more are additional directives of the content security
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
