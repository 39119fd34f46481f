package table

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// maxRecalled is how many lines are read when a session is resumed: more than can have been stored after a
// line of a later turn.
const maxRecalled = 256

// transcript holds the lines of a session: all of it in the log, which the keeper writes, and the last lines
// in memory for the NPCs.
type transcript struct {
	log       memory.SessionLog
	writer    *lineWriter
	session   string
	maxRecent int                // bound of recent
	date      func() memory.Date // in the world
	recent    []memory.Line      // the session's last lines, the oldest first; never changed in place

	lastEdit <-chan struct{} // closed once the last edit of the log is done; nil if there was none
	erasing  int             // running edits that delete an NPC's answer from the log
}

// recallSession reads the earlier lines of a session that is resumed.
func (r *transcript) recallSession(ctx context.Context) ([]memory.Line, error) {
	lines, err := r.log.Recent(ctx, r.session, max(maxRecalled, r.maxRecent))
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the NPCs do not know what was said before: %w", err)
	}
	r.recent = append([]memory.Line{}, lines[max(len(lines)-r.maxRecent, 0):]...)
	return lines, nil
}

// linesOf returns the lines to store of a turn: the player's, and the heard part of the answer. present says
// who may know them.
func (r *transcript) linesOf(tn *turn, present []string) []memory.Line {
	var lines []memory.Line
	if !tn.isPuppet() && !tn.retention.lineRetracted && tn.leader == nil && tn.kind != repeatTurn && tn.Text != "" {
		l := r.playersLine(tn, present)
		if tn.addressee.agent != nil && tn.end.outcome != OutcomePassed { // otherwise it was not said to an NPC
			l.To = tn.addressee.npc.ID
		}
		lines = append(lines, l)
	}
	if len(tn.delivered.texts) > 0 && !tn.retention.answerRetracted {
		number := tn.number
		if tn.kind == repeatTurn {
			number = tn.again.first // that of the line it answers
		}
		lines = append(lines, memory.Line{
			Session: r.session, Turn: number, Speaker: tn.addressee.npc.Name, NPC: tn.addressee.npc.ID, Text: strings.Join(tn.delivered.texts, " "), At: time.Now(),
			Ref: answerRef(tn.number), Present: present, Date: r.date(),
		})
	}
	return lines
}

// playersLine returns the player's line of a turn, without its addressee.
func (r *transcript) playersLine(tn *turn, present []string) memory.Line {
	return memory.Line{
		Session: r.session, Turn: tn.number, Speaker: tn.Speaker, Text: tn.Text, At: tn.words.since, User: tn.User, Ref: tn.Ref, DM: tn.Leads,
		Present: present, Date: r.date(),
	}
}

// rememberTurn adds the lines of a turn to the last lines. Workers keep the lines that they were given.
func (r *transcript) rememberTurn(tn *turn, present []string) {
	all := slices.Concat(r.recent, r.linesOf(tn, present))
	r.recent = all[max(len(all)-r.maxRecent, 0):]
}

// editRecent applies an edit to the last lines.
func (r *transcript) editRecent(e edit) {
	recent := make([]memory.Line, 0, len(r.recent))
	for _, l := range r.recent {
		if l.NPC == "" && e.matches(sourceOf(l)) {
			if e.text == "" {
				continue
			}
			l.Text = e.text
		}
		recent = append(recent, l)
	}
	r.recent = recent
}

// dropAnswer removes an NPC's answer from the last lines.
func (r *transcript) dropAnswer(turn int64) {
	r.recent = slices.DeleteFunc(slices.Clone(r.recent), func(l memory.Line) bool { return l.NPC != "" && l.Ref == answerRef(turn) })
}

// before returns the last lines, without the utterance that a repeated turn answers again.
func (r *transcript) before(tn *turn) []memory.Line {
	if tn.kind != repeatTurn {
		return r.recent
	}
	return slices.DeleteFunc(slices.Clone(r.recent), func(l memory.Line) bool { return l.NPC == "" && l.Turn == tn.again.first })
}

// dropUnread removes text that was never shown from the last lines.
func (r *transcript) dropUnread(u Unread) {
	recent := make([]memory.Line, 0, len(r.recent))
	for _, l := range r.recent {
		if u.dropFrom(&l) {
			recent = append(recent, l)
		}
	}
	r.recent = recent
}

// recall reads the earlier lines of a resumed session: the NPCs remember them, and turn numbers continue.
func (t *Table) recall(ctx context.Context) {
	lines, err := t.transcript.recallSession(ctx)
	if err != nil {
		t.effects.notify(0, "warning", err.Error())
		return
	}
	for _, l := range lines {
		t.turns.count = max(t.turns.count, l.Turn, turnOf(l))
	}
	t.cast.recallConversations(lines)
	t.conversation.restoreNames(lines)
}

// answerPrefix is the beginning of the reference of an NPC's line in the log.
const answerPrefix = "answer:"

// answerRef returns the reference of an NPC's answer in the log.
func answerRef(turn int64) string { return answerPrefix + strconv.FormatInt(turn, 10) }

// turnOf returns the turn in which a line was said. A repeated answer is stored under the turn of its
// utterance, so its own turn is in the reference.
func turnOf(l memory.Line) int64 {
	if number, is := strings.CutPrefix(l.Ref, answerPrefix); is && l.NPC != "" {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			return n
		}
	}
	return l.Turn
}

// sourceOf returns where a line comes from.
func sourceOf(l memory.Line) agent.Source { return agent.Source{User: l.User, Ref: l.Ref} }
