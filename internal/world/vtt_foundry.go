package world

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// collections are the Foundry VTT collections that can be imported, with the names of their documents in
// links.
var collections = map[string]string{
	"actors": "Actor", "items": "Item", "journal": "JournalEntry", "scenes": "Scene", "folders": "Folder", "adventures": "Adventure",
}

// foundryDoc is a document of Foundry VTT versions 9 to 13, with the fields that can be imported.
type foundryDoc struct {
	ID     string          `json:"_id"`
	Key    string          `json:"_key"`
	Name   string          `json:"name"`
	Type   string          `json:"type"`
	Folder string          `json:"folder"`
	Parent string          `json:"parent"` // of a folder, before version 11
	Owner  json.RawMessage `json:"ownership"`
	Before json.RawMessage `json:"permission"` // ownership before version 10
	System json.RawMessage `json:"system"`
	Data   json.RawMessage `json:"data"` // system before version 10

	// Of a journal entry: its pages or, before version 10, its text.
	Pages   rawList  `json:"pages"`
	Content string   `json:"content"`
	Text    struct { // of a page
		Content  string `json:"content"`
		Markdown string `json:"markdown"`
	} `json:"text"`
	// Of a scene.
	Tokens  rawList         `json:"tokens"`
	Notes   rawList         `json:"notes"`
	Journal json.RawMessage `json:"journal"`
	// Of a token or a note on the map.
	ActorID string `json:"actorId"`
	EntryID string `json:"entryId"`
	Hidden  bool   `json:"hidden"`

	// Of an actor: its items. Of an adventure: its documents.
	Items   rawList `json:"items"`
	Actors  rawList `json:"actors"`
	Scenes  rawList `json:"scenes"`
	Folders rawList `json:"folders"`

	// Extracted by slim.
	inside  map[string][]vttPart
	sheet   sheet
	entry   string // entry that describes a scene
	players access
}

// access is how much of a document players see.
type access int

const (
	inherited access = iota - 1 // as its parent
	nobody                      // nothing
	vttNamed                    // only its name
	everyone                    // all of it
)

// openTo returns the access of players without special rights. Access of single players is ignored.
func (d *foundryDoc) openTo(missing access) access {
	raw := d.Owner
	if len(raw) == 0 {
		raw = d.Before
	}
	var levels map[string]json.RawMessage
	if decodeJSON(raw, &levels, maxSheet) != nil {
		return missing
	}
	level, err := strconv.Atoi(strings.Trim(string(levels["default"]), `"`))
	switch {
	case err != nil:
		return missing
	case level < 0:
		return inherited
	case level >= 2:
		return everyone
	}
	return access(level)
}

// collector collects the documents of a collection or compendium. Parts of a document may come before or
// after it.
type collector struct {
	r       *reader
	source  string // file or directory, for messages
	pack    string // compendium name in links
	players access // players' access to a compendium
	docs    []*foundryDoc
	kinds   []string // collection of each document
	parts   map[string][]vttPart
}

// vttPart is a page, token, map note or carried item.
type vttPart struct {
	id, name, kind   string
	text             string
	players          access
	actorID, entryID string
	hidden           bool
}

func newCollector(r *reader, source, pack string, players access) *collector {
	return &collector{r: r, source: source, pack: pack, players: players, parts: map[string][]vttPart{}}
}

// addRecord adds a record by its key, such as "!actors!id" or "!actors.items!id.id".
func (c *collector) addRecord(key string, value json.RawMessage) error {
	parts := strings.Split(key, "!")
	if len(parts) != 3 || parts[0] != "" {
		return fmt.Errorf("%s: the key %q is none of Foundry VTT's; name the directory of a world or compendium", c.source, short(key))
	}
	kind, id := parts[1], parts[2]
	if parent, what, ok := strings.Cut(kind, "."); ok {
		owner, _, _ := strings.Cut(id, ".")
		if importedParts[kind] {
			at := parent + "!" + owner + "!" + what
			return c.addPart(c.parts, at, kind+" "+id, value)
		}
		return nil
	}
	if _, ok := collections[kind]; !ok {
		c.r.skipped[kind]++
		return nil
	}
	d, err := c.decode(kind+" "+id, value)
	if err != nil {
		return err
	}
	d.ID = cmp.Or(d.ID, id)
	return c.addDoc(kind, d)
}

// importedParts are the parts of documents that can be imported.
var importedParts = map[string]bool{"journal.pages": true, "actors.items": true, "scenes.tokens": true, "scenes.notes": true}

// decode decodes a document; record names it in errors.
func (c *collector) decode(record string, value json.RawMessage) (*foundryDoc, error) {
	var d foundryDoc
	if err := json.Unmarshal(value, &d); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			return nil, fmt.Errorf("%s: record %q is broken: %s is a %s; export it again", c.source, short(record), kind.Field, kind.Value)
		}
		if errors.Is(err, errManyValues) {
			return nil, fmt.Errorf("%s: record %q: %w", c.source, short(record), err)
		}
		return nil, fmt.Errorf("%s: record %q is broken: %v; export it again", c.source, short(record), err)
	}
	return &d, nil
}

// addPart adds a part of a document. A value that is not an object is an id and is ignored.
func (c *collector) addPart(to map[string][]vttPart, at, record string, raw json.RawMessage) error {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	if c.r.parts--; c.r.parts < 0 {
		return fmt.Errorf("%s: %w", c.source, tooLarge("there are more than", maxParts, "pages, tokens, notes and items"))
	}
	d, err := c.decode(record, raw)
	if err != nil {
		return err
	}
	p := vttPart{
		id: d.ID, name: d.Name, kind: d.Type, text: cmp.Or(d.Text.Content, d.Text.Markdown), players: d.openTo(inherited),
		actorID: d.ActorID, entryID: d.EntryID, hidden: d.Hidden,
	}
	to[at] = append(to[at], p)
	return c.r.chargeTexts(c.source, p.id, p.name, p.kind, p.text, p.actorID, p.entryID)
}

// chargeTexts deducts retained texts from the budget, and bounds their tags, because each may begin a paragraph.
func (r *reader) chargeTexts(source string, texts ...string) error {
	for _, text := range texts {
		if r.texts -= int64(len(text)); r.texts < 0 {
			return fmt.Errorf("%s: %w", source, tooLarge("the texts of all documents have more than", maxTexts>>20, "MB"))
		}
		if strings.Count(text, "<") > maxTags {
			return fmt.Errorf("%s: %w", source, tooLarge("a text has more than", maxTags, "tags"))
		}
	}
	return nil
}

// slim extracts the needed data from a document and releases the text it was decoded from.
func (c *collector) slim(kind string, d *foundryDoc) error {
	d.inside = map[string][]vttPart{}
	for what, all := range map[string]rawList{"pages": d.Pages, "tokens": d.Tokens, "notes": d.Notes, "items": d.Items} {
		if !importedParts[kind+"."+what] {
			continue
		}
		for i, raw := range all {
			if err := c.addPart(d.inside, what, fmt.Sprintf("%s %s, %s %d", kind, d.ID, what, i+1), raw); err != nil {
				return err
			}
		}
	}
	if kind == "actors" || kind == "items" {
		s, err := readSheet(d)
		if err != nil {
			return fmt.Errorf("%s: record %q: %w", c.source, kind+" "+short(d.ID), err)
		}
		d.sheet = s
	}
	if kind == "scenes" {
		_ = json.Unmarshal(d.Journal, &d.entry) // a value that is no string names no entry
	}
	d.players = d.openTo(nobody)
	d.Pages, d.Tokens, d.Notes, d.Items, d.Actors, d.Scenes, d.Folders = nil, nil, nil, nil, nil, nil, nil
	d.System, d.Data, d.Journal, d.Owner, d.Before = nil, nil, nil, nil, nil
	s := d.sheet
	return c.r.chargeTexts(c.source, d.Name, d.Content, s.public, s.private, s.gm)
}

// addDoc adds a document, or the documents in an adventure.
func (c *collector) addDoc(kind string, d *foundryDoc) error {
	if kind == "adventures" {
		for _, in := range []struct {
			kind string
			all  rawList
		}{{"actors", d.Actors}, {"items", d.Items}, {"scenes", d.Scenes}, {"folders", d.Folders}} {
			for i, raw := range in.all {
				part, err := c.decode(fmt.Sprintf("adventures %s, %s %d", d.ID, in.kind, i+1), raw)
				if err != nil {
					return err
				}
				if err := c.addDoc(in.kind, part); err != nil {
					return err
				}
			}
		}
		var entries rawList
		if len(d.Journal) > 0 && d.Journal[0] == '[' {
			if err := json.Unmarshal(d.Journal, &entries); err != nil {
				return fmt.Errorf("%s: record %q is broken: %v; export it again", c.source, "adventures "+short(d.ID), err)
			}
		}
		for i, raw := range entries {
			part, err := c.decode(fmt.Sprintf("adventures %s, journal %d", d.ID, i+1), raw)
			if err != nil {
				return err
			}
			if err := c.addDoc("journal", part); err != nil {
				return err
			}
		}
		return nil
	}
	if d.ID == "" || strings.TrimSpace(d.Name) == "" {
		return fmt.Errorf("%s: record %q is broken: it has no %s; give it one in Foundry VTT, or delete it", c.source, kind+" "+short(d.ID), map[bool]string{true: "_id", false: "name"}[d.ID == ""])
	}
	if len(c.r.docs)+len(c.docs) >= maxDocs {
		return fmt.Errorf("%s: there are more than %d documents; export less of the world at a time", c.source, maxDocs)
	}
	c.docs, c.kinds = append(c.docs, d), append(c.kinds, kind)
	return c.slim(kind, d)
}

// finish converts the collected documents.
func (c *collector) finish() error {
	for i, d := range c.docs {
		kind := c.kinds[i]
		doc := &document{
			key: c.key(collections[kind], d.ID), label: collections[kind], name: d.Name, players: c.accessOf(d),
			folder: c.key("Folder", cmp.Or(d.Folder, d.Parent)),
		}
		if doc.folder == c.key("Folder", "") {
			doc.folder = ""
		}
		switch kind {
		case "actors":
			c.fillActor(doc, d)
		case "items":
			c.fillItem(doc, d)
		case "journal":
			c.fillJournal(doc, d)
		case "scenes":
			c.fillScene(doc, d)
		case "folders":
			doc.kind, doc.players, doc.isFolder = "group", nobody, true
			if d.Type == "Scene" {
				doc.kind = "location"
			}
		}
		c.r.docs = append(c.r.docs, doc)
	}
	return nil
}

// key returns the key of a document for links.
func (c *collector) key(label, id string) string {
	if c.pack != "" {
		return "Compendium." + c.pack + "." + id
	}
	return label + "." + id
}

// accessOf returns the players' access to a document, which in a compendium is that to the compendium.
func (c *collector) accessOf(d *foundryDoc) access {
	if c.pack != "" {
		return c.players
	}
	return max(nobody, d.players)
}

// partsOf returns the parts of a document, from itself and from separate records.
func (c *collector) partsOf(collection, what string, d *foundryDoc) []vttPart {
	return slices.Concat(d.inside[what], c.parts[collection+"!"+d.ID+"!"+what])
}

func (c *collector) fillJournal(doc *document, d *foundryDoc) {
	doc.kind = "journal"
	doc.texts = append(doc.texts, passage{html: d.Content})
	for _, p := range c.partsOf("journal", "pages", d) {
		open := p.players
		if open == inherited {
			open = doc.players
		}
		if open > doc.players { // a visible page reveals its entry
			doc.players = vttNamed
		}
		title := p.name
		if title == doc.name {
			title = ""
		}
		doc.aliases = append(doc.aliases, doc.key+".JournalEntryPage."+p.id)
		doc.texts = append(doc.texts, passage{title: title, html: p.text, hidden: open < everyone, own: true})
	}
}

func (c *collector) fillScene(doc *document, d *foundryDoc) {
	doc.kind = "location"
	if d.entry != "" {
		doc.edges = append(doc.edges, edge{kind: "described_in", to: "JournalEntry." + d.entry})
	}
	for _, n := range c.partsOf("scenes", "notes", d) {
		if n.entryID != "" {
			doc.edges = append(doc.edges, edge{kind: "described_in", to: "JournalEntry." + n.entryID})
		}
	}
	for _, t := range c.partsOf("scenes", "tokens", d) {
		if t.actorID != "" {
			doc.edges = append(doc.edges, edge{kind: "located_in", to: "Actor." + t.actorID, back: true, hidden: t.hidden})
		}
	}
}
