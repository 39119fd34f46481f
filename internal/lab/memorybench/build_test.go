package memorybench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// size is the size of a store.
type size struct{ lines, facts, entities int }

const (
	// sessions is the number of evenings of the lines.
	sessions = 100
	// ana is the first player to be forgotten: one line in ten is hers.
	ana = "discord:100000000000000001"
	// other is the second player to be forgotten, with few lines.
	other = "discord:300000000000000003"
)

// campaign is a grown store.
type campaign struct {
	store
	// left lists the places in the stored data that still contain one of the
	// words.
	left    func(t testing.TB, words ...string) []string
	session string // the last
	words   []string
	rnd     *rand.Rand
	zipf    *rand.Zipf
	anas    int // lines of ana
}

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// build fills a store. Its words are as unevenly frequent as in a language.
func build(t testing.TB, in place, of size) *campaign {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	c := &campaign{rnd: rnd, zipf: rand.NewZipf(rnd, 1.1, 12, 14_999)}
	syllables := strings.Fields("ba dor fen gri hal jun kel lor mir nos par quin rus sel tav ul ver wyn yor zam")
	for i := range 15_000 {
		w := syllables[i%20] + syllables[i/20%20] + syllables[i/400%20]
		if i >= 8000 {
			w += syllables[i%20]
		}
		c.words = append(c.words, w)
	}
	rnd.Shuffle(len(c.words), func(i, j int) { c.words[i], c.words[j] = c.words[j], c.words[i] })
	c.store, c.left = in.open(t)
	t.Cleanup(func() { must(t, "closing the store", c.Close()) })
	start := time.Now()
	c.addLines(t, of.lines)
	c.addFacts(t, of.facts)
	c.addEntities(t, of.entities)
	t.Logf("%d lines, %d facts and %d entities made in %.0f s", of.lines, of.facts, of.entities, time.Since(start).Seconds())
	return c
}

func (c *campaign) text() string {
	out := make([]string, 5+c.rnd.IntN(8))
	for i := range out {
		out[i] = c.words[c.zipf.Uint64()]
	}
	return strings.Join(out, " ")
}

func (c *campaign) addLines(t testing.TB, n int) {
	var err error
	var s memory.Session
	all := make([]memory.Line, n/sessions)
	for e := range sessions {
		s, err = c.StartSession(t.Context(), "grown")
		must(t, "starting a session", err)
		for i := range all {
			l := memory.Line{Session: s.ID, Turn: int64(i / 2), Speaker: fmt.Sprint("Player", i%8), User: fmt.Sprint("discord:20000000000000000", i%8), Ref: fmt.Sprint(e, "-", i), Text: c.text(), At: time.Unix(int64(e*1000_000+i), 0)}
			switch {
			case i%10 == 0:
				l.Speaker, l.User = "Anastasia", ana
				c.anas++
			case i%2 == 1:
				l.Speaker, l.NPC, l.User = "Bartok", "bartok", ""
			}
			all[i] = l
		}
		for part := range slices.Chunk(all, 5000) {
			_, err := c.Append(t.Context(), part...)
			must(t, "appending", err)
		}
	}
	c.session = s.ID
}

func (c *campaign) addFacts(t testing.TB, n int) {
	for part := range slices.Chunk(make([]memory.Fact, n), 5000) {
		for i := range part {
			part[i] = memory.Fact{Source: fmt.Sprint("entity:e-", i), Text: c.text()}
		}
		must(t, "remembering", c.Remember(t.Context(), part...))
	}
	start := time.Now()
	_, err := c.EmbedFacts(t.Context()) // all have vectors already; this makes the file build a sketch of them
	must(t, "sketching vectors", err)
	t.Logf("%d vectors made ready in %.2f s", n, time.Since(start).Seconds())
}

// addEntities adds places and people with names of few words: half of them use
// one of the most common words.
func (c *campaign) addEntities(t testing.TB, n int) {
	common := strings.Fields("Old Green Black Stone River Hill Bridge Tower Market Forest")
	all := make([]memory.Entity, n)
	for i := range all {
		name := c.words[i%len(c.words)] + " " + c.words[(i/7)%len(c.words)]
		if i%2 == 0 {
			name = common[i/2%len(common)] + " " + c.words[i%len(c.words)]
		}
		all[i] = memory.Entity{ID: fmt.Sprint("e-", i), Type: "location", Name: name, Description: "Known for " + c.text() + "."}
	}
	for part := range slices.Chunk(all, 5000) {
		must(t, "putting entities", c.PutEntities(context.WithoutCancel(t.Context()), part...))
	}
	relations := make([]memory.Relation, n-1)
	for i := range relations {
		relations[i] = memory.Relation{From: all[i+1].ID, Type: memory.LocatedIn, To: all[i/20].ID}
	}
	for part := range slices.Chunk(relations, 5000) {
		must(t, "putting relations", c.PutRelations(t.Context(), part...))
	}
}
