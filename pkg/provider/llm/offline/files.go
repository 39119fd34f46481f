package offline

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

var (
	// noteLeads precede the text to write down.
	noteLeads = patterns(
		"write|jot|put|take|get this|that|it|these? down that|how?", "write|jot|put|take|get down that|this|how?", "note down that|this|how?", "^please? note that|this|also?", "^please? remember that|this", "make|take|leave|keep|write me|us|yourself? a|quick? quick? note that|of|about|saying|to?",
		"schreib|schreibe|schreibt dir|euch|uns|mir? bitte? das|es|dies? auf dass|wie?", "notier|notiere|notiert dir|euch|uns|mir? bitte? das|es|dies? dass|wie?", "merk|merke|merkt dir|euch bitte? das|dies? dass?",
		"mach|mache|macht dir|euch|uns|mir? bitte? eine notiz dass|zu|über|von?", "halte|halt bitte? fest dass|wie?",
	)
	// filedLeads also name the file: first the text, then the file.
	filedLeads = patterns("write|save|put|add|note|append * to|in|into|on|as the|a|my|our? file|note?", "schreib|schreibe|speicher|speichere|notier|notiere * in|nach|als die|der|eine|meine|unsere? datei|notiz?")
	// framedNotes enclose the text.
	framedNotes = patterns("^bitte? schreib|schreibe|schreibt dir|euch|uns|mir? bitte? * auf$", "^please? write|jot|put * down$")

	readLeads = patterns("read|open|show|check|lies|lese|liest|öffne|zeig|zeige|vorlesen", "what's in|inside", "what is|does in|inside|say", "what does", "was steht")
	fileWords = patterns("the? file *", "die|der? datei *")
)

// findNote finds a request to write something down. It returns the index of its first token; everything after
// it belongs to the request.
func (u *utterance) findNote(toks []token) (int, intent, bool) {
	if m, ok := findMatch(filedLeads, toks); ok && m.to < len(toks) && !u.refusedBefore(toks, m.from) {
		if path := toks[m.to]; isFile(path.fold) {
			content := u.contentBetween(m.capture[0].start, m.capture[len(m.capture)-1].end)
			if content == "" || backward[strings.ToLower(content)] {
				content = u.last
			}
			if content != "" {
				return m.from, intent{kind: wantWrite, text: content, path: u.text[path.start:path.end]}, true
			}
		}
	}
	if m, ok := findMatch(framedNotes, toks); ok && len(m.capture) > 0 && !backward[span(strings.ToLower(u.text), m.capture)] {
		return m.from, u.intentToWrite(u.contentBetween(m.capture[0].start, m.capture[len(m.capture)-1].end)), true
	}
	m, ok := findMatch(noteLeads, toks)
	if !ok || u.refusedBefore(toks, m.from) || u.refusedBefore(toks[:min(m.to+1, len(toks))], m.to) {
		return 0, intent{}, false
	}
	content := ""
	if m.to < len(toks) {
		content = u.contentBetween(toks[m.to].start, toks[len(toks)-1].end)
	}
	if content == "" {
		content = u.last // "write that down" refers to the last line
	}
	if content == "" {
		return 0, intent{}, false
	}
	return m.from, u.intentToWrite(content), true
}

// backward are words that refer to the last line.
var backward = wordsOf("this that it das es dies")

func (u *utterance) refusedBefore(toks []token, at int) bool {
	return slices.ContainsFunc(toks[max(0, at-3):at], func(k token) bool { return refusing[k.fold] })
}

// contentBetween returns the text between two byte offsets, with the closing punctuation of the sentence.
func (u *utterance) contentBetween(from, to int) string {
	text := strings.Trim(u.text[from:to], " ,:;-\"'“”„")
	if to < len(u.text) && text != "" && strings.IndexByte(".!?", u.text[to]) >= 0 {
		text += u.text[to : to+1]
	}
	return text
}

// intentToWrite returns an intent to write a note to a file of its own, because write_file replaces files and
// a note must not overwrite another.
func (u *utterance) intentToWrite(content string) intent {
	name := slug(content)
	if r := []rune(name); len(r) > 32 {
		name = strings.TrimRight(string(r[:32]), "-")
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(content)) // never fails
	return intent{kind: wantWrite, text: content, path: fmt.Sprintf("notes/%s-%04x.md", strings.TrimLeft(name+"", "-"), h.Sum32()&0xffff)}
}

// findReading finds a request to read a file.
func (u *utterance) findReading(toks []token) (intent, bool) {
	m, ok := findMatch(readLeads, toks)
	if !ok {
		return intent{}, false
	}
	for _, k := range toks[m.to:] {
		if isFile(k.fold) {
			return intent{kind: wantRead, path: u.text[k.start:k.end]}, true
		}
	}
	if f, ok := findMatch(fileWords, toks[m.to:]); ok && len(f.capture) > 0 {
		k := f.capture[0]
		return intent{kind: wantRead, path: u.text[k.start:k.end]}, true
	}
	return intent{}, false
}

// isFile reports whether a word is a file name.
func isFile(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	if dot <= 0 {
		return false
	}
	switch word[dot+1:] {
	case "txt", "md", "json", "yaml", "yml", "csv", "log", "toml", "xml", "html":
		return true
	}
	return false
}
