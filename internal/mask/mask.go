// Package mask takes out of a text what was not meant for whoever reads it: passwords,
// keys and tokens, and paths of this machine. It knows them by their shape alone, so it
// is for texts that nobody wrote for others, such as failures of foreign programs.
// Its patterns are linear in the text; it does no I/O.
package mask

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Masked and Path stand for what was taken out.
const (
	Masked = "[masked]"
	Path   = "[path]"
)

// Bounds of an operator's own patterns.
const (
	MaxPatterns = 100
	MaxPattern  = 500 // characters of one
)

// Masker takes texts' secrets out. It is immutable; a nil Masker knows the patterns
// every Masker has.
type Masker struct{ own []*regexp.Regexp }

// New returns a Masker that takes out what own patterns match, too.
func New(own ...string) (*Masker, error) {
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

// Check says what is wrong with an operator's pattern, nothing if it can be used.
func Check(pattern string) error {
	_, err := compile(pattern)
	return err
}

func compile(pattern string) (*regexp.Regexp, error) {
	if n := utf8.RuneCountInString(pattern); n > MaxPattern {
		return nil, fmt.Errorf("it has %d characters, more than the %d allowed", n, MaxPattern)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, errors.New("it is no regular expression as Go writes them")
	}
	if re.MatchString("") {
		return nil, errors.New("it matches where there is nothing")
	}
	return re, nil
}

// Text returns text with secrets and paths taken out.
func (m *Masker) Text(text string) string {
	text = maskNamed(text)
	for _, k := range known {
		if !strings.Contains(text, k.needs) {
			continue
		}
		text = k.pattern.ReplaceAllString(text, k.with)
	}
	if m == nil {
		return text
	}
	for _, re := range m.own {
		text = re.ReplaceAllLiteralString(text, Masked)
	}
	return text
}

// roots are where programs keep their files, on the systems we know.
const roots = `home|root|Users|tmp|var|etc|opt|usr|srv|mnt|media|proc|sys|run|private|data|app|work|workspace|nix|snap|boot|dev|lib|lib64|bin|sbin|Library|Applications|Volumes`

// known are the patterns every Masker has, in the order they are applied. A text
// without needs is left alone.
var known = []struct {
	needs   string
	pattern *regexp.Regexp
	with    string
}{
	{"-----BEGIN", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`), Masked},
	{" ", regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}`), "${1}${2}" + Masked},
	{"://", regexp.MustCompile(`(://[^\s/:@"'\\]*):[^\s/@"'\\]+@`), "${1}:" + Masked + "@"},
	{"", regexp.MustCompile(`\b(?:(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AKIA[0-9A-Z]{16}\b|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)`), Masked},
	{"file://", regexp.MustCompile(`\bfile://[^\s"'<>\\]+`), Path},
	{"/", regexp.MustCompile(`(^|[\s"'\x60(){}\[\]<>|:=,;])/(?:` + roots + `)(?:/[^\s"'\x60<>|:;,(){}\[\]\\]+)+/?`), "${1}" + Path},
	{"~/", regexp.MustCompile(`(^|[\s"'\x60(){}\[\]<>|=,;])~/[^\s"'\x60<>|:;,(){}\[\]\\]+`), "${1}" + Path},
	{`:\`, regexp.MustCompile(`\b[A-Za-z]:\\[^\s"'<>|:*?]+`), Path},
}
