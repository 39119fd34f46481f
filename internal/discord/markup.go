package discord

// This file fits texts to Discord: it splits what is too long for a
// message, shows names as they are, and turns mentions into words. It asks
// Discord nothing.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// absolutePaths are absolute paths of files, with what stands before them.
var absolutePaths = regexp.MustCompile(`(^|[\s"'(=,:\x60])(?:(?:/[^\s/"'(),:;<>\x60]+)+/|[A-Za-z]:\\(?:[^\s\\"'(),:;<>\x60]+\\)*)([^\s/\\"'(),:;<>\x60]+)`)

// shortenPaths leaves of the paths in a text the last name each: what else is on the
// machine is no business of those who play.
func shortenPaths(text string) string { return absolutePaths.ReplaceAllString(text, "${1}…/$2") }

// maxMessage is the most characters of a message.
const maxMessage = 2000

// mentions are users, roles, channels and emoji as Discord writes them.
var mentions = regexp.MustCompile(`<(?:@([!&]?)|(#))(\d{1,20})>|<a?:(\w{2,32}):\d{1,20}>`)

// replaceMentions replaces mentions by names: '@' is a user, '&' a role, '#' a channel.
// What has no name is left out.
func replaceMentions(text string, name func(kind byte, id string) string) string {
	return mentions.ReplaceAllStringFunc(text, func(s string) string {
		m := mentions.FindStringSubmatch(s)
		switch {
		case m[4] != "":
			return m[4]
		case m[2] == "#":
			return name('#', m[3])
		case m[1] == "&":
			return name('&', m[3])
		}
		return name('@', m[3])
	})
}

// splitMessage cuts a text into pieces of at most most characters: after a sentence
// if that wastes less than half a piece, else after a word, else anywhere.
func splitMessage(text string, most int) []string {
	var out []string
	for text = strings.TrimSpace(text); text != ""; {
		end := 0 // in bytes
		for n := 0; n < most && end < len(text); n++ {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		if end == len(text) {
			return append(out, text)
		}
		at := splitPoint(text, end)
		out = append(out, strings.TrimSpace(text[:at]))
		text = strings.TrimSpace(text[at:])
	}
	return out
}

// splitPoint returns where the first piece of a text ends, end at the latest.
func splitPoint(text string, end int) int {
	sentence, word := 0, 0
	for i, r := range text[:end] {
		if !unicode.IsSpace(r) {
			continue
		}
		word = i
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:i], `"'”’»)*_`))
		if r == '\n' || strings.ContainsRune(".!?…", before) {
			sentence = i
		}
	}
	switch {
	case sentence > end/2:
		return sentence
	case word > 0:
		return word
	}
	return end
}

// nameOnWebhook is how a name looks on a webhook: Discord takes 80 characters at
// most, and no name with its own in it.
func nameOnWebhook(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > 80 {
		name = strings.TrimSpace(string(runes[:80]))
	}
	if name == "" {
		return "NPC"
	}
	return forbiddenNames.ReplaceAllStringFunc(name, func(s string) string { return s[:2] + "-" + s[2:] })
}

var forbiddenNames = regexp.MustCompile(`(?i)discord|clyde`)

// escaper keeps a name from being read as markup.
var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "[", `\[`, "\n", " ")

// escapeMarkup returns a text whose markup shows as it is.
func escapeMarkup(text string) string { return escaper.Replace(text) }

// maskedLink is where the words of a link end and its address begins.
var maskedLink = regexp.MustCompile(`\](\s*)\(`)

// showAddresses returns a text in which no link has other words than its address: what
// somebody clicks on is what it says.
func showAddresses(text string) string { return maskedLink.ReplaceAllString(text, "]\u200b$1(") }

// clipText cuts a text to at most most characters.
func clipText(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
