package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Silent is the complete answer of a model that chooses to say nothing. It is short, is not speech in any
	// language, and differs from calls and stage directions that other rules remove.
	Silent = "[silent]"
	// SilentRule tells a model about it, after the condition under which silence is allowed.
	SilentRule = "answer with " + Silent + " and nothing else"
)

// DeclaresSilence reports whether an answer begins with [Silent]. Then nothing after it is meant to be heard.
// begun is the answer so far.
func DeclaresSilence(begun string) bool {
	begun = strings.TrimLeftFunc(begun, func(r rune) bool { return r != '[' && isSilentSign(r) })
	return len(begun) >= len(Silent) && strings.EqualFold(begun[:len(Silent)], Silent)
}

// MayBeSilence reports whether an answer with this beginning could still turn out to be silence; see
// [IsSilence]. begun is the answer so far.
func MayBeSilence(begun string) bool {
	const enough = 100 // bytes; longer than any aside that means silence
	begun = strings.TrimSpace(begun)
	first, _ := utf8.DecodeRuneInString(begun)
	switch {
	case begun == "":
		return true
	case len(begun) > enough:
		return false
	case isSilentSign(first):
		return true
	}
	bare := strings.TrimRightFunc(begun, isSilentSign)
	for _, token := range silentTokens {
		if strings.HasPrefix(token, strings.ToLower(bare)) {
			return true
		}
	}
	return false
}

// WithoutSilence returns the part of a sentence to speak: all of it except [Silent], or nothing if the
// sentence only means silence.
func WithoutSilence(sentence string) string {
	if IsSilence(sentence) {
		return ""
	}
	for i := 0; i+len(Silent) <= len(sentence); i++ {
		if sentence[i] == Silent[0] && strings.EqualFold(sentence[i:i+len(Silent)], Silent) {
			before, after := strings.TrimRight(sentence[:i], " "), strings.TrimLeft(sentence[i+len(Silent):], " ")
			if before != "" && after != "" && !isStop(rune(after[0])) {
				before += " "
			}
			return WithoutSilence(before + after)
		}
	}
	return sentence
}

// IsSilence reports whether a whole text means silence rather than speech: it is empty, consists of
// punctuation, is [Silent], or is what models write instead, such as "(says nothing)", "NO_ANSWER" or "[keine
// Antwort]".
func IsSilence(text string) bool {
	bare := true // nothing was in brackets so far
	for rest := text; ; {
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return closerOf(r) == 0 && isSilentSign(r) })
		if rest == "" {
			return true
		}
		first, size := utf8.DecodeRuneInString(rest)
		closer := closerOf(first)
		if closer == 0 {
			return bare && isSilentToken(rest)
		}
		inside, after, closed := strings.Cut(strings.TrimLeft(rest[size:], string(first)), string(closer))
		if !isSilentAside(inside, closed) {
			return false
		}
		bare, rest = false, strings.TrimLeft(after, string(closer))
	}
}

// isSilentSign reports whether r is not pronounced by itself.
func isSilentSign(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || strings.ContainsRune("<>|~`^=+", r) || r == utf8.RuneError
}

// closerOf returns the rune that closes an aside opened by r, or 0 if r opens none.
func closerOf(r rune) rune {
	switch r {
	case '[':
		return ']'
	case '(':
		return ')'
	case '{':
		return '}'
	case '<':
		return '>'
	case '*', '_':
		return r
	}
	return 0
}

// silentTokens are texts that programs write for "no answer" and that an NPC would not say on its own.
var silentTokens = []string{
	"silent", "no_answer", "no answer", "no-answer", "noanswer", "no_response", "no response", "no-response", "noresponse", "no_reply", "no reply",
	"no-reply", "noreply", "no_output", "no output", "no_speech", "no_comment", "n/a", "null", "says nothing", "stays silent", "remains silent",
	"keeps silent", "is silent", "stays quiet", "remains quiet", "does not answer", "does not respond", "does not reply", "schweigt",
	"sagt nichts", "bleibt still", "bleibt stumm", "antwortet nicht", "keine_antwort", "keine antwort",
}

// isSilentToken reports whether a text without brackets means silence. Words that a character might say count
// only as programs write them: "NO ANSWER", "says nothing".
func isSilentToken(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return r != '!' && r != '?' && isSilentSign(r) })
	lower := strings.ToLower(text)
	if !slices.Contains(silentTokens, lower) {
		return false
	}
	return lower == "silent" || text == lower || text == strings.ToUpper(text) || strings.ContainsAny(text, "_/")
}

const (
	// maxSilentWords is the maximum number of words in an aside that means silence.
	maxSilentWords = 14
	// maxSilentBytes is the maximum length of such an aside.
	maxSilentBytes = 200
)

// silentWords mean silence anywhere in an aside, and silentWholes if they are the whole aside.
var (
	silentWords = makePhrases("silent", "silence", "silently", "quiet", "say nothing", "says nothing", "said nothing", "saying nothing", "no answer", "no response", "no reply",
		"no comment", "no output", "no speech", "no dialogue", "no reaction", "no need to answer", "no need to respond", "not answer", "not respond",
		"not reply", "not react", "not speak", "not say anything", "t answer", "t respond", "t reply", "t react", "t speak", "t say anything",
		"not answering", "not responding", "not addressed", "not for me", "not meant for", "not directed at", "not talking to me", "ignore",
		"ignores", "ignoring", "listens", "listening", "holds their tongue", "holds his tongue", "holds her tongue",
		"schweigt", "schweigen", "schweige", "schweigend", "stille", "still", "stumm", "sagt nichts", "sage nichts", "antwortet nicht",
		"antworte nicht", "reagiert nicht", "keine antwort", "keine reaktion", "kein kommentar", "ignoriert", "hört zu", "hört nur zu",
		"nicht gemeint", "nicht angesprochen")
	silentWholes = makePhrases("nothing", "none", "pass", "passes", "skip", "skips", "null", "empty", "blank", "n a", "wait", "waits", "pause",
		"nichts", "keine", "leer", "wartet", "pausiert", "ruhig")
)

// isSilentAside reports whether text in brackets, closed or not, says that nothing is said.
func isSilentAside(inside string, closed bool) bool {
	if len(inside) > maxSilentBytes {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(inside), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return true
	}
	if !closed || len(words) > maxSilentWords {
		return false
	}
	all := " " + strings.Join(words, " ") + " "
	for _, p := range silentWholes {
		if all == p {
			return true
		}
	}
	for _, p := range silentWords {
		if strings.Contains(all, p) {
			return true
		}
	}
	return false
}

// makePhrases surrounds phrases with spaces.
func makePhrases(phrases ...string) []string {
	for i, p := range phrases {
		phrases[i] = " " + p + " "
	}
	return phrases
}
