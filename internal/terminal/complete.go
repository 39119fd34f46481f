package terminal

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// orderWords are the words that may follow an order and its NPC.
var orderWords = map[string][]string{
	"/guests":    {"remove", "link"},
	"/listening": {"eager", "attentive", "called_only"},
	"/approve":   {"yes", "no"},
	"/memory":    {"yes", "no", "drop", "list", "mentions", "erase"},
	"/undo":      {"list"},
	"/timing":    {"on", "off"},
	"/raise":     {"standard", "deep"},
	"/lower":     {"fast", "standard"},
	"/reveal":    {"all"},
}

// maxNameWords bounds the words before the cursor that may begin a name.
const maxNameWords = 4

// completer returns the completion for a table's input.
func completer(game *play.Game) func(string) (int, []string) {
	return func(text string) (int, []string) {
		var names []string
		for _, n := range game.Cast() {
			names = append(names, n.Name)
			names = append(names, n.Aliases...)
		}
		return complete(text, names)
	}
}

// complete returns completions for the end of text, starting at byte from: orders, names, and arguments of
// orders.
func complete(text string, names []string) (from int, all []string) {
	word, _, behind := strings.Cut(text, " ")
	if strings.HasPrefix(text, "/") && !behind {
		eachOrder(func(o order) bool {
			all = appendFitting(all, text, o.word, " ")
			return true
		})
		return 0, all
	}
	o, isOrder := findOrder(word)
	isOrder = isOrder && strings.HasPrefix(word, "/")
	last := strings.LastIndexByte(text, ' ') + 1
	switch {
	case isOrder && o.word == "/help":
		eachOrder(func(o order) bool {
			all = appendFitting(all, text[last:], strings.TrimPrefix(o.word, "/"), "")
			return true
		})
		return last, all
	case isOrder && !strings.Contains(o.args, "NPC"):
		return last, fitting(text[last:], orderWords[o.word])
	}
	end := " "
	if !isOrder {
		end = ""
	}
	starts := []int{0}
	for i := range text {
		if text[i] == ' ' {
			starts = append(starts, i+1)
		}
	}
	if isOrder {
		starts = starts[1:]
	}
	starts = starts[max(0, len(starts)-maxNameWords):]
	for _, from := range starts { // the longest text that begins a name
		if text[from:] == "" && !isOrder {
			continue // nothing typed yet
		}
		sep := end
		if from == 0 {
			sep = ", "
		}
		for _, name := range names {
			all = appendFitting(all, text[from:], name, sep)
		}
		if isOrder && from == len(word)+1 && o.forAll() {
			all = appendFitting(all, text[from:], "all", sep)
		}
		if isOrder && from == last && from > len(word)+1 {
			all = append(all, fitting(text[from:], orderWords[o.word])...)
			all = slices.DeleteFunc(all, func(c string) bool { return text[from:] == "" && strings.HasSuffix(c, " ") })
		}
		if len(all) > 0 {
			return from, all
		}
	}
	return len(text), nil
}

// fitting returns the words that begin with the typed text.
func fitting(typed string, words []string) (all []string) {
	for _, w := range words {
		all = appendFitting(all, typed, w, "")
	}
	return all
}

// appendFitting appends a word and its suffix if the word begins with the typed text.
func appendFitting(all []string, typed, word, then string) []string {
	if len(typed) > len(word) || !strings.EqualFold(word[:len(typed)], typed) || slices.Contains(all, word+then) {
		return all
	}
	return append(all, word+then)
}
