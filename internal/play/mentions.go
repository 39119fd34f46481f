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
	// MaxMentions bounds the places in a list of mentions. The rest is only counted.
	MaxMentions = 20
	// mentionsTime bounds the search, because a user waits for it to be forgotten.
	mentionsTime = 20 * time.Second
	// maxLists bounds the lists that wait for the game master. The oldest are dropped.
	maxLists = 10
	// excerptSize is the length of an excerpt, in runes.
	excerptSize = 120
	// answerWithin is the greatest distance in lines from a player's line to the answer in its turn.
	answerWithin = 16
	// quotedWords is how many words in a row count as a quotation.
	quotedWords = 3
)

// MentionKind says what kind of thing mentions a user.
type MentionKind string

// Kinds of mentions. Lines, notes and learnt entries have numbers, entities ids.
const (
	MentionLine     MentionKind = "line"
	MentionLearnt   MentionKind = "learnt"   // accepted, or part of a diary
	MentionProposed MentionKind = "proposed" // a proposal that was not accepted yet
	MentionNote     MentionKind = "note"     // stored by a tool
	MentionFact     MentionKind = "fact"     // part of a campaign
	MentionEntity   MentionKind = "entity"
	MentionRelation MentionKind = "relation"
	MentionScene    MentionKind = "scene"
)

// Mention is a place where someone else mentions a forgotten user.
type Mention struct {
	Kind MentionKind `json:"kind"`
	// ID is the number of a line, an entry or a note, the id of an entity, or "from type to" of a relation.
	ID string `json:"id"`
	// Text is an excerpt, with the speaker of a line.
	Text string `json:"text"`
}

// Mentions lists where others mention a forgotten user. Because it contains the user's names, it is created
// when the user is forgotten, kept only in memory, and shown once.
type Mentions struct {
	Campaign string `json:"campaign,omitempty"`
	user     string // whose mentions they are; never output
	// Names are the names of the user.
	Names []string  `json:"names"`
	Found []Mention `json:"found"`
	// More is the number of further mentions that are not in Found.
	More int `json:"more,omitempty"`
	// Unfinished says that the search did not cover everything.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Total returns the number of mentions.
func (m Mentions) Total() int { return len(m.Found) + m.More }

// FindMentions searches what others said and wrote for the names in a user's lines and for those in names,
// and for answers in which NPCs repeat the user's words. It changes nothing. If it fails or takes too long,
// the list is marked as unfinished.
func FindMentions(ctx context.Context, s memory.Store, user string, names ...string) Mentions {
	ctx, cancel := context.WithTimeout(ctx, mentionsTime)
	defer cancel()
	f := mentionFinder{user: user, factTexts: map[string]bool{}, found: map[MentionKind]*mentionsOfKind{}}
	known, err := s.NamesOf(ctx, user)
	f.setNames(append(known, names...))
	if err == nil {
		err = f.search(ctx, s)
	}
	m := f.list()
	m.user, m.Unfinished = user, err != nil
	return m
}

// mentionFinder searches for mentions of a user.
type mentionFinder struct {
	user        string
	names       []string
	namePattern *regexp.Regexp  // nil if there are no names
	factTexts   map[string]bool // texts of facts that contain an entity's description
	userLines   []memory.Line   // the user's latest lines
	found       map[MentionKind]*mentionsOfKind
}

type mentionsOfKind struct {
	latest []Mention // at most MaxMentions
	count  int
}

// setNames sets the user's names. It ignores names that consist only of stop words.
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
		f.namePattern = regexp.MustCompile(`(?i)(?:` + strings.Join(patterns, "|") + `)`)
	}
}

// excerpt returns the text around the first of the user's names; found is false if there is none.
func (f *mentionFinder) excerpt(text string) (excerpt string, found bool) {
	if f.namePattern == nil {
		return "", false
	}
	for _, at := range f.namePattern.FindAllStringIndex(text, -1) {
		if isSeparateWord(text, at[0], at[1]) {
			return cutAround(text, at[0]), true
		}
	}
	return "", false
}

// isSeparateWord reports whether a part of a text is a separate word. A following "s" counts as a genitive.
func isSeparateWord(text string, from, to int) bool {
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

// cutAround returns one line of the text around a position, or all of it if it is short.
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
	k.latest = append(k.latest[max(0, len(k.latest)+1-MaxMentions):], Mention{kind, id, text})
}

// list divides the places in a list among the kinds, so that none displaces the others.
func (f *mentionFinder) list() Mentions {
	m := Mentions{Names: f.names}
	kinds := slices.Sorted(maps.Keys(f.found))
	for n := 0; len(m.Found) < MaxMentions; n++ {
		before := len(m.Found)
		for _, kind := range kinds {
			if all := f.found[kind].latest; n < len(all) && len(m.Found) < MaxMentions {
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

func (f *mentionFinder) search(ctx context.Context, s memory.Store) error {
	entities, relations, err := s.World(ctx)
	if err != nil {
		return err
	}
	for _, e := range entities {
		f.factTexts[memory.DescriptionOf(e).Text] = true
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
		f.userLines = append(f.userLines[max(0, len(f.userLines)+1-answerWithin):], memory.Line{ID: id, Session: session, Turn: turn, Text: text})
		return
	}
	part, mentions := f.excerpt(text)
	if !mentions && get("npc").(string) != "" {
		for _, l := range f.userLines {
			if l.Session == session && l.Turn == turn && id <= l.ID+answerWithin && quotesLine(l.Text, text) {
				part, mentions = untrusted.Line(text, excerptSize), true
				break
			}
		}
	}
	if mentions {
		f.add(MentionLine, fmt.Sprint(id), untrusted.Line(speaker, excerptSize)+": "+part)
	}
}

// quotesLine reports whether an answer contains several words in a row of the player's line.
func quotesLine(said, answer string) bool {
	from := words.Split(said)
	joined := " " + strings.Join(words.Split(answer), " ") + " "
	for i := 0; i+quotedWords <= len(from); i++ {
		if strings.Contains(joined, " "+strings.Join(from[i:i+quotedWords], " ")+" ") {
			return true
		}
	}
	return false
}

// readFact ignores facts made from lines, entries and entities, because those are read separately.
func (f *mentionFinder) readFact(get func(string) any) {
	source, text := get("source").(string), get("text").(string)
	part, named := f.excerpt(text)
	if !named || strings.HasPrefix(source, "session:") || strings.HasPrefix(source, "chronicle:") || strings.HasPrefix(source, "entity:") && f.factTexts[text] {
		return
	}
	kind := MentionFact
	if source == noteSource {
		kind = MentionNote
	}
	f.add(kind, fmt.Sprint(get("id")), part)
}

// noteSource is the source of facts stored by remember_fact.
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

// MentionLists holds lists of mentions until the game master looks at them, only in memory. The zero value is
// ready to use. It is safe for concurrent use.
type MentionLists struct {
	mu  sync.Mutex // guards the field below
	all []Mentions
}

// Add stores a list that is not empty until it is taken. It merges lists about the same user, so that a user
// who asks repeatedly to be forgotten cannot displace the lists of others.
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
	l.all = append(l.all[max(0, len(l.all)+1-maxLists):len(l.all):len(l.all)], m)
}

// merge combines two lists about the same user without duplicates.
func merge(a, b Mentions) Mentions {
	a.Names, a.Found = slices.Clone(a.Names), slices.Clone(a.Found)
	for _, name := range b.Names {
		if !slices.Contains(a.Names, name) && len(a.Names) < maxLists {
			a.Names = append(a.Names, name)
		}
	}
	for _, one := range b.Found {
		switch {
		case slices.Contains(a.Found, one):
		case len(a.Found) < MaxMentions:
			a.Found = append(a.Found, one)
		default:
			a.More++
		}
	}
	// Apart from those in Found, both lists count mostly the same places.
	a.More, a.Unfinished = max(a.More, b.More), a.Unfinished || b.Unfinished
	slices.SortStableFunc(a.Found, func(x, y Mention) int { return cmp.Compare(x.Kind, y.Kind) })
	return a
}

// CountWaiting returns the number of places in the waiting lists. An unfinished list counts as at least one.
func (l *MentionLists) CountWaiting() (places int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.all {
		places += max(m.Total(), 1)
	}
	return places
}

// Pop removes and returns the oldest list; false if there is none.
func (l *MentionLists) Pop() (Mentions, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return Mentions{}, false
	}
	m := l.all[0]
	l.all = slices.Delete(l.all, 0, 1) // this also clears the last element, so that the names are gone
	return m, true
}
