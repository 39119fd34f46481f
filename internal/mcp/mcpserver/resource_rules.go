package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

// rules is the source of rules. It is safe for concurrent use.
type rules interface {
	// Rules lists all rules, ordered by id. The caller must not modify the list.
	Rules(ctx context.Context) ([]RuleResource, error)
	// Rule returns one rule in full, as a JSON object, or [ErrUnknownResource].
	Rule(ctx context.Context, id string) (json.RawMessage, error)
	// Search returns the rules that fit a question best, best first.
	Search(ctx context.Context, question string) ([]RuleResource, error)
}

// RuleResource is a rule in short.
type RuleResource struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Name     string `json:"name"`
	Summary  string `json:"summary"`
}

type rulesDoc struct {
	Count int        `json:"count"`
	Rules []ruleCard `json:"rules"`
}

type ruleCard struct {
	RuleResource
	URI string `json:"uri"`
}

func (l *Library) rules(ctx context.Context) (rulesDoc, error) {
	all, err := l.src.Rules.Rules(ctx)
	doc := rulesDoc{Count: len(all), Rules: make([]ruleCard, len(all))}
	for i, r := range all {
		doc.Rules[i] = ruleCard{r, RuleURI(r.ID)}
	}
	return doc, err
}

// RuleReader reads rules through the lookup tools, so that documents and tools always agree. It is safe for
// concurrent use.
type RuleReader struct {
	search, get tools.Handler
	book        *ruleslookup.Book
}

// NewRuleReader returns a reader for the rules of book.
func NewRuleReader(book *ruleslookup.Book) *RuleReader {
	b := &RuleReader{book: book}
	for _, t := range ruleslookup.NewTools(book) {
		switch t.Definition.Name {
		case "search_rules":
			b.search = t.Handler
		case "get_rule":
			b.get = t.Handler
		}
	}
	return b
}

// Rules lists all rules, ordered by id.
func (b *RuleReader) Rules(context.Context) ([]RuleResource, error) {
	list, err := b.book.List()
	out := make([]RuleResource, len(list))
	for i, r := range list {
		out[i] = RuleResource(r)
	}
	return out, err
}

// Rule returns the answer of get_rule, or [ErrUnknownResource].
func (b *RuleReader) Rule(ctx context.Context, id string) (json.RawMessage, error) {
	text, err := callTool(ctx, b.get, map[string]string{"id": id})
	if errors.Is(err, mcp.ErrInvalidArguments) {
		return nil, ErrUnknownResource
	}
	if err != nil {
		return nil, err
	}
	var found RuleResource
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("decoding a rule: %w", err)
	}
	if found.ID != id {
		return nil, ErrUnknownResource // the tool tolerates misspellings, an address does not
	}
	return json.RawMessage(text), nil
}

// maxQuestion bounds the question passed to search_rules, in bytes.
const maxQuestion = 1000

// Search returns the results of search_rules. It cuts a long question to maxQuestion; a blank one finds
// nothing.
func (b *RuleReader) Search(ctx context.Context, question string) ([]RuleResource, error) {
	question = strings.TrimSpace(strings.ToValidUTF8(question[:min(len(question), maxQuestion)], ""))
	if question == "" {
		return nil, nil
	}
	text, err := callTool(ctx, b.search, map[string]string{"query": question})
	if err != nil {
		return nil, err
	}
	var found struct {
		Results []RuleResource `json:"results"`
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("decoding found rules: %w", err)
	}
	return found.Results, nil
}

func callTool(ctx context.Context, h tools.Handler, args map[string]string) (string, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	return h(ctx, string(text))
}
