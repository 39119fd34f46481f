package web

import (
	"embed"
	"net/http"
	"strings"
)

// consoleFiles is what browsers load: modules, styles and one page.
//
//go:embed console
var consoleFiles embed.FS

// servePage serves a file of the page.
func (c *Console) servePage(w http.ResponseWriter, r *http.Request) {
	name := "web/index.html"
	if r.URL.Path != "/" {
		name = strings.TrimPrefix(r.URL.Path, "/console/")
	}
	c.files.Serve(w, r, name)
}
