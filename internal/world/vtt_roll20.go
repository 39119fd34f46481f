package world

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// roll20 is a Roll20 campaign exported by R20Exporter, with the fields that can be imported.
type roll20 struct {
	Format     string          `json:"R20Exporter_format"`
	Title      string          `json:"campaign_title"`
	Name       string          `json:"name"`
	Characters rawList         `json:"characters"`
	Handouts   rawList         `json:"handouts"`
	Pages      rawList         `json:"pages"`
	Folders    json.RawMessage `json:"journalfolder"`

	Tables  tally `json:"tables"`
	Macros  tally `json:"macros"`
	Decks   tally `json:"decks"`
	Jukebox tally `json:"jukebox"`
	Chat    tally `json:"chat_archive"`
	Players tally `json:"players"`
}

// roll20Doc is a character, a handout or a page.
type roll20Doc struct {
	ID         string          `json:"id"`
	ID2        string          `json:"_id"`
	Name       string          `json:"name"`
	Bio        string          `json:"bio"`
	Notes      string          `json:"notes"`
	GMNotes    string          `json:"gmnotes"`
	Journals   list            `json:"inplayerjournals"`
	Controlled list            `json:"controlledby"`
	Attributes []roll20Value   `json:"attributes"`
	Attribs    []roll20Value   `json:"attribs"`
	Graphics   []roll20Graphic `json:"graphics"`
}

type roll20Value struct {
	Name    string `json:"name"`
	Current any    `json:"current"`
}

type roll20Graphic struct {
	Represents string `json:"represents"`
	Layer      string `json:"layer"`
}

// list is a list of ids, or a string of comma-separated ids.
type list []string

// UnmarshalJSON decodes either form.
func (l *list) UnmarshalJSON(data []byte) error {
	var all []string
	if json.Unmarshal(data, &all) == nil {
		*l = all
		return nil
	}
	var one string
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*l = strings.Split(one, ",")
	return nil
}

// readJSON reads a JSON file: a Roll20 export, or one or more Foundry VTT documents.
func (r *reader) readJSON(name string, data []byte) error {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		var all rawList
		if err := json.Unmarshal(data, &all); err != nil {
			return brokenJSON(name, data, err)
		}
		return r.readDocuments(name, all)
	}
	if keysIn(data) > maxKeys {
		return fmt.Errorf("%s: %w: it has more than %d keys; export it again", name, errManyValues, maxKeys)
	}
	var has map[string]present
	if err := json.Unmarshal(data, &has); err != nil {
		if bytes.Contains(data, []byte("\n{")) { // one document per line
			return r.readLines(name, data, "", nobody)
		}
		return brokenJSON(name, data, err)
	}
	_, exporter := has["R20Exporter_format"]
	_, handouts := has["handouts"]
	_, characters := has["characters"]
	_, version := has["schema_version"]
	switch {
	case exporter || handouts && characters:
		return r.readRoll20(name, data)
	case version && bool(has["character"]):
		var in struct {
			Character json.RawMessage `json:"character"`
		}
		if err := json.Unmarshal(data, &in); err != nil {
			return brokenJSON(name, data, err)
		}
		return r.readRoll20Character(name, in.Character)
	case version && bool(has["name"]):
		return r.readRoll20Character(name, data)
	}
	return r.readDocuments(name, rawList{data})
}

// brokenJSON returns an error with the position of a JSON error.
func brokenJSON(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("%s:%d: this is not valid JSON: %v; export it again", name, line, err)
	}
	return fmt.Errorf("%s: this is not what was expected: %v; export it again", name, err)
}

// readDocuments reads documents exported from Foundry VTT.
func (r *reader) readDocuments(name string, all rawList) error {
	if r.format == "" {
		r.format = "documents of Foundry VTT"
	}
	c := newCollector(r, name, "", nobody)
	for i, raw := range all {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		record := fmt.Sprintf("document %d", i+1)
		d, err := c.decode(record, raw)
		if err != nil {
			return err
		}
		kind, id := guessCollection(raw), d.ID
		if parts := strings.Split(d.Key, "!"); len(parts) == 3 { // written by the official tool
			kind, id = parts[1], parts[2]
		}
		if _, known := collections[kind]; !known {
			if kind == "" {
				return fmt.Errorf("%s: %s is nothing of Foundry VTT or Roll20 that is known; export an actor, item, journal entry, scene or folder", name, record)
			}
			r.skipped[kind]++
			continue
		}
		if d.ID = cmp.Or(id, d.ID); d.ID == "" { // the export of a single document has no id
			d.ID = "alone-" + slug(d.Name)
		}
		if err := c.addDoc(kind, d); err != nil {
			return err
		}
	}
	return c.finish()
}

// readRoll20 reads an exported Roll20 campaign.
func (r *reader) readRoll20(name string, data []byte) error {
	r.format = "a Roll20 campaign"
	var c roll20
	if err := json.Unmarshal(data, &c); err != nil {
		return brokenJSON(name, data, err)
	}
	r.title = cmp.Or(c.Title, c.Name)
	for what, n := range map[string]tally{"tables": c.Tables, "macros": c.Macros, "decks": c.Decks, "jukebox": c.Jukebox, "messages": c.Chat, "users": c.Players} {
		if n > 0 {
			r.skipped[what] += int(n)
		}
	}
	if n := len(c.Characters) + len(c.Handouts) + len(c.Pages); n > maxDocs {
		return fmt.Errorf("%s: there are %d documents, more than %d; export less of the campaign at a time", name, n, maxDocs)
	}
	for _, part := range []struct {
		label string
		all   rawList
	}{{"character", c.Characters}, {"handout", c.Handouts}, {"page", c.Pages}} {
		for i, raw := range part.all {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if err := r.addRoll20(name, fmt.Sprintf("%s %d", part.label, i+1), part.label, raw); err != nil {
				return err
			}
		}
	}
	folders := c.Folders
	if n := valuesIn(folders); n > maxSheet {
		return fmt.Errorf("%s: journalfolder: %w: %d, of which %d are read; export less of the campaign at a time", name, errManyValues, n, maxSheet)
	}
	var text string
	if json.Unmarshal(folders, &text) == nil { // the tree as a string
		folders = json.RawMessage(text)
	}
	return r.addRoll20Folders(name, folders, "", 0)
}

func (r *reader) readRoll20Character(name string, raw json.RawMessage) error {
	r.format = "a Roll20 character"
	return r.addRoll20(name, "the character", "character", raw)
}

// addRoll20 adds a character, handout or page.
func (r *reader) addRoll20(name, record, label string, raw json.RawMessage) error {
	var d roll20Doc
	if err := decodeJSON(raw, &d, maxValues); errors.Is(err, errManyValues) {
		return fmt.Errorf("%s: %s: %w", name, record, err)
	} else if err != nil {
		return fmt.Errorf("%s: %s is broken: %v; export it again", name, record, err)
	}
	d.ID = cmp.Or(d.ID, d.ID2, slug(d.Name))
	if strings.TrimSpace(d.Name) == "" {
		return fmt.Errorf("%s: %s (%s) has no name; give it one in Roll20, or delete it", name, record, short(d.ID))
	}
	doc := &document{key: label + "/" + d.ID, label: label, name: d.Name, players: nobody}
	if slices.Contains(d.Journals, "all") || slices.Contains(d.Controlled, "all") {
		doc.players = everyone
	}
	doc.texts = []passage{{html: unescape(cmp.Or(d.Bio, d.Notes))}, {html: unescape(d.GMNotes), hidden: true}}
	switch label {
	case "character":
		doc.kind = "character"
		values := map[string]string{}
		for _, v := range append(d.Attributes, d.Attribs...) {
			values[v.Name] = oneLine(fmt.Sprint(v.Current))
		}
		if values["npc"] == "1" || len(d.Controlled) == 0 || len(d.Controlled) == 1 && d.Controlled[0] == "" {
			doc.kind = "npc"
		}
		const longest = 60
		for _, known := range []string{"race", "class", "alignment", "npc_type"} {
			if v := values[known]; v != "" && len(v) <= longest {
				if doc.attributes == nil {
					doc.attributes = map[string]string{}
				}
				doc.attributes[strings.TrimPrefix(known, "npc_")] = v
			}
		}
	case "handout":
		doc.kind = "journal"
	case "page":
		doc.kind = "location"
		for _, g := range d.Graphics {
			if g.Represents != "" {
				doc.edges = append(doc.edges, edge{kind: "located_in", to: "character/" + g.Represents, back: true, hidden: g.Layer == "gmlayer"})
			}
		}
	}
	r.docs = append(r.docs, doc)
	if r.parts -= len(doc.edges); r.parts < 0 {
		return fmt.Errorf("%s: %w", name, tooLarge("there are more than", maxParts, "tokens"))
	}
	return r.chargeTexts(name, d.ID, d.Name, doc.texts[0].html, doc.texts[1].html)
}

// unescape reverts the URL encoding of some Roll20 texts.
func unescape(s string) string {
	if strings.HasPrefix(s, "%3C") || strings.HasPrefix(s, "%20") {
		if plain, err := url.PathUnescape(s); err == nil {
			return plain
		}
	}
	return s
}

// addRoll20Folders adds the folders of a journal and assigns their documents to them.
func (r *reader) addRoll20Folders(name string, tree json.RawMessage, in string, depth int) error {
	if tree = bytes.TrimSpace(tree); len(tree) == 0 || string(tree) == "null" {
		return nil
	}
	var all rawList
	if err := json.Unmarshal(tree, &all); err != nil || depth > maxDepth {
		return fmt.Errorf("%s: journalfolder is broken, or deeper than %d folders; export it again", name, maxDepth)
	}
	for _, raw := range all {
		var id string
		if json.Unmarshal(raw, &id) == nil {
			for _, d := range r.docs {
				if d.key == "character/"+id || d.key == "handout/"+id {
					d.folder = in
				}
			}
			continue
		}
		var folder struct {
			ID    string          `json:"id"`
			Name  string          `json:"n"`
			Items json.RawMessage `json:"i"`
		}
		if err := json.Unmarshal(raw, &folder); err != nil {
			return fmt.Errorf("%s: journalfolder is broken: %v; export it again", name, err)
		}
		key := "folder/" + cmp.Or(folder.ID, folder.Name)
		if strings.TrimSpace(folder.Name) != "" && len(r.docs) < maxDocs {
			r.docs = append(r.docs, &document{key: key, label: "folder", kind: "group", name: folder.Name, folder: in, isFolder: true})
		}
		if err := r.addRoll20Folders(name, folder.Items, key, depth+1); err != nil {
			return err
		}
	}
	return nil
}
