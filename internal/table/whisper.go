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

// Whisper says something to one NPC so that no one else hears it or the answer. A deaf NPC is handed a note
// instead. The turn's events are marked as whispered (see [Header]), and the answer is not spoken aloud. When
// the turn has ended, the channel receives the answer, empty if there is none. Whispers count as lines of the
// player: too many are refused with [ErrTooMuch] or [ErrFlood].
func (t *Table) Whisper(ctx context.Context, npc string, u Utterance) (<-chan string, error) {
	u.Text = untrusted.Clean(u.Text, maxText)
	if strings.TrimSpace(u.Text) == "" {
		return nil, errors.New("the whisper is empty")
	}
	answer := make(chan string, 1)
	err := t.orderNPCs(ctx, npc, func(who []int) error {
		if len(who) != 1 {
			return errors.New("you can only whisper to one NPC at a time")
		}
		if n := t.cast.agents[who[0]].NPC; n.Senses.Deaf && n.Senses.Blind {
			return fmt.Errorf("%s can neither hear a whisper nor read a note", n.Name)
		}
		if t.queue.isFull() {
			return errors.New("too many lines are waiting for an answer; try again in a moment")
		}
		if err := t.admit(u); err != nil {
			return err
		}
		tn := newTurn(whisperTurn, t.conversation.introduce(u), time.Now())
		tn.reply = answer
		t.admitWhisper(tn, who[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// admitWhisper gives a whisper its turn.
func (t *Table) admitWhisper(tn *turn, npc int) {
	tn.number = t.turns.nextNumber()
	t.effects.whisper(tn.number)
	t.effects.emit(tn.number, KindUtterance, &Heard{Speaker: tn.Speaker, Text: tn.Text})
	tn.words.knownAt = time.Now()
	t.assignDecision(tn, address.Decision{NPCs: []int{npc}, Route: address.RouteName, Called: true})
	tn.addressee.route = RouteWhisper
	t.beginOrQueue(tn)
}

// replyTo sends the answer to the player who whispered.
func (tn *turn) replyTo() {
	if tn.reply == nil {
		return
	}
	tn.reply <- strings.Join(tn.delivered.answer, " ")
	close(tn.reply)
}
