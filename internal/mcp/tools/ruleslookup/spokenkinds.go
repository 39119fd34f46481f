package ruleslookup

import "slices"

// fitKinds changes conditions to the figures that they refer to for the kind asked for.
func (r *figureReader) fitKinds() {
	r.inferKind()
	switch {
	case r.hasKind("spell"):
		for _, c := range r.classes {
			r.add("class", "=", c)
		}
	case r.hasKind("class"):
		r.fitClass()
	case r.hasKind("race"):
		for _, a := range r.abilities {
			r.add("bonus", "=", a)
		}
	case r.hasKind("skill"):
		for _, a := range r.abilities {
			r.add("ability", "=", a)
		}
	case r.hasKind("equipment"):
		r.fitEquipment()
	case r.hasKind("monster") && r.against != "":
		for i := range r.out.conditions {
			if c := &r.out.conditions[i]; c.key == "damage" {
				c.key = r.against
			}
		}
	}
	r.fitSpeeds()
	r.out.conditions = slices.DeleteFunc(r.out.conditions, func(c condition) bool { return !fits(c.key, r.out.kinds) })
}

// inferKind determines the kind from the figures if no word names it, or if two words contradict each other.
func (r *figureReader) inferKind() {
	if r.hasKind("class") && r.hasKind("spell") {
		not := "spell"
		if len(r.classes) > 0 {
			not = "class"
		}
		r.casts = true
		r.out.kinds = slices.DeleteFunc(r.out.kinds, func(c condition) bool { return c.text == not })
	}
	if r.hasKind("equipment") && (r.has("rarity") || r.has("attunement")) {
		for i := range r.out.kinds {
			if c := &r.out.kinds[i]; c.text == "equipment" {
				c.text = "item"
			}
		}
	}
	if len(r.out.kinds) > 0 {
		return
	}
	for _, c := range r.out.conditions {
		switch c.key {
		case "rarity", "attunement":
			r.kind("item")
		case "level":
			r.kind("spell")
		case "challenge":
			r.kind("monster")
			if r.one != "" {
				r.out.kinds = append(r.out.kinds, newCondition("type", "=", r.one))
			}
		case "cost":
			if c.op != "=" {
				r.kind("equipment")
			}
		}
		if len(r.out.kinds) > 0 {
			return
		}
	}
}

func (r *figureReader) fitClass() {
	for _, a := range r.abilities {
		switch {
		case r.saves:
			r.add("saves", "=", a)
		case r.casts:
			r.add("spellcasting", "=", a)
		}
	}
}

func (r *figureReader) fitEquipment() {
	if r.isOf("armor") {
		if r.weight != "" {
			r.add("group", "=", r.weight)
		}
		switch {
		case r.stealth && r.worse && !r.negated:
			r.add("stealth_disadvantage", "=", "true")
		case r.stealth:
			r.add("stealth_disadvantage", "!=", "true")
		}
		if r.negated && slices.Contains(r.abilities, "str") {
			r.add("strength", "none", "")
		}
	}
	if r.isOf("weapon") && (r.weight == "light" || r.weight == "heavy") {
		r.add("properties", "=", r.weight)
	}
}

// fitSpeeds changes a number of feet to the figure that it refers to for the kind asked for.
func (r *figureReader) fitSpeeds() {
	moves := ""
	for _, c := range r.out.conditions {
		if c.key == "speed" {
			moves = "." + c.text
		}
	}
	for i := range r.out.conditions {
		c := &r.out.conditions[i]
		switch {
		case c.key == "feet" && r.hasKind("race"):
			c.key = "speed"
		case c.key == "feet" && r.hasKind("monster") && moves != "":
			c.key = "speed" + moves
		case c.key == "feet" && r.isOf("weapon"):
			c.key = "range"
		case c.key == "stage" && r.hasKind("spell"):
			c.key = "level"
		case c.key == "senses" && r.hasKind("race"):
			c.key = "traits"
		}
	}
}

func (r *figureReader) kind(category string) {
	r.out.kinds = append(r.out.kinds, newCondition("category", "=", category))
}

func (r *figureReader) hasKind(category string) bool { return hasKind(r.out.kinds, category) }

// isOf reports whether the question asks for things of the given kind within their category.
func (r *figureReader) isOf(kind string) bool {
	return slices.ContainsFunc(r.out.kinds, func(c condition) bool { return c.key == "kind" && c.text == kind })
}

func (r *figureReader) has(key string) bool {
	return slices.ContainsFunc(r.out.conditions, func(c condition) bool { return c.key == key })
}

// fits reports whether things of these kinds have the figure at all.
func fits(key string, kinds []condition) bool {
	switch key {
	case "level", "school", "casting_time", "concentration", "ritual":
		return hasKind(kinds, "spell")
	case "damage":
		return hasKind(kinds, "spell") || hasKind(kinds, "equipment")
	case "challenge", "hit_points", "senses", "immunities", "resistances", "vulnerabilities", "alignment":
		return hasKind(kinds, "monster")
	case "rarity", "attunement":
		return hasKind(kinds, "item")
	case "properties", "group", "cost", "weight", "range", "two_handed_damage":
		return hasKind(kinds, "equipment")
	case "armor_class":
		return hasKind(kinds, "monster") || hasKind(kinds, "equipment")
	case "speed", "size":
		return hasKind(kinds, "monster") || hasKind(kinds, "race")
	case "traits":
		return hasKind(kinds, "race")
	case "pantheon":
		return hasKind(kinds, "deity")
	case "bonus.str", "bonus.dex", "bonus.con", "bonus.int", "bonus.wis", "bonus.cha":
		return hasKind(kinds, "race") || hasKind(kinds, "subrace")
	case "feet", "stage":
		return false
	}
	return true
}
