package guard

import (
	"bufio"
	"encoding/json"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/speech"
)

// likeCase is a training line with the features of each of its NPC's secrets.
type likeCase struct {
	tells    bool
	fold     int
	features [][]float64
	score    float64 // by weights learned from the other NPCs
}

func readLikeCases(t *testing.T) (cases []*likeCase) {
	const corpus = "../../testdata/truth/guard/"
	all := map[string]*likeness{}
	add := func(npc, text string, tells bool) {
		h := fnv.New32()
		h.Write([]byte(npc))
		c := &likeCase{tells: tells, fold: int(h.Sum32()>>3) % 5}
		l, said := all[npc], newSpokenText(text)
		for i := range l.secrets {
			o := l.secrets[i].overlapOf(&said)
			c.features = append(c.features, o.features(l.closer(&l.secrets[i], &said)))
		}
		cases = append(cases, c)
	}
	readYAML := func(name string, into any) {
		data, err := os.ReadFile(corpus + name)
		if err == nil {
			err = yaml.Unmarshal(data, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var npcs map[string]config.NPC
	readYAML("npcs.yaml", &npcs)
	for key, npc := range npcs {
		all[key] = newLikeness(npc)
	}
	for _, name := range []string{"attempts.yaml", "attempts_new.yaml", "good.yaml", "good_new.yaml"} {
		var entries []struct {
			Kind, NPC, Text string
			Withhold        []string
		}
		readYAML(name, &entries)
		for _, e := range entries {
			switch {
			case len(e.Withhold) == 0:
				addOrdinary(add, e.NPC, e.Text)
			case strings.HasPrefix(e.Kind, "secret") && e.Kind != "secret_spelled" && e.Kind != "secret_split":
				for _, w := range e.Withhold {
					if len(strings.Fields(w)) > 3 {
						add(e.NPC, w, true)
					}
				}
			}
		}
	}
	f, err := os.Open(corpus + "fresh/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e struct {
			Kind, ID, Name, Role, Secret, NPC, Text, Why string
			Knows                                        []string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		h := fnv.New32a()
		h.Write([]byte(e.ID + e.NPC))
		if h.Sum32()&1 != 0 {
			continue // in the half that is only counted
		}
		switch {
		case e.Kind == "npc":
			all[e.ID] = newLikeness(config.NPC{Name: e.Name, Personality: e.Role, KnowledgeScope: e.Knows, SecretKnowledge: []config.KeptSecret{{Text: e.Secret}}})
		case e.Kind == "good":
			addOrdinary(add, e.NPC, e.Text)
		case strings.HasPrefix(e.Why, "secret"):
			add(e.NPC, e.Text, true)
		}
	}
	return cases
}

// addOrdinary adds an ordinary line as a whole and, if it has several sentences, each
// sentence.
func addOrdinary(add func(npc, text string, tells bool), npc, text string) {
	add(npc, text, false)
	var split speech.Splitter
	if all := append(split.Push(text), split.Flush()...); len(all) > 1 {
		for _, one := range all {
			add(npc, one, false)
		}
	}
}

// fitLikeness fits a logistic regression by gradient descent, without the NPCs of a fold.
// Of an NPC's secrets the most similar one counts.
func fitLikeness(cases []*likeCase, without int) likenessModel {
	m := likenessModel{Weights: make([]float64, len(cases[0].features[0]))}
	for range 2500 {
		slope, n := make([]float64, len(m.Weights)), 0.0
		for _, c := range cases {
			if c.fold == without {
				continue
			}
			score, f := m.likest(c)
			want := 0.0
			if c.tells {
				want = 1
			}
			for i := range slope {
				slope[i] += (want - 1/(1+math.Exp(-score))) * f[i]
			}
			n++
		}
		for i := range slope {
			decay := 0.0005
			if i == 0 {
				decay = 0
			}
			m.Weights[i] += 4 * (slope[i]/n - decay*m.Weights[i])
		}
	}
	return m
}

func (m *likenessModel) likest(c *likeCase) (best float64, of []float64) {
	best = math.Inf(-1)
	for _, f := range c.features {
		if s := m.score(f); s > best {
			best, of = s, f
		}
	}
	return best, of
}

// TestLearnLikeness regenerates likeness.json from the training corpora:
//
//	GLYPHOXA_LEARN=1 go test -run TestLearnLikeness ./internal/guard
func TestLearnLikeness(t *testing.T) {
	if os.Getenv("GLYPHOXA_LEARN") == "" {
		t.Skip("learns only when asked to")
	}
	cases := readLikeCases(t)
	var ordinary []float64
	for fold := range 5 {
		m := fitLikeness(cases, fold)
		for _, c := range cases {
			if c.fold != fold {
				continue
			}
			if c.score, _ = m.likest(c); !c.tells {
				ordinary = append(ordinary, c.score)
			}
		}
	}
	slices.Sort(ordinary)
	slices.Reverse(ordinary)
	m := fitLikeness(cases, -1)
	m.Bar = ordinary[len(ordinary)*3/1000]
	for _, c := range cases {
		if score, _ := m.likest(c); !c.tells {
			m.Bar = max(m.Bar, score+0.01)
		}
	}
	caught, tell := 0, 0
	for _, c := range cases {
		if c.tells {
			tell++
			if c.score > m.Bar {
				caught++
			}
		}
	}
	t.Logf("%d ordinary lines, bar %.2f: %d of %d secrets told are known, of NPCs not learned from", len(ordinary), m.Bar, caught, tell)
	for i, w := range m.Weights {
		m.Weights[i] = math.Round(1000*w) / 1000
	}
	m.Bar = math.Round(1000*m.Bar) / 1000
	data, err := json.MarshalIndent(m, "", "\t")
	if err == nil {
		err = os.WriteFile("likeness.json", append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
