package discord

// This file formats texts for Discord: it splits long messages, escapes names, and replaces mentions with
// words. It makes no requests.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// absolutePaths matches absolute file paths with the character before them.
var absolutePaths = regexp.MustCompile(`(^|[\s"'(=,:\x60])(?:(?:/[^\s/"'(),:;<>\x60]+)+/|[A-Za-z]:\\(?:[^\s\\"'(),:;<>\x60]+\\)*)([^\s/\\"'(),:;<>\x60]+)`)

// shortenPaths shortens each path in a text to its last name, because players should not see the machine's
// directories.
func shortenPaths(text string) string { return absolutePaths.ReplaceAllString(text, "${1}…/$2") }

// maxMessage is the maximum length of a message, in characters.
const maxMessage = 2000

// mentions matches mentions of users, roles and channels, and custom emoji.
var mentions = regexp.MustCompile(`<(?:@([!&]?)|(#))(\d{1,20})>|<a?:(\w{2,32}):\d{1,20}>`)

// replaceMentions replaces mentions with names: '@' is a user, '&' a role, '#' a channel. Mentions without a
// name are removed.
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

// splitMessage splits a text into pieces of at most most characters: after a sentence if that uses more than
// half of the piece, else after a word, else anywhere.
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

// splitPoint returns the end of a text's first piece, at most end.
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

// nameOnWebhook returns a name in the form that Discord accepts for webhooks: at most 80 characters, without
// Discord's own names.
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

// escaper escapes markup in names.
var escaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "[", `\[`, "\n", " ")

// escapeMarkup escapes a text's markup.
func escapeMarkup(text string) string { return escaper.Replace(text) }

// maskedLink matches the boundary between a link's text and its address.
var maskedLink = regexp.MustCompile(`\](\s*)\(`)

// showAddresses disables links with their own text, so that people see the address they click on.
func showAddresses(text string) string { return maskedLink.ReplaceAllString(text, "]\u200b$1(") }

// clipText truncates a text to at most most characters.
func clipText(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
