package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Silent is what a model answers, and nothing else, where it may say nothing and
	// does: short, no speech in any language, and unlike a call or a stage direction
	// that other rules remove.
	Silent = "[silent]"
	// SilentRule is how a model is told of it, after the case in which it may.
	SilentRule = "answer with " + Silent + " and nothing else"
)

// DeclaresSilence reports whether an answer begins with [Silent]: whatever follows,
// nothing of it is meant to be heard. It is asked with all that came so far.
func DeclaresSilence(begun string) bool {
	begun = strings.TrimLeftFunc(begun, func(r rune) bool { return r != '[' && isSilentSign(r) })
	return len(begun) >= len(Silent) && strings.EqualFold(begun[:len(Silent)], Silent)
}

// MayBeSilence reports whether an answer that begins so could still be no answer, see
// [IsSilence]. It is asked with all that came so far.
func MayBeSilence(begun string) bool {
	const enough = 100 // bytes; no aside that stands for silence is as long
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

// WithoutSilence returns what is to be spoken of a sentence: all of it but [Silent],
// nothing if it only stands for silence.
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

// IsSilence reports whether a text as a whole is no speech but stands for silence: it
// is empty or nothing but signs, it is [Silent], or what models write in its place,
// such as "(says nothing)", "NO_ANSWER" or "[keine Antwort]".
func IsSilence(text string) bool {
	bare := true // nothing stood in brackets
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

// isSilentSign reports whether r has no sound by itself.
func isSilentSign(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) || strings.ContainsRune("<>|~`^=+", r) || r == utf8.RuneError
}

// closerOf is what ends an aside that r begins, 0 if it begins none.
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

// silentTokens are what programs would write for no answer; an NPC says none of it by
// itself.
var silentTokens = []string{
	"silent", "no_answer", "no answer", "no-answer", "noanswer", "no_response", "no response", "no-response", "noresponse", "no_reply", "no reply",
	"no-reply", "noreply", "no_output", "no output", "no_speech", "no_comment", "n/a", "null", "says nothing", "stays silent", "remains silent",
	"keeps silent", "is silent", "stays quiet", "remains quiet", "does not answer", "does not respond", "does not reply", "schweigt",
	"sagt nichts", "bleibt still", "bleibt stumm", "antwortet nicht", "keine_antwort", "keine antwort",
}

// isSilentToken reports whether a text without brackets stands for silence. Words that
// a character may say count in the writing of programs alone: "NO ANSWER", "says
// nothing".
func isSilentToken(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return r != '!' && r != '?' && isSilentSign(r) })
	lower := strings.ToLower(text)
	if !slices.Contains(silentTokens, lower) {
		return false
	}
	return lower == "silent" || text == lower || text == strings.ToUpper(text) || strings.ContainsAny(text, "_/")
}

const (
	// maxSilentWords is how many words an aside has at most that stands for silence.
	maxSilentWords = 14
	// maxSilentBytes bounds what is looked at.
	maxSilentBytes = 200
)

// silentWords stand for silence wherever they are in an aside, silentWholes where they
// are all of it.
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

// isSilentAside reports whether what stands in brackets, closed or not, says that
// nothing is said.
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

// makePhrases sets phrases off by spaces.
func makePhrases(phrases ...string) []string {
	for i, p := range phrases {
		phrases[i] = " " + p + " "
	}
	return phrases
}
