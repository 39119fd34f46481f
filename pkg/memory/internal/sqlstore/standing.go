package sqlstore

// This file distinguishes current facts from those that a later fact on the same topic has superseded. It is
// the same for all stores and does no I/O.

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// topicKey returns the stored form of a topic, a hash, so that no name can be read from it. The key of a key
// is the key itself.
func topicKey(topic string) string {
	if topic == "" || len(topic) == keyLength && topic[0] == '#' {
		return topic
	}
	hash := sha256.Sum256([]byte(topic))
	return "#" + base64.RawURLEncoding.EncodeToString(hash[:15])
}

const keyLength = 21

// Claim records when a fact was stated. It is used to tell how long earlier facts on its topic were current.
type Claim struct {
	ID    int64
	Topic string
	At    time.Time
	// Since is the in-world day from which the fact holds; zero if unknown.
	Since memory.Date
}

// newClaim returns the claim of a fact. A fact without Since holds from its own date.
func newClaim(f memory.Fact) Claim {
	s := Claim{ID: f.ID, Topic: f.Topic, At: f.At, Since: f.Since}
	if s.Since.IsZero() {
		s.Since = f.Date
	}
	return s
}

// topicsOf lists the distinct topics of facts.
func topicsOf(hits []memory.FactHit) []string {
	var out []string
	for _, h := range hits {
		if h.Topic != "" && !slices.Contains(out, h.Topic) {
			out = append(out, h.Topic)
		}
	}
	return out
}

// History holds, by topic, the claims that a viewer may know of. A fact that is hidden from the viewer
// supersedes none for it.
type History map[string][]Claim

// newHistory groups claims by topic. all is in the order in which they were stated.
func newHistory(all []Claim) History {
	h := History{}
	for _, s := range all {
		h[s.Topic] = append(h[s.Topic], s)
	}
	return h
}

// Missing lists the current facts that supersede some of the hits but are not among them.
func (h History) Missing(hits []memory.FactHit) []int64 {
	var out []int64
	for _, topic := range topicsOf(hits) {
		of := h[topic]
		if len(of) == 0 {
			continue
		}
		now := of[len(of)-1].ID
		if !slices.ContainsFunc(hits, func(x memory.FactHit) bool { return x.ID == now }) {
			out = append(out, now)
		}
	}
	return out
}

// Arrange marks superseded hits and puts the fact that supersedes them, from hits or added, before them. It
// returns at most k.
func (h History) Arrange(hits, added []memory.FactHit, k int) []memory.FactHit {
	all := slices.Concat(hits, added)
	out := make([]memory.FactHit, 0, len(all))
	has := func(id int64) bool {
		return slices.ContainsFunc(out, func(x memory.FactHit) bool { return x.ID == id })
	}
	for _, hit := range hits {
		of := h[hit.Topic]
		at := slices.IndexFunc(of, func(s Claim) bool { return s.ID == hit.ID })
		if hit.Topic != "" && at >= 0 && at < len(of)-1 {
			next := of[at+1]
			hit.Superseded, hit.Until = next.At, next.Since
			now := of[len(of)-1].ID
			if i := slices.IndexFunc(all, func(x memory.FactHit) bool { return x.ID == now }); i >= 0 && !has(now) {
				current := all[i]
				current.Score = max(current.Score, hit.Score)
				out = append(out, current)
			}
		}
		if !has(hit.ID) {
			out = append(out, hit)
		}
	}
	return out[:min(len(out), k)]
}
