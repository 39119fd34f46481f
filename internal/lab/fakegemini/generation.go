package fakegemini

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// pieceLength is the length of sound in one message.
	pieceLength = 40 * time.Millisecond
	// toneHertz is the frequency of the sound.
	toneHertz = 440
)

// generation is one answer in progress. Its goroutine ends in interrupt or with
// the connection, which wait for it.
type generation struct {
	c      *connection
	turn   Turn
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	complete bool // turnComplete has been sent
	sent     int  // samples of sound
	left     []byte
}

// generate begins the script's next answer. The previous one must have ended.
func (c *connection) generate(ctx context.Context) {
	c.finish()
	c.pending = false
	ctx, cancel := context.WithCancel(ctx)
	g := &generation{c: c, turn: c.server.nextTurn(), cancel: cancel, done: make(chan struct{})}
	c.current = g
	go func() { // ends with its context; finish waits for it
		defer close(g.done)
		g.play(ctx)
	}()
}

// finish ends the current answer, if any, without a message.
func (c *connection) finish() {
	if c.current == nil {
		return
	}
	c.current.cancel()
	<-c.current.done
	c.current = nil
}

// interrupt ends the current answer as new input does: it cancels open calls
// and notifies the client.
func (c *connection) interrupt(ctx context.Context) {
	g := c.current
	c.finish()
	if g == nil {
		return
	}
	if cancelled := c.cancelOpen(); len(cancelled) > 0 {
		c.say(ctx, object{"toolCallCancellation": object{"ids": cancelled}})
	}
	interrupted := object{"serverContent": object{"interrupted": true}}
	complete := object{"serverContent": object{"turnComplete": true}}
	switch {
	case g.complete && !g.turn.Late:
	case g.complete:
		c.say(ctx, interrupted)
	case g.turn.Late:
		c.say(ctx, complete)
		c.say(ctx, interrupted)
	default:
		c.say(ctx, interrupted)
		c.say(ctx, complete)
	}
}

// cancelOpen cancels all open calls that the answer waits for and returns their
// ids.
func (c *connection) cancelOpen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for id, open := range c.calls {
		if open.state == callOpen && !open.noWait {
			open.state = callCancelled
			c.calls[id] = open
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// play sends the answer.
func (g *generation) play(ctx context.Context) {
	if g.turn.Heard != "" && g.c.heard {
		before, after, _ := strings.Cut(g.turn.Heard, " ")
		for _, piece := range []string{before, " " + after} {
			g.content(ctx, object{"inputTranscription": object{"text": piece}})
		}
	}
	for _, step := range g.turn.Steps {
		if !g.do(ctx, step) || ctx.Err() != nil {
			return
		}
	}
	if g.turn.Waiting {
		g.content(ctx, object{"waitingForInput": true})
	} else if len(g.turn.Steps) > 0 {
		g.content(ctx, object{"generationComplete": true})
	}
	if g.turn.Playing {
		return
	}
	last := object{"turnComplete": true}
	if g.turn.Reason != "" {
		last["turnCompleteReason"] = g.turn.Reason
	}
	message := object{"serverContent": last}
	if g.turn.Usage != nil {
		message["usageMetadata"] = g.turn.Usage.metadata()
	}
	if ctx.Err() != nil {
		return
	}
	g.complete = true
	g.c.say(ctx, message)
	if g.turn.Handle != "" && g.c.resumes {
		g.do(ctx, Resumable{g.turn.Handle})
	}
	if len(g.turn.Unasked) > 0 {
		g.turn = Turn{Steps: g.turn.Unasked}
		g.complete = false
		g.play(ctx)
	}
}

func (g *generation) content(ctx context.Context, v object) {
	if ctx.Err() == nil {
		g.c.say(ctx, object{"serverContent": v})
	}
}

// do runs one step and reports whether the answer continues.
func (g *generation) do(ctx context.Context, step Step) bool {
	switch step := step.(type) {
	case Speak:
		g.speak(ctx, step)
	case CallTools:
		return g.callTools(ctx, step)
	case Hang:
		<-ctx.Done()
		return false
	case GoAway:
		g.c.say(ctx, object{"goAway": object{"timeLeft": strconv.FormatFloat(step.Left.Seconds(), 'f', -1, 64) + "s"}})
	case Resumable:
		g.resumable(ctx, step.Handle)
	case Send:
		g.c.say(ctx, step.Message)
	case Usage:
		g.c.say(ctx, object{"usageMetadata": step.metadata()})
	case Close:
		g.c.end(step)
		return false
	}
	return true
}

func (g *generation) resumable(ctx context.Context, handle string) {
	update := object{}
	if handle != "" {
		update = object{"newHandle": handle, "resumable": true}
		g.c.server.change(func() { g.c.server.handles[handle] = true })
	}
	g.c.say(ctx, object{"sessionResumptionUpdate": update})
}

// speak sends sound and its transcript.
func (g *generation) speak(ctx context.Context, s Speak) {
	if s.Text != "" && g.c.shown {
		g.content(ctx, object{"outputTranscription": object{"text": s.Text}})
	}
	if s.Sound == 0 {
		s.Sound = pieceLength
	}
	for left := s.Sound; left > 0; left -= pieceLength {
		g.sound(ctx, min(left, pieceLength), s.Odd)
	}
	if len(g.left) > 0 {
		g.send(ctx, nil, false)
	}
}

// sound sends one piece of a tone.
func (g *generation) sound(ctx context.Context, length time.Duration, odd bool) {
	samples := int(length * OutputRate / time.Second)
	data := make([]byte, 0, 2*samples)
	for range samples {
		v := math.Sin(2 * math.Pi * toneHertz * float64(g.sent) / OutputRate)
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(8000*v)))
		g.sent++
	}
	g.send(ctx, data, odd)
}

// send sends bytes of sound; with odd it holds back a byte that would complete
// a sample.
func (g *generation) send(ctx context.Context, data []byte, odd bool) {
	data = append(g.left, data...)
	g.left = nil
	if odd && len(data)%2 == 0 {
		data, g.left = data[:len(data)-1], data[len(data)-1:]
	}
	g.content(ctx, object{"modelTurn": object{"role": "model", "parts": []any{
		object{"inlineData": object{"mimeType": "audio/pcm;rate=24000", "data": data}},
	}}})
}

func (u Usage) metadata() object {
	prompt, response := u.PromptText+u.PromptAudio, u.ResponseText+u.ResponseAudio
	return object{
		"promptTokenCount": prompt, "responseTokenCount": response, "thoughtsTokenCount": u.Thoughts,
		"cachedContentTokenCount": u.Cached, "totalTokenCount": prompt + response + u.Thoughts,
		"promptTokensDetails": []any{
			object{"modality": "TEXT", "tokenCount": u.PromptText}, object{"modality": "AUDIO", "tokenCount": u.PromptAudio},
		},
		"responseTokensDetails": []any{
			object{"modality": "TEXT", "tokenCount": u.ResponseText}, object{"modality": "AUDIO", "tokenCount": u.ResponseAudio},
		},
	}
}
