package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// LearntDiary is the kind of an NPC's diary entry about a session that it witnessed.
const LearntDiary speech.SalientKind = "diary"

const (
	diaryLines     = 5   // per session
	maxRecentDiary = 10  // in a prompt, the latest
	maxDiary       = 60  // per NPC; the oldest are removed
	maxDiaryLine   = 200 // runes
	leastWitnessed = 3   // minimum number of lines for a diary
)

// Source is the author of a line: the user, and the message in which it was written, as named by the
// transport. An NPC's line has those of the player it answers, with Answer set, because it is taken back with
// the player's message but is not the player's own.
type Source struct {
	User   string `json:"user,omitempty"`
	Ref    string `json:"ref,omitempty"`
	Answer bool   `json:"answer,omitempty"`
}

// sourceOf returns the source of a line. player is the player's line of the same turn, zero if there is none.
func sourceOf(l, player memory.Line) Source {
	if l.NPC != "" {
		return Source{player.User, player.Ref, true}
	}
	return Source{l.User, l.Ref, false}
}

// without returns the source without a user's id.
func (s Source) without(user string) Source {
	if s.User == user {
		s.User, s.Ref = "", ""
	}
	return s
}

// WriteDiary stores an NPC's experience of a session: the most significant of the lines it heard, each with
// its number. It omits mere questions, and lines of NPCs that consist only of phrases. It replaces the
// earlier diary of the session. names have more weight.
func (c *Chronicle) WriteDiary(ctx context.Context, npc, session string, heard []memory.Line, names []string, phrases *Phrases) error {
	heard = slices.DeleteFunc(slices.Clone(heard), func(l memory.Line) bool { return slices.Equal(l.Present, memory.Heard()) })
	c.change.Lock()
	defer c.change.Unlock()
	written := c.Diary(npc)
	gone := slices.DeleteFunc(slices.Clone(written), func(e Entry) bool { return e.Session != session })
	if n := len(written) - len(gone) + diaryLines - maxDiary; n > 0 {
		rest := slices.DeleteFunc(written, func(e Entry) bool { return e.Session == session })
		gone = append(gone, rest[:n]...)
	}
	if err := c.remove(ctx, gone...); err != nil || len(heard) < leastWitnessed {
		return err
	}
	players := map[int64]memory.Line{} // by turn
	for _, l := range heard {
		if l.NPC == "" {
			players[l.Turn] = l
		}
	}
	telling := slices.DeleteFunc(heard, func(l memory.Line) bool { return !phrases.isInformative(l) })
	var fresh []Entry
	for _, l := range ExtractRecap(telling, names, diaryLines) {
		who := hotctx.Attribution(l)
		if l.NPC == npc {
			who = "I"
		}
		fresh = append(fresh, Entry{
			Kind: LearntDiary, Accepted: true, NPC: npc, Visible: memory.Heard(npc), Text: tidy(who + ": " + untrusted.Line(l.Text, maxDiaryLine)),
			Session: session, Lines: []int64{l.ID}, Source: sourceOf(l, players[l.Turn]), At: l.At, Date: l.Date,
		})
	}
	if len(fresh) == 0 {
		return nil
	}
	_, err := c.storeEntries(ctx, fresh, nil)
	return err
}

// Diary returns an NPC's diary entries, oldest first.
func (c *Chronicle) Diary(npc string) (out []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.Kind == LearntDiary && e.NPC == npc {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// RecentDiary returns an NPC's latest diary entries for a model, with the date, if known, and the line
// number.
func (c *Chronicle) RecentDiary(npc string) (out []string) {
	all := c.Diary(npc)
	for _, e := range all[max(0, len(all)-maxRecentDiary):] {
		when := ""
		if e.Date.Text != "" {
			when = e.Date.Text + ", "
		}
		out = append(out, fmt.Sprintf("%s (%sline %d)", e.Text, when, e.Lines[0]))
	}
	return out
}
