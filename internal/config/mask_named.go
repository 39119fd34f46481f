package config

import (
	"slices"
	"strings"
)

// The names of secrets, without "-" and "_". A strong name also counts at the end of a longer word. A weak
// name counts only as a separate last word, because it also occurs at the end of other words.
var (
	strong = []string{"password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "secretkey", "clientsecret", "accesstoken", "authtoken", "refreshtoken", "sessiontoken", "credential", "credentials"}
	weaker = []string{"secret", "token"} // these have another meaning in prose
	weak   = []string{"pwd", "key", "auth", "authorization", "cookie", "signature", "sig"}
)

// lastLetters are the letters with which the names above end.
const lastLetters = "deyslntrhig"

// joined removes the separators between the parts of a name.
var joined = strings.NewReplacer("_", "", "-", "")

// longestName is the maximum length of a name, in bytes.
const longestName = 64

// maskNamed removes values that follow the name of a secret: name=value, "name": "value", and name: value if
// the name has no other meaning in prose. Weak names count only if weakly is true.
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

// NamesPassword reports whether name can only be the name of a secret.
func NamesPassword(name string) bool { return isSecret(name, true, false) }

// NamesSecret reports whether name, such as that of a variable, is the name of a secret.
func NamesSecret(name string) bool { return isSecret(name, true, true) }

// isSecret reports whether name is the name of a secret. assigned means that it stands where prose would not:
// before "=" or in quotes. Weak names count only if weakly is true.
func isSecret(name string, assigned, weakly bool) bool {
	if name == "" {
		return false
	}
	if !strings.ContainsRune(lastLetters, rune(name[len(name)-1]|0x20)) {
		return false // most names are not
	}
	lower := strings.ToLower(name)
	whole := joined.Replace(lower)
	endsWith := func(ends []string) bool {
		return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(whole, end) })
	}
	last := lower[strings.LastIndexAny(lower, "_-.")+1:]
	return endsWith(strong) || last == "pwd" || assigned && (endsWith(weaker) || weakly && slices.Contains(weak, last))
}

// valueBehind returns where the value at text[i:] begins and ends. If mustQuote is true and the value is not
// in quotes (a number, for example), the result is empty.
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
