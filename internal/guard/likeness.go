package guard

import (
	"context"
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

// likenessData holds what TestLearnLikeness has learned: a weight for each feature that overlap.features
// returns, and the bar. Fewer than 0.3 % of ordinary lines reach the bar for NPCs outside the training data,
// and none for those in it.
//
//go:embed likeness.json
var likenessData []byte

// likenessModel is a logistic regression.
type likenessModel struct {
	Weights []float64 `json:"weights"`
	Bar     float64   `json:"bar"`
}

var sharedLikeness = sync.OnceValue(func() likenessModel {
	var m likenessModel
	if err := json.Unmarshal(likenessData, &m); err != nil {
		panic("guard: likeness.json: " + err.Error())
	}
	return m
})

// likeness compares speech with an NPC's secrets by word vectors and sentence vectors. It is immutable and
// safe for concurrent use.
type likeness struct {
	secrets []likeSecret
	public  func() [][]float32 // vectors of the card's public sentences
}

// likeSecret is a secret with the data it is compared by.
type likeSecret struct {
	text   string
	words  []likeWord
	total  float64 // sum of the words' weights
	vector func() []float32
}

// likeWord is a significant word of a secret.
type likeWord struct {
	text, stem string
	id         wordvectors.ID
	weight     float64
}

// publicWeight is the weight of a word of a secret that the card also says openly.
const publicWeight = 0.3

// newLikeness prepares the secrets of an NPC. It returns nil if there are none.
func newLikeness(npc config.NPC) *likeness {
	if len(npc.SecretKnowledge) == 0 {
		return nil
	}
	open := append(append([]string{npc.Personality}, npc.KnowledgeScope...), npc.BehaviorRules...)
	known, names := map[string]bool{}, map[string]bool{}
	for _, german := range []bool{false, true} {
		for _, w := range words.Split(strings.Join(open, " ")) {
			known[words.Stem(w, german)] = true
		}
	}
	for _, w := range words.Split(npc.Name + " " + strings.Join(npc.Aliases, " ")) {
		names[w] = true
	}
	l := &likeness{public: sync.OnceValue(func() (all [][]float32) {
		for _, text := range open {
			all = append(all, vectorOf(text))
		}
		return all
	})}
	for _, text := range npc.Secrets() {
		s := likeSecret{text: text, vector: sync.OnceValue(func() []float32 { return vectorOf(text) })}
		all := words.Split(text)
		german := words.German(all)
		for _, w := range all {
			stem := words.Stem(w, german)
			if words.Stop(w) || len(w) < 3 || names[w] || slices.ContainsFunc(s.words, func(o likeWord) bool { return o.stem == stem }) {
				continue
			}
			one := likeWord{text: w, stem: stem, weight: 1}
			one.id, _ = wordvectors.Load().Find(w, german)
			if known[stem] {
				one.weight = publicWeight
			}
			s.words, s.total = append(s.words, one), s.total+one.weight
		}
		l.secrets = append(l.secrets, s)
	}
	return l
}

// sentenceEncoder returns the built-in encoder. It has no state other than its weights.
var sentenceEncoder = sync.OnceValue(sentencevectors.New)

// vectorOf returns the vector of a text. If there is none, all its components are zero.
func vectorOf(text string) []float32 {
	v, err := sentenceEncoder().Embed(context.Background(), []string{text})
	if err != nil { // only possible if the context has ended
		return make([]float32, sentenceEncoder().Dimensions())
	}
	return v[0]
}

// mostLike is the maximum number of spoken words compared.
const mostLike = 60

// spokenText is speech prepared for comparison.
type spokenText struct {
	words            []string
	contentWords     []string
	stems            []string
	ids              []wordvectors.ID
	german           bool
	self, no, assent float64
	vector           func() []float32
}

var (
	selfLike = newWordSet(`i my i'm me ich mein meine meinen mir mich meiner`)
	// assents and denials occur in answers to someone who has guessed a secret.
	assents = []string{
		" yes", " aye.", " aye,", " ja,", " ja.", " ja ", " recht", " guess", "you know", " right of it", " you saw", " weißt es", " wisst es",
		" erraten", " stimmt", " caught me", " found out", " found me out", " ertappt", " durchschaut", " erwischt", " herausgefunden",
	}
	denials = []string{
		" never ", " did not ", " didn't", " no, ", " certainly ", " habe ich nie", " hab ich nie", " niemals", "wasn't", "weren't", " isn't",
		" aren't", " not ", " nicht ", " kein",
	}
)

func containsAny(text string, all []string) float64 {
	if slices.ContainsFunc(all, func(one string) bool { return strings.Contains(text, one) }) {
		return 1
	}
	return 0
}

func newSpokenText(text string) spokenText {
	low := " " + strings.ReplaceAll(strings.ToLower(text), "’", "'")
	t := spokenText{words: words.Split(text), no: containsAny(low, denials), assent: containsAny(low, assents)}
	t.words = t.words[:min(len(t.words), mostLike)]
	t.german = words.German(t.words)
	t.vector = sync.OnceValue(func() []float32 { return vectorOf(text) })
	for _, w := range t.words {
		if selfLike[w] {
			t.self = 1
		}
		if words.Stop(w) || len(w) < 3 {
			continue
		}
		id, _ := wordvectors.Load().Find(w, t.german)
		t.contentWords, t.stems, t.ids = append(t.contentWords, w), append(t.stems, words.Stem(w, t.german)), append(t.ids, id)
	}
	return t
}

// overlap is how much of a secret's words a text contains, in words of similar meaning.
type overlap struct {
	best                 []float64 // best match of each word, in descending order
	sum                  float64
	back                 float64 // share of the text's words that match the secret
	share                float64
	assent, denial, self float64
}

// leastAlike is the cosine from which words have similar meanings.
const leastAlike = 0.3

func alike(cosine float64) float64 { return max(0, cosine-leastAlike) / (1 - leastAlike) }

func (s *likeSecret) overlapOf(t *spokenText) overlap {
	o := overlap{assent: t.assent, denial: t.no, self: t.self}
	used := make([]float64, len(t.contentWords))
	for _, w := range s.words {
		best, at := 0.0, -1
		for i, other := range t.contentWords {
			near := 0.0
			if w.stem == t.stems[i] {
				near = 1
			} else {
				if w.id != 0 && t.ids[i] != 0 {
					near = wordvectors.Load().Similar(w.id, t.ids[i])
				}
				if len(w.stem) >= 5 && strings.Contains(other, w.stem) || len(other) >= 5 && strings.Contains(w.text, t.stems[i]) {
					near = max(near, 0.8)
				}
			}
			if near > best {
				best, at = near, i
			}
		}
		if at >= 0 {
			used[at] = max(used[at], best)
		}
		o.best = append(o.best, alike(best)*w.weight)
		o.sum += alike(best) * w.weight
	}
	slices.SortFunc(o.best, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	for _, u := range used {
		o.back += alike(u)
	}
	if len(used) > 0 {
		o.back /= float64(len(used))
	}
	o.share = o.sum / max(s.total, 1)
	return o
}

// at returns the n-th best match, or 0.
func (o *overlap) at(n int) float64 {
	if n < len(o.best) {
		return o.best[n]
	}
	return 0
}

// features returns the features for the weights in likeness.json. closer is how much closer the encoder finds
// the text to the secret than to the card's public sentences.
func (o *overlap) features(wordCosine, closer float64) []float64 {
	sum := min(o.sum, 2)
	return []float64{
		1, o.assent, o.assent * o.at(0), o.assent * sum, o.share, min(o.sum, 3), max(0, o.sum-1), o.at(1), o.at(2), o.back, o.back * sum,
		wordCosine, o.self, o.self * sum, o.denial, o.denial * sum, closer, closer * sum,
	}
}

// The index at which a vector's encoder part ends and its word part begins.
const encoderPart = 128

// mostCloser is an upper bound of closer. A text that stays below the bar even with it is not encoded.
const mostCloser = 0.6

// closer compares a text with a secret and with the card's public sentences. The encoder supports only
// English; German is compared by words.
func (l *likeness) closer(s *likeSecret, t *spokenText) (wordCosine, closer float64) {
	secret, said := s.vector(), t.vector()
	wordCosine = cosine(secret[encoderPart:], said[encoderPart:])
	if t.german {
		return wordCosine, 0
	}
	open := 0.0
	for _, v := range l.public() {
		open = max(open, cosine(v[:encoderPart], said[:encoderPart]))
	}
	return wordCosine, cosine(secret[:encoderPart], said[:encoderPart]) - open
}

func cosine(a, b []float32) float64 {
	var sum, x, y float64
	for i := range a {
		sum, x, y = sum+float64(a[i])*float64(b[i]), x+float64(a[i])*float64(a[i]), y+float64(b[i])*float64(b[i])
	}
	if x == 0 || y == 0 {
		return 0
	}
	return sum / math.Sqrt(x*y)
}

func (m *likenessModel) score(features []float64) (sum float64) {
	for i, f := range features {
		sum += m.Weights[i] * f
	}
	return sum
}

// reveals reports whether a sentence, together with those heard just before, reveals a secret that may not be
// told.
func (l *likeness) reveals(heard, sentence string, told []string) bool {
	if l == nil {
		return false
	}
	m := sharedLikeness()
	now := newSpokenText(sentence)
	all := now
	if heard != "" {
		all = newSpokenText(heard + " " + sentence)
	}
	for i := range l.secrets {
		s := &l.secrets[i]
		if slices.ContainsFunc(told, func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(s.text)) }) {
			continue
		}
		if own := s.overlapOf(&now); own.sum == 0 && now.assent == 0 {
			continue
		}
		o := s.overlapOf(&all)
		if m.score(o.features(1, mostCloser)) < m.Bar {
			continue
		}
		if m.score(o.features(l.closer(s, &all))) >= m.Bar {
			return true
		}
	}
	return false
}
