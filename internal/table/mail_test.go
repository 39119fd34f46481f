package table_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// mail records the messages of a random table.
type mail struct {
	refs  []string
	user  map[string]string    // by ref
	text  map[string]string    // current text; empty if retracted
	stale map[string]time.Time // unique words of old texts, with the time of the change
	casts []casting
}

// casting is the cast of a table from a time on.
type casting struct {
	at   time.Time
	npcs []string
}

func newMail() *mail {
	return &mail{user: map[string]string{}, text: map[string]string{}, stale: map[string]time.Time{}}
}

// write returns a new message whose last word is unique.
func (m *mail) write(who int, words string) table.Utterance {
	ref := fmt.Sprintf("m%d.", len(m.refs))
	m.refs = append(m.refs, ref)
	m.user[ref] = "id:" + randomPlayers[who]
	m.rewrite(ref, words)
	return table.Utterance{Speaker: randomPlayers[who], Text: m.text[ref], User: m.user[ref], Ref: ref}
}

// rewrite changes a message and returns its text.
func (m *mail) rewrite(ref, words string) string {
	if old := m.text[ref]; old != "" {
		m.stale[old[strings.LastIndexByte(old, ' ')+1:]] = time.Now()
	}
	m.text[ref] = ""
	if words != "" {
		m.text[ref] = fmt.Sprintf("%s x%dx", words, len(m.refs)+1000*len(m.stale))
	}
	return m.text[ref]
}

// edit changes a message or the cast.
func (r *room) edit(a act, set setting, mail *mail) {
	ctx := context.Background()
	ref := ""
	if n := len(mail.refs); n > a.who {
		ref = mail.refs[n-1-a.who]
	}
	switch a.kind {
	case "retract":
		mail.rewrite(ref, "")
		check(r.t, r.Retract(ctx, ref))
	case "reword":
		if mail.text[ref] != "" { // a retracted message cannot be reworded
			check(r.t, r.Reword(ctx, ref, mail.rewrite(ref, a.words)))
		}
	case "forget":
		user := "id:" + randomPlayers[a.who]
		for ref, u := range mail.user {
			if u == user {
				mail.rewrite(ref, "")
			}
		}
		check(r.t, r.Forget(ctx, user))
		_, err := r.journal.Forget(ctx, user)
		check(r.t, err)
	case "recast":
		other := bart(setting{})
		other.BudgetTier, other.Personality = mcp.BudgetDeep, a.words
		r.recast([][]config.NPC{{mira(set)}, {zed(), other}, {mira(set), other}}[a.who]...)
		mail.casts = append(mail.casts, casting{time.Now(), r.names()})
	}
}
