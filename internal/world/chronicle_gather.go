package world

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// Gather processes the lines that were not processed yet, in order of their numbers, and proposes entries
// from them, or accepts them if accept is set. names are the NPCs' names by id. It returns the new entries.
// They come from digest if that is not nil and succeeds, or else from the phrases that the lines contain.
func (c *Chronicle) Gather(ctx context.Context, lines []memory.Line, names map[string]string, accept bool, digest func([]memory.Line) ([]Entry, error)) ([]Entry, error) {
	digested, err := c.digestUnprocessed(lines, digest)
	if err != nil {
		c.log.Warn("having a model go through what was said; phrases are looked for instead", "reason", err)
	}
	c.change.Lock()
	defer c.change.Unlock()
	through, said, kept, waiting := c.progress()
	var fresh []Entry
	last, players := through, map[string]memory.Line{} // players' lines, by session and turn
	for _, l := range lines {
		turn := fmt.Sprint(l.Session, " ", l.Turn)
		if l.NPC == "" {
			players[turn] = l
		}
		if l.ID <= through {
			continue
		}
		last = max(last, l.ID)
		found := digested[l.ID]
		if digested == nil {
			found = entriesOf(l, players[turn], names)
		}
		for _, e := range found {
			room := maxProposed - waiting
			if accept {
				room = maxKept - kept
			}
			key := entryKey(e.Text)
			if len(fresh) < room && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(key, s) || strings.Contains(s, key) }) {
				e.Accepted = accept
				fresh, said = append(fresh, e), append(said, key)
			}
		}
	}
	if last == through {
		return nil, nil
	}
	fresh, err = c.storeEntries(ctx, fresh, map[string][]byte{upTo: []byte(strconv.FormatInt(last, 10))})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.processedUntil = last
	c.mu.Unlock()
	if !accept || len(fresh) == 0 {
		return fresh, nil
	}
	facts := make([]memory.Fact, len(fresh))
	for i, e := range fresh {
		facts[i] = e.fact()
	}
	if err := c.store.Remember(ctx, facts...); err != nil {
		return fresh, fmt.Errorf("remembering what was gathered: %w", err)
	}
	return fresh, nil
}

// progress returns the last processed line, the keys of all entries, and the numbers of accepted and
// proposed entries. Diaries do not count.
func (c *Chronicle) progress() (through int64, said []string, kept, waiting int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.Kind == LearntDiary {
			continue
		}
		said = append(said, entryKey(e.Text))
		if e.Accepted {
			kept++
		} else {
			waiting++
		}
	}
	return c.processedUntil, said, kept, waiting
}

// digestUnprocessed returns digest's proposals for the unprocessed lines, by their first line; nil if phrases
// should be used.
func (c *Chronicle) digestUnprocessed(lines []memory.Line, digest func([]memory.Line) ([]Entry, error)) (map[int64][]Entry, error) {
	if digest == nil {
		return nil, nil
	}
	c.mu.Lock()
	through := c.processedUntil
	c.mu.Unlock()
	fresh := slices.DeleteFunc(slices.Clone(lines), func(l memory.Line) bool { return l.ID <= through })
	if len(fresh) == 0 {
		return nil, nil
	}
	all, err := digest(fresh)
	if err != nil {
		return nil, err
	}
	out := map[int64][]Entry{}
	for _, e := range all {
		out[e.Lines[0]] = append(out[e.Lines[0]], e)
	}
	return out, nil
}

// entryKey returns an entry's words without its speaker, for comparison: an NPC that quotes a player says
// nothing new.
func entryKey(text string) string {
	if _, said, ok := strings.Cut(text, ": "); ok {
		text = said
	}
	return " " + words.Key(text) + " "
}

// entriesOf returns the entries in a line, each in its original words, with the speaker and addressee. player
// is the player's line of the same turn, zero if there is none.
func entriesOf(l, player memory.Line, names map[string]string) []Entry {
	if slices.Equal(l.Present, memory.Heard()) {
		return nil // out of character
	}
	var out []Entry
	for _, s := range speech.FindSalient(l.Text) {
		e := Entry{
			Kind: s.Kind, Text: tidy(attribute(l, names) + s.Text), Session: l.Session, Lines: []int64{l.ID},
			Source: sourceOf(l, player), At: l.At, Date: l.Date, Visible: l.Present,
		}
		if s.Kind.BetweenPeople() {
			e.NPC, e.Person = parties(l, player)
		}
		if e.Text != "" {
			out = append(out, e)
		}
	}
	return out
}

// attribute returns the speaker and addressee of a line as a prefix.
func attribute(l memory.Line, names map[string]string) string {
	to := names[l.To]
	ws := words.Split(l.Text)
	isNamed := slices.ContainsFunc(words.Split(to), func(w string) bool { return !words.Stop(w) && slices.Contains(ws, w) })
	if to != "" && l.NPC == "" && !isNamed {
		return hotctx.Attribution(l) + " (to " + to + "): "
	}
	return hotctx.Attribution(l) + ": "
}

// parties returns the NPC and the player between whom a line was said.
func parties(l, player memory.Line) (npc, person string) {
	switch {
	case l.DM || player.DM:
		return "", ""
	case l.NPC == "" && l.To != "":
		return l.To, l.Speaker
	case l.NPC != "" && player.Speaker != "":
		return l.NPC, player.Speaker
	}
	return "", ""
}
