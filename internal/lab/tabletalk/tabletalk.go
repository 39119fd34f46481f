// Package tabletalk plants written conversations with NPCs in recorded talk of
// real tables, and plays them to the program's address decision. Recorded talk
// is for none of our NPCs, so every answer to it is a false answer, at the rate
// of a real table's talk.
//
// The recorded talk is not part of the repository; users with a copy name its
// folder.
package tabletalk

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// remark is a line of recorded table talk. None of it is for our NPCs.
type remark struct{ Speaker, Text string }

// evening is the recorded talk of one table.
type evening struct {
	name, language string
	leads          string // the game master
	lines          []remark
	part           string
}

// Parts of the evenings and of the exchanges.
const (
	Learn = "learn" // for training
	Tune  = "tune"  // for choosing the bar, and for looking at mistakes
	Test  = "test"  // for a single score
)

// partOf splits evenings and NPCs by the hash of their name, so that additions
// do not change the split.
func partOf(name string, test bool) string {
	switch h := sha256.Sum256([]byte(name)); {
	case test && h[0]%4 == 0:
		return Test
	case h[1]%5 == 0:
		return Tune
	}
	return Learn
}

// Source names the folders of talk and conversations.
type Source struct {
	// Talk is the folder of recorded table talk, a file NAME.txt.gz for each
	// evening; without it there are only the German evenings.
	Talk string
	// Exchanges is the folder of written conversations.
	Exchanges string
}

// readEvenings reads English evenings (NAME.txt.gz) from talk, a folder of the CRD3 transcripts,
// and German ones (talk-*.txt) from the corpus of exchanges.
func (o Source) readEvenings() ([]evening, error) {
	var all []evening
	names, err := filepath.Glob(filepath.Join(o.Talk, "*.txt.gz"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 && o.Talk != "" {
		return nil, fmt.Errorf("%q holds no table talk (NAME.txt.gz)", o.Talk)
	}
	for _, file := range names {
		e := evening{name: strings.TrimSuffix(filepath.Base(file), ".txt.gz"), language: "en", leads: "DM"}
		e.part = partOf(e.name, true)
		if e.lines, err = readRemarks(file); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	for _, folder := range []string{"train", "test"} {
		names, err := filepath.Glob(filepath.Join(o.Exchanges, folder, "talk-*.txt"))
		if err != nil {
			return nil, err
		}
		for _, file := range names {
			e := evening{name: strings.TrimSuffix(filepath.Base(file), ".txt"), language: "de", leads: "SL", part: Test}
			if folder == "train" {
				e.part = map[bool]string{true: Tune, false: Learn}[e.name == "talk-de-2"]
			}
			if e.lines, err = readRemarks(file); err != nil {
				return nil, err
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// readRemarks reads lines of the form "WHO: text".
func readRemarks(file string) (lines []remark, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		who, text, ok := strings.Cut(in.Text(), ": ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: want “WHO: text”", file, n)
		}
		lines = append(lines, remark{who, text})
	}
	return lines, in.Err()
}

// exchange is a written conversation of players with an NPC.
type exchange struct {
	ID      string     `json:"id"`
	Lang    string     `json:"lang"`
	NPC     figure     `json:"npc"`
	Present []figure   `json:"present"`
	Turns   []exchTurn `json:"turns"`
}

type figure struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Role    string   `json:"role"`
}

// exchTurn is a turn of an exchange: Who is a player (A to C) or the NPC (N).
type exchTurn struct {
	Who  string `json:"who"`
	Kind string `json:"kind"` // call, narrated, npc, follow, join, bye, about, aside
	Text string `json:"text"`
}

// toNPC reports whether a turn is for the NPC.
func (t exchTurn) toNPC() bool {
	return slices.Contains([]string{"call", "narrated", "follow", "join", "bye"}, t.Kind)
}

// readExchanges reads a part's written exchanges: those of test were written
// separately, the others are split by NPC.
func (o Source) readExchanges(part string) ([]exchange, error) {
	folder := "train"
	if part == Test {
		folder = "test"
	}
	var all []exchange
	for _, lang := range []string{"en", "de"} {
		file := filepath.Join(o.Exchanges, folder, lang+".jsonl")
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		n := 0
		for row := range bytes.Lines(content) {
			n++
			var x exchange
			if err := json.Unmarshal(row, &x); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n, err)
			}
			if part == Test || partOf(x.NPC.Name, false) == part {
				all = append(all, x)
			}
		}
	}
	return all, nil
}

// Plant reads a part and plants its exchanges into its evenings, each exchange
// at most once per evening.
func (o Source) Plant(part string, seed uint64) ([]*Evening, error) {
	evenings, err := o.readEvenings()
	if err != nil {
		return nil, err
	}
	exchanges, err := o.readExchanges(part)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []*Evening
	for i := range evenings {
		e := &evenings[i]
		if e.part != part {
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(exchanges), func(x exchange) bool { return x.Lang != e.language })
		rng.Shuffle(len(mine), func(i, k int) { mine[i], mine[k] = mine[k], mine[i] })
		out = append(out, e.plant(mine, rng))
	}
	return out, nil
}

// Line is one line of an evening with exchanges planted in it.
type Line struct {
	Speaker, Text string
	Kind          string // talk, or the kind of an exchange's turn
	ToNPC         bool
	after         time.Duration // of silence before it
	exchange      int           // the exchange of the evening that it follows or belongs to; -1 before the first
}

// Evening is an evening with exchanges planted in it.
type Evening struct {
	Name, Language string
	recorded       *evening
	exchanges      []exchange
	lines          []Line
	// suppose, if set, is called each time an NPC has spoken.
	suppose func(s *address.Snapshot, known *address.Talk, now time.Time, number int64, players []string)
}

// aWord is the speaking time of a word.
const aWord = 300 * time.Millisecond

// perExchange is the average number of lines of table talk per exchange: about
// eight exchanges in an hour.
const perExchange = 85

// plant puts exchanges into an evening, in order. It breaks up some exchanges
// with lines of table talk, because people do talk in between.
func (e *evening) plant(exchanges []exchange, rng *rand.Rand) *Evening {
	perExchange := perExchange
	if e.language == "de" { // there is less of it
		perExchange /= 3
	}
	p := &Evening{Name: e.name, Language: e.language, recorded: e}
	next := 0
	current := -1
	talk := func(n int) {
		for ; n > 0 && next < len(e.lines); n-- {
			l := e.lines[next]
			next++
			p.lines = append(p.lines, Line{l.Speaker, l.Text, "talk", false, pauseOf(rng, 0.7) + lullOf(rng, 0.04), current})
		}
	}
	talk(12)
	for _, x := range exchanges {
		if next+20 > len(e.lines) {
			break
		}
		current++
		p.exchanges = append(p.exchanges, x)
		players := e.playersNear(next, rng)
		busy := rng.Float64() < 0.6 // the other players keep talking
		for i, t := range x.Turns {
			who := x.NPC.Name
			if t.Who != "N" {
				who = players[int(t.Who[0]-'A')%len(players)]
			}
			pause := pauseOf(rng, 1.0) + lullOf(rng, 0.15)
			if t.Who == "N" {
				pause = time.Second + pauseOf(rng, 0.5)
			}
			text, rest := t.Text, ""
			if t.toNPC() && rng.Float64() < 0.1 {
				text, rest = inTwo(t.Text)
			}
			p.lines = append(p.lines, Line{who, text, t.Kind, t.toNPC(), pause, current})
			if rest != "" {
				p.lines = append(p.lines, Line{who, rest, "rest", true, pauseOf(rng, 0.8), current})
			}
			if busy && i+1 < len(x.Turns) && x.Turns[i+1].Kind != "npc" && rng.Float64() < 0.3 {
				talk(1 + rng.IntN(3))
			}
		}
		talk(perExchange/2 + rng.IntN(perExchange))
	}
	return p
}

// inTwo splits a text so that its last sentence is a separate line; rest is
// empty for a single sentence.
func inTwo(text string) (first, rest string) {
	i := strings.LastIndexAny(strings.TrimRight(text, ".!?"), ".!?")
	if i < 0 || i+1 >= len(text) || text[i+1] != ' ' {
		return text, ""
	}
	return text[:i+1], strings.TrimSpace(text[i+1:])
}

// pauseOf returns the silence before a line, exponential with the given mean in
// seconds.
func pauseOf(rng *rand.Rand, mean float64) time.Duration {
	return time.Duration((0.15 + mean*rng.ExpFloat64()) * float64(time.Second))
}

// lullOf returns a longer silence with probability often, because people think,
// write and drink.
func lullOf(rng *rand.Rand, often float64) time.Duration {
	if rng.Float64() >= often {
		return 0
	}
	return 4*time.Second + time.Duration(rng.Float64()*40*float64(time.Second))
}

// playersNear returns players who speak around a line, in random order; at
// least three if there are that many.
func (e *evening) playersNear(at int, rng *rand.Rand) []string {
	var who []string
	for reach := 20; len(who) < 3 && reach < len(e.lines); reach *= 2 {
		who = nil
		for _, l := range e.lines[max(0, at-reach):min(len(e.lines), at+reach)] {
			if l.Speaker != e.leads && !slices.Contains(who, l.Speaker) {
				who = append(who, l.Speaker)
			}
		}
	}
	rng.Shuffle(len(who), func(i, k int) { who[i], who[k] = who[k], who[i] })
	return who
}

// speakers returns all speakers of an evening.
func (e *evening) speakers() []string {
	var who []string
	for _, l := range e.lines {
		if !slices.Contains(who, l.Speaker) {
			who = append(who, l.Speaker)
		}
	}
	return who
}

// Decided is a line and its decision.
type Decided struct {
	*Line
	Got address.Decision
	// Right says that the line reached the NPC of its exchange, or no NPC if it
	// was for none.
	Right bool
}

// Judge replaces the program's decision, which it receives; the program
// continues with its result.
type Judge func(s *address.Snapshot, st address.State, l *Line, d address.Decision) address.Decision

// Play plays an evening. With follow, the table acts on the program's
// decisions: an NPC reached by mistake answers, and a missed one does not.
// Without it, each line counts as labelled.
func (p *Evening) Play(heard bool, follow bool, rng *rand.Rand, decides Judge) (out []Decided, hours float64) {
	now := time.Unix(1_000_000, 0)
	start := now
	var snapshot *address.Snapshot
	var known address.Talk
	at := -2
	players := p.recorded.speakers()
	answered, spoke := "", ""
	deaf := false // the call was missed: the next lines cannot be answered
	number := int64(0)
	here := func(npc int) int { return npc }
	for i := range p.lines {
		l := &p.lines[i]
		if l.exchange != at {
			at = l.exchange
			snapshot, known = p.roster(max(at, 0), players), address.Talk{}
			for _, l := range p.lines[max(0, i-20):i] { // the speakers are known, and no NPC has been addressed yet
				if l.Kind == "talk" {
					number++
					d := address.Detect(snapshot, address.State{Speaker: l.Speaker}, l.Text)
					known.RecordDecision(now.Add(-30*time.Second), number, l.Speaker, address.Decision{Route: address.RouteNone, Gist: d.Gist})
				}
			}
			answered, deaf = "", false
		}
		text := l.Text
		if heard {
			text = unmarked(text)
		}
		now = now.Add(l.after + time.Duration(len(strings.Fields(text)))*aWord)
		if l.Kind == "npc" {
			if answered != "" || !follow {
				known.RecordWords(now, 0, spoke, l.Text)
				answered = ""
				if p.suppose != nil {
					p.suppose(snapshot, &known, now, number, append([]string{spoke, spoke}, players...))
				}
			}
			continue
		}
		if follow && deaf && (l.ToNPC || l.Kind == "about" || l.Kind == "aside") && l.Kind != "call" && l.Kind != "narrated" {
			continue
		}
		number++
		st := known.State(now, number, l.Speaker, here)
		d := address.Detect(snapshot, st, text)
		if decides != nil {
			d = decides(snapshot, st, l, d)
		}
		right := len(d.NPCs) == 0 == !l.ToNPC && (!l.ToNPC || d.NPCs[0] == 0)
		out = append(out, Decided{l, d, right})
		known.RecordDecision(now, number, l.Speaker, d)
		if len(d.NPCs) > 0 {
			spoke = l.Speaker
			answered = "yes"
			if follow && !l.ToNPC { // the NPC answers a line for others
				known.RecordWords(now.Add(time.Second), d.NPCs[0], l.Speaker, p.anAnswer(rng))
			}
		}
		if l.Kind == "call" || l.Kind == "narrated" {
			deaf = !right
		}
	}
	return out, now.Sub(start).Hours()
}

// anAnswer is some NPC's line.
func (p *Evening) anAnswer(rng *rand.Rand) string {
	for range 20 {
		x := p.exchanges[rng.IntN(len(p.exchanges))]
		if t := x.Turns[rng.IntN(len(x.Turns))]; t.Who == "N" {
			return t.Text
		}
	}
	return "Aye."
}

// roster seats the NPC of an exchange first, and up to two others, who do not
// take part.
func (p *Evening) roster(at int, players []string) *address.Snapshot {
	r := address.Roster{Players: players, Leads: p.recorded.leads, Languages: []string{"en", "de"}}
	add := func(f figure) {
		if len(r.NPCs) < 3 && !slices.ContainsFunc(r.NPCs, func(n address.NPC) bool { return n.Name == f.Name }) {
			r.NPCs = append(r.NPCs, address.NPC{ID: f.Name, Name: f.Name, Aliases: f.Aliases, Role: f.Role})
		}
	}
	if len(p.exchanges) == 0 {
		return address.NewSnapshot(r)
	}
	x := p.exchanges[at]
	add(x.NPC)
	for _, f := range x.Present {
		add(f)
	}
	for i := range p.exchanges {
		add(p.exchanges[(at+1+i)%len(p.exchanges)].NPC)
	}
	return address.NewSnapshot(r)
}

// unmarked returns a text as a recogniser without punctuation and capitals
// writes it.
func unmarked(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`,.!?;:…–—"„“”`, r) {
			return ' '
		}
		return r
	}, text))), " ")
}
