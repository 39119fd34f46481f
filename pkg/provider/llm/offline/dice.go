package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

var (
	// expression matches a dice expression as written by people or recognisers.
	expression = regexp.MustCompile(`(?:\d{1,7}\s?)?[dw]\s?(?:\d{1,7}|%)(?:k[hl]\d{1,2}|d[hl]\d{1,2}|adv|dis)?` +
		`(?:\s?[+-]\s?(?:\d{1,3}\s?[dw]\s?\d{1,4}|\d{1,6}))*`)

	// spokenDice replaces number words around a die with digits.
	spokenDice = strings.NewReplacer(
		" one d", " 1d", " two d", " 2d", " three d", " 3d", " four d", " 4d", " five d", " 5d", " six d", " 6d", " eight d", " 8d", " ten d", " 10d",
		" ein w", " 1w", " einen w", " 1w", " zwei w", " 2w", " drei w", " 3w", " vier w", " 4w", " fünf w", " 5w", " sechs w", " 6w", " acht w", " 8w", " zehn w", " 10w",
		" plus ", "+", " minus ", "-",
	)
	spokenSides = strings.NewReplacer(
		"d four", "d4", "d six", "d6", "d eight", "d8", "d ten", "d10", "d twelve", "d12", "d twenty", "d20", "d hundred", "d100",
		"twenty-sided die", "d20", "twelve-sided die", "d12", "ten-sided die", "d10", "eight-sided die", "d8", "six-sided die", "d6", "four-sided die", "d4",
		"zwanzigseitigen würfel", "w20", "sechsseitigen würfel", "w6",
		"w vier", "w4", "w sechs", "w6", "w acht", "w8", "w zehn", "w10", "w zwölf", "w12", "w zwanzig", "w20", "w hundert", "w100",
	)

	rollWords = patterns("roll|reroll|throw", "würfle|würfel|würfeln|würfelst|würfelt|wirf|rolle", "give me|us", "gib mir|uns")
	// barePhrases ask for a roll without naming dice.
	barePhrases = patterns("roll|throw|reroll me|us? the|a|some|your|an|two|three|four|one? die|dice|bones", "roll a? for",
		"roll an|a|the? initiative|check|save|stealth|perception|insight|persuasion|deception|intimidation|athletics|acrobatics|investigation|arcana|history|nature|religion|survival|medicine|performance|luck",
		"roll a|an|the? * check|save", "roll a|the? saving throw", "roll again|please$", "^roll$", "roll with? advantage|disadvantage", "roll with advantage|disadvantage",
		"^würfle", "^bitte? würfel|würfle", "würfle bitte|mal|nochmal|erneut|initiative", "kannst|könntest du * würfeln", "kannst|könntest du bitte? mal? würfeln",
		"wirf einen|den|die|zwei|drei|vier? würfel", "rolle die|den? würfel")
	diceQuestions = patterns("^how", "^what does|is|are|happens", "^when|why|should|which", "^wie", "^was", "^wann|warum|soll|welche|welchen")
	handful       = map[string]string{"two": "2d6", "three": "3d6", "four": "4d6", "zwei": "2d6", "drei": "3d6", "vier": "4d6"}
)

// findDice returns the rolls that a clause asks for.
func (u *utterance) findDice(toks []token) []intent {
	if _, question := findMatch(diceQuestions, toks); question {
		return nil
	}
	raw := " " + strings.ToLower(u.clauseText(toks))
	found := expressions(raw)
	_, asked := findMatch(rollWords, toks)
	if len(found) == 0 {
		m, ok := findMatch(barePhrases, toks)
		if !ok {
			return nil
		}
		expr := "1d20"
		for _, k := range toks[m.from:m.to] {
			if n := handful[k.fold]; n != "" {
				expr = n
			}
		}
		found = []string{expr}
	} else if !asked && len(toks) > 2+2*len(found) {
		return nil // dice are mentioned but not requested
	}
	var out []intent
	for _, e := range found {
		out = append(out, intent{kind: wantDice, text: favour(e, toks)})
	}
	return out
}

// clauseText returns the text of a clause including trailing signs and digits.
func (u *utterance) clauseText(toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	from, to := toks[0].start, toks[len(toks)-1].end
	for to < len(u.text) && strings.IndexByte(" +-%0123456789", u.text[to]) >= 0 {
		to++
	}
	return u.text[from:to]
}

// expressions returns the dice expressions in lower-case text, normalised.
func expressions(text string) []string {
	text = spokenDice.Replace(spokenSides.Replace(text))
	var out []string
	for {
		at := expression.FindStringIndex(text)
		if at == nil {
			return out
		}
		if joins(text[:at[0]], true) || joins(text[at[1]:], false) {
			text = text[at[0]+1:] // the d of "and 1d8" is not a die
			continue
		}
		e := strings.ReplaceAll(strings.ReplaceAll(text[at[0]:at[1]], " ", ""), "w", "d")
		text = text[at[1]:]
		if e[0] == 'd' {
			e = "1" + e
		}
		out = append(out, strings.TrimRight(e, "+-"))
	}
}

// joins reports whether text has a word character at the given end.
func joins(text string, atEnd bool) bool {
	if text == "" {
		return false
	}
	r := []rune(text)
	if atEnd {
		return isWord(r[len(r)-1])
	}
	return isWord(r[0])
}

// favour applies advantage or disadvantage to a single d20.
func favour(expr string, toks []token) string {
	rest, single := strings.CutPrefix(expr, "1d20")
	if !single || strings.HasPrefix(rest, "k") || strings.HasPrefix(rest, "a") || strings.HasPrefix(rest, "d") {
		return expr
	}
	has := func(ws ...string) bool {
		return slices.ContainsFunc(toks, func(k token) bool { return slices.Contains(ws, k.fold) })
	}
	switch {
	case has("disadvantage", "nachteil"):
		return "2d20kl1" + rest
	case has("advantage", "vorteil"):
		return "2d20kh1" + rest
	}
	return expr
}

var (
	tableTriggers = patterns("roll|reroll|table|random|surge|draw|generate", "würfle|würfel|würfeln|wirf|tabelle|zufall|zieh|ziehe|auswürfeln",
		"zufällige|zufälliger|zufälligen|zufälliges|zufallsbegegnung")
	tableWords = patterns("table", "tabelle")
	// shippedTables maps a table to other names for it.
	shippedTables = map[string][]pattern{
		"wild_magic":       patterns("wild magic|surge", "magic surge", "wilde|wilden|wilder magie", "wildmagie"),
		"treasure_hoard":   patterns("treasure|treasures|hoard|loot", "schatz|schätze|beute|hort|schatzhort"),
		"random_encounter": patterns("encounter|encounters", "begegnung|begegnungen|zufallsbegegnung"),
	}
	shippedOrder = []string{"wild_magic", "treasure_hoard", "random_encounter"}
)

// findTable returns the random table that a clause asks to roll on.
func (u *utterance) findTable(toks []token) (intent, bool) {
	_, triggered := findMatch(tableTriggers, toks)
	if _, question := findMatch(diceQuestions, toks); question || !triggered {
		return intent{}, false
	}
	_, named := findMatch(tableWords, toks)
	if !named && len(expressions(" "+strings.ToLower(u.clauseText(toks)))) > 0 {
		return intent{}, false
	}
	for _, name := range u.findTables() {
		if _, ok := findMatch(shippedTables[name], toks); ok || mentions(toks, name) {
			return intent{kind: wantTable, text: name}, true
		}
	}
	return intent{}, false
}

// findTables returns the names of the tables that roll_table knows.
func (u *utterance) findTables() []string {
	def := u.offered["roll_table"]
	if def == nil {
		return shippedOrder
	}
	if names := enum(property(def, "table_name")); len(names) > 0 {
		return names
	}
	return shippedOrder
}

// mentions reports whether all words of a name such as "tavern_rumours" occur.
func mentions(toks []token, name string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !isWord(r) || r == '_' })
	for _, p := range parts {
		if !slices.ContainsFunc(toks, func(k token) bool { return strings.TrimSuffix(k.fold, "s") == strings.TrimSuffix(p, "s") }) {
			return false
		}
	}
	return len(parts) > 0
}

// property returns the schema of an argument, or nil if there is none.
func property(def *llm.ToolDefinition, name string) map[string]any {
	props, _ := def.Parameters["properties"].(map[string]any)
	p, _ := props[name].(map[string]any)
	return p
}

// enum returns the strings a schema allows.
func enum(schema map[string]any) []string {
	switch list := schema["enum"].(type) {
	case []string:
		return list
	case []any:
		var out []string
		for _, v := range list {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}
