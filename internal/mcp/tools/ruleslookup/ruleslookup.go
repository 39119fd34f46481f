// Package ruleslookup provides the tools that look up game rules. search_rules is a ranked search that
// understands questions and tolerates typing errors. get_rule returns one rule in full.
//
//	book := ruleslookup.BuiltIn()
//	go book.Warm() // optional: spares the first call the wait
//	for _, t := range ruleslookup.NewTools(book) {
//		// Register t with the host.
//	}
//
// The package reads its data once, from an fs.FS, and keeps it in memory. After that it only computes. The
// built-in game system is dnd5e. Others can be added as directories of YAML files in the same format; see
// [System].
package ruleslookup

import (
	"context"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// builtIn is the game system of the embedded rules.
	builtIn = "dnd5e"

	// maxResults is the maximum number of rules that one search returns. A model would spend more time
	// reading further results than they are worth.
	maxResults = 5

	// maxQuery is the maximum length of a query, in bytes. Spoken questions are far shorter.
	maxQuery = 1000

	// permission is the permission that callers of either tool need.
	permission = "rules.read"

	// cacheSeconds is how long results may be cached. The data never changes while the process runs.
	cacheSeconds = 3600
)

// Choice returns the game system to use for a caller whose call names none. If there are no rules for that
// system, the built-in one is used.
type Choice func(mcp.Caller) string

// NewTools returns search_rules and get_rule for book. If book comes from [Lazy] and is not loaded yet, the
// first call loads it. To avoid that wait, call [Book.Warm] in the background.
func NewTools(book *Book) []tools.Tool {
	return NewToolsFor(book, func(mcp.Caller) string { return builtIn })
}

// NewToolsFor is like [NewTools], but uses choose to select the system for each caller.
func NewToolsFor(book *Book, choose Choice) []tools.Tool {
	d := desk{book, choose}
	return []tools.Tool{searchTool(d), getTool(d)}
}

// desk answers calls from a book.
type desk struct {
	book   *Book
	choose Choice
}

// chosen returns the rules of the system that applies to the caller.
func (d desk) chosen(ctx context.Context) *ruleSet {
	if set := d.book.ofSystem(d.choose(mcp.CallerFrom(ctx))); set != nil {
		return set
	}
	return d.book.sets[0]
}

func searchTool(d desk) tools.Tool {
	category := map[string]any{"enum": categories()}
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "search_rules",
			Description: "Search the game rules (conditions, combat, spells, general rules, monsters, equipment, magic items) by keywords or a question. " +
				"Returns up to 5 rules with id, name and a one-line summary, best first. " +
				"Call get_rule with an id for the full text.",
			Parameters:          tools.SchemaOf[searchArgs](tools.Bounds{"query": {"minLength": 1, "maxLength": maxQuery}}),
			EstimatedDurationMs: 30, MaxDurationMs: 100, CacheableSeconds: cacheSeconds,
		},
		Title: "Search rules", Permission: permission, Floor: mcp.BudgetStandard, Probe: `{"query":"blinded"}`, Inline: d.book.loaded(),
		OutputSchema: tools.SchemaOf[SearchResult](tools.Bounds{
			"count": {"minimum": 0}, "results": {"maxItems": maxResults},
			"results.category": category, "results.score": {"minimum": 0, "maximum": 1},
		}),
		Handler: tools.JSON(d.searchRules), Prepare: d.book.prepare,
	})
}

func getTool(d desk) tools.Tool {
	return tools.Reading(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "get_rule",
			Description: "Get one game rule in full by its id, such as \"condition-blinded\" or \"spell-fireball\". " +
				"Use search_rules first to find the id.",
			Parameters:          tools.SchemaOf[getArgs](tools.Bounds{"id": {"minLength": 1, "maxLength": maxQuery}}),
			EstimatedDurationMs: 5, MaxDurationMs: 20, CacheableSeconds: cacheSeconds,
		},
		Title: "Get rule", Permission: permission, Floor: mcp.BudgetFast, Probe: `{"id":"condition-blinded"}`, Inline: d.book.loaded(),
		OutputSchema: ruleSchema(),
		Handler:      d.getRule, Prepare: d.book.prepareRules,
	})
}

// searchArgs is the input of search_rules.
type searchArgs struct {
	Query     string `json:"query" jsonschema:"Keywords or a question, in English or German, e.g. \"grappling\" or \"what does blinded do\"; conditions such as level<=3 or type:beast may stand in it."`
	Category  string `json:"category,omitempty" jsonschema:"Only rules of this category, e.g. \"spell\" or \"monster\"."`
	Level     string `json:"level,omitempty" jsonschema:"A spell's level, e.g. \"3\" or \"<=2\"; 0 is a cantrip."`
	School    string `json:"school,omitempty" jsonschema:"A spell's school, e.g. \"evocation\"."`
	Class     string `json:"class,omitempty" jsonschema:"The class that has a spell, e.g. \"wizard\"."`
	Challenge string `json:"challenge,omitempty" jsonschema:"A monster's challenge rating, e.g. \"1/2\" or \"<1\"."`
	Type      string `json:"type,omitempty" jsonschema:"A monster's type, e.g. \"beast\"."`
	Rarity    string `json:"rarity,omitempty" jsonschema:"A magic item's rarity, e.g. \"rare\"."`
	Cost      string `json:"cost,omitempty" jsonschema:"A price in gold pieces, e.g. \"<15\"."`
	System    string `json:"system,omitempty" jsonschema:"Game system to search, e.g. \"dnd5e\". Leave out for the one that is played."`
}

// getArgs is the input of get_rule.
type getArgs struct {
	ID string `json:"id" jsonschema:"The rule's id, e.g. \"condition-blinded\" or \"spell-fireball\"."`
}

// SearchResult is the output of search_rules.
type SearchResult struct {
	// Spoken is the best result in one or two sentences, ready to be spoken.
	Spoken  string `json:"spoken,omitempty" jsonschema:"The best result in two sentences, to be said as it is."`
	Query   string `json:"query"`
	Count   int    `json:"count"`
	Results []Hit  `json:"results"`
	// Hint suggests what to do if nothing was found.
	Hint string `json:"hint,omitempty"`
}

// Hit is one rule found.
type Hit struct {
	ID       string  `json:"id"`
	Category string  `json:"category"`
	Name     string  `json:"name"`
	Summary  string  `json:"summary"`
	Score    float64 `json:"score" jsonschema:"How well the rule fits; 1 means the query is its name."`
}

func (d desk) searchRules(ctx context.Context, a searchArgs) (SearchResult, error) {
	a.Query = strings.TrimSpace(a.Query)
	conditions, err := a.structured()
	switch {
	case err != nil:
		return SearchResult{}, fmt.Errorf("%w: %w", mcp.ErrInvalidArguments, err)
	case a.Query == "":
		return SearchResult{}, fmt.Errorf("%w: query must not be empty", mcp.ErrInvalidArguments)
	case len(a.Query) > maxQuery:
		return SearchResult{}, fmt.Errorf("%w: query is longer than %d bytes; ask with a few keywords", mcp.ErrInvalidArguments, maxQuery)
	}
	res := SearchResult{Query: a.Query, Results: []Hit{}}
	set := d.chosen(ctx)
	if strings.TrimSpace(a.System) != "" {
		set = d.book.ofSystem(a.System)
	}
	if set == nil {
		res.Hint = fmt.Sprintf("there are no rules for that system; there are those of %s", strings.Join(d.book.Systems(), ", "))
		return res, nil
	}
	lib, err := set.load()
	if err != nil {
		return SearchResult{}, err
	}
	rest, more, unknown := extractConditions(a.Query, lib.index().known)
	res.Results = lib.search(rest, append(conditions, more...))
	res.Count = len(res.Results)
	switch {
	case len(unknown) > 0:
		res.Hint = fmt.Sprintf("no rule has a figure %q; there are %s", unknown[0], strings.Join(lib.index().keys, ", "))
	case res.Count == 0:
		res.Hint = "nothing found; try the rule's name or other keywords"
	}
	if res.Count > 0 {
		res.Spoken = speakable(res.Results[0])
	}
	return res, nil
}

// getRule returns a rule in full.
func (d desk) getRule(ctx context.Context, args string) (string, error) {
	a, err := tools.Decode[getArgs](ctx, args)
	if err != nil {
		return "", err
	}
	id := strings.ToLower(strings.TrimSpace(a.ID))
	switch {
	case id == "":
		return "", fmt.Errorf("%w: id must not be empty; find ids with search_rules", mcp.ErrInvalidArguments)
	case len(id) > maxQuery:
		return "", fmt.Errorf("%w: no rule has an id that long; find ids with search_rules", mcp.ErrInvalidArguments)
	}
	set := d.chosen(ctx)
	lib, err := set.load()
	if err != nil {
		return "", err
	}
	if i, ok := lib.byID[id]; ok {
		return encodeRule(&lib.rules[i])
	}
	for _, other := range d.book.sets {
		if there, err := other.load(); other != set && err == nil {
			if i, ok := there.byID[id]; ok {
				return encodeRule(&there.rules[i])
			}
		}
	}
	near := lib.nearest(id)
	if len(near) == 0 {
		return "", fmt.Errorf("%w: there is no rule %q; find ids with search_rules", mcp.ErrInvalidArguments, id)
	}
	return "", fmt.Errorf("%w: there is no rule %q; did you mean %s?", mcp.ErrInvalidArguments, id, strings.Join(near, ", "))
}

// encodeRule returns a rule as JSON, with its block of figures under the name of its category.
func encodeRule(r *rule) (string, error) {
	text, err := tools.Encode(r)
	if err != nil || len(r.Block) == 0 {
		return text, err
	}
	return text[:len(text)-1] + `,"` + r.Category + `":` + string(r.Block) + "}", nil
}

// ruleSchema returns the schema of get_rule's result. It only says that there may be a block of figures,
// because the keys in it depend on the book.
func ruleSchema() map[string]any {
	schema := tools.SchemaOf[rule](tools.Bounds{
		"category": {"enum": categories()}, "spell.level": {"minimum": 0, "maximum": maxSpellLevel},
	})
	properties, _ := schema["properties"].(map[string]any)
	for category := range blocks() {
		properties[category] = map[string]any{"type": "object", "description": "The figures of a rule of category " + category + "."}
	}
	return schema
}

// knownSystem reports whether s is one of the spellings of the built-in system's name.
func knownSystem(s string) bool {
	switch systemKey(s) {
	case "dnd5e", "dnd", "dd5e", "dd", "5e", "srd", "srd5e", "dnd5esrd":
		return true
	}
	return strings.TrimSpace(s) == ""
}

// systemKey folds the name of a system. Names that are too long are rejected.
func systemKey(s string) string {
	if len(s) > 64 {
		return "?"
	}
	var key strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			key.WriteRune(r)
		}
	}
	return key.String()
}
