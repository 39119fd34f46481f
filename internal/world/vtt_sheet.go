package world

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// gear are the types of items that an actor carries, as opposed to abilities.
var gear = []string{"weapon", "equipment", "consumable", "tool", "loot", "container", "backpack", "armor", "treasure", "shield", "ammo", "gear", "item"}

func (c *collector) fillActor(doc *document, d *foundryDoc) {
	doc.kind = typeWord(cmp.Or(d.Type, "npc"))
	s := d.sheet
	doc.attributes = s.details
	doc.texts = append(doc.texts,
		passage{html: s.public, shown: true}, passage{html: s.private}, passage{html: s.gm, hidden: true})
	var carried []string
	for _, i := range c.partsOf("actors", "items", d) {
		if slices.Contains(gear, i.kind) {
			carried = append(carried, i.name)
		}
	}
	if len(carried) > 0 {
		doc.texts = append(doc.texts, passage{title: "Carries", plain: strings.Join(carried, ", ")})
	}
}

func (c *collector) fillItem(doc *document, d *foundryDoc) {
	doc.kind = "item"
	if d.Type != "" && !slices.Contains(gear, d.Type) {
		doc.kind = typeWord(d.Type)
	}
	s := d.sheet
	if s.unidentified {
		doc.players = nobody
	}
	doc.texts = append(doc.texts, passage{html: s.private}, passage{html: s.gm, hidden: true})
}

// sheet is the text of a character sheet in common rule systems.
type sheet struct {
	public, private, gm string
	unidentified        bool
	details             map[string]string
}

// readSheet extracts texts from where rule systems store them. A sheet in an unknown form yields none. The
// error means that the sheet is too large.
func readSheet(d *foundryDoc) (s sheet, err error) {
	raw := d.System
	if len(raw) == 0 {
		raw = d.Data
	}
	var system map[string]any
	if err := decodeJSON(raw, &system, maxSheet); errors.Is(err, errManyValues) {
		return s, err
	} else if err != nil {
		return s, nil
	}
	details, _ := system["details"].(map[string]any)
	s.public = cmp.Or(textAt(details, "biography", "public"), textAt(details, "publicNotes"))
	s.private = cmp.Or(textAt(details, "biography", "value"), textAt(details, "biography"), textAt(details, "description", "value"),
		textAt(details, "notes", "value"), textAt(system, "description", "value"), textAt(system, "description"),
		textAt(system, "biography"), textAt(system, "notes", "value"), textAt(system, "notes"))
	s.gm = cmp.Or(textAt(details, "privateNotes"), textAt(system, "description", "gm"), textAt(details, "gmnotes", "value"), textAt(system, "gmnotes"))
	if known, ok := system["identified"].(bool); ok {
		s.unidentified = !known
	}
	if textAt(system, "identification", "status") == "unidentified" {
		s.unidentified = true
	}
	const longest = 60
	for _, name := range []string{"race", "ancestry", "alignment", "occupation", "cr", "age", "gender"} {
		value := textAt(details, name)
		if n, ok := details[name].(float64); ok {
			value = strconv.FormatFloat(n, 'f', -1, 64)
		}
		if value = oneLine(value); value != "" && len(value) <= longest {
			if s.details == nil {
				s.details = map[string]string{}
			}
			s.details[name] = value
		}
	}
	return s, nil
}

// textAt returns the string at a path of keys, or "".
func textAt(m map[string]any, keys ...string) string {
	for i, k := range keys {
		if i == len(keys)-1 {
			s, _ := m[k].(string)
			return s
		}
		m, _ = m[k].(map[string]any)
	}
	return ""
}
