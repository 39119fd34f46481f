package untrusted

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// redacted replaces removed text.
	redacted = "[redacted]"
	// shownEnd is the number of bytes of either end of a key that are treated as secret on their own, because
	// vendors quote keys in shortened form.
	shownEnd = 6
)

// keyShape matches keys by their usual prefix or form, and keys that a vendor masked itself but whose ends
// still show.
var keyShape = regexp.MustCompile(strings.Join([]string{
	`\b(?:sk|gsk|pk|hf|xai)[-_][A-Za-z0-9*_-]{4,}`,
	`\bAIza[A-Za-z0-9_-]{20,}`,
	`\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*`,
	`(?i:\bbearer) +[A-Za-z0-9._~+/=-]{20,}`,
	`\b[0-9a-fA-F]{32,}\b`,
	`[A-Za-z0-9_-]*\*{3,}[A-Za-z0-9_-]*`,
}, "|"))

// Reason makes a vendor's error text suitable for people and logs. It returns one line of at most maxRunes
// runes, counted as [Clean] does, without key in any form and without anything else that looks like a key. A
// key for which [IsDummyKey] is true stays.
// The result may be empty, and so may key.
func Reason(text, key string, maxRunes int) string {
	text = Clean(text, 0)
	if !IsDummyKey(key) {
		text = hide(text, forms(key)...)
	}
	text = keyShape.ReplaceAllString(text, redacted)
	if n := len(key); n >= 4*shownEnd {
		text = hide(text, key[:shownEnd], key[n-shownEnd:])
	}
	for strings.Contains(text, redacted+redacted) {
		text = strings.ReplaceAll(text, redacted+redacted, redacted)
	}
	return Clean(strings.Join(strings.Fields(text), " "), maxRunes)
}

// shortestKey is the length of the shortest text that is treated as a key, in bytes.
const shortestKey = 6

// dummyWords are the words of keys that people configure for services that need none.
var dummyWords = strings.Fields(`
	a abc an any anything api apikey anonymous bearer blank change changeme default demo dummy empty example fake foo bar
	free for gpt here hello ignored insert is key keyless llama llamacpp cpp lm lmstudio local localai localhost me mock model
	my na needed nil no nokey none not notneeded null ollama open openai optional password placeholder proj public random
	replace required sample secret server service sk studio test testing the this to todo token undefined unused use user
	value vllm with without your`)

// IsDummyKey reports whether a key is too short to be secret, or consists of common words, such as "ollama"
// and "no-key-required". Such a key must not be removed from texts, because that would make them unreadable.
func IsDummyKey(key string) bool {
	if len(key) < shortestKey {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(key), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		repeats := strings.Trim(word, string(first)) == "" // such as "xxxx"
		if !repeats && !slices.Contains(dummyWords, word) && !strings.Contains("01234567890", word) {
			return false
		}
	}
	return len(words) > 0
}

// forms lists the ways in which a message may contain a whole key: raw, escaped in a URL, or escaped in JSON.
func forms(key string) []string {
	all := []string{key, url.QueryEscape(key), url.PathEscape(key)}
	if quoted, err := json.Marshal(key); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hide removes secrets from text. It ignores empty ones.
func hide(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return text
}
