package ruleslookup

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// figure is one property that a rule can be found by: a number, or a text in lower case.
type figure struct {
	Key    string
	Text   string
	Number float64
	// IsNumber reports whether Number is set.
	IsNumber bool
}

// collect records the figures of a block, one level deep. A list yields several figures with the same key. A
// mapping yields its keys as texts, and its values as figures named "key.name".
func (r *rule) collect(n *yaml.Node, kept texts) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch value.Kind {
		case yaml.ScalarNode:
			r.addFigure(kept, key, value.Value)
		case yaml.SequenceNode:
			for _, c := range value.Content {
				if c.Kind == yaml.ScalarNode {
					r.addFigure(kept, key, c.Value)
				}
			}
		case yaml.MappingNode:
			for j := 0; j+1 < len(value.Content); j += 2 {
				if v := value.Content[j+1]; v.Kind == yaml.ScalarNode {
					r.addFigure(kept, key, value.Content[j].Value)
					r.addFigure(kept, key+"."+value.Content[j].Value, v.Value)
				}
			}
		}
	}
}

func (r *rule) addFigure(kept texts, key, value string) {
	f := figure{Key: kept.intern(key), Text: kept.intern(strings.ToLower(value))}
	if v, ok := number(value); ok {
		f.Number, f.IsNumber = v, true
	}
	if key == "cost_cp" {
		f = figure{Key: "cost", Number: f.Number / 100, IsNumber: f.IsNumber}
	} else if key == "cost" {
		return // same as a text
	}
	r.Figures = append(r.Figures, f)
}

// number parses a number as the book writes it, including fractions such as "1/4".
func number(s string) (float64, bool) {
	if a, b, ok := strings.Cut(s, "/"); ok {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		return x / max(y, 1), err1 == nil && err2 == nil && y != 0
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// allFigures returns a rule's figures, including those that are not in a block of figures: a spell's
// properties, the damage types it deals, and the words of its tags.
func (r *rule) allFigures(kept texts) []figure {
	all := r.Figures
	lower := func(s string) string { return kept.intern(strings.ToLower(s)) }
	if sp := r.Spell; sp != nil {
		level := float64(sp.Level)
		all = append(all, figure{Key: "level", Number: level, IsNumber: true},
			figure{Key: "school", Text: lower(sp.School)}, figure{Key: "casting_time", Text: lower(sp.CastingTime)},
			figure{Key: "components", Text: lower(sp.Components)}, figure{Key: "duration", Text: lower(sp.Duration)},
			figure{Key: "range", Text: lower(sp.Range)},
			figure{Key: "concentration", Text: strconv.FormatBool(sp.Concentration)}, figure{Key: "ritual", Text: strconv.FormatBool(sp.Ritual)})
		for _, c := range sp.Classes {
			all = append(all, figure{Key: "class", Text: lower(c)})
		}
		all = appendHarm(all, r.Text, kept)
	}
	for _, t := range r.Tags {
		all = append(all, figure{Key: "tag", Text: lower(t)})
	}
	return all
}

// appendHarm adds the damage types that a text says are dealt.
func appendHarm(all []figure, text string, kept texts) []figure {
	from := len(all)
	for rest := text; ; {
		at := strings.Index(rest, " damage")
		if at < 0 {
			return all
		}
		before := rest[:at]
		kind := strings.Trim(before[strings.LastIndexAny(before, " \n")+1:], ",.(")
		rest = rest[at+len(" damage"):]
		if !damageKind(kind) || withstood(before) {
			continue
		}
		known := false
		for _, f := range all[from:] {
			known = known || f.Text == kind
		}
		if !known {
			all = append(all, figure{Key: "damage", Text: kept.intern(kind)})
		}
	}
}

// withstood reports whether the last sentence of a text is about damage that is not dealt.
func withstood(before string) bool {
	sentence := before[strings.LastIndexAny(before, ".;")+1:]
	return strings.Contains(sentence, "immun") || strings.Contains(sentence, "resistan")
}

func damageKind(w string) bool {
	switch w {
	case "acid", "bludgeoning", "cold", "fire", "force", "lightning", "necrotic", "piercing", "poison", "psychic", "radiant", "slashing", "thunder":
		return true
	}
	return false
}
