package world

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// document is a document of a virtual tabletop.
type document struct {
	// key identifies it; aliases are further keys used in links.
	key     string
	aliases []string
	// label is the tabletop's name for its kind, and kind the entity's type.
	label, kind, name string
	players           access
	// folder is the key of its folder.
	folder     string
	isFolder   bool
	attributes map[string]string
	texts      []passage
	edges      []edge

	id string // of the entity
}

// passage is a text of a document.
type passage struct {
	title string
	html  string
	plain string // instead of html
	// hidden text is only for the DM, shown text for all who know the document's name.
	hidden, shown bool
	// own means that only hidden counts, not the players' access to the document.
	own bool
}

// edge is a relation to another document, or from it if back is set.
type edge struct {
	kind, to     string
	back, hidden bool
}

// builder builds a campaign from documents.
type builder struct {
	docs  []*document
	byKey map[string]*document
	out   *Campaign
	// relations are those so far, and whether only the DM knows them.
	relations  map[link]bool
	addedFacts map[factKey]bool
}

var dmOnly = []string{DMOnly}

// build builds a campaign. The result is deterministic.
func build(ctx context.Context, name, system string, docs []*document) (*Campaign, error) {
	b := builder{
		byKey: map[string]*document{}, relations: map[link]bool{}, addedFacts: map[factKey]bool{},
		out: &Campaign{Name: name, System: oneLine(system)},
	}
	slices.SortStableFunc(docs, func(x, y *document) int { return cmp.Compare(x.key, y.key) })
	for _, d := range docs {
		if b.byKey[d.key] != nil {
			continue // a duplicate document, for example one that is also in an adventure
		}
		b.docs = append(b.docs, d)
		for _, k := range append(d.aliases, d.key) {
			b.byKey[k] = d
		}
	}
	b.nameEntities()
	b.showFolders()
	for _, d := range b.docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.addDocument(d)
		if len(b.relations) > maxRelations {
			return nil, userfile.Usage(tooLarge("the documents refer to each other more than", maxRelations, "times"))
		}
	}
	for _, l := range slices.SortedFunc(maps.Keys(b.relations), compareLinks) {
		r := memory.Relation{From: l.from, Type: l.kind, To: l.to}
		if b.relations[l] {
			r.Visible = dmOnly
		}
		b.out.Relations = append(b.out.Relations, r)
	}
	return b.out, nil
}

// factKey identifies a fact.
type factKey struct{ source, text string }

// link is a relation between entities.
type link struct{ from, kind, to string }

func compareLinks(a, b link) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.kind, b.kind), cmp.Compare(a.to, b.to))
}

// nameEntities assigns each document an id: its name, with a suffix if the name is not unique.
func (b *builder) nameEntities() {
	count := map[string]int{}
	for _, d := range b.docs {
		if d.name = oneLine(d.name); d.name == "" {
			d.name = "Unnamed " + d.kind
		}
		d.id = slug(d.name)
		count[d.id]++
	}
	used := map[string]bool{DMOnly: true, "": true}
	for _, d := range b.docs {
		if count[d.id] > 1 || used[d.id] {
			h := fnv.New32a()
			h.Write([]byte(d.key))
			const suffix = 8
			base := strings.Trim(d.id[:min(len(d.id), 64-suffix-3)], "-")
			d.id = fmt.Sprintf("%s-%08x", cmp.Or(base, strings.ReplaceAll(d.kind, "_", "-")), h.Sum32())
			for id, n := d.id, 2; used[d.id]; n++ {
				d.id = fmt.Sprintf("%s-%d", id[:min(len(id), 58)], n)
			}
		}
		used[d.id] = true
	}
}

// showFolders makes folders visible to players if they contain something visible, as a tabletop does.
func (b *builder) showFolders() {
	for _, d := range b.docs {
		if d.isFolder || d.players == nobody {
			continue
		}
		for f, n := b.byKey[d.folder], 0; f != nil && f.isFolder && n <= maxDepth; f, n = b.byKey[f.folder], n+1 {
			f.players = everyone
		}
	}
}

// addDocument adds a document's entity and facts.
func (b *builder) addDocument(d *document) {
	e := memory.Entity{ID: d.id, Type: d.kind, Name: d.name}
	if d.players == nobody {
		e.Visible = dmOnly
	}
	var open, secret []string
	for _, p := range d.texts {
		hidden := p.hidden || d.players < everyone && !p.shown && !p.own
		o, s := b.readPassage(d, p, hidden)
		open, secret = append(open, o...), append(secret, s...)
	}
	open, secret = factSized(open), factSized(secret)
	if d.players == nobody && len(open) == 0 {
		open, secret = secret, nil // no one else knows the entity
	}
	if len(open) > 0 {
		e.Description, open = open[0], open[1:]
	}
	if d.players == vttNamed && len(d.attributes) > 0 {
		for _, k := range slices.Sorted(maps.Keys(d.attributes)) {
			secret = append(secret, k+": "+d.attributes[k])
		}
	} else {
		e.Attributes = d.attributes
	}
	b.out.Entities = append(b.out.Entities, e)
	for _, text := range open {
		b.addFact(d, text, e.Visible)
	}
	for _, text := range secret {
		b.addFact(d, text, dmOnly)
	}
	for _, g := range d.edges {
		b.relate(d, g)
	}
	if d.folder != "" {
		kind := "part_of"
		if d.label == "Scene" || d.kind == "location" && d.isFolder {
			kind = memory.LocatedIn
		}
		b.relate(d, edge{kind: kind, to: d.folder})
	}
}

// readPassage returns the public and the DM's paragraphs of a passage.
func (b *builder) readPassage(d *document, p passage, hidden bool) (open, secret []string) {
	blocks := []block{{text: p.plain}}
	if p.plain == "" {
		blocks = paragraphs(p.html)
	}
	title := oneLine(p.title)
	for _, bl := range blocks {
		away := hidden || bl.secret
		bl.resolve(func(target string) (string, string) {
			to := b.find(d, target)
			if to == nil {
				return "", ""
			}
			if !away && to.players == nobody && d.players != nobody {
				return to.key, ""
			}
			return to.key, to.name
		})
		for _, key := range bl.links {
			b.relate(d, edge{kind: "mentions", to: key, hidden: away})
		}
		if bl.text == "" {
			continue
		}
		text := bl.text
		if title != "" && (text != title) {
			text, title = title+": "+text, ""
		}
		if away {
			secret = append(secret, text)
		} else {
			open = append(open, text)
		}
	}
	return open, secret
}

// find returns the document that a link leads to, or nil.
func (b *builder) find(from *document, target string) *document {
	if strings.HasPrefix(target, ".") { // a page of the same entry
		return b.byKey[from.key]
	}
	if d := b.byKey[target]; d != nil {
		return d
	}
	parts := strings.Split(target, ".")
	if parts[0] == "Compendium" && len(parts) >= 4 {
		last := parts[3] // Compendium.package.pack.id, or …pack.Actor.id since version 11
		if len(parts) >= 5 {
			last = parts[4]
		}
		return b.byKey["Compendium."+parts[1]+"."+parts[2]+"."+last]
	}
	for len(parts) > 2 { // part of a document
		parts = parts[:len(parts)-1]
		if d := b.byKey[strings.Join(parts, ".")]; d != nil {
			return d
		}
	}
	return nil
}

// relate adds a relation. It is visible to those who know both of its ends.
func (b *builder) relate(d *document, g edge) {
	to := b.byKey[g.to]
	if to == nil || to == d {
		return
	}
	l := link{d.id, g.kind, to.id}
	if g.back {
		l.from, l.to = l.to, l.from
	}
	hidden := g.hidden || d.players == nobody || to.players == nobody
	if before, known := b.relations[l]; known {
		hidden = hidden && before
	}
	b.relations[l] = hidden
}

func (b *builder) addFact(d *document, text string, visible []string) {
	f := memory.Fact{Source: "entity:" + d.id, Text: text, Visible: visible}
	if key := (factKey{f.Source, text}); !b.addedFacts[key] {
		b.addedFacts[key] = true
		b.out.Facts = append(b.out.Facts, f)
	}
}

// slug returns the id for a name.
func slug(name string) string { return Slug(name) }

// typeWord converts a tabletop's type to an entity type.
func typeWord(s string) string {
	if i := strings.LastIndexByte(s, '.'); i >= 0 { // "module.type"
		s = s[i+1:]
	}
	w := strings.TrimLeft(strings.ReplaceAll(slug(s), "-", "_"), "0123456789_")
	return cmp.Or(w, "thing")
}
