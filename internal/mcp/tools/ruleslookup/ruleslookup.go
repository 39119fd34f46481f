// Package ruleslookup holds the tools that look up game rules: search_rules,
// a ranked search that understands questions and typing errors, and get_rule,
// which returns one rule in full.
//
// Imported by internal/app. It reads its data once, from an fs.FS, and keeps
// it in memory; after that it only computes. One game system is known: dnd5e.
package ruleslookup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// system is the only game system the data set covers.
	system = "dnd5e"

	// maxResults is how many rules one search returns at most. More would cost
	// a model more reading time than they are worth.
	maxResults = 5

	// maxQuery bounds a query, in bytes. A spoken question is far shorter.
	maxQuery = 1000

	// cacheSeconds is how long results stay valid: the data never changes
	// while the process runs.
	cacheSeconds = 3600
)

// NewTools returns search_rules and get_rule over book. If the book was made by
// [Lazy] and is not loaded yet, the first call loads it; call [Book.Warm] in the
// background to spare that call the wait.
func NewTools(book *Book) []tools.Tool {
	return []tools.Tool{searchTool(book), getTool(book)}
}

func searchTool(book *Book) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "search_rules",
			Description: "Search the game rules (conditions, combat, spells, general rules) by keywords or a question. " +
				"Returns up to 5 rules with id, name and a one-line summary, best first. " +
				"Call get_rule with an id for the full text.",
			Parameters: object([]string{"query"}, map[string]any{
				"query": map[string]any{
					"type": "string", "minLength": 1, "maxLength": maxQuery,
					"description": `Keywords or a question, e.g. "grappling" or "what does blinded do".`,
				},
				"system": map[string]any{
					"type":        "string",
					"description": `Game system to search, e.g. "dnd5e". Leave out to search all.`,
				},
			}),
			EstimatedDurationMs: 30,
			MaxDurationMs:       100,
			Idempotent:          true,
			CacheableSeconds:    cacheSeconds,
		},
		Handler: func(ctx context.Context, args string) (string, error) {
			return handleSearch(ctx, book, args)
		},
		DeclaredP50:  30,
		DeclaredMax:  100,
		Title:        "Search rules",
		Permission:   "rules.read",
		OutputSchema: searchSchema(),
		ReadOnly:     true,
		Floor:        mcp.BudgetStandard,
		Probe:        `{"query":"blinded"}`,
		Inline:       book.loaded(),
	}
}

func getTool(book *Book) tools.Tool {
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "get_rule",
			Description: "Get one game rule in full by its id, such as \"condition-blinded\" or \"spell-fireball\". " +
				"Use search_rules first to find the id.",
			Parameters: object([]string{"id"}, map[string]any{
				"id": map[string]any{
					"type": "string", "minLength": 1, "maxLength": maxQuery,
					"description": `The rule's id, e.g. "condition-blinded" or "spell-fireball".`,
				},
			}),
			EstimatedDurationMs: 5,
			MaxDurationMs:       20,
			Idempotent:          true,
			CacheableSeconds:    cacheSeconds,
		},
		Handler: func(ctx context.Context, args string) (string, error) {
			return handleGet(ctx, book, args)
		},
		DeclaredP50:  5,
		DeclaredMax:  20,
		Title:        "Get rule",
		Permission:   "rules.read",
		OutputSchema: ruleSchema(),
		ReadOnly:     true,
		Floor:        mcp.BudgetFast,
		Probe:        `{"id":"condition-blinded"}`,
		Inline:       book.loaded(),
	}
}

// searchArgs is the input of search_rules.
type searchArgs struct {
	Query  string `json:"query"`
	System string `json:"system"`
}

// searchResult is the output of search_rules.
type searchResult struct {
	Query   string `json:"query"`
	Count   int    `json:"count"`
	Results []hit  `json:"results"`
	// Hint says how to go on when nothing was found.
	Hint string `json:"hint,omitempty"`
}

// hit is one rule found.
type hit struct {
	ID       string  `json:"id"`
	Category string  `json:"category"`
	Name     string  `json:"name"`
	Summary  string  `json:"summary"`
	Score    float64 `json:"score"`
}

func handleSearch(ctx context.Context, book *Book, args string) (string, error) {
	var a searchArgs
	if err := decode(ctx, args, &a); err != nil {
		return "", err
	}
	a.Query = strings.TrimSpace(a.Query)
	switch {
	case a.Query == "":
		return "", fmt.Errorf("%w: query must not be empty", mcp.ErrInvalidArguments)
	case len(a.Query) > maxQuery:
		return "", fmt.Errorf("%w: query is longer than %d bytes; ask with a few keywords", mcp.ErrInvalidArguments, maxQuery)
	}
	res := searchResult{Query: a.Query, Results: []hit{}}
	if !knownSystem(a.System) {
		res.Hint = fmt.Sprintf("there are no rules for that system; the only one is %q", system)
		return encode(res)
	}
	lib, err := book.library()
	if err != nil {
		return "", err
	}
	res.Results = lib.search(a.Query)
	res.Count = len(res.Results)
	if res.Count == 0 {
		res.Hint = "nothing found; try the rule's name or other keywords"
	}
	return encode(res)
}

func handleGet(ctx context.Context, book *Book, args string) (string, error) {
	var a struct {
		ID string `json:"id"`
	}
	if err := decode(ctx, args, &a); err != nil {
		return "", err
	}
	id := strings.ToLower(strings.TrimSpace(a.ID))
	switch {
	case id == "":
		return "", fmt.Errorf("%w: id must not be empty; find ids with search_rules", mcp.ErrInvalidArguments)
	case len(id) > maxQuery:
		return "", fmt.Errorf("%w: no rule has an id that long; find ids with search_rules", mcp.ErrInvalidArguments)
	}
	lib, err := book.library()
	if err != nil {
		return "", err
	}
	if i, ok := lib.byID[id]; ok {
		return lib.entries[i].full, nil
	}
	near := lib.nearest(id)
	if len(near) == 0 {
		return "", fmt.Errorf("%w: there is no rule %q; find ids with search_rules", mcp.ErrInvalidArguments, id)
	}
	return "", fmt.Errorf("%w: there is no rule %q; did you mean %s?", mcp.ErrInvalidArguments, id, strings.Join(near, ", "))
}

// knownSystem reports whether a search limited to s covers the data set. The
// usual ways to write the system's name count; empty means no limit.
func knownSystem(s string) bool {
	if len(s) > 64 {
		return false
	}
	var key strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			key.WriteRune(r)
		}
	}
	switch key.String() {
	case "dnd5e", "dnd", "dd5e", "dd", "5e", "srd", "srd5e", "dnd5esrd":
		return true
	}
	return strings.TrimSpace(s) == ""
}

func decode(ctx context.Context, args string, into any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !utf8.ValidString(args) {
		return fmt.Errorf("%w: arguments are not valid UTF-8", mcp.ErrInvalidArguments)
	}
	if err := json.Unmarshal([]byte(args), into); err != nil {
		return fmt.Errorf("%w: %v", mcp.ErrInvalidArguments, err)
	}
	return nil
}

// encode renders v without escaping <, > and &, which a model reads better.
func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
