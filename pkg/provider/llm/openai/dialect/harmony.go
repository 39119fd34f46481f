package dialect

import (
	"strings"
	"unicode"
)

// This file reads the harmony format of gpt-oss, in which an answer is a list of messages on channels:
// <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…<|return|>. Servers that
// remove the control tokens leave "analysis…assistantfinal…". Gemma 4 writes <|channel>thought…<channel|>.

// openChannel handles a channel whose token is size bytes at buf[i:].
func (r *Reader) openChannel(i, size int, final bool) (int, verdict) {
	const message = "<|message|>"
	rest := r.buf[i+size:]
	header, n, v := cutHeader(rest, final, message, "<channel|>")
	switch {
	case v == wait:
		return 0, wait
	case v == no || strings.HasPrefix(rest[n:], "<channel|>"):
		n = len(rest) - len(strings.TrimLeft(rest, " \n"))
		n += identifier(rest[n:])
		header = rest[:n]
	default:
		n += len(message)
	}
	header = strings.ReplaceAll(header, "<|constrain|>", " ")
	name, recipient := "", ""
	for _, word := range strings.Fields(header) {
		if to, ok := strings.CutPrefix(word, "to="); ok {
			recipient = to
		} else if name == "" {
			name = word
		}
	}
	return r.enterChannel(i, size+n, name, recipient)
}

// enterChannel enters a message whose header is size bytes at buf[i:].
func (r *Reader) enterChannel(i, size int, name, recipient string) (int, verdict) {
	r.harmony, r.opened = true, true
	if recipient == "" {
		recipient = r.recipient
	}
	r.recipient = ""
	switch recipient {
	case "assistant", "all", "user", "self":
		recipient = ""
	}
	b := block{ends: untilMessageEnds}
	switch {
	case recipient != "":
		b.done = func(content string, _ bool) { r.addCall(recipient, content[size:]) }
	case name == "final":
		return r.remove(i, size)
	case name == "commentary":
		// A preamble is meant for the user, but often a thought. It is spoken only if nothing else is.
		b.done = func(content string, _ bool) {
			r.preamble += strings.TrimSpace(strings.TrimPrefix(content[size:], "<|message|>"))
		}
	}
	return r.enter(i, size, b)
}

// addCall adds a call whose name stands apart from its arguments.
func (r *Reader) addCall(recipient, args string) {
	args = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(args, "<|constrain|>", ""), "<|message|>", ""))
	for _, word := range []string{"json", "code"} {
		args = strings.TrimSpace(strings.TrimPrefix(args, word))
	}
	r.calls = append(r.calls, Call{Name: r.tools.resolve(recipient), Arguments: r.tools.arguments(args)})
}

// thoughtLine handles Gemma's channel without its first token. Without the second one, the thought is usually
// empty; otherwise the last paragraph is the answer.
func (r *Reader) thoughtLine(i int, _ bool) (int, verdict) {
	const word = "thought\n"
	r.opened = true
	return r.enter(i, len(word), block{ends: untilMessageEnds, done: func(content string, closed bool) {
		if text := strings.TrimSpace(content[len(word):]); !closed {
			r.preamble = strings.TrimSpace(text[strings.LastIndex(text, "\n\n")+1:])
		}
	}})
}

// harmonyWords are the names of channels where the control tokens around them are missing.
var harmonyWords = []string{"analysis", "commentary", "final"}

const assistantWord = "assistant"

// untilMessageEnds ends a message at a control token, or where the next one begins without it.
func untilMessageEnds(text string, final bool) (int, int, verdict) {
	end, next, v := untilWhere(func(m mark) (bool, bool) {
		consumed := m.kind == turnEnd && (m.name == "end" || m.name == "call") || m.kind == channel && m.ends
		return endsAnswer(m), consumed
	})(text, final)
	limit := end // no control token ends the message before that
	for at := 0; ; {
		n := strings.Index(text[at:limit], assistantWord)
		if n < 0 {
			break
		}
		at += n
		if w := channelFollows(text[at+len(assistantWord):], final); w == yes {
			return at, at, yes
		} else if w == wait {
			return at, 0, wait
		}
		at += len(assistantWord)
	}
	if v == yes {
		return end, next, yes
	}
	return max(0, min(limit, len(text)-len(assistantWord))), 0, wait
}

// channelFollows reports whether a channel's name or a recipient follows the word "assistant".
func channelFollows(text string, final bool) verdict {
	for _, word := range append([]string{" to="}, harmonyWords...) {
		if strings.HasPrefix(text, word) {
			return yes
		}
		if strings.HasPrefix(word, text) && !final {
			return wait
		}
	}
	return no
}

// openHarmonyWord handles a channel without control tokens after speech.
func (r *Reader) openHarmonyWord(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	if len(rest) < len(assistantWord) && strings.HasPrefix(assistantWord, rest) {
		return 0, waitUnless(final)
	}
	after, ok := strings.CutPrefix(rest, assistantWord)
	if !ok {
		return 0, no
	}
	if v := channelFollows(after, final); v != yes {
		return 0, v
	}
	return r.harmonyWord(i, final)
}

// harmonyWord handles a message whose control tokens are missing, such as "analysisThe player asks",
// "assistantfinalWell met." and "commentary to=functions.roll json{}".
func (r *Reader) harmonyWord(i int, final bool) (int, verdict) {
	rest := r.buf[i:]
	text, certain := strings.CutPrefix(rest, assistantWord)
	name := ""
	for _, word := range harmonyWords {
		if after, ok := strings.CutPrefix(text, word); ok {
			name, text = word, after
			break
		}
	}
	recipient := ""
	trimmed := strings.TrimPrefix(text, " ")
	if after, ok := strings.CutPrefix(trimmed, "to="); ok {
		size := strings.IndexFunc(after, func(c rune) bool {
			return c != '_' && c != '-' && c != '.' && c != ':' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		})
		if size < 0 {
			if !final && len(after) < longestName {
				return 0, wait
			}
			size = len(after)
		}
		recipient, text, certain = r.tools.cutRecipient(after[:size]), after[size:], true
	} else if strings.HasPrefix(" to=", text) || strings.HasPrefix("to=", trimmed) {
		if !final {
			return 0, wait
		}
	}
	if text == "<" && !final {
		return 0, wait
	}
	if !certain && !beginsMessage(name, text) {
		return 0, no
	}
	return r.enterChannel(i, len(rest)-len(text), name, recipient)
}

// beginsMessage reports whether text after a channel's name is a message rather than the rest of a sentence,
// as in "final answer" and "finally".
func beginsMessage(name, text string) bool {
	first := firstRune(text)
	if strings.HasPrefix(text, "<|") { // only the first token is missing
		return true
	}
	if unicode.IsUpper(first) || strings.ContainsRune("\n\"“*'¿¡(", first) && first != 0 {
		return true
	}
	return name == "analysis" && (unicode.IsLetter(first) || unicode.IsDigit(first))
}
