package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// address is who an utterance is for, and why. npc is -1 if for nobody.
type address struct {
	npc   int
	route Route
}

// words of greeting that may stand before a name that is spoken to.
var openers = map[string]bool{
	"hey": true, "hi": true, "hello": true, "oh": true, "ah": true, "ok": true, "okay": true, "so": true, "well": true,
	"and": true, "now": true, "please": true, "dear": true, "good": true, "thanks": true, "yes": true, "no": true,
	"hallo": true, "he": true, "und": true, "also": true, "na": true, "bitte": true, "danke": true, "ja": true, "nein": true,
	"guten": true, "tag": true, "morgen": true, "abend": true, "morning": true, "evening": true,
}

// fillers are words of a name that never name anyone by themselves.
var fillers = map[string]bool{
	"the": true, "of": true, "and": true, "an": true, "old": true, "young": true,
	"der": true, "die": true, "das": true, "den": true, "von": true, "und": true, "alte": true, "alter": true,
}

// titles name someone only when spoken to: "Captain, come here" is for the
// captain, "the captain of the ship" for nobody.
var titles = map[string]bool{
	"captain": true, "lady": true, "lord": true, "sir": true, "master": true, "mistress": true, "king": true,
	"queen": true, "prince": true, "princess": true, "father": true, "mother": true, "brother": true, "sister": true,
	"doctor": true, "frau": true, "herr": true, "meister": true, "hauptmann": true,
}

// call is one way of naming an NPC, as folded words.
type call struct {
	words []string
	npc   int
	title bool // only when spoken to
}

// directory is what detection knows of the NPCs. It is immutable.
type directory struct {
	calls []call // longest first
	only  bool   // there is just one NPC
}

// newDirectory collects the names, the aliases, and each word of a name that
// belongs to one NPC alone.
func newDirectory(cast []config.NPC) *directory {
	d := &directory{only: len(cast) == 1}
	owners := map[string][]int{}
	full := map[string]bool{}
	add := func(words []string, npc int) {
		if key := strings.Join(words, " "); len(words) > 0 && !full[key] {
			full[key] = true
			d.calls = append(d.calls, call{words, npc, len(words) == 1 && titles[words[0]]})
		}
	}
	for i, npc := range cast {
		for _, name := range append([]string{npc.Name}, npc.Aliases...) {
			words := texts(tokens(name))
			add(words, i)
			for _, w := range words {
				if !fillers[w] && len(w) > 2 && !slices.Contains(owners[w], i) {
					owners[w] = append(owners[w], i)
				}
			}
		}
	}
	for w, who := range owners {
		if len(who) == 1 {
			add([]string{w}, who[0])
		}
	}
	slices.SortFunc(d.calls, func(a, b call) int {
		if n := len(b.words) - len(a.words); n != 0 {
			return n
		}
		return strings.Compare(strings.Join(a.words, " "), strings.Join(b.words, " "))
	})
	return d
}

// Lookup returns the index of the NPC called name: by id, name, alias, or a word
// of its name that belongs to it alone. The error names the nearest.
func Lookup(cast []config.NPC, name string) (int, error) {
	name = strings.TrimSpace(name)
	var known []string
	for i, npc := range cast {
		for _, n := range append([]string{npc.Name, npc.ID}, npc.Aliases...) {
			if name != "" && strings.EqualFold(n, name) {
				return i, nil
			}
		}
		known = append(append(known, npc.Name), npc.Aliases...)
		for _, word := range strings.Fields(npc.Name) {
			if !fillers[strings.ToLower(word)] {
				known = append(known, word)
			}
		}
	}
	d := newDirectory(cast)
	folded := strings.Join(texts(tokens(name)), " ")
	for _, c := range d.calls {
		if folded != "" && strings.Join(c.words, " ") == folded {
			return c.npc, nil
		}
	}
	if near := problem.Nearest(name, known); near != "" {
		return 0, fmt.Errorf("no NPC is called %q; did you mean %q?", name, near)
	}
	var names []string
	for _, npc := range cast {
		names = append(names, npc.Name)
	}
	return 0, fmt.Errorf("no NPC is called %q; there are %s", name, strings.Join(names, ", "))
}

// token is a folded word and what surrounds it.
type token struct {
	text          string
	opens, closes bool // a clause begins before it, ends behind it
	owns          bool // it had an 's
}

func texts(ts []token) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = t.text
	}
	return out
}

// tokens cuts text into words of letters and digits. An apostrophe and what
// follows it ("Bartok's") is dropped.
func tokens(text string) []token {
	var ts []token
	clause := true
	for text != "" {
		start := strings.IndexFunc(text, isLetter)
		gap := text
		if start >= 0 {
			gap = text[:start]
		}
		if strings.ContainsAny(gap, ",.;:!?–—\n") {
			clause = true
			if n := len(ts); n > 0 {
				ts[n-1].closes = true
			}
		}
		if start < 0 {
			break
		}
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isLetter(r) })
		if end < 0 {
			end = len(text)
		}
		ts = append(ts, token{text: strings.ToLower(text[:end]), opens: clause})
		text, clause = text[end:], false
		for _, s := range []string{"'s", "’s"} {
			if rest, ok := strings.CutPrefix(text, s); ok {
				text, ts[len(ts)-1].owns = rest, true
			}
		}
	}
	if n := len(ts); n > 0 {
		ts[n-1].closes = true
	}
	return ts
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// detect decides who an utterance is for. last is the NPC who is being talked
// with, -1 for nobody. A name the speaker sets off ("Bartok, …", "… , Bartok?",
// "hey Bartok …") wins over the conversation; a name merely mentioned does not.
func (d *directory) detect(utterance string, last int) address {
	ts := tokens(utterance)
	if len(ts) == 0 {
		return address{-1, RouteNone}
	}
	mentioned := -1
	for i := 0; i < len(ts); i++ {
		c, ok := d.callAt(ts, i)
		if !ok {
			continue
		}
		if vocative(ts, i, i+len(c.words)-1) {
			return address{c.npc, RouteName}
		}
		if mentioned < 0 && !c.title {
			mentioned = c.npc
		}
		i += len(c.words) - 1
	}
	switch {
	case d.only:
		route := RouteOnlyNPC
		if mentioned >= 0 {
			route = RouteName
		}
		return address{0, route}
	case last >= 0:
		return address{last, RouteContinuation}
	case mentioned >= 0:
		return address{mentioned, RouteName}
	}
	return address{-1, RouteNone}
}

// callAt returns the longest name that stands at token i.
func (d *directory) callAt(ts []token, i int) (call, bool) {
	for _, c := range d.calls {
		if i+len(c.words) > len(ts) {
			continue
		}
		match := true
		for k, w := range c.words {
			if ts[i+k].text != w || k > 0 && ts[i+k].opens {
				match = false
				break
			}
		}
		if match {
			return c, true
		}
	}
	return call{}, false
}

// vocative reports whether the name at ts[first..last] is spoken to: it begins
// the utterance (greetings aside), or stands alone between punctuation marks.
func vocative(ts []token, first, last int) bool {
	if ts[last].owns {
		return false
	}
	if ts[first].opens && ts[last].closes {
		return true
	}
	begin := first
	for begin > 0 && openers[ts[begin-1].text] && !ts[begin].opens {
		begin--
	}
	if !ts[begin].opens {
		return false
	}
	if begin < first {
		return true // "hey Bartok …"
	}
	// A sentence about someone begins with the name and a verb of the third
	// person; one to someone goes on with anything else.
	return first == 0 && last+1 < len(ts) && !about[ts[last+1].text]
}

// about are words that follow a name in a sentence about its bearer.
var about = map[string]bool{
	"is": true, "was": true, "has": true, "had": true, "says": true, "said": true, "does": true, "did": true,
	"will": true, "would": true, "can": true, "could": true, "might": true, "may": true, "seems": true, "knows": true,
	"wants": true, "told": true, "and": true, "or": true,
	"ist": true, "war": true, "hat": true, "hatte": true, "sagt": true, "sagte": true, "wird": true, "kann": true,
	"weiß": true, "und": true, "oder": true,
}
