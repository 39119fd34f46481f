package ruleslookup

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// figure is one thing a rule can be asked for by: a number, or a text in lower case.
type figure struct {
	key    string
	text   string
	number float64
	// isNumber tells that number is set.
	isNumber bool
}

// collect notes what a block of figures says, one level deep: a list is several figures
// of the same key, a mapping's keys are texts, its values figures named "key.name".
func (r *rule) collect(n *yaml.Node, kept texts) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch value.Kind {
		case yaml.ScalarNode:
			r.note(kept, key, value.Value)
		case yaml.SequenceNode:
			for _, c := range value.Content {
				if c.Kind == yaml.ScalarNode {
					r.note(kept, key, c.Value)
				}
			}
		case yaml.MappingNode:
			for j := 0; j+1 < len(value.Content); j += 2 {
				if v := value.Content[j+1]; v.Kind == yaml.ScalarNode {
					r.note(kept, key, value.Content[j].Value)
					r.note(kept, key+"."+value.Content[j].Value, v.Value)
				}
			}
		}
	}
}

func (r *rule) note(kept texts, key, value string) {
	f := figure{key: kept.keep(key), text: kept.keep(strings.ToLower(value))}
	if v, ok := number(value); ok {
		f.number, f.isNumber = v, true
	}
	if key == "cost_cp" {
		f = figure{key: "cost", number: f.number / 100, isNumber: f.isNumber}
	} else if key == "cost" {
		return // the same as a text
	}
	r.figures = append(r.figures, f)
}

// number reads a number as the book writes it, "1/4" too.
func number(s string) (float64, bool) {
	if a, b, ok := strings.Cut(s, "/"); ok {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		return x / max(y, 1), err1 == nil && err2 == nil && y != 0
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// allFigures returns a rule's figures with those that stand elsewhere than in a block of
// their own: a spell's, what harm it does, and the words of its tags.
func (r *rule) allFigures(kept texts) []figure {
	all := r.figures
	lower := func(s string) string { return kept.keep(strings.ToLower(s)) }
	if sp := r.Spell; sp != nil {
		level := float64(sp.Level)
		all = append(all, figure{key: "level", number: level, isNumber: true},
			figure{key: "school", text: lower(sp.School)}, figure{key: "casting_time", text: lower(sp.CastingTime)},
			figure{key: "components", text: lower(sp.Components)}, figure{key: "duration", text: lower(sp.Duration)},
			figure{key: "range", text: lower(sp.Range)},
			figure{key: "concentration", text: strconv.FormatBool(sp.Concentration)}, figure{key: "ritual", text: strconv.FormatBool(sp.Ritual)})
		for _, c := range sp.Classes {
			all = append(all, figure{key: "class", text: lower(c)})
		}
		all = appendHarm(all, r.Text, kept)
	}
	for _, t := range r.Tags {
		all = append(all, figure{key: "tag", text: lower(t)})
	}
	return all
}

// appendHarm adds the kinds of damage that a text says are dealt.
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
			known = known || f.text == kind
		}
		if !known {
			all = append(all, figure{key: "damage", text: kept.keep(kind)})
		}
	}
}

// withstood reports whether a text ends in a sentence that tells of damage that is not dealt.
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
