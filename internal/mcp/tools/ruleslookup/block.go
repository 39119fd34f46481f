package ruleslookup

import (
	"bytes"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
)

// shape describes the valid values in a category's block of figures.
type shape struct {
	kind shapeKind
	// required marks keys that must be present.
	required bool
	// keys are the keys of a record, or of each record in a list.
	keys map[string]shape
}

type shapeKind int

const (
	isText    shapeKind = iota
	isNumber            // a number of at least 0, with a fraction or without
	isFlag              // true or false
	isTexts             // a list of texts
	isNumbers           // a list of whole numbers
	isCounts            // whole numbers by name, which may be negative
	isLists             // lists of texts by name
	isRecord            // known keys
	isRecords           // a list of records
)

// blocks returns the shape of each category's block of figures. The block has the same name as the category.
// A category that is not listed has no block.
func blocks() map[string]shape {
	return map[string]shape{
		"monster":    {kind: isRecord, keys: monsterShape()},
		"equipment":  {kind: isRecord, keys: equipmentShape()},
		"item":       {kind: isRecord, keys: itemShape()},
		"class":      {kind: isRecord, keys: classShape()},
		"subclass":   {kind: isRecord, keys: subclassShape()},
		"feature":    {kind: isRecord, keys: map[string]shape{"gained": {kind: isCounts, required: true}}},
		"race":       {kind: isRecord, keys: raceShape()},
		"subrace":    {kind: isRecord, keys: raceShape()},
		"background": {kind: isRecord, keys: backgroundShape()},
		"feat":       {kind: isRecord, keys: map[string]shape{"prerequisites": {kind: isTexts}}},
		"skill":      {kind: isRecord, keys: map[string]shape{"ability": {required: true}}},
		"deity": {kind: isRecord, keys: map[string]shape{
			"pantheon": {required: true}, "of": {}, "alignment": {}, "domains": {kind: isTexts}, "symbol": {},
		}},
		"poison": {kind: isRecord, keys: map[string]shape{"type": {required: true}, "price": {required: true}}},
	}
}

// classShape describes values that change with level as lists indexed by level, and the columns of the class
// table by name.
func classShape() map[string]shape {
	return map[string]shape{
		"hit_die": {kind: isNumber, required: true}, "saves": {kind: isTexts, required: true}, "proficiencies": {kind: isTexts},
		"skill_choices": {kind: isNumber}, "skills": {kind: isTexts}, "spellcasting": {}, "multiclass": {kind: isTexts},
		"subclasses": {kind: isTexts}, "proficiency_bonus": {kind: isNumbers}, "features": {kind: isLists, required: true},
		"cantrips_known": {kind: isNumbers}, "spells_known": {kind: isNumbers}, "slots": {kind: isTexts}, "columns": {kind: isLists},
	}
}

func subclassShape() map[string]shape {
	return map[string]shape{
		"class": {required: true}, "kind": {}, "features": {kind: isLists, required: true}, "spells": {kind: isLists},
	}
}

// raceShape also covers subraces, which name a race and have no speed or size.
func raceShape() map[string]shape {
	return map[string]shape{
		"race": {}, "speed": {kind: isNumber}, "size": {}, "bonus": {kind: isCounts, required: true}, "bonus_choices": {kind: isNumber},
		"languages": {kind: isTexts}, "language_choices": {kind: isNumber}, "traits": {kind: isTexts}, "subraces": {kind: isTexts},
	}
}

func backgroundShape() map[string]shape {
	return map[string]shape{
		"skills": {kind: isTexts}, "language_choices": {kind: isNumber}, "gold": {kind: isNumber}, "feature": {},
	}
}

func equipmentShape() map[string]shape {
	return map[string]shape{
		"kind": {required: true}, "group": {required: true}, "cost": {}, "cost_cp": {kind: isNumber}, "weight": {kind: isNumber},
		"quantity": {kind: isNumber}, "damage": {}, "two_handed_damage": {}, "properties": {kind: isTexts},
		"range": {kind: isNumbers}, "thrown": {kind: isNumbers}, "armor_class": {kind: isNumber}, "adds_dexterity": {kind: isFlag},
		"most_dexterity": {kind: isNumber}, "strength": {kind: isNumber}, "stealth_disadvantage": {kind: isFlag},
		"contents": {kind: isTexts}, "speed": {}, "capacity": {},
	}
}

func itemShape() map[string]shape {
	return map[string]shape{
		"kind": {required: true}, "rarity": {required: true}, "attunement": {kind: isFlag}, "attunement_by": {},
		"variant": {kind: isFlag}, "variants": {kind: isTexts},
	}
}

func monsterShape() map[string]shape {
	features := shape{kind: isRecords, keys: map[string]shape{
		"name": {required: true}, "attack": {}, "to_hit": {kind: isNumber}, "reach": {kind: isNumber},
		"range": {kind: isNumbers}, "damage": {kind: isTexts}, "dc": {kind: isTexts}, "half": {kind: isFlag},
		"escape_dc": {kind: isNumber}, "area": {}, "use": {}, "attacks": {kind: isTexts},
		"spellcasting": {kind: isRecord, keys: map[string]shape{
			"level": {kind: isNumber}, "ability": {}, "save_dc": {kind: isNumber}, "to_hit": {kind: isNumber},
			"slots": {kind: isNumbers}, "spells": {kind: isLists},
		}},
	}}
	return map[string]shape{
		"size": {required: true}, "type": {required: true}, "subtype": {}, "alignment": {required: true},
		"armor_class": {kind: isNumber, required: true}, "armor": {}, "other_armor_class": {kind: isNumbers},
		"hit_points": {kind: isNumber, required: true}, "hit_dice": {required: true},
		"speed": {kind: isCounts, required: true}, "hover": {kind: isFlag},
		"abilities": {kind: isCounts, required: true}, "proficiency": {kind: isNumber},
		"saves": {kind: isCounts}, "skills": {kind: isCounts}, "senses": {kind: isCounts}, "languages": {},
		"vulnerabilities": {kind: isTexts}, "resistances": {kind: isTexts}, "immunities": {kind: isTexts},
		"condition_immunities": {kind: isTexts}, "challenge": {required: true}, "xp": {kind: isNumber, required: true},
		"traits": features, "actions": features, "reactions": features, "legendary_actions": features,
	}
}

// block checks a block of figures against its shape and returns it as JSON, with the keys in file order.
func (p *parser) block(n *yaml.Node, s shape) []byte {
	var b bytes.Buffer
	p.writeValue(&b, n, s)
	return bytes.Clone(b.Bytes())
}

func (p *parser) writeValue(b *bytes.Buffer, n *yaml.Node, s shape) {
	switch s.kind {
	case isText:
		var text string
		p.readText(&text)(n)
		writeString(b, text)
	case isNumber:
		p.writeNumber(b, n, true)
	case isFlag:
		var set bool
		p.flag(&set)(n)
		b.WriteString(strconv.FormatBool(set))
	case isTexts:
		p.writeList(b, n, shape{})
	case isNumbers:
		p.writeList(b, n, shape{kind: isNumber})
	case isRecords:
		p.writeList(b, n, shape{kind: isRecord, keys: s.keys})
	case isCounts, isLists, isRecord:
		p.writeMapping(b, n, s)
	}
}

func (p *parser) writeNumber(b *bytes.Buffer, n *yaml.Node, positive bool) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v > 1e9 || v < -1e9 || positive && v < 0 {
		p.addProblem(n.Line, "write digits only", "expected a number, got %s", kind(n))
		v = 0
	}
	b.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
}

func (p *parser) writeList(b *bytes.Buffer, n *yaml.Node, item shape) {
	if n.Kind != yaml.SequenceNode {
		p.addProblem(n.Line, "write it as [one, two]", "expected a list, got %s", kind(n))
		return
	}
	b.WriteByte('[')
	for i, c := range n.Content {
		if i > 0 {
			b.WriteByte(',')
		}
		p.writeValue(b, c, item)
	}
	b.WriteByte(']')
}

// writeMapping writes a record, or the values of a mapping with arbitrary keys.
func (p *parser) writeMapping(b *bytes.Buffer, n *yaml.Node, s shape) {
	if n.Kind != yaml.MappingNode {
		p.addProblem(n.Line, "", "expected keys and values, got %s", kind(n))
		return
	}
	seen := make([]string, 0, len(n.Content)/2)
	b.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !p.newKey(key, s, seen) {
			continue
		}
		if len(seen) > 0 {
			b.WriteByte(',')
		}
		seen = append(seen, key.Value)
		writeString(b, key.Value)
		b.WriteByte(':')
		switch s.kind {
		case isCounts:
			p.writeNumber(b, value, false)
		case isLists:
			p.writeList(b, value, shape{})
		default:
			p.writeValue(b, value, s.keys[key.Value])
		}
	}
	b.WriteByte('}')
	for _, name := range slices.Sorted(requiredKeys(s)) {
		if !slices.Contains(seen, name) {
			p.addProblem(n.Line, "", "key %q is missing", name)
		}
	}
}

// newKey reports whether key is valid in a mapping of shape s and is not among the keys already seen.
func (p *parser) newKey(key *yaml.Node, s shape, seen []string) bool {
	_, known := s.keys[key.Value]
	switch {
	case key.Kind != yaml.ScalarNode || s.kind == isRecord && !known:
		unknown(p, key, s.keys)
	case slices.Contains(seen, key.Value):
		p.addProblem(key.Line, "remove one of them", "key %q is given twice", key.Value)
	default:
		return true
	}
	return false
}

func requiredKeys(s shape) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name, k := range s.keys {
			if k.required && !yield(name) {
				return
			}
		}
	}
}

// writeString writes s, which must be valid UTF-8, as a JSON string.
func writeString(b *bytes.Buffer, s string) {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] >= ' ' && s[i] != '"' && s[i] != '\\'
	}
	if plain {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	text, err := tools.Encode(s)
	if err != nil {
		text = `""` // marshalling a string cannot fail
	}
	b.WriteString(text)
}
