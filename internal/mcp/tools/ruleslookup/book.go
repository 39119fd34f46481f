package ruleslookup

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Book is a set of rules with its search index. It is safe for concurrent use.
type Book struct {
	load  func() (*library, error) // runs once, remembers its outcome
	ready atomic.Bool              // set once load has succeeded
}

// library is a loaded book. It never changes.
type library struct {
	rules []rule // by id
	byID  map[string]int
	index *index
}

// Brief is a rule without its text.
type Brief struct{ ID, Category, Name, Summary string }

// Lazy returns a book of every *.yaml file in fsys, in any folder, which it
// reads when it is first used or warmed. It returns at once.
func Lazy(fsys fs.FS) *Book {
	b := &Book{}
	b.load = sync.OnceValues(func() (*library, error) {
		lib, err := readLibrary(fsys)
		if err != nil {
			return nil, fmt.Errorf("loading the rules: %w", err)
		}
		b.ready.Store(true)
		return lib, nil
	})
	return b
}

// Warm loads the book unless it is loaded already, waiting for a load that is
// under way. It returns the error every use of the book will return, which lists
// every problem found, each with file and line; errors.As with a *[problem.List]
// target gets them.
func (b *Book) Warm() error {
	_, err := b.load()
	return err
}

// prepare loads the book; what is wrong with it, whoever uses it is told.
func (b *Book) prepare() { _ = b.Warm() }

// Len returns the number of rules, loading the book if need be; 0 if it cannot
// be loaded.
func (b *Book) Len() int {
	lib, err := b.load()
	if err != nil {
		return 0
	}
	return len(lib.rules)
}

// List returns all rules by id, loading the book if need be.
func (b *Book) List() ([]Brief, error) {
	lib, err := b.load()
	if err != nil {
		return nil, err
	}
	out := make([]Brief, len(lib.rules))
	for i := range lib.rules {
		r := &lib.rules[i]
		out[i] = Brief{ID: r.ID, Category: r.Category, Name: r.Name, Summary: r.Summary}
	}
	return out, nil
}

func (b *Book) loaded() bool { return b.ready.Load() }

func (b *Book) library() (*library, error) { return b.load() }

// readLibrary parses all files of fsys and builds the library.
func readLibrary(fsys fs.FS) (*library, error) {
	rules, err := parseAll(fsys)
	if err != nil {
		return nil, err
	}
	// The order must not depend on how the files are split.
	slices.SortFunc(rules, func(a, b rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	lib := &library{rules: rules, byID: make(map[string]int, len(rules))}
	for i := range rules {
		lib.byID[rules[i].ID] = i
	}
	lib.index = newIndex(rules)
	return lib, nil
}

// nearest returns up to three ids that id may have been meant to be.
func (l *library) nearest(id string) []string {
	var out []string
	ids := make([]string, len(l.rules))
	for i := range l.rules {
		ids[i] = l.rules[i].ID
	}
	if near := problem.Nearest(id, ids); near != "" {
		out = append(out, near)
	}
	for _, h := range l.search(id, nil) {
		if len(out) < 3 && !slices.Contains(out, h.ID) {
			out = append(out, h.ID)
		}
	}
	return out
}
