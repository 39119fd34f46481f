package sqlstore

// This file tells facts that stand from those that a later fact of the same topic
// has superseded, the same for all stores. It does no I/O.

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// topicKey is what is kept of a topic: nothing that can be read, so that nobody's name is in it. A
// key is its own.
func topicKey(topic string) string {
	if topic == "" || len(topic) == keyLength && topic[0] == '#' {
		return topic
	}
	hash := sha256.Sum256([]byte(topic))
	return "#" + base64.RawURLEncoding.EncodeToString(hash[:15])
}

const keyLength = 21

// Claim is that a fact was stated, as far as it says how long others of its topic stood.
type Claim struct {
	ID    int64
	Topic string
	At    time.Time
	// Since is from when on it is true in the world, zero if that is not known.
	Since memory.Date
}

// newClaim returns the statement of a fact. Who does not say since when a fact is
// true means since it was said.
func newClaim(f memory.Fact) Claim {
	s := Claim{ID: f.ID, Topic: f.Topic, At: f.At, Since: f.Since}
	if s.Since.IsZero() {
		s.Since = f.Date
	}
	return s
}

// topicsOf lists the topics of facts.
func topicsOf(hits []memory.FactHit) []string {
	var out []string
	for _, h := range hits {
		if h.Topic != "" && !slices.Contains(out, h.Topic) {
			out = append(out, h.Topic)
		}
	}
	return out
}

// History is what was stated of topics, as far as a viewer may know of it. A fact that the
// viewer does not know of supersedes none for it.
type History map[string][]Claim

// newHistory orders statements by topic. They come in the order in which they were stated.
func newHistory(all []Claim) History {
	h := History{}
	for _, s := range all {
		h[s.Topic] = append(h[s.Topic], s)
	}
	return h
}

// Missing lists the facts that stand and are not among hits which they supersede.
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

// Arrange marks the hits that are superseded, and puts what supersedes them, taken from
// hits or from added, before them. At most k are returned.
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
