package play

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	// MostMentions is how many places a list of mentions has; the rest is counted.
	MostMentions = 20
	// mentionsTime bounds looking for them: a user waits for being forgotten meanwhile.
	mentionsTime = 20 * time.Second
	// mostLists is how many lists wait for the game master; the oldest give way.
	mostLists = 10
	// excerptSize is the length of an excerpt, in runes.
	excerptSize = 120
	// answerWithin is how many lines after a player's the answer of its turn is.
	answerWithin = 16
	// quotedWords is how many words in a row make a quotation.
	quotedWords = 3
)

// MentionKind is what mentions somebody.
type MentionKind string

// Kinds of mentions. Lines, notes and learnt entries have numbers, entities ids.
const (
	MentionLine     MentionKind = "line"
	MentionLearnt   MentionKind = "learnt"   // accepted, or of a diary
	MentionProposed MentionKind = "proposed" // waits to be learnt
	MentionNote     MentionKind = "note"     // noted by a tool
	MentionFact     MentionKind = "fact"     // of a campaign
	MentionEntity   MentionKind = "entity"
	MentionRelation MentionKind = "relation"
	MentionScene    MentionKind = "scene"
)

// Mention is a place where somebody else mentions a user who is forgotten.
type Mention struct {
	Kind MentionKind `json:"kind"`
	// ID is the number of a line, an entry or a note, the id of an entity, or both ids and the type
	// of a relation.
	ID string `json:"id"`
	// Text is an excerpt, with the speaker of a line.
	Text string `json:"text"`
}

// Mentions is where others mention a user who is forgotten. It has the user's names in it, so it is
// made when the user is forgotten, kept in memory alone, and shown once.
type Mentions struct {
	Campaign string `json:"campaign,omitempty"`
	user     string // whose mentions they are; in no output
	// Names are the user's.
	Names []string  `json:"names"`
	Found []Mention `json:"found"`
	// More is how many there are beside those in Found.
	More int `json:"more,omitempty"`
	// Unfinished says that not everything was looked through.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Total is how many places there are.
func (m Mentions) Total() int { return len(m.Found) + m.More }

// FindMentions looks for what mentions a user by the names that their lines have, and by those that
// are given, in all that others said and wrote, and for what NPCs repeated of the user's words.
// It changes nothing. If it fails or takes too long, the list says that it is unfinished.
func FindMentions(ctx context.Context, s memory.Store, user string, names ...string) Mentions {
	ctx, cancel := context.WithTimeout(ctx, mentionsTime)
	defer cancel()
	f := mentionFinder{user: user, told: map[string]bool{}, found: map[MentionKind]*mentionsOfKind{}}
	known, err := s.NamesOf(ctx, user)
	f.setNames(append(known, names...))
	if err == nil {
		err = f.lookThrough(ctx, s)
	}
	m := f.list()
	m.user, m.Unfinished = user, err != nil
	return m
}

// mentionFinder looks for mentions of a user.
type mentionFinder struct {
	user  string
	names []string
	named *regexp.Regexp  // nil if there are no names
	told  map[string]bool // facts that tell an entity's description, by text
	said  []memory.Line   // the user's latest lines
	found map[MentionKind]*mentionsOfKind
}

type mentionsOfKind struct {
	latest []Mention // MostMentions at most
	count  int
}

// setNames says which names are the user's. A name of nothing but words that stand in every other
// sentence finds nothing.
func (f *mentionFinder) setNames(names []string) {
	var patterns []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		tells := slices.ContainsFunc(words.Split(name), func(w string) bool { return !words.Stop(w) })
		if utf8.RuneCountInString(name) < 2 || !tells || slices.Contains(f.names, name) {
			continue
		}
		f.names = append(f.names, name)
		fields := strings.Fields(name)
		for i, field := range fields {
			fields[i] = regexp.QuoteMeta(field)
		}
		patterns = append(patterns, strings.Join(fields, `\s+`))
	}
	if len(patterns) > 0 {
		f.named = regexp.MustCompile(`(?i)(?:` + strings.Join(patterns, "|") + `)`)
	}
}

// excerpt is what stands around the first of the user's names in a text; found is false without one.
func (f *mentionFinder) excerpt(text string) (excerpt string, found bool) {
	if f.named == nil {
		return "", false
	}
	for _, at := range f.named.FindAllStringIndex(text, -1) {
		if standsAlone(text, at[0], at[1]) {
			return cutAround(text, at[0]), true
		}
	}
	return "", false
}

// standsAlone reports whether a part of a text is a word of its own. An "s" at its end is a
// genitive's.
func standsAlone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	rest := text[to:]
	after, size := utf8.DecodeRuneInString(rest)
	if after == 's' || after == 'S' {
		after, _ = utf8.DecodeRuneInString(rest[size:])
	}
	isLetter := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
	}
	return !isLetter(before) && !isLetter(after)
}

// cutAround is a line of what stands around a place in a text, all of it if that is short.
func cutAround(text string, at int) string {
	if utf8.RuneCountInString(text) <= excerptSize {
		return untrusted.Line(text, excerptSize)
	}
	before := []rune(untrusted.Clean(text[:at], len(text)))
	if cut := len(before) - excerptSize/3; cut > 0 {
		text = "…" + string(before[cut:]) + text[at:]
	}
	return untrusted.Line(text, excerptSize)
}

func (f *mentionFinder) add(kind MentionKind, id, text string) {
	k := f.found[kind]
	if k == nil {
		k = &mentionsOfKind{}
		f.found[kind] = k
	}
	k.count++
	k.latest = append(k.latest[max(0, len(k.latest)+1-MostMentions):], Mention{kind, id, text})
}

// list shares the room of a list among the kinds, so that none crowds out the others.
func (f *mentionFinder) list() Mentions {
	m := Mentions{Names: f.names}
	kinds := slices.Sorted(maps.Keys(f.found))
	for n := 0; len(m.Found) < MostMentions; n++ {
		before := len(m.Found)
		for _, kind := range kinds {
			if all := f.found[kind].latest; n < len(all) && len(m.Found) < MostMentions {
				m.Found = append(m.Found, all[len(all)-1-n])
			}
		}
		if len(m.Found) == before {
			break
		}
	}
	slices.SortStableFunc(m.Found, func(a, b Mention) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, kind := range kinds {
		m.More += f.found[kind].count
	}
	m.More -= len(m.Found)
	return m
}

func (f *mentionFinder) lookThrough(ctx context.Context, s memory.Store) error {
	entities, relations, err := s.World(ctx)
	if err != nil {
		return err
	}
	for _, e := range entities {
		f.told[memory.DescriptionOf(e).Text] = true
		texts := append([]string{e.Name, e.Description}, e.Aliases...)
		for _, key := range slices.Sorted(maps.Keys(e.Attributes)) {
			texts = append(texts, e.Attributes[key])
		}
		for _, text := range texts {
			if part, named := f.excerpt(text); named {
				f.add(MentionEntity, e.ID, part)
				break
			}
		}
	}
	for _, r := range relations {
		if part, named := f.excerpt(r.Note); named {
			f.add(MentionRelation, r.From+" "+r.Type+" "+r.To, part)
		}
	}
	readers := map[string]func(get func(string) any){"line": f.readLine, "fact": f.readFact, "state": f.readState}
	return s.Dump(ctx, func(r memory.Record) error {
		read := readers[r.Kind]
		if read == nil {
			return ctx.Err()
		}
		kind, err := memory.KindNamed(r.Kind)
		if err != nil {
			return err
		}
		read(func(column string) any { return r.Values[kind.Column(column)] })
		return ctx.Err()
	})
}

func (f *mentionFinder) readLine(get func(string) any) {
	text, speaker := get("text").(string), get("speaker").(string)
	id, session, turn := get("id").(int64), fmt.Sprint(get("session")), get("turn").(int64)
	if get("user").(string) == f.user {
		f.said = append(f.said[max(0, len(f.said)+1-answerWithin):], memory.Line{ID: id, Session: session, Turn: turn, Text: text})
		return
	}
	part, mentions := f.excerpt(text)
	if !mentions && get("npc").(string) != "" {
		for _, l := range f.said {
			if l.Session == session && l.Turn == turn && id <= l.ID+answerWithin && repeats(l.Text, text) {
				part, mentions = untrusted.Line(text, excerptSize), true
				break
			}
		}
	}
	if mentions {
		f.add(MentionLine, fmt.Sprint(id), untrusted.Line(speaker, excerptSize)+": "+part)
	}
}

// repeats reports whether an answer has some of the words that were said, in a row.
func repeats(said, answer string) bool {
	from := words.Split(said)
	joined := " " + strings.Join(words.Split(answer), " ") + " "
	for i := 0; i+quotedWords <= len(from); i++ {
		if strings.Contains(joined, " "+strings.Join(from[i:i+quotedWords], " ")+" ") {
			return true
		}
	}
	return false
}

// readFact passes over what is made of lines, entries and entities, which are read themselves.
func (f *mentionFinder) readFact(get func(string) any) {
	source, text := get("source").(string), get("text").(string)
	part, named := f.excerpt(text)
	if !named || strings.HasPrefix(source, "session:") || strings.HasPrefix(source, "chronicle:") || strings.HasPrefix(source, "entity:") && f.told[text] {
		return
	}
	kind := MentionFact
	if source == noteSource {
		kind = MentionNote
	}
	f.add(kind, fmt.Sprint(get("id")), part)
}

// noteSource is the source of facts that remember_fact notes.
const noteSource = "notes"

func (f *mentionFinder) readState(get func(string) any) {
	key, value := get("key").(string), get("value").([]byte)
	switch space := get("space").(string); {
	case space == "world" && strings.HasPrefix(key, "scene:"):
		if part, named := f.excerpt(string(value)); named {
			f.add(MentionScene, strings.TrimPrefix(key, "scene:"), part)
		}
	case space == "chronicle":
		var e world.Entry
		if json.Unmarshal(value, &e) != nil || e.Text == "" || e.User == f.user && !e.Answer {
			return
		}
		kind := MentionProposed
		if e.Accepted {
			kind = MentionLearnt
		}
		if part, named := f.excerpt(e.Text); named {
			f.add(kind, key, part)
		}
	}
}

// MentionLists are lists of mentions that wait until the game master looks at them, in memory
// alone. The zero value is ready; it is safe for concurrent use.
type MentionLists struct {
	mu  sync.Mutex // guards all
	all []Mentions
}

// Add keeps a list that has something in it, until it is taken. What else waits about the same
// user becomes part of it, so that nobody who asks to be forgotten again and again pushes the
// lists of others out.
func (l *MentionLists) Add(m Mentions) {
	if m.Total() == 0 && !m.Unfinished {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	same := func(other Mentions) bool {
		return m.user != "" && other.user == m.user && other.Campaign == m.Campaign
	}
	if i := slices.IndexFunc(l.all, same); i >= 0 {
		l.all[i] = merge(l.all[i], m)
		return
	}
	l.all = append(l.all[max(0, len(l.all)+1-mostLists):len(l.all):len(l.all)], m)
}

// merge returns what two lists about the same user have, without what stands in both.
func merge(a, b Mentions) Mentions {
	a.Names, a.Found = slices.Clone(a.Names), slices.Clone(a.Found)
	for _, name := range b.Names {
		if !slices.Contains(a.Names, name) && len(a.Names) < mostLists {
			a.Names = append(a.Names, name)
		}
	}
	for _, one := range b.Found {
		switch {
		case slices.Contains(a.Found, one):
		case len(a.Found) < MostMentions:
			a.Found = append(a.Found, one)
		default:
			a.More++
		}
	}
	// Beside those in Found, both lists count much the same places.
	a.More, a.Unfinished = max(a.More, b.More), a.Unfinished || b.Unfinished
	slices.SortStableFunc(a.Found, func(x, y Mention) int { return cmp.Compare(x.Kind, y.Kind) })
	return a
}

// Wait is how many places are in the lists that wait; a list that is unfinished has one at least.
func (l *MentionLists) Wait() (places int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		places += max(m.Total(), 1)
	}
	return places
}

// Take returns the oldest list that waits, which is gone then; false without one.
func (l *MentionLists) Take() (Mentions, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return Mentions{}, false
	}
	m := l.all[0]
	l.all = slices.Delete(l.all, 0, 1) // which clears the last, so that the names are gone
	return m, true
}
