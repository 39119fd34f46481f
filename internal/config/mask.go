package config

// Masking removes from a text what its readers must not see: passwords, keys, tokens, and paths of this
// machine. It recognises them only by their form, so it is meant for texts that were not written for others
// to read, such as error messages of external programs. Its patterns take linear time, and it does no I/O.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Masked and Path replace removed text.
const (
	Masked = "[masked]"
	Path   = "[path]"
)

// Limits on an operator's own patterns.
const (
	MaxPatterns = 100
	MaxPattern  = 500 // characters of one
)

// Masker removes secrets from texts. It is immutable. A nil Masker uses only the built-in patterns.
type Masker struct{ own []*regexp.Regexp }

// NewMasker returns a Masker that also removes matches of the given patterns.
func NewMasker(own ...string) (*Masker, error) {
	if len(own) > MaxPatterns {
		return nil, fmt.Errorf("%d patterns are more than the %d allowed", len(own), MaxPatterns)
	}
	m := &Masker{}
	for _, p := range own {
		re, err := compile(p)
		if err != nil {
			return nil, err
		}
		m.own = append(m.own, re)
	}
	return m, nil
}

// CheckMasks returns the problem in an operator's pattern, or nil if the pattern is
// valid.
func CheckMasks(pattern string) error {
	_, err := compile(pattern)
	return err
}

func compile(pattern string) (*regexp.Regexp, error) {
	if n := utf8.RuneCountInString(pattern); n > MaxPattern {
		return nil, fmt.Errorf("it has %d characters, more than the %d allowed", n, MaxPattern)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errors.New("it is not a regular expression that Go accepts")
	}
	if re.MatchString("") {
		return nil, errors.New("it also matches an empty text")
	}
	return re, nil
}

// Text returns text without secrets and paths.
func (m *Masker) Text(text string) string {
	text = replaceAll(replaceAll(maskNamed(text, true), shapes), paths)
	return m.maskOwn(text)
}

// Secrets returns text without secrets. It keeps paths. It also keeps values whose name has other meanings
// too, such as "key", because a text written for others may discuss one.
func (m *Masker) Secrets(text string) string {
	return m.maskOwn(replaceAll(maskNamed(text, false), shapes))
}

func (m *Masker) maskOwn(text string) string {
	if m == nil {
		return text
	}
	for _, re := range m.own {
		text = re.ReplaceAllLiteralString(text, Masked)
	}
	return text
}

// replaceAll replaces the matches of the patterns.
func replaceAll(text string, all []known) string {
	for _, k := range all {
		if k.mayMatch(text) {
			text = k.pattern.ReplaceAllString(text, k.with)
		}
	}
	return text
}

// roots are the directories where programs keep their files on the supported systems.
const roots = `home|root|Users|tmp|var|etc|opt|usr|srv|mnt|media|proc|sys|run|private|data|app|work|workspace|nix|snap|boot|dev|lib|lib64|bin|sbin|Library|Applications|Volumes`

// known is a built-in pattern. A text that contains none of needs is skipped. Most texts contain none, and
// checking for them is cheap.
type known struct {
	needs   []string
	pattern *regexp.Regexp
	with    string
	fold    bool // needs are in lower case and match in any case
}

func (k known) mayMatch(text string) bool {
	return slices.ContainsFunc(k.needs, func(need string) bool {
		return strings.Contains(text, need) || k.fold && containsFold(text, need)
	})
}

// containsFold reports whether text contains lower, which is ASCII in lower case, in any case.
func containsFold(text, lower string) bool {
	for i := 0; i+len(lower) <= len(text); i++ {
		if text[i]|0x20 == lower[0] && strings.EqualFold(text[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}

// shapes match secrets by their form, and paths match file paths. They are applied in order.
var (
	shapes = []known{
		{[]string{"-----BEGIN"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`), Masked, false},
		{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}`), "${1}${2}" + Masked, true},
		{[]string{"@"}, regexp.MustCompile(`(://[^\s/:@"'\\]*):[^\s/@"'\\]+@`), "${1}:" + Masked + "@", false},
		{[]string{
			"sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghr_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ",
		}, regexp.MustCompile(`\b(?:(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[0-9A-Z]{16}\b|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)`), Masked, false},
	}
	paths = []known{
		{[]string{"file://"}, regexp.MustCompile(`\bfile://[^\s"'<>\\]+`), Path, false},
		{[]string{"/"}, regexp.MustCompile(`(^|[\s"'\x60(){}\[\]<>|:=,;])/(?:` + roots + `)(?:/[^\s"'\x60<>|:;,(){}\[\]\\]+)+/?`), "${1}" + Path, false},
		{[]string{"~/"}, regexp.MustCompile(`(^|[\s"'\x60(){}\[\]<>|=,;])~/[^\s"'\x60<>|:;,(){}\[\]\\]+`), "${1}" + Path, false},
		{[]string{`:\`}, regexp.MustCompile(`\b[A-Za-z]:\\[^\s"'<>|:*?]+`), Path, false},
	}
)
