package config

import (
	"slices"
	"strings"
)

// What a secret is called where it stands under a name, without "-" and "_". Strong names
// count at the end of a longer one as well, weak ones as its last word alone, since they
// end other words.
var (
	strong = []string{"password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "secretkey", "clientsecret", "accesstoken", "authtoken", "refreshtoken", "sessiontoken", "credential", "credentials"}
	weaker = []string{"secret", "token"} // they mean something else in prose
	weak   = []string{"pwd", "key", "auth", "authorization", "cookie", "signature", "sig"}
)

// lastLetters are those that the names above end with.
const lastLetters = "deyslntrhig"

// joined takes out of a name what its parts are joined with.
var joined = strings.NewReplacer("_", "", "-", "")

// longestName is how far back a name is looked for, in bytes.
const longestName = 64

// maskNamed takes out what stands behind the name of a secret: name=value, "name": "value",
// and name: value if the name means nothing else in prose. Weak names count if weakly.
func maskNamed(text string, weakly bool) string {
	if !strings.ContainsAny(text, "=:") {
		return text
	}
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '=' && text[i] != ':' {
			continue
		}
		name, quoted := nameBefore(text[done:i])
		if !isSecret(name, quoted || text[i] == '=', weakly) {
			continue
		}
		from, to := valueBehind(text, i+1, quoted && text[i] == ':')
		if from == to {
			continue
		}
		out.WriteString(text[done:from])
		out.WriteString(Masked)
		done, i = to, to-1
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

// nameBefore returns the name at the end of text, and whether it is in quotes.
func nameBefore(text string) (name string, quoted bool) {
	text = strings.TrimRight(text[max(0, len(text)-longestName):], " ")
	if n := len(text); n > 0 && (text[n-1] == '"' || text[n-1] == '\'') {
		text, quoted = strings.TrimSuffix(text[:n-1], `\`), true
	}
	from := len(text)
	for from > 0 && isNameByte(text[from-1]) {
		from--
	}
	return text[from:], quoted
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// NamesPassword reports whether something is called what a secret is and nothing else.
func NamesPassword(name string) bool { return isSecret(name, true, false) }

// NamesSecret reports whether something is called what secrets are, such as a variable.
func NamesSecret(name string) bool { return isSecret(name, true, true) }

// isSecret reports whether a name is one of a secret. assigned says that it stands where
// prose does not: before "=", or in quotes. Weak names count if weakly.
func isSecret(name string, assigned, weakly bool) bool {
	if name == "" {
		return false
	}
	if !strings.ContainsRune(lastLetters, rune(name[len(name)-1]|0x20)) {
		return false // most names are none
	}
	lower := strings.ToLower(name)
	whole := joined.Replace(lower)
	endsWith := func(ends []string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(whole, end) })
	}
	last := lower[strings.LastIndexAny(lower, "_-.")+1:]
	return endsWith(strong) || last == "pwd" || assigned && (endsWith(weaker) || weakly && slices.Contains(weak, last))
}

// valueBehind returns where the value begins and ends that stands at text[i:]. One that
// must be in quotes is empty if it is not: a number, say.
func valueBehind(text string, i int, mustQuote bool) (from, to int) {
	for i < len(text) && text[i] == ' ' {
		i++
	}
	for _, quote := range []string{`\"`, `"`, "'", "`"} {
		if !strings.HasPrefix(text[i:], quote) {
			continue
		}
		from = i + len(quote)
		for to = from; to < len(text) && !strings.HasPrefix(text[to:], quote) && text[to] != '"'; to++ {
			if text[to] == '\\' && quote == `"` {
				to++
			}
		}
		return from, min(to, len(text))
	}
	if mustQuote {
		return i, i
	}
	for to = i; to < len(text) && !strings.ContainsRune(" \t\r\n\"'`,;&<>(){}[]\\", rune(text[to])); to++ {
	}
	return i, to
}
