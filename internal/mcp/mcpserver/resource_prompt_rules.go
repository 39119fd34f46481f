package mcpserver

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRules is how many rules are attached to a question.
const maxRules = 3

func (b *PromptLibrary) rulesQuestion() recipe {
	return recipe{
		name: "rules_question", title: "Answer a rules question",
		description: "Answers a question about the rules from the rules that fit it best.",
		needs:       RuleTemplate,
		arguments: []argument{
			{name: "question", title: "Question", description: "The question, as a player would ask it.", required: true},
		},
		build: b.buildRules,
	}
}

func (b *PromptLibrary) buildRules(ctx context.Context, v LibraryView, args map[string]string) ([]*sdk.PromptMessage, error) {
	found, err := b.src.Rules.Search(ctx, args["question"])
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, r := range found[:min(len(found), maxRules)] {
		uris = append(uris, RuleURI(r.ID))
	}
	messages, err := b.attachAll(ctx, v, uris)
	if err != nil {
		return nil, err
	}
	var w strings.Builder
	addQuestion(&w, "Answer this question about the rules of the game:", args["question"])
	if len(messages) > 0 {
		w.WriteString(`
- Answer from the rules in the documents and name the rule you rely on. If they do not settle it, say so, and say what a game master would usually rule.
- Begin with the answer in one sentence; give the reason after it, in at most 100 words.
- ` + attached + "\n")
	} else {
		w.WriteString(`
- No rule was found that fits. Say so, and answer from what you know only if you are sure.
- Keep to at most 100 words.
`)
	}
	w.WriteString("- " + quotedNotice + "\n")
	return append(messages, messageOf("user", strings.TrimLeft(w.String(), "\n"))), nil
}
