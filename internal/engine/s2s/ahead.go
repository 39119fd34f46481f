package s2s

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// ahead is a recording that is being sent to the session.
type ahead struct {
	sound     *engine.Recording
	sent      int  // samples of it that were sent
	announced bool // the session was told that a turn's sound begins
	in        *audio.Resampler
}

// listen starts to send the sound of a player who is probably talking to the NPC.
func (c *conversation) listen(ctx context.Context, a engine.Ahead) {
	c.npc = a.NPC
	c.clearAhead(ctx)
	opening, cancel := c.engine.boundOpening(ctx)
	defer cancel()
	if c.turn == nil && c.openSession(ctx, opening, a.Messages, a.Edits, a.Tools) != nil {
		return // the turn will report the error
	}
	c.ahead = &ahead{sound: a.Sound}
}

// decline clears the sound that was not for the NPC.
func (c *conversation) decline(ctx context.Context, sound *engine.Recording) {
	if c.ahead != nil && c.ahead.sound == sound {
		c.clearAhead(ctx)
	}
}

// clearAhead makes the session forget the sound that was sent of an utterance.
func (c *conversation) clearAhead(ctx context.Context) {
	h := c.ahead
	c.ahead = nil
	if h == nil || !h.announced || c.live == nil {
		return
	}
	c.send(ctx, func(ctx context.Context) error { return c.live.session.ClearTurn(ctx) })
}

// sendAhead sends new sound, and returns a channel that is closed once there is more; nil if there will not
// be.
func (c *conversation) sendAhead(ctx context.Context) <-chan struct{} {
	h := c.ahead
	if h == nil || c.live == nil {
		return nil
	}
	sound, _, changed := h.sound.From(h.sent)
	if len(sound) > 0 && !c.sendSound(ctx, h, sound) {
		c.ahead = nil
		return nil
	}
	return changed // also after the player has stopped, because the player may go on
}

// sendSound sends samples, mono at audio.SampleRate, and reports whether that succeeded.
func (c *conversation) sendSound(ctx context.Context, h *ahead, samples []int16) bool {
	h.sent += len(samples)
	rate := c.engine.able.InputRate
	if h.in == nil && rate != audio.SampleRate {
		in, err := audio.NewResampler(audio.SampleRate, rate)
		if err != nil {
			c.engine.o.Logger.Error("converting what players say", "rate", rate, "reason", err)
			return false
		}
		h.in = in
	}
	if h.in != nil {
		samples = h.in.Process(nil, samples)
	}
	return c.send(ctx, func(ctx context.Context) error {
		if !h.announced {
			h.announced = true
			if err := c.live.session.BeginTurn(ctx); err != nil {
				return err
			}
		}
		return c.live.session.SendAudio(ctx, samples)
	})
}

// sendRest sends the part of the player's utterance that the session has not received yet.
func (c *conversation) sendRest(ctx context.Context, sound *engine.Recording) bool {
	h := c.ahead
	if h == nil || h.sound != sound {
		c.clearAhead(ctx)
		h = &ahead{sound: sound}
		if c.answeredRecording != nil && c.answeredRecording.sound == sound {
			if more, _, _ := sound.From(c.answeredRecording.sent); len(more) > 0 {
				h.sent = c.answeredRecording.sent // the player has gone on, and the session knows the beginning
			} // otherwise its answer was empty or taken back, and it is asked again
		}
	}
	c.ahead, c.answeredRecording = nil, h
	rest, _, _ := sound.From(h.sent)
	if !c.sendSound(ctx, h, rest) {
		return false
	}
	if h.in == nil {
		return true
	}
	tail := h.in.Flush(nil)
	return len(tail) == 0 || c.send(ctx, func(ctx context.Context) error { return c.live.session.SendAudio(ctx, tail) })
}
