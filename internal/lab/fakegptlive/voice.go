package fakegptlive

import (
	"encoding/base64"
	"math"
	"strings"
	"time"
)

// tenth is the number of output deltas per second of input.
const tenth = 10

// word is a queued word with the earliest session time at which it is said.
type word struct {
	text  string
	after time.Duration
}

// voice is the model: what it hears and says. It belongs to the connection's
// handler.
type voice struct {
	session *Session
	rate    int // samples a second, both ways
	muted   bool

	samples int    // of input so far
	rest    []byte // input short of a tenth

	hearing   bool // the user is speaking
	since     time.Duration
	silentFor time.Duration
	turn      int // of the script's next turn

	words   []word
	left    time.Duration // of the current word
	tone    []byte        // a tenth of a second of it
	silence []byte
}

func (v *voice) begin(c *Session) {
	v.session, v.rate = c, c.config.rate()
	v.silence = make([]byte, 2*v.rate/tenth)
	v.tone = make([]byte, len(v.silence))
	for i := range v.rate / tenth {
		s := int16(8000 * math.Sin(2*math.Pi*200*float64(i)/float64(v.rate)))
		v.tone[2*i], v.tone[2*i+1] = byte(uint16(s)), byte(uint16(s)>>8)
	}
}

// now returns the session's time.
func (v *voice) now() time.Duration {
	return time.Duration(v.samples) * time.Second / time.Duration(v.rate)
}

// hear handles input, and speaks for as long as it lasts.
func (v *voice) hear(data []byte) {
	v.rest = append(v.rest, data...)
	for len(v.rest) >= len(v.silence) {
		v.listen(v.rest[:len(v.silence)])
		v.rest = append(v.rest[:0], v.rest[len(v.silence):]...)
		v.samples += v.rate / tenth
		v.speak(v.now() - time.Second/tenth)
	}
}

// listen handles a tenth of a second of input.
func (v *voice) listen(data []byte) {
	loud := false
	for i := 0; i < len(data) && !v.muted; i += 2 {
		s := int16(uint16(data[i]) | uint16(data[i+1])<<8)
		loud = loud || s > 500 || s < -500
	}
	at := v.now()
	switch {
	case loud && !v.hearing:
		v.hearing, v.since, v.silentFor = true, at, 0
	case loud:
		v.silentFor = 0
		if at-v.since >= YieldTime { // the voice stops when it is interrupted
			v.words, v.left = nil, 0
		}
	case v.hearing:
		if v.silentFor += time.Second / tenth; v.silentFor >= TurnEnd {
			v.hearing = false
			v.answer(v.since, at+time.Second/tenth-v.silentFor)
		}
	}
}

// answer performs the script's turn for speech between two times.
func (v *voice) answer(from, to time.Duration) {
	turns := v.session.server.script.Turns
	if v.turn >= len(turns) {
		return
	}
	t := turns[v.turn]
	v.turn++
	words := strings.Fields(t.Heard)
	for i, w := range words {
		length := (to - from) / time.Duration(len(words))
		start := from + time.Duration(i)*length
		if i > 0 || v.turn > 1 {
			w = " " + w
		}
		v.transcript("input", w, start, start+length)
	}
	v.session.delegate(v.now(), t.Delegates)
	v.say(t.Says, 0)
}

// transcript sends a fragment of a transcript.
func (v *voice) transcript(direction, text string, from, to time.Duration) {
	v.session.send("session."+direction+"_transcript.delta", "", object{"delta": text, "start_ms": from.Milliseconds(), "end_ms": to.Milliseconds()})
}

// say queues text to be said, not before a session time.
func (v *voice) say(text string, after time.Duration) {
	for _, w := range strings.Fields(text) {
		v.words = append(v.words, word{w, after})
	}
}

// speak sends a tenth of a second of speech from a session time.
func (v *voice) speak(at time.Duration) {
	if v.left == 0 && len(v.words) > 0 && v.words[0].after <= at {
		v.transcript("output", v.words[0].text+" ", at, at+WordTime)
		v.words, v.left = v.words[1:], WordTime
	}
	sound := v.silence
	if v.left > 0 {
		sound = v.tone
		v.left -= time.Second / tenth
	}
	v.session.send("session.output_audio.delta", "", object{"delta": base64.StdEncoding.EncodeToString(sound)})
}

// sayRest says all queued words at once.
func (v *voice) sayRest() {
	for i := range v.words {
		v.words[i].after = 0
	}
	for v.left > 0 || len(v.words) > 0 {
		v.speak(v.now())
	}
}
