package offline

import (
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// planCalls maps intents to calls of offered tools. missing are the intents without an offered tool.
func (t *turn) planCalls(intents []intent) (calls []llm.ToolCall, missing []intent) {
	seen := map[string]bool{}
	for _, i := range intents {
		tool, args := t.chooseTool(i)
		if tool == "" {
			missing = append(missing, i)
			continue
		}
		if key := tool + args; !seen[key] || i.kind == wantDice {
			seen[key] = true
			calls = append(calls, t.newCall(len(calls), tool, args))
		}
	}
	return calls, missing
}

func (t *turn) newCall(n int, tool, args string) llm.ToolCall {
	return llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", len(t.req.Messages), n), Name: tool, Arguments: args}
}

// option is a tool that may serve an intent.
type option struct {
	tool string
	args map[string]any
}

// chooseTool returns the first offered tool that serves i.
func (t *turn) chooseTool(i intent) (tool, args string) {
	if i.kind == wantTool {
		if i.tool == "" || t.offered[i.tool] == nil {
			return "", ""
		}
		return i.tool, i.args
	}
	for _, o := range t.toolOptions(i) {
		if t.offered[o.tool] != nil {
			return o.tool, encode(o.args)
		}
	}
	return "", ""
}

// toolOptions lists the tools that can serve an intent, best first.
func (t *turn) toolOptions(i intent) []option {
	query := map[string]any{"query": i.text}
	summary := option{"get_summary", map[string]any{"entity_id": slug(i.text)}}
	entities := option{"query_entities", map[string]any{"name": i.text}}
	switch i.kind {
	case wantDice:
		return []option{{"roll", map[string]any{"expression": i.text}}}
	case wantTable:
		return []option{{"roll_table", map[string]any{"table_name": i.text}}}
	case wantRule:
		out := []option{{"search_rules", query}}
		if known := knownRule(tokenize(i.text)); known.id != "" {
			out = append(out, option{"get_rule", map[string]any{"id": known.id}})
		}
		return out
	case wantRecall:
		query["query"] = t.recallQuery(i.text)
		return []option{{"investigate", map[string]any{"question": query["query"]}}, {"search_sessions", query}, {"search_facts", query}}
	case wantEverything:
		if isSlug(i.text) {
			return []option{summary, entities}
		}
		return []option{entities, summary, {"search_facts", query}}
	case wantEntity:
		return []option{entities, summary, {"search_facts", query}}
	case wantWrite:
		return []option{{"write_file", map[string]any{"path": i.path, "content": i.text}}}
	case wantRead:
		return []option{{"read_file", map[string]any{"path": i.path}}}
	}
	return nil
}

// recallQuery returns the text to search for. A question without a topic ("what happened last time?") uses
// the words of the players' latest lines.
func (t *turn) recallQuery(text string) string {
	if text != "" {
		return text
	}
	var content []string
	for _, said := range t.said[:min(len(t.said), 3)] {
		for _, k := range tokenize(said) {
			if !recallNoise[k.fold] && len(content) < 8 {
				content = append(content, said[k.start:k.end])
			}
		}
	}
	if len(content) == 0 {
		return t.text
	}
	return strings.Join(content, " ")
}

// isServed reports whether a tool called in this turn serves i.
func (t *turn) isServed(i intent) bool {
	if i.kind == wantTool {
		return t.called[i.tool]
	}
	for _, o := range t.toolOptions(i) {
		if t.called[o.tool] {
			return true
		}
	}
	return false
}

// declineIntents returns a line that declines the requests without claiming anything.
func (t *turn) declineIntents(missing []intent) string {
	for _, i := range missing {
		switch i.kind {
		case wantRule, wantRecall, wantEntity, wantEverything:
			continue
		}
		return t.refuse(i)
	}
	for _, i := range missing {
		if i.kind == wantRule {
			return t.declineAs(talkRules, lineUnknown)
		}
	}
	p := t.planTalk()
	p.opening = "" // do not answer a greeting here
	if text, ok := lastResort(t, p); ok {
		return text
	}
	return t.pickLine(lineUnknown, "")
}

// refuse returns a line that declines an action by its kind.
func (t *turn) refuse(i intent) string {
	switch i.kind {
	case wantDice, wantTable:
		return t.declineAs(talkRoll, lineRefusal)
	case wantWrite:
		return t.declineAs(talkNoteWrite, lineRefusal)
	case wantRead:
		return t.declineAs(talkNotesRead, lineRefusal)
	}
	return t.pickLine(lineRefusal, "")
}

// declineAs returns a line of the NPC's topics for an intent, or of its own for an occasion, or a default
// line.
func (t *turn) declineAs(intent, occasion string) string {
	sources := t.topicLines(intent)
	for _, o := range append([]string{occasion}, substitutes[occasion]...) {
		sources = append(sources, t.ownLines(o))
	}
	return t.pickFrom(append(sources, stockLines(t.lang, intent), stockLines(t.lang, occasion))...)
}

// followUpCalls returns the calls that follow from a result, such as fetching the rule that a search found,
// or the summary of an entity found by name. No tool is called twice in a turn.
func (t *turn) followUpCalls() []llm.ToolCall {
	last := t.results[len(t.results)-1]
	if failureReason(last.content) != "" {
		return nil
	}
	top := ""
	if list := recordsOf(last.content); len(list) > 0 {
		top = list[0].text("id")
	}
	var calls []llm.ToolCall
	ask := func(tool string, args map[string]any) {
		if t.offered[tool] != nil && !t.called[tool] {
			calls = append(calls, t.newCall(len(calls), tool, encode(args)))
		}
	}
	switch {
	case last.tool == "search_rules" && top != "":
		ask("get_rule", map[string]any{"id": top})
	case last.tool == "query_entities" && top != "" && t.wantsKind(wantEverything):
		ask("get_summary", map[string]any{"entity_id": top})
	case last.tool == "query_entities" && top == "":
		for _, i := range t.findIntents() {
			if i.kind == wantEntity || i.kind == wantEverything {
				ask("search_facts", map[string]any{"query": i.text})
				break
			}
		}
	case last.tool == "search_sessions" && top == "" && len(answersOf(last.content)) == 0:
		for _, i := range t.findIntents() {
			if i.kind == wantRecall {
				ask("search_facts", map[string]any{"query": t.recallQuery(i.text)})
				break
			}
		}
	}
	return calls
}

func (t *turn) wantsKind(k kind) bool {
	for _, i := range t.findIntents() {
		if i.kind == k {
			return true
		}
	}
	return false
}
