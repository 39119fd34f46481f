package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

// rulesQuestion is a line of rules/dev.jsonl; see the page there.
type rulesQuestion struct {
	ID, Lang, Class, Text string
	Want                  []string
}

// half is "a" for the questions the search was tuned on, "b" for those that
// were only counted meanwhile.
func (q rulesQuestion) half() string {
	h := fnv.New32a()
	h.Write([]byte(q.ID))
	return [...]string{"a", "b"}[h.Sum32()>>4&1]
}

// rulesAnswered reports whether an entry of the book answers a question.
func (q rulesQuestion) rulesAnswered(category, name string) bool {
	bare := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", " ") }
	for _, want := range q.Want {
		kind, wanted, _ := strings.Cut(want, "/")
		// A subclass's name may include its class's word: "Life" in the facts
		// is "Life Domain".
		same := bare(wanted) == bare(name) || kind == "subclass" && strings.Contains(bare(name), bare(wanted)) ||
			kind == "rule" && bare(wanted) == topic(bare(name))
		if !same {
			continue
		}
		switch kind {
		case category:
			return true
		case "magic_item":
			return category == "item"
		case "rule":
			// The book places its rules by where they are needed.
			return !slices.Contains([]string{"spell", "monster", "condition", "equipment", "item", "class", "subclass", "race", "subrace", "skill", "background", "feat"}, category)
		}
	}
	return false
}

// topic returns a rule's name without the part that distinguishes it from
// others of its kind: "Heavy Property" and "Channel Divinity: Turn Undead" are
// asked for as "heavy" and "turn undead".
func topic(name string) string {
	if _, part, ok := strings.Cut(name, ": "); ok {
		name = part
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, " property"), " sense")
}

// rulesBook is the program's tool with the shipped book.
type rulesBook struct {
	entries []ruleslookup.Brief
	search  tools.Tool
}

func openRules() (*rulesBook, error) {
	book := ruleslookup.BuiltIn()
	if err := book.Warm(); err != nil {
		return nil, err
	}
	entries, err := book.List()
	if err != nil {
		return nil, err
	}
	all := ruleslookup.NewTools(book)
	return &rulesBook{entries, all[slices.IndexFunc(all, func(t tools.Tool) bool { return t.Definition.Name == "search_rules" })]}, nil
}

func (b *rulesBook) ask(ctx context.Context, query string) ([]ruleslookup.Hit, error) {
	args, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	text, err := b.search.Handler(ctx, string(args))
	if err != nil {
		return nil, fmt.Errorf("search_rules %s: %w", args, err)
	}
	var found ruleslookup.SearchResult
	err = json.Unmarshal([]byte(text), &found)
	return found.Results, err
}

// holds reports whether the book answers a question.
func (b *rulesBook) holds(q rulesQuestion) bool {
	return slices.ContainsFunc(b.entries, func(e ruleslookup.Brief) bool { return q.rulesAnswered(e.Category, e.Name) })
}

// rulesFloors are lower bounds of the shares of right answers to the open
// questions, in percent.
var rulesFloors = []struct {
	file         string
	first, three float64
}{
	{"dev.jsonl", 94, 98},
	{"unread.jsonl", 93, 98},
	{"fresh.jsonl", 90, 95},
}

// Rules scores the search of the rule book: is the right entry first, or among
// the first three? Its misses are those of the half that the search was tuned
// on.
func Rules(ctx context.Context, o Options) (*Report, error) {
	book, err := openRules()
	if err != nil {
		return nil, err
	}
	report := &Report{}
	for _, floor := range rulesFloors {
		scores, err := report.scoreRules(ctx, o, book, floor.file, true)
		if err != nil {
			return nil, err
		}
		for what, least := range map[string]float64{"all @1": floor.first, "all @3": floor.three} {
			if got := scores.of(what).percent(); got < least {
				report.broke("%s: %s: %.1f %%, want %.0f at least", floor.file, what, got, least)
			}
		}
	}
	if o.Held {
		for _, file := range []string{"held.jsonl", "blind.jsonl"} {
			if _, err := report.scoreRules(ctx, o, book, file, false); err != nil {
				return nil, err
			}
		}
	}
	return report, nil
}

// scoreRules asks the questions of a file.
func (r *Report) scoreRules(ctx context.Context, o Options, book *rulesBook, file string, open bool) (tally, error) {
	o.say("rules " + file)
	questions, err := readRows[rulesQuestion](o.corpus("rules", file))
	if err != nil {
		return nil, err
	}
	scores := tally{}
	for _, q := range questions {
		hits, err := book.ask(ctx, q.Text)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(hits, func(h ruleslookup.Hit) bool { return q.rulesAnswered(h.Category, h.Name) })
		for _, what := range []string{"all", "all " + q.Lang, "half " + q.half(), q.Class, q.Class + " " + q.Lang} {
			scores.count(what+" @1", at == 0)
			scores.count(what+" @3", at >= 0 && at < 3)
		}
		held := book.holds(q)
		scores.count("in the book", held)
		if open && q.half() == "a" && at != 0 {
			var got []string
			for _, h := range hits[:min(len(hits), 3)] {
				got = append(got, h.ID)
			}
			r.missed("%s %s %s %q is %v (right one at %d, in the book: %v), want %v", q.half(), q.ID, q.Class, q.Text, got, at, held, q.Want[0])
		}
	}
	r.Tables = append(r.Tables, scoreTable("rules "+file, scores.sorted()))
	return scores, nil
}
