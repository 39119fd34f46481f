package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// manifest is the manifest of a world or package.
type manifest struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // the id before version 10
	Title  string `json:"title"`
	System string `json:"system"`
	Packs  []struct {
		Name      string            `json:"name"`
		Path      string            `json:"path"`
		Ownership map[string]string `json:"ownership"`
	} `json:"packs"`
}

// readWorld reads a world: its collections and its own compendia.
func (r *reader) readWorld(fsys fs.FS, dir string) error {
	r.format = "a Foundry VTT world"
	if err := r.readManifest(fsys, path.Join(dir, "world.json")); err != nil {
		return err
	}
	for _, kind := range []string{"folders", "actors", "items", "journal", "scenes"} {
		if err := r.readCollection(fsys, path.Join(dir, "data", kind), "", nobody); err != nil {
			return err
		}
	}
	return nil
}

// readCollection reads a collection in any of its forms, if it exists.
func (r *reader) readCollection(fsys fs.FS, name, pack string, players access) error {
	if _, err := fs.Stat(fsys, path.Join(name, "CURRENT")); err == nil {
		return r.readLevel(fsys, name, pack, players)
	}
	if _, err := fs.Stat(fsys, name+".db"); err != nil {
		return nil
	}
	data, err := r.readFile(fsys, name+".db")
	if err != nil {
		return err
	}
	return r.readLines(name+".db", data, pack, players)
}

// readManifest reads the manifest of a world or package, and its compendia. These are only for the DM unless
// the manifest gives players access.
func (r *reader) readManifest(fsys fs.FS, name string) error {
	data, err := r.readFile(fsys, name)
	if err != nil {
		return err
	}
	var m manifest
	if err := decodeJSON(data, &m, maxSheet); err != nil {
		return fmt.Errorf("%s: this is no manifest of Foundry VTT: %v; copy the file again", name, err)
	}
	r.title, r.system = cmp.Or(r.title, m.Title, m.Name, m.ID), cmp.Or(r.system, m.System)
	id := cmp.Or(m.ID, m.Name)
	if path.Base(name) == "world.json" {
		id = "world"
	}
	for _, p := range m.Packs {
		at := path.Join(path.Dir(name), "packs", path.Base(p.Name))
		if rel := strings.TrimPrefix(strings.TrimPrefix(p.Path, "./"), "/"); rel != "" {
			rel = strings.TrimSuffix(rel, ".db")
			if !fs.ValidPath(rel) {
				return fmt.Errorf("%s: the compendium %q is at %q, which is not within the package", name, short(p.Name), short(p.Path))
			}
			at = path.Join(path.Dir(name), rel)
		}
		players := nobody
		switch p.Ownership["PLAYER"] {
		case "LIMITED":
			players = vttNamed
		case "OBSERVER", "OWNER":
			players = everyone
		}
		if err := r.readCollection(fsys, at, id+"."+p.Name, players); err != nil {
			return err
		}
	}
	return nil
}

// guessCollection guesses the collection of a single document.
func guessCollection(raw json.RawMessage) string {
	var has map[string]present
	if keysIn(raw) > maxKeys || json.Unmarshal(raw, &has) != nil {
		return ""
	}
	any := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { _, ok := has[k]; return ok })
	}
	switch {
	case any("sorting") && any("type"):
		return "folders"
	case any("pages") || any("content") && !any("speaker"):
		return "journal"
	case any("prototypeToken", "token"):
		return "actors"
	case any("tokens", "walls", "grid"):
		return "scenes"
	case any("results", "formula"):
		return "tables"
	case any("sounds"):
		return "playlists"
	case any("command"):
		return "macros"
	case any("items") && any("effects"):
		return "actors"
	case any("system", "data"):
		return "items"
	}
	return ""
}
