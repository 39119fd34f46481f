package speech

import (
	"strings"
	"unicode"
)

// emoticons are faces and tags that are not read aloud.
var emoticons = wordSet(":D :-D ;D =D :P :-P :p :-p ;P xD XD <3 </3 :O :o :-O :3 ^^ T_T o_O O_o :/ :-/ :| :') :'( D: >:( :-* <b> </b> <i> </i> <u> </u> <br> <br/> <hr> <em> </em> " +
	"<strong> </strong> <p> </p> <li> </li> <ul> </ul>")

// dropEmoticons removes emoticons, codes such as ":smile:", list checkboxes and simple tags.
func dropEmoticons(text string) string {
	if !strings.ContainsAny(text, ":;=<^_DP[") {
		return text
	}
	var out strings.Builder
	dropped := false
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		for j, token := range strings.Split(line, " ") {
			if j > 0 {
				out.WriteByte(' ')
			}
			rest, marks := token, ""
			if cut := strings.TrimRight(token, ".,!?"); cut != token {
				rest, marks = cut, token[len(cut):]
			}
			if emoticons[rest] || isEmojiCode(rest) || (rest == "[x]" || rest == "[X]") && strings.Trim(line[:strings.Index(line, rest)], " -*+") == "" {
				out.WriteString(marks)
				dropped = true
				continue
			}
			bare := dropTags(token)
			dropped = dropped || bare != token
			out.WriteString(bare)
		}
	}
	if !dropped {
		return text
	}
	return out.String()
}

// isEmojiCode reports whether a word is an emoji code such as ":crossed_swords:".
func isEmojiCode(word string) bool {
	return len(word) > 3 && word[0] == ':' && word[len(word)-1] == ':' && !strings.ContainsFunc(word[1:len(word)-1], func(c rune) bool {
		return c != '_' && c != '-' && !isDigit(c) && !unicode.IsLower(c)
	})
}

// dropTags removes tags such as <b> from a word.
func dropTags(word string) string {
	for strings.Contains(word, "<") {
		start := strings.IndexByte(word, '<')
		end := strings.IndexByte(word[start:], '>')
		if end < 0 || !emoticons[word[start:start+end+1]] {
			break
		}
		word = word[:start] + word[start+end+1:]
	}
	return word
}
