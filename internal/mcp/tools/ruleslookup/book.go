package ruleslookup

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Book holds the rules of one or more systems and their search indexes. It is safe for concurrent use.
type Book struct {
	sets []*ruleSet // the built-in system's first
}

// ruleSet holds the rules of one system.
type ruleSet struct {
	system string
	load   func() (*library, error) // runs once, remembers its outcome
	ready  atomic.Bool              // set once the index is built
}

// System describes the rules of an additional system.
type System struct {
	Name  string // such as "tinker", as campaigns and NPCs choose it
	Rules fs.FS
	// Dir is the prefix of file names in error messages.
	Dir string
}

// library holds the loaded rules of one system. It is immutable.
type library struct {
	rules []rule // by id
	byID  map[string]int
	index func() *index // built on the first call, because get_rule works without it
}

// Brief is a rule without its text.
type Brief struct{ ID, Category, Name, Summary string }

// Lazy returns a book of the rules in every *.yaml file of fsys, including subdirectories, and of those of
// any further systems. It returns at once; the rules are read on first use or by [Book.Warm].
func Lazy(fsys fs.FS, further ...System) *Book {
	return newBook(parsed(System{Name: builtIn, Rules: fsys}), further)
}

func newBook(first *ruleSet, further []System) *Book {
	b := &Book{sets: []*ruleSet{first}}
	for _, s := range further {
		b.sets = append(b.sets, parsed(s))
	}
	return b
}

// parsed returns the rules of a system that is read from YAML files.
func parsed(s System) *ruleSet {
	return newRuleSet(s.Name, func(kept texts) ([]rule, error) { return parseAll(s, kept) })
}

// newRuleSet returns a ruleSet that loads its rules with read.
func newRuleSet(system string, read func(texts) ([]rule, error)) *ruleSet {
	set := &ruleSet{system: system}
	set.load = sync.OnceValues(func() (*library, error) {
		lib, err := newLibrary(read)
		if err != nil {
			return nil, fmt.Errorf("loading the rules: %w", err)
		}
		return lib, nil
	})
	return set
}

// Warm loads the book unless it is already loaded. If another goroutine is loading it, Warm waits for that.
// It returns the same error as every later use of the book: all problems found, each with file and line,
// which errors.As extracts as a *[userfile.Problems]. A system with problems does not stop the others from
// being searched.
func (b *Book) Warm() error {
	var errs []error
	for _, s := range b.sets {
		lib, err := s.load()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		lib.index()
		s.ready.Store(true)
	}
	return errors.Join(errs...)
}

// prepare loads the book. It ignores the error, because every use of the book returns it.
func (b *Book) prepare() { _ = b.Warm() }

// prepareRules loads the rules without building the search index.
func (b *Book) prepareRules() {
	for _, s := range b.sets {
		_, _ = s.load() // every use returns the error
	}
}

// Len returns the number of rules. It loads the book if necessary and returns 0 if that fails.
func (b *Book) Len() int {
	list, err := b.List()
	if err != nil {
		return 0
	}
	return len(list)
}

// List returns all rules in order of id, with those of the built-in system first. It loads the book if
// necessary. If several rules share an id, it returns only the first.
func (b *Book) List() ([]Brief, error) {
	var out []Brief
	seen := map[string]bool{}
	for _, set := range b.sets {
		lib, err := set.load()
		if err != nil {
			return nil, err
		}
		for i := range lib.rules {
			r := &lib.rules[i]
			if !seen[r.ID] {
				out = append(out, Brief{ID: r.ID, Category: r.Category, Name: r.Name, Summary: r.Summary})
			}
			seen[r.ID] = true
		}
	}
	return out, nil
}

// Find returns at most five rules of a system that match a query, best first. It never waits for the book to
// load: until then, it finds nothing.
func (b *Book) Find(system, query string) []Hit {
	set := b.ofSystem(system)
	if set == nil {
		set = b.sets[0]
	}
	if !set.ready.Load() || len(query) > maxQuery {
		return nil
	}
	lib, err := set.load()
	if err != nil {
		return nil
	}
	return lib.search(query, nil)
}

// Systems returns the names of the systems that the book has rules for.
func (b *Book) Systems() []string {
	var all []string
	for _, s := range b.sets {
		all = append(all, s.system)
	}
	return all
}

func (b *Book) loaded() bool {
	return !slices.ContainsFunc(b.sets, func(s *ruleSet) bool { return !s.ready.Load() })
}

// ofSystem returns the rules of the named system, or nil if there are none. It accepts the usual spellings of
// the built-in system's name. An empty name means the built-in system.
func (b *Book) ofSystem(name string) *ruleSet {
	for _, s := range b.sets[1:] {
		if systemKey(s.system) == systemKey(name) {
			return s
		}
	}
	if name == "" || knownSystem(name) {
		return b.sets[0]
	}
	return nil
}

// newLibrary reads the rules of a system and prepares their search index.
func newLibrary(read func(texts) ([]rule, error)) (*library, error) {
	kept := texts{}
	rules, err := read(kept)
	if err != nil {
		return nil, err
	}
	rules = slices.Clone(rules) // drops the spare capacity left by append
	// The order must not depend on how the rules are split over files.
	slices.SortFunc(rules, func(a, b rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	lib := &library{rules: slices.Clone(rules), byID: make(map[string]int, len(rules))}
	for i := range lib.rules {
		lib.byID[lib.rules[i].ID] = i
		lib.rules[i].Figures, lib.rules[i].Asked = nil, phraseList{} // only the index needs them
	}
	lib.index = sync.OnceValue(func() *index { return newIndex(rules, kept) })
	return lib, nil
}

// nearest returns up to three existing ids that are similar to id.
func (l *library) nearest(id string) []string {
	var out []string
	ids := make([]string, len(l.rules))
	for i := range l.rules {
		ids[i] = l.rules[i].ID
	}
	if near := userfile.Nearest(id, ids); near != "" {
		out = append(out, near)
	}
	for _, h := range l.search(id, nil) {
		if len(out) < 3 && !slices.Contains(out, h.ID) {
			out = append(out, h.ID)
		}
	}
	return out
}
