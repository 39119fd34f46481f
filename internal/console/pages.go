package console

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

// web is what browsers load: modules, styles and one page, as they are written. They need
// no build (docs/adr/0062).
//
//go:embed web
var web embed.FS

// pages serves web, compressed once.
type pages struct{ all map[string]page }

// page is one file.
type page struct {
	kind, tag    string
	plain, small []byte
}

// load reads all files. They are part of the program: none of it can fail but by a
// mistake in it.
func (p *pages) load() {
	p.all = map[string]page{}
	err := fs.WalkDir(web, "web", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := web.ReadFile(name)
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
		p.all[name] = page{kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: data, small: small.Bytes()}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("the console's own pages: %v", err))
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

// ServeHTTP implements [http.Handler].
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := "web/index.html"
	if r.URL.Path != "/" {
		name = strings.TrimPrefix(r.URL.Path, "/console/")
	}
	one, ok := p.all[name]
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

// secured sets what every answer has.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
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
