package offline

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// longestUtterance is the maximum length of an utterance that is considered, in runes.
const longestUtterance = 2000

// utterance is the line said to the NPC, with the data needed to interpret it.
type utterance struct {
	// text is the utterance without the NPC's own name at either end.
	text    string
	toks    []token
	speaker string
	// last is the NPC's previous line.
	last string
	// offered are the available tools, called those already called in this turn.
	offered map[string]*llm.ToolDefinition
	called  map[string]bool
}

// turn is the state of a turn, read from its request.
type turn struct {
	utterance
	req *llm.Request
	// line is the complete utterance; plain holds the words of text in plain form.
	line  line
	plain []string
	lang  language
	// results are those of the tools called in this turn, oldest first.
	results []result
	// replies is the number of the NPC's earlier lines.
	replies int
	// said are the players' earlier lines, latest first.
	said []string
	// used are the sentences the NPC said lately.
	used usedSentences
}

// result is a tool's result.
type result struct {
	tool    string
	content string
}

func newTurn(req *llm.Request) *turn {
	t := &turn{req: req, used: usedSentences{}}
	t.offered, t.called = make(map[string]*llm.ToolDefinition, len(req.Tools)), map[string]bool{}
	for i := range req.Tools {
		t.offered[req.Tools[i].Name] = &req.Tools[i]
	}
	user := len(req.Messages) - 1
	for user >= 0 && req.Messages[user].Role != llm.RoleUser {
		user--
	}
	if user >= 0 {
		m := req.Messages[user]
		t.speaker = bareName(oneLine(m.Name, 100))
		t.text = oneLine(m.Content, longestUtterance)
	}
	t.readHistory(req.Messages[:max(user, 0)])
	t.readResults(req.Messages[user+1:])
	t.toks = tokenize(t.text)
	t.lang = t.findLanguage()
	t.line = line{t.text, t.toks}
	t.dropVocative()
	t.plain = plainWords(t.toks)
	return t
}

// plainWords returns words in plain form for comparison with phrases.
func plainWords(toks []token) (plain []string) {
	for _, k := range toks[:min(len(toks), longestTalk)] {
		plain = append(plain, plainWord(k.fold))
	}
	return plain
}

// oneLine cleans untrusted text and puts it on one line.
func oneLine(s string, maxRunes int) string {
	return strings.ReplaceAll(untrusted.Line(s, maxRunes), "’", "'")
}

// bareName returns a speaker's name without the role in brackets after it.
func bareName(name string) string {
	for strings.HasSuffix(name, ")") {
		i := strings.LastIndex(name, " (")
		if i <= 0 {
			break
		}
		name = name[:i]
	}
	return name
}

// mostSaid is the maximum number of the players' earlier lines that are considered.
const mostSaid = 12

func (t *turn) readHistory(messages []llm.Message) {
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := messages[i]; {
		case m.Role == llm.RoleAssistant && m.Content != "":
			t.replies++
			if t.replies <= rememberedTurns {
				t.used.addLine(m.Content)
			}
			if t.last == "" {
				t.last = oneLine(m.Content, longestUtterance)
			}
		case m.Role == llm.RoleUser && len(t.said) < mostSaid:
			t.said = append(t.said, oneLine(m.Content, longestUtterance))
		}
	}
}

func (t *turn) readResults(messages []llm.Message) {
	names := map[string]string{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
			t.called[c.Name] = true
		}
		if m.Role != llm.RoleTool {
			continue
		}
		name := m.Name
		if name == "" {
			name = names[m.ToolCallID]
		}
		t.called[name] = true
		t.results = append(t.results, result{tool: name, content: m.Content})
	}
}

// dropVocative removes the NPC's name, and a greeting before it, from both ends: "Hey Bartok, who is Elara?"
// asks about Elara.
func (t *turn) dropVocative() {
	names := nameWords(t.req.Persona.Name)
	isName := func(k token) bool { return names[k.fold] || names[strings.TrimSuffix(k.fold, "'s")] }
	from, to := 0, len(t.toks)
	for from < to && (salutations[t.toks[from].fold] || isName(t.toks[from])) {
		from++
	}
	if from == to || !slices.ContainsFunc(t.toks[:from], isName) {
		from = 0
	}
	for to > from+1 && isName(t.toks[to-1]) && (t.toks[to-2].stop == ',' || to < len(t.toks)) {
		to--
	}
	if from == 0 && to == len(t.toks) {
		return
	}
	tail := ""
	if stop := t.toks[len(t.toks)-1].stop; stop != 0 && to < len(t.toks) {
		tail = string(stop)
	}
	end := len(t.text)
	if to < len(t.toks) {
		end = t.toks[to-1].end
	}
	t.text = t.text[t.toks[from].start:end] + tail
	t.toks = tokenize(t.text)
}

// nameWords returns the words of a name by which its bearer may be addressed.
func nameWords(name string) map[string]bool {
	out := map[string]bool{}
	for _, k := range tokenize(name) {
		if len(k.fold) > 2 && !articles[k.fold] {
			out[k.fold] = true
		}
	}
	return out
}

var salutations = wordsOf("hey hi hello hail oh ah ok okay so well listen greetings hallo he na guten tag servus moin hör ach also the der die das please bitte")
