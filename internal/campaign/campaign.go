// Package campaign reads campaign files: the world a table plays in, as
// entities, the relations between them, and facts.
//
// [Load] is strict: it reports every problem of a file in one go, each with
// its line and what would be right. Imported by internal/app, which applies
// the campaign to memory and takes the opening scene from it.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MaxSize is the largest campaign file that is read, in bytes.
const MaxSize = 16 << 20

// Campaign is a world that has been read and found sound: ids are unique, and
// everything that is referred to exists.
type Campaign struct {
	Name string
	// System is the rule system, such as "dnd5e"; empty if the file names none.
	System string
	// Scene is what is going on when the first session starts.
	Scene     string
	Entities  []memory.Entity
	Relations []memory.Relation
	// Facts are those the file spells out. Their At is zero.
	Facts []memory.Fact
	// File is the path the campaign was read from.
	File string
}

// Load reads the campaign file at path. What is wrong with its content comes
// back as a problem.List.
func Load(path string) (*Campaign, error) {
	return load(path, func() (fs.File, error) { return os.Open(path) })
}

// LoadFS is [Load] for a file of fsys.
func LoadFS(fsys fs.FS, name string) (*Campaign, error) {
	return load(name, func() (fs.File, error) { return fsys.Open(name) })
}

func load(name string, open func() (fs.File, error)) (*Campaign, error) {
	data, err := read(name, open)
	if err != nil {
		return nil, fmt.Errorf("reading campaign: %w", err)
	}
	return Parse(name, data)
}

func read(name string, open func() (fs.File, error)) (data []byte, err error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the YAML file in it", name)
	}
	data, err = io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(data) > MaxSize {
		err = fmt.Errorf("%s is larger than %d MiB; split the campaign", name, MaxSize>>20)
	}
	return data, err
}

// Keeper is where a campaign is kept. *sqlite.Store is one.
type Keeper interface {
	// Settle stores, in one transaction, what is new or differs from what the
	// file said last.
	Settle(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error
}

// Index lets facts be found by meaning. *sqlite.Store is one.
type Index interface {
	// Reindex gives every fact that lacks it what it is found by.
	Reindex(ctx context.Context) (int, error)
}

// Apply brings memory up to what the file says: entities with a fact for each
// description, relations, and facts. An entry that says what it said the last
// time leaves alone what has become of it at the table, and what the file no
// longer mentions stays. If index is nil, which may be slow, facts are found by
// full text until someone calls its Reindex.
func (c *Campaign) Apply(ctx context.Context, k Keeper, index Index) error {
	facts, now := slices.Clone(c.Facts), time.Now()
	for i := range facts {
		facts[i].At = now
	}
	if err := k.Settle(ctx, c.Entities, c.Relations, facts); err != nil {
		return fmt.Errorf("storing campaign %q: %w", c.Name, err)
	}
	if index == nil {
		return nil
	}
	if _, err := index.Reindex(ctx); err != nil {
		return fmt.Errorf("indexing campaign %q: %w", c.Name, err)
	}
	return nil
}

func entitySource(id string) string { return "entity:" + id }
