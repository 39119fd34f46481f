package table

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// Listen has the NPCs listen otherwise, from the next line on, and returns a sentence
// that says so. What is being answered is answered.
func (t *Table) Listen(ctx context.Context, how address.Listening) (string, error) {
	err := t.order(ctx, func() error {
		if v := t.conversation; v.listening != how {
			v.listening = how
			v.castChanged()
			t.effects.emit(0, KindListening, &Listening{Listening: how.String()})
		}
		return nil
	})
	return "the NPCs " + how.Describe(), err
}

// Listening returns how the NPCs listen.
func (t *Table) Listening(ctx context.Context) (how address.Listening, err error) {
	err = t.order(ctx, func() error {
		how = t.conversation.listening
		return nil
	})
	return how, err
}
