package fakegemini

import (
	"context"
	"encoding/json"
	"mime"
	"slices"
	"strconv"
)

// takeInput handles a player's input, and its beginning and end.
func (c *connection) takeInput(ctx context.Context, raw json.RawMessage) *Close {
	var m realtimeInput
	if refusal := decode(raw, &m); refusal != nil {
		return refusal
	}
	switch {
	case m.MediaChunks != nil:
		return &invalid // its replacement came with the first of today's models
	case m.Audio != nil:
		c.record("audio", raw)
		return c.takeAudio(m.Audio)
	case m.Text != nil:
		c.record("text", raw)
		return c.takeText(ctx, *m.Text)
	case m.ActivityStart != nil:
		c.record("activityStart", raw)
		return c.startActivity(ctx)
	case m.ActivityEnd != nil:
		c.record("activityEnd", raw)
		return c.endActivity(ctx)
	case m.AudioStreamEnd:
		c.record("audioStreamEnd", raw)
		if c.manual {
			return &invalid
		}
		if c.pending {
			c.interrupt(ctx)
			c.generate(ctx)
		}
		return nil
	}
	return &invalid
}

// takeAudio handles sound; it ignores sound outside an activity.
func (c *connection) takeAudio(b *blob) *Close {
	kind, parameters, err := mime.ParseMediaType(b.MIMEType)
	if err != nil || kind != "audio/pcm" || len(b.Data)%2 != 0 || len(b.Data) == 0 {
		return &invalid
	}
	if rate, ok := parameters["rate"]; ok {
		if n, err := strconv.Atoi(rate); err != nil || n < 8000 || n > 48000 {
			return &invalid
		}
	}
	c.history = false
	c.pending = c.pending || c.activity || !c.manual
	return nil
}

func (c *connection) takeText(ctx context.Context, text string) *Close {
	if text == "" {
		return &invalid
	}
	c.history, c.pending = false, true
	if !c.manual {
		c.interrupt(ctx)
		c.generate(ctx)
	}
	return nil
}

func (c *connection) startActivity(ctx context.Context) *Close {
	if !c.manual {
		return &notManual
	}
	if c.activity {
		return &invalid
	}
	c.history, c.activity, c.pending = false, true, false
	c.interrupt(ctx)
	return nil
}

func (c *connection) endActivity(ctx context.Context) *Close {
	switch {
	case !c.manual:
		return &notManual
	case !c.activity:
		return &invalid
	case !c.pending:
		return &noTurn
	}
	c.activity = false
	c.generate(ctx)
	return nil
}

// takeResponses handles answers to calls. It ignores an answer to a cancelled
// call, and refuses one to an unknown or answered call.
func (c *connection) takeResponses(ctx context.Context, raw json.RawMessage) *Close {
	var m toolResponse
	if refusal := decode(raw, &m); refusal != nil {
		return refusal
	}
	if len(m.FunctionResponses) == 0 {
		return &invalid
	}
	late, refusal := c.close(m.FunctionResponses)
	if refusal == nil && late { // after the current answer
		if c.current != nil {
			<-c.current.done
		}
		c.generate(ctx)
	}
	return refusal
}

// close answers calls. It reports whether a call that does not block now has an
// answer to speak about.
func (c *connection) close(responses []functionResponse) (late bool, refusal *Close) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range responses {
		known := slices.Contains([]string{"", "SILENT", "WHEN_IDLE", "INTERRUPT"}, r.Scheduling)
		if r.Name == "" || r.Response == nil || !known || r.Scheduling != "" && !c.traits.scheduling {
			return false, &invalid
		}
		answered := c.calls[r.ID]
		switch answered.state {
		case callOpen:
			late = late || answered.noWait && r.Scheduling != "SILENT"
			answered.state = callAnswered
			c.calls[r.ID] = answered
		case callAnswered, 0:
			return false, &notFound
		}
	}
	c.moveCalls()
	return late, nil
}

// moveCalls wakes the waiters for a call. c.mu must be held.
func (c *connection) moveCalls() {
	close(c.moved)
	c.moved = make(chan struct{})
}
