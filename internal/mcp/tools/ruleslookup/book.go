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

// Book is the rules of one system or several, with their search index. It is safe for
// concurrent use.
type Book struct {
	sets []*ruleSet // the built-in system's first
}

// ruleSet is the rules of one system.
type ruleSet struct {
	system string
	load   func() (*library, error) // runs once, remembers its outcome
	ready  atomic.Bool              // set once the index is built
}

// System is the rules of a further system.
type System struct {
	Name  string // such as "tinker", as campaigns and NPCs choose it
	Rules fs.FS
	// Dir is what file names in errors begin with.
	Dir string
}

// library is a loaded book. It never changes.
type library struct {
	rules []rule // by id
	byID  map[string]int
	index func() *index // builds it at the first call, because get_rule works without it
}

// Brief is a rule without its text.
type Brief struct{ ID, Category, Name, Summary string }

// Lazy returns a book of every *.yaml file in fsys, in any folder, and of those of
// further systems, which it reads when they are first used or warmed. It returns at once.
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

// newRuleSet returns the rules of a system that read returns.
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

// Warm loads the book unless it is loaded already, waiting for a load that is
// under way. It returns the error every use of the book will return, which lists
// every problem found, each with file and line; errors.As with a *[userfile.Problems]
// target gets them. A system with problems keeps no other from being searched.
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

// prepare loads the book; what is wrong with it, whoever uses it is told.
func (b *Book) prepare() { _ = b.Warm() }

// prepareRules loads the rules without the search index.
func (b *Book) prepareRules() {
	for _, s := range b.sets {
		_, _ = s.load() // every use returns the error
	}
}

// Len returns the number of rules, loading the book if need be; 0 if it cannot
// be loaded.
func (b *Book) Len() int {
	list, err := b.List()
	if err != nil {
		return 0
	}
	return len(list)
}

// List returns all rules by id, those of the built-in system first, loading the book if
// need be. Of rules with the same id it returns the first.
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

// Find returns the rules of a system that fit a query, best first, at most five. It finds nothing while
// the book is being loaded: it never waits for that.
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

// Systems lists the names of the systems there are rules of.
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

// ofSystem returns the rules of a system, nil if there are none. The usual ways to write
// the built-in system's name count; empty is the built-in one.
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

// newLibrary reads the rules of a system and builds their search index.
func newLibrary(read func(texts) ([]rule, error)) (*library, error) {
	kept := texts{}
	rules, err := read(kept)
	if err != nil {
		return nil, err
	}
	rules = slices.Clone(rules) // without what appending reserved
	// The order must not depend on how the files are split.
	slices.SortFunc(rules, func(a, b rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	lib := &library{rules: slices.Clone(rules), byID: make(map[string]int, len(rules))}
	for i := range lib.rules {
		lib.byID[lib.rules[i].ID] = i
		lib.rules[i].Figures, lib.rules[i].Asked = nil, asked{} // the index alone needs them
	}
	lib.index = sync.OnceValue(func() *index { return newIndex(rules, kept) })
	return lib, nil
}

// nearest returns up to three ids that id may have been meant to be.
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
