package table

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// Whisper says something to one NPC so that nobody else hears it, nor the answer. To a
// deaf one it is a note that is handed over. The turn's events are marked as whispered
// (see [Header]), and it is never sounded. The channel receives the answer, empty if there
// is none, when the turn has ended. Whispers count as a player's lines do: too many are refused
// with [ErrTooMuch] or [ErrFlood].
func (t *Table) Whisper(ctx context.Context, npc string, u Utterance) (<-chan string, error) {
	u.Text = untrusted.Clean(u.Text, maxText)
	if strings.TrimSpace(u.Text) == "" {
		return nil, errors.New("there is nothing to whisper")
	}
	answer := make(chan string, 1)
	err := t.order(ctx, func() error {
		who, err := t.cast.findNPCs(npc)
		if err != nil {
			return err
		}
		if len(who) != 1 {
			return errors.New("one NPC at a time can be whispered to")
		}
		if n := t.cast.agents[who[0]].NPC; n.Senses.Deaf && n.Senses.Blind {
			return fmt.Errorf("%s can neither hear a whisper nor read a note", n.Name)
		}
		if t.queue.isFull() {
			return errors.New("too much waits to be answered; try again in a moment")
		}
		if err := t.turns.admit(u); err != nil {
			return err
		}
		t.turns.admitWhisper(&turn{
			Utterance: t.conversation.introduce(u), timing: timing{since: time.Now()}, whispered: true, reply: answer,
		}, who[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// admitWhisper gives a whisper its turn.
func (ts *turns) admitWhisper(tn *turn, npc int) {
	tn.number = ts.nextNumber()
	ts.effects.whisper(tn.number)
	ts.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: tn.Text})
	tn.began = time.Now()
	ts.assignDecision(tn, address.Decision{NPCs: []int{npc}, Route: address.RouteName, Called: true})
	tn.route = RouteWhisper
	ts.beginOrQueue(tn)
}

// replyTo hands the answer to who whispered.
func (tn *turn) replyTo() {
	if tn.reply == nil {
		return
	}
	tn.reply <- strings.Join(tn.answer, " ")
	close(tn.reply)
}
