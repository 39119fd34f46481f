package untrusted

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
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
// runes, counted as [Clean] does, without key in any form and without anything else that looks like a key.
// The result may be empty, and so may key.
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
