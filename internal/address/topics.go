package address

import (
	"slices"
	"strings"
)

// topic is what a word or a phrase tells of what a line is about.
type topic uint64

const (
	aboutRules   topic = 1 << iota // rules and dice
	rulesSure                      // surely rules or dice
	aboutEvening                   // microphones, food, dates: out of character
	doing                          // what a player declares to do: "sneak"
	marvel                         // an exclamation: "wow"
	filling                        // words that may surround an exclamation: "okay", "oh"
	planning                       // between players: "we should"
	noticing                       // asked of whoever leads: "do I see"
	requesting                     // asked of somebody in the scene: "tell us"
	courtesy                       // said to somebody in the scene: "my lord"
	outsiders                      // people and things that are not at the table: "mum"
	kin                            // outsiders by what they are called: "mum", "alexa"
	crew                           // calls to players: "guys", "dude"
	number                         // "nineteen"
	third                          // "he", "ihm"
	replying                       // begins an answer: "yes", "nein"
	quoting                        // somebody's words follow: "it says"
	judging                        // opinions of somebody: "lying"
	linking                        // begins a question that goes on: "and", "und"
	yours                          // "you", said to one
	yoursAll                       // "you two", "euch"
	roomWide                       // asks everybody in the scene: "anyone here"
	roomSure                       // surely asks everybody in the scene
	wonder                         // "I think", "vielleicht"
	past                           // tells what was: "was", "hatte"
	scene                          // "here", "this"
	stopping                       // breaks in: "stop", "wait"
	tracing                        // corrects: "not you", "I meant"
	modern                         // what is not of the world of the scene: "fridge"
	mechanics                      // what the rules are made of: "spell slot"
)

// phrases are word sequences with their topics, by first word.
type phrases map[string][]phrase

type phrase struct {
	rest  []string
	topic topic
}

// vocabulary is what the words of a language tell.
type vocabulary struct {
	words    map[string]topic
	prefixes map[string][]prefix // by the first four bytes
	phrases  phrases
}

type prefix struct {
	text  string
	topic topic
}

// prefixBytes is how long a prefix is at least.
const prefixBytes = 4

// telling is a topic and its words, separated by blanks: "_" joins those of a
// phrase, and "*" stands for any ending.
type telling struct {
	topic topic
	words string
}

func newVocabulary(lists ...telling) *vocabulary {
	v := &vocabulary{words: map[string]topic{}, prefixes: map[string][]prefix{}, phrases: phrases{}}
	for _, l := range lists {
		for w := range strings.FieldsSeq(l.words) {
			stem, open := strings.CutSuffix(w, "*")
			parts := strings.Split(w, "_")
			for i := range parts { // as in an utterance
				parts[i] = strings.TrimSuffix(parts[i], "'s")
			}
			switch {
			case w == "let's" || w == "what's" || w == "he's":
				// their first word alone tells nothing
			case len(parts) > 1:
				v.phrases[parts[0]] = append(v.phrases[parts[0]], phrase{parts[1:], l.topic})
			case open && len(stem) >= prefixBytes:
				v.prefixes[stem[:prefixBytes]] = append(v.prefixes[stem[:prefixBytes]], prefix{stem, l.topic})
			default:
				v.words[strings.TrimSuffix(stem, "'s")] |= l.topic
			}
		}
	}
	return v
}

// wordTopic is what a single word tells.
func (v *vocabulary) wordTopic(word string) topic {
	t := v.words[word]
	if len(word) >= prefixBytes {
		for _, p := range v.prefixes[word[:prefixBytes]] {
			if strings.HasPrefix(word, p.text) {
				t |= p.topic
			}
		}
	}
	return t
}

// phraseTopic is what the phrases tell that begin at token i.
func (v *vocabulary) phraseTopic(ts []token, i int) topic {
	var t topic
next:
	for _, p := range v.phrases[ts[i].text] {
		if i+len(p.rest) >= len(ts) {
			continue
		}
		for k, w := range p.rest {
			if ts[i+1+k].text != w {
				continue next
			}
		}
		t |= p.topic
	}
	return t
}

// vocabulariesOf returns the vocabularies of the languages.
func vocabulariesOf(languages []string) []*vocabulary {
	var vs []*vocabulary
	if len(languages) == 0 {
		languages = []string{"en", "de"}
	}
	for _, l := range languages {
		base, _, _ := strings.Cut(strings.ToLower(l), "-")
		v := map[string]*vocabulary{"en": englishTopics, "de": germanTopics}[base]
		if v != nil && !slices.Contains(vs, v) {
			vs = append(vs, v)
		}
	}
	return vs
}
