package untrusted

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	// redacted stands for what was taken out.
	redacted = "[redacted]"
	// shownEnd is how much of a key's ends, in bytes, is enough to hide them:
	// vendors quote keys shortened.
	shownEnd = 6
)

// keyShape matches keys by their usual prefix or form, and keys a vendor masked
// itself, which still show their ends.
var keyShape = regexp.MustCompile(strings.Join([]string{
	`\b(?:sk|gsk|pk|hf|xai)[-_][A-Za-z0-9*_-]{4,}`,
	`\bAIza[A-Za-z0-9_-]{20,}`,
	`\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*`,
	`(?i:\bbearer) +[A-Za-z0-9._~+/=-]{20,}`,
	`\b[0-9a-fA-F]{32,}\b`,
	`[A-Za-z0-9_-]*\*{3,}[A-Za-z0-9_-]*`,
}, "|"))

// Reason makes what a vendor says of a failure fit for people and logs: one
// line of at most maxRunes runes, as [Clean] counts them, without key, whatever
// its form, and without anything else that looks like a key. It may be empty.
// Key may be empty.
func Reason(text, key string, maxRunes int) string {
	text = hide(Clean(text, 0), forms(key)...)
	text = keyShape.ReplaceAllString(text, redacted)
	if n := len(key); n >= 4*shownEnd {
		text = hide(text, key[:shownEnd], key[n-shownEnd:])
	}
	for strings.Contains(text, redacted+redacted) {
		text = strings.ReplaceAll(text, redacted+redacted, redacted)
	}
	return Clean(strings.Join(strings.Fields(text), " "), maxRunes)
}

// forms lists how a message may show a whole key: raw, in an address, in JSON.
func forms(key string) []string {
	all := []string{key, url.QueryEscape(key), url.PathEscape(key)}
	if quoted, err := json.Marshal(key); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hide takes secrets out of text; those that are empty are none.
func hide(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, redacted)
		}
	}
	return text
}
