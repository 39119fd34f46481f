package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// describeResult puts a tool's result into words.
func (l language) describeResult(r result) speech {
	switch r.tool {
	case "roll":
		return speech{lineRoll, l.describeRoll(recordOf(r.content), r.content)}
	case "roll_table":
		text := recordOf(r.content).text("result", "text", "entry")
		if text == "" {
			text = spokenText(r.content)
		}
		return speech{lineRoll, shorten(text, longestSpeech)}
	case "search_rules":
		return speech{lineAnswer, l.describeRules(recordsOf(r.content))}
	case "get_rule":
		return speech{lineAnswer, rule(recordOf(r.content))}
	case "query_entities":
		return speech{lineAnswer, l.describeEntities(recordsOf(r.content))}
	case "get_summary":
		return speech{lineAnswer, l.describeSummary(recordOf(r.content))}
	case "read_file":
		return speech{lineAnswer, l.describeFile(recordOf(r.content), r.content)}
	}
	return speech{lineAnswer, l.describeForeign(r.content)}
}

// phrase returns the wording in the given language.
func (l language) phrase(en, de string) string {
	if l == german {
		return de
	}
	return en
}

// mostDice is the maximum number of dice told one by one.
const mostDice = 10

// constant matches a number at the end of a dice expression.
var constant = regexp.MustCompile(`([+-])(\d+)$`)

// describeRoll describes a roll as people do: "2d6+3: 4 and 2, plus 3, makes 9".
func (l language) describeRoll(r record, raw string) string {
	total, ok := r.int("total")
	if !ok {
		return spokenText(raw)
	}
	expr := strings.ReplaceAll(r.text("expression"), " ", "")
	dice, kept := r.ints("rolls"), r.ints("kept")
	counted := dice
	if len(kept) > 0 {
		counted = kept
	}
	sum := 0
	for _, d := range counted {
		sum += d
	}
	bonus, bonusText := 0, ""
	if m := constant.FindStringSubmatch(expr); m != nil {
		bonus, _ = strconv.Atoi(m[1] + m[2]) // digits only; a wrong sum is caught below
		bonusText = ", " + map[string]string{"+": "plus", "-": "minus"}[m[1]] + " " + m[2]
	}
	head := ""
	if expr != "" {
		head = expr + ": "
	}
	switch {
	case len(dice) == 0 || len(dice) > mostDice:
		return strings.TrimSpace(fmt.Sprintf("%s %s %d", expr, l.phrase("makes", "macht"), total))
	case len(dice) == 1 && total == dice[0]:
		return head + strconv.Itoa(total)
	case sum+bonus != total:
		bonusText = "" // several kinds of dice: only the total is spoken
	}
	told := l.joinNumbers(dice)
	if len(kept) > 0 && len(kept) < len(dice) {
		told += ", " + l.phrase("keeping ", "davon zählt ") + l.joinNumbers(kept)
	}
	return fmt.Sprintf("%s%s%s, %s %d", head, told, bonusText, l.phrase("makes", "macht"), total)
}

// joinNumbers joins numbers: "4, 2 and 6".
func (l language) joinNumbers(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		switch {
		case i == 0:
		case i == len(numbers)-1:
			b.WriteString(l.phrase(" and ", " und "))
		default:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// describeRules describes the two best rules found.
func (l language) describeRules(list []record) string {
	var parts []string
	for _, r := range list[:min(2, len(list))] {
		if s := rule(r); s != "" {
			parts = append(parts, sentence(s))
		}
	}
	return shorten(strings.Join(parts, " "), longestSpeech)
}

// rule describes one rule.
func rule(r record) string {
	text := r.text("summary")
	if text == "" {
		text = sentences(r.text("text", "description", "content"), 2)
	}
	return named(r.text("name", "title"), shorten(text, longestSpeech))
}

// named puts a name as a sentence of its own before a text that does not begin with it. With a colon it would
// sound as if a person of that name spoke.
func named(name, text string) string {
	if name == "" || text == "" {
		return text
	}
	if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
		return text
	}
	return sentence(name) + " " + text
}

// describeEntities describes the entities found.
func (l language) describeEntities(list []record) string {
	var parts []string
	for _, e := range list[:min(3, len(list))] {
		name := e.text("name", "id")
		text := e.text("description", "summary")
		if text == "" && name != "" {
			if kind := e.text("type"); kind != "" {
				text = name + " (" + kind + ")"
			} else {
				text = name
			}
		}
		if text = named(name, text); text != "" {
			parts = append(parts, sentence(shorten(text, longestSpeech/2)))
		}
	}
	return strings.Join(parts, " ")
}

// mostRelations is the maximum number of relations told in a summary.
const mostRelations = 2

// describeSummary describes an entity and its relations.
func (l language) describeSummary(r record) string {
	entity := r
	if e, ok := r.field("entity").(map[string]any); ok {
		entity = e
	}
	var parts []string
	if s := l.describeEntities([]record{entity}); s != "" {
		parts = append(parts, s)
	}
	names := map[string]string{entity.text("id"): entity.text("name")}
	for _, c := range r.records("connected", "connected_entities", "neighbours", "related") {
		names[c.text("id")] = c.text("name")
	}
	call := func(id string) string {
		if n := names[id]; n != "" {
			return n
		}
		return strings.ReplaceAll(id, "-", " ")
	}
	told := 0
	for _, rel := range r.records("relations", "relationships") {
		from, verb, to := rel.text("from_name", "from", "source"), rel.text("type", "relation", "rel_type"), rel.text("to_name", "to", "target")
		if from == "" {
			from = entity.text("id")
		}
		if other := rel.text("entity_name", "entity_id"); other != "" {
			from, to = entity.text("id"), other
			if rel.text("direction") == "in" {
				from, to = other, entity.text("id")
			}
		}
		if verb == "" || to == "" || told == mostRelations {
			continue
		}
		told++
		parts = append(parts, sentence(call(from)+" "+strings.ReplaceAll(verb, "_", " ")+" "+call(to)))
	}
	return strings.Join(parts, " ")
}

// describeWriting confirms a note in words not said lately. It does not claim that a note is written if the
// note is only recorded for the end of the turn.
func (l language) describeWriting(r record, used usedSentences) string {
	occasion := "to_write"
	if _, done := r.int("bytes_written"); done {
		occasion = "written"
	}
	lines := stockLines(l, occasion)
	for _, line := range lines {
		if used.isFresh(line) {
			return line
		}
	}
	return lines[0]
}

// describeFile describes the contents of a file.
func (l language) describeFile(r record, raw string) string {
	text := r.text("content", "text")
	if text == "" {
		if len(r) > 0 {
			return l.phrase("There is nothing in it", "Es steht nichts darin")
		}
		text = spokenText(raw)
	}
	return l.phrase("It says: ", "Da steht: ") + shorten(text, longestSpeech)
}

// describeForeign describes the result of a tool unknown to this package.
func (l language) describeForeign(raw string) string {
	if text := spokenText(raw); text != "" {
		return text
	}
	return l.phrase("It is done", "Es ist getan")
}

// spokenText returns the text of any result, shortened.
func spokenText(raw string) string {
	return shorten(oneLine(plainText(parse(raw)), 0), longestSpeech)
}

// plainText extracts the text of a result: strings as they are, the usual text fields of an object, or else
// all its fields.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var parts []string
		for _, e := range v {
			if s := plainText(e); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return objectText(record(v))
	}
	return ""
}

// hiddenFields are fields of an object that are meant for programs.
var hiddenFields = []string{"id", "type", "_meta", "iserror", "is_error", "annotations"}

func objectText(r record) string {
	for _, f := range []string{"text", "content", "result", "message", "output", "summary", "description", "answer", "value"} {
		if s := plainText(r.field(f)); s != "" {
			return s
		}
	}
	var names []string
	for n := range r {
		if !slices.Contains(hiddenFields, strings.ToLower(n)) {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	var parts []string
	for _, n := range names {
		if s := plainText(r[n]); s != "" {
			parts = append(parts, strings.ReplaceAll(n, "_", " ")+": "+s)
		}
	}
	return strings.Join(parts, ", ")
}
