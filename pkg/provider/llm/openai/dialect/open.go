package dialect

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// openMarkup handles markup that begins at buf[i:]. If there is none, it returns how many bytes are certainly
// speech.
func (r *Reader) openMarkup(i int, final bool) (int, verdict) {
	rest, p := r.buf[i:], r.placeAt(i)
	if p.row {
		if n, v := r.openPhrase(i, p, final); v != no {
			return n, v
		}
	}
	switch c := rest[0]; {
	case c == '<', c == flower:
		return r.openMark(i, p, final)
	case c == '[':
		if n, v := r.openMark(i, p, final); v != no {
			return n, v
		}
		return r.openBare(i, final)
	case c == '{':
		return r.openBare(i, final)
	case c == '`':
		return r.openFence(i, final)
	case c == 'a' && r.harmony:
		if n, v := r.openHarmonyWord(i, final); v != no {
			return n, v
		}
	}
	if p.word {
		return r.openWord(i, final)
	}
	return 0, no
}

// openMark handles tags and control tokens.
func (r *Reader) openMark(i int, p place, final bool) (int, verdict) {
	rest := r.buf[i:]
	m, v := readMark(rest, final)
	if v == no {
		return r.openToolTag(i, final)
	}
	if v == wait {
		return 0, wait
	}
	switch m.kind {
	case thought:
		if m.ends && !r.opened {
			r.habits.state.Store(unopened) // what precedes it was a thought
		}
		if !m.ends {
			r.opened = true
			return r.enter(i, m.size, block{ends: untilThoughtEnds, done: r.endThought})
		}
	case call:
		if !m.ends && strings.HasSuffix(m.attr, "/") {
			r.pass(i)
			r.addCalls(rest[:m.size])
			r.drop(m.size)
			return 0, yes
		}
		if !m.ends {
			return r.enter(i, m.size, block{ends: untilMark(m.name), done: r.endCall})
		}
	case result:
		if !m.ends {
			return r.enter(i, m.size, block{ends: untilMark(m.name)})
		}
	case turnHead, turnEnd, assist:
		return r.openTurn(i, m, p, final)
	case channel:
		if !m.ends {
			return r.openChannel(i, m.size, final)
		}
	case to:
		return r.openRecipient(i, m.size, final)
	}
	return r.remove(i, m.size)
}

// openToolTag handles a tag with the name of a tool, as in <roll><expression>d20</expression></roll>.
func (r *Reader) openToolTag(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	if rest[0] != '<' {
		return 0, no
	}
	for name := range r.tools {
		open := "<" + name
		if len(rest) <= len(open) && strings.HasPrefix(open, rest) {
			if !final {
				return 0, wait
			}
			continue
		}
		after, ok := strings.CutPrefix(rest, open)
		if !ok || !strings.ContainsRune(" />\n", rune(after[0])) {
			continue
		}
		end := strings.IndexByte(after, '>')
		switch {
		case end < 0 && len(after) < longestBare:
			return 0, waitUnless(final)
		case end < 0:
			return 0, no
		case end > 0 && after[end-1] == '/':
			r.pass(i)
			r.calls = append(r.calls, r.tools.fromElement(name, after[:end], ""))
			r.drop(len(open) + end + 1)
			return 0, yes
		}
		closing := "</" + name + ">"
		return r.enter(i, len(open)+end+1, block{ends: untilText(closing), done: func(content string, _ bool) {
			r.calls = append(r.calls, r.tools.fromElement(name, after[:end], content[len(open)+end+1:]))
		}})
	}
	return 0, no
}

// strangers are the authors whose messages a model must not write.
var strangers = []string{"user", "human", "system", "developer", "tool", "ipython", "environment", "observation", "function", "inst", "system_prompt"}

// openTurn handles the control tokens between messages.
func (r *Reader) openTurn(i int, m mark, p place, final bool) (int, verdict) {
	rest := r.buf[i+m.size:]
	switch {
	case m.name == "s" && m.ends && r.struck, m.name == "s" && !m.ends && !p.start:
		r.struck = !m.ends // <s> is also HTML
		return m.size, no
	case m.name == "s" && !m.ends:
		return r.remove(i, m.size)
	case slices.Contains(strangers, strings.TrimSuffix(m.name, "_token")):
		return r.finish(i)
	case m.kind == turnEnd && m.name == "end", m.kind == turnEnd && r.harmony && m.name == "call":
		// In the harmony format, another message may follow.
		return r.enter(i, m.size, block{ends: untilMessage})
	case m.kind == turnEnd || m.ends, m.kind == assist:
		if !p.start {
			return r.finish(i)
		}
		return r.remove(i, m.size)
	}
	blank := len(rest) - len(strings.TrimLeft(rest, " \n"))
	size := blank + identifier(rest[blank:])
	if size == len(rest) && !final {
		return 0, wait
	}
	role := strings.ToLower(rest[blank:size])
	message := m.name == "start" || m.name == "from"
	if slices.Contains(strangers, role) || !p.start && !message {
		return r.finish(i)
	}
	if message && strings.HasPrefix(rest[size:], " ") || message && strings.HasPrefix(rest[size:], "<|") {
		// <|start|>assistant to=functions.roll<|channel|>commentary
		header, n, v := cutHeader(rest[size:], final, "<|channel|>", "<|message|>")
		if v == wait {
			return 0, wait
		}
		if v == yes && strings.Contains(header, "to=") {
			_, r.recipient, _ = strings.Cut(header, "to=")
			r.recipient, _, _ = strings.Cut(strings.TrimSpace(r.recipient), " ")
			r.recipient, _, _ = strings.Cut(r.recipient, "<")
			size += n
			if strings.HasPrefix(rest[size:], "<|message|>") {
				r.pass(i)
				r.drop(m.size + size)
				return r.enterChannel(0, len("<|message|>"), "commentary", "")
			}
		}
	}
	return r.remove(i, m.size+size)
}

// identifier returns the length of the identifier at the beginning of text.
func identifier(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// longestHeader bounds the header of a message in bytes.
const longestHeader = 200

// cutHeader returns the text up to the first of ends, which n does not include.
func cutHeader(text string, final bool, ends ...string) (header string, n int, v verdict) {
	n = -1
	for _, end := range ends {
		if at := strings.Index(text[:min(len(text), longestHeader)], end); at >= 0 && (n < 0 || at < n) {
			n = at
		}
	}
	switch {
	case n >= 0:
		return text[:n], n, yes
	case len(text) < longestHeader && !final:
		return "", 0, wait
	}
	return "", 0, no
}

// openRecipient handles Functionary's <|recipient|>name<|content|>.
func (r *Reader) openRecipient(i, size int, final bool) (int, verdict) {
	header, n, v := cutHeader(r.buf[i+size:], final, "<|content|>")
	switch name := strings.TrimSpace(header); {
	case v == wait:
		return 0, wait
	case v == no, name == "all", name == "":
		return r.remove(i, size+n)
	default:
		return r.enter(i, size+n, block{ends: untilMark("from"), done: r.endCall})
	}
}

// endThought handles a thought. A model that calls a tool without ending its thought means the call.
func (r *Reader) endThought(content string, closed bool) {
	if closed {
		return
	}
	for i := 1; i < len(content); i++ { // the first mark opens the thought
		i += nextBracket(content[i:])
		if i == len(content) {
			return
		}
		if m, v := readMark(content[i:], true); v == yes && m.kind == call && !m.ends {
			r.addCalls(content[i:])
			return
		}
	}
}

func (r *Reader) endCall(content string, _ bool) { r.addCalls(content) }

// addCalls adds the calls in the content of a marked call.
func (r *Reader) addCalls(content string) {
	r.calls = append(r.calls, r.tools.parse(content)...)
}

// nextBracket returns the offset of the next byte that may begin a mark, or the length of text.
func nextBracket(text string) int {
	for i := range len(text) {
		if c := text[i]; c == '<' || c == '[' || c == flower {
			return i
		}
	}
	return len(text)
}

// untilWhere returns a function for block.ends that ends a block at the first mark that is an end. The text
// after the block begins with the mark, unless it is consumed.
func untilWhere(isEnd func(m mark) (end, consumed bool)) func(string, bool) (int, int, verdict) {
	return func(text string, final bool) (int, int, verdict) {
		for i := nextBracket(text); i < len(text); i += nextBracket(text[i:]) {
			m, v := readMark(text[i:], final)
			if v == wait {
				return i, 0, wait
			}
			if v == no {
				i++
				continue
			}
			if end, consumed := isEnd(m); consumed {
				return i, i + m.size, yes
			} else if end {
				return i, i, yes
			}
			i += m.size
		}
		return len(text), 0, wait
	}
}

// untilThoughtEnds ends a thought.
func untilThoughtEnds(text string, final bool) (int, int, verdict) {
	return untilWhere(func(m mark) (bool, bool) {
		closes := m.ends && (m.kind == thought || m.name == "details")
		return closes || endsAnswer(m), closes
	})(text, final)
}

// endsAnswer reports whether no markup can go on after m.
func endsAnswer(m mark) bool {
	switch m.kind {
	case turnEnd, channel:
		return true
	case turnHead:
		return m.name != "s" || m.ends
	}
	return false
}

// untilMark ends a block at the mark that closes name. Whether the name is in the plural does not matter.
func untilMark(name string) func(string, bool) (int, int, verdict) {
	singular := strings.TrimSuffix(name, "s")
	return untilWhere(func(m mark) (bool, bool) {
		closes := m.ends && strings.TrimSuffix(m.name, "s") == singular
		return closes || endsAnswer(m) || m.kind == result && !m.ends || m.kind == ignored && m.name == "return", closes
	})
}

// untilMessage ends what follows a message in the harmony format.
func untilMessage(text string, final bool) (int, int, verdict) {
	return untilWhere(func(m mark) (bool, bool) {
		return m.kind == channel && !m.ends || m.kind == turnHead && m.name == "start" && !m.ends, false
	})(text, final)
}

// untilText ends a block at the first of some texts. A text that begins with a line break belongs to what
// follows.
func untilText(ends ...string) func(string, bool) (int, int, verdict) {
	return func(text string, _ bool) (int, int, verdict) {
		first, size, longest := -1, 0, 0
		for _, end := range ends {
			longest = max(longest, len(end))
			if at := strings.Index(text, end); at >= 0 && (first < 0 || at < first) {
				first, size = at, len(end)
				if end[0] == '\n' {
					size = 1
				}
			}
		}
		if first < 0 {
			return max(0, len(text)-longest), 0, wait
		}
		return first, first + size, yes
	}
}

// openFence handles code between three backticks.
func (r *Reader) openFence(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	ticks := len(rest) - len(strings.TrimLeft(rest, "`"))
	if ticks == len(rest) && ticks <= 3 {
		return ticks, waitUnless(final)
	}
	if ticks != 3 {
		return ticks, no
	}
	size := 3 + identifier(rest[3:])
	if size == len(rest) && !final {
		return 0, wait
	}
	k, known := fences[strings.ToLower(rest[3:size])]
	switch {
	case !known:
		return size, no
	case k == result:
		return r.enter(i, size, block{ends: untilText("```")})
	case k == call:
		return r.enter(i, size, block{ends: untilText("```"), done: r.endCall})
	case len(r.tools) == 0:
		return size, no
	}
	body := strings.TrimLeft(rest[size:], " \t\r\n")
	if body == "" {
		return size, waitUnless(final)
	}
	if language := rest[3:size]; language != "python" && language != "py" { // a program may begin with anything
		if v := r.tools.mayCall(body, final); v != yes {
			return size, v
		}
	}
	end := strings.Index(body, "```")
	if end < 0 {
		if !final && len(body) < longestBare {
			return 0, wait
		}
		end = len(body)
	}
	calls := r.tools.parse(body[:end])
	if !r.tools.knowsAll(calls) {
		return size, no
	}
	r.pass(i)
	r.calls = append(r.calls, calls...)
	r.drop(min(len(rest), len(rest)-len(body)+end+3))
	return 0, yes
}

// openBare handles JSON and lists of calls, [roll(expression="d20")].
func (r *Reader) openBare(i int, final bool) (int, verdict) {
	if len(r.tools) == 0 {
		return 0, no
	}
	rest := r.buf[i:]
	if v := r.tools.mayCall(rest, final); v != yes {
		return 0, v
	}
	return r.openCode(i, 0, final)
}

// openCode handles an unmarked call whose first bracket is at or after buf[i+from:].
func (r *Reader) openCode(i, from int, final bool) (int, verdict) {
	rest := r.buf[i:]
	size := balanced(rest, from)
	if size == 0 {
		if !final && len(rest) < longestBare {
			return 0, wait
		}
		size = len(rest)
	}
	calls := r.tools.parse(rest[:size])
	if !r.tools.knowsAll(calls) {
		return 0, no
	}
	r.pass(i)
	r.calls = append(r.calls, calls...)
	r.drop(size)
	return 0, yes
}

// balanced returns the length of the text up to the bracket that closes the first one after from, or 0.
func balanced(text string, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && depth > 0:
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// openWord handles calls written as code, such as roll(expression="d20") and roll{"expression": "d20"}.
func (r *Reader) openWord(i int, final bool) (int, verdict) {
	if len(r.tools) == 0 {
		return 0, no
	}
	rest := r.buf[i:]
	n, v := r.tools.codeCall(rest, final)
	if v != yes {
		return 0, v
	}
	return r.openCode(i, n, final)
}

// openPhrase handles the phrases of the table.
func (r *Reader) openPhrase(i int, p place, final bool) (int, verdict) {
	rest := r.buf[i:]
	for _, f := range phrases {
		if !p.start && !f.anyRow {
			continue
		}
		if len(rest) < len(f.text) && strings.HasPrefix(f.text, rest) && !final {
			return 0, wait
		}
		if !strings.HasPrefix(rest, f.text) {
			continue
		}
		if n, v := f.act(r, i, final); v != no {
			return n, v
		}
	}
	return 0, no
}

// thinkFrom returns a phrase's action for a thought up to one of some texts.
func thinkFrom(phrase string, ends ...string) func(*Reader, int, bool) (int, verdict) {
	return func(r *Reader, i int, _ bool) (int, verdict) {
		return r.enter(i, len(phrase), block{ends: untilText(ends...), done: r.endThought})
	}
}

// reasoningSteps handles the reasoning of Apriel, which a mark ends.
func (r *Reader) reasoningSteps(i int, _ bool) (int, verdict) {
	r.opened = true
	return r.enter(i, len("Here are my reasoning steps:"), block{ends: untilThoughtEnds, done: r.endThought})
}

// dropPhrase returns a phrase's action that removes only the phrase.
func dropPhrase(phrase string) func(*Reader, int, bool) (int, verdict) {
	return func(r *Reader, i int, _ bool) (int, verdict) { return r.remove(i, len(phrase)) }
}

// planLine handles the plan of Command-R, which an action follows.
func (r *Reader) planLine(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		if final || len(rest) > longestCut {
			return 0, no
		}
		return 0, wait
	}
	next := strings.TrimLeft(rest[end:], " \r\n")
	switch {
	case strings.HasPrefix(next, "Action:"):
		return r.remove(i, len(rest)-len(next))
	case strings.HasPrefix("Action:", next):
		return 0, waitUnless(final)
	}
	return 0, no
}

// actionAfter returns the action of a phrase that a call follows, as with Command-R, ReAct and NexusRaven.
func actionAfter(phrase string) func(*Reader, int, bool) (int, verdict) {
	return func(r *Reader, i int, final bool) (int, verdict) {
		rest := r.buf[i:]
		body := strings.TrimLeft(rest[len(phrase):], " \t\r\n")
		from := len(rest) - len(body)
		switch {
		case strings.HasPrefix(body, "```"):
			return r.enter(i, from+3, block{ends: untilText("```"), done: func(content string, _ bool) { r.addCalls(content[from:]) }})
		case strings.HasPrefix("```", body):
			return 0, waitUnless(final)
		case len(r.tools) == 0:
			return 0, no
		}
		if v := r.tools.mayCall(body, final); v == wait {
			return 0, wait
		} else if v == yes {
			return r.remove(i, from) // the call is read next
		}
		return r.openInput(i, from, final)
	}
}

// inputs precede a tool's input.
var inputs = []string{"Action Input:", "Tool Input:", "Input:", "Arguments:", "Parameters:"}

// openInput handles a tool's name at buf[i+from:] with its input on the next line.
func (r *Reader) openInput(i, from int, final bool) (int, verdict) {
	body := r.buf[i+from:]
	size := identifier(body)
	name := body[:size]
	if size == len(body) {
		return 0, waitUnless(final)
	}
	after := strings.TrimLeft(body[size:], " \t\r\n")
	if !r.tools.has(name) {
		return 0, no
	}
	for _, input := range inputs {
		if strings.HasPrefix(input, after) && len(after) < len(input) && !final {
			return 0, wait
		}
		if !strings.HasPrefix(after, input) {
			continue
		}
		return r.enter(i, len(r.buf)-i-len(after)+len(input), block{ends: untilText("\nObservation:", "\nThought:"), done: func(content string, _ bool) {
			_, text, _ := strings.Cut(content, input)
			name := r.tools.resolve(name)
			r.calls = append(r.calls, Call{name, r.tools.input(name, text)})
		}})
	}
	return 0, no
}

// recipientLine handles Functionary's lines, >>>all and >>>roll.
func (r *Reader) recipientLine(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	size := 3 + identifier(rest[3:])
	switch {
	case size == len(rest) && !final:
		return 0, wait
	case size == 3, size == len(rest), rest[size] != '\n':
		return 0, no
	case rest[3:size] == "all":
		return r.remove(i, size+1)
	}
	return r.enter(i, size, block{ends: untilText("\n>>>"), done: r.endCall})
}

// functools handles the list of calls of Phi-4 and Firefunction.
func (r *Reader) functools(i int, _ bool) (int, verdict) {
	return r.enter(i, len("functools"), block{ends: untilMark("functools"), done: r.endCall})
}

// firstRune returns the first rune of text, or 0.
func firstRune(text string) rune {
	if text == "" {
		return 0
	}
	c, _ := utf8.DecodeRuneInString(text)
	return c
}
