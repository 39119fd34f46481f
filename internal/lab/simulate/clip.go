package simulate

import (
	"context"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	// shortest and longest bound a player's utterance without a pause; there
	// are clips for every grade between them.
	shortest = time.Second
	longest  = 5 * time.Second
	grade    = 500 * time.Millisecond

	playerLevel = -14.0 // dBFS, peak
	roomLevel   = -62.0 // dBFS, root mean square: the noise of an open microphone
)

// pitches are those of the players' and NPCs' voices, in Hz.
var pitches = [...]float64{110, 145, 190, 230}

// clip is sound as a transport receives it: 20 ms a packet, encoded if there is
// an encoder. It is read-only.
type clip []ear.Packet

func (c clip) length() time.Duration { return time.Duration(len(c)) * audio.FrameDuration }

// pool is all sound of a simulation. It is generated once, shared by all tables
// and read-only.
type pool struct {
	// said holds, for each pitch, a clip for each grade.
	said [len(pitches)][]clip
	// coughed and room are other microphone sounds. quiet is the packets that
	// transports send to end a spurt.
	coughed, room, quiet clip
	// spoken is the NPCs' sound at voiceRate, for each pitch.
	spoken [len(pitches)][]int16
}

// npcSound is the length of each pitch's sound; sentences are cut from it.
const npcSound = 20 * time.Second

// newPool generates and encodes all sound. Without a library packets contain
// frames. It returns early with an error when ctx ends.
func newPool(ctx context.Context, lib *opus.Library) (*pool, error) {
	p := &pool{}
	if err := p.addPlayers(ctx, lib); err != nil {
		return nil, err
	}
	return p, p.addNPCs(ctx)
}

// newLocalPool is newPool with the players elsewhere: their clips only have a
// length.
func newLocalPool(ctx context.Context) (*pool, error) {
	p := &pool{}
	for i := range pitches {
		for d := shortest; d <= longest; d += grade {
			p.said[i] = append(p.said[i], make(clip, d/audio.FrameDuration))
		}
	}
	p.coughed = make(clip, coughLength/audio.FrameDuration)
	return p, p.addNPCs(ctx)
}

// addNPCs generates the NPCs' sound.
func (p *pool) addNPCs(ctx context.Context) error {
	for i, pitch := range pitches {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for n, s := range rig.Speech(pitch, npcSound, playerLevel) {
			if n%(audio.SampleRate/voiceRate) == 0 { // the sound has nothing above 6 kHz
				p.spoken[i] = append(p.spoken[i], s)
			}
		}
	}
	return nil
}

// addPlayers generates and encodes the players' sound.
func (p *pool) addPlayers(ctx context.Context, lib *opus.Library) error {
	background := noise(2*time.Second, roomLevel)
	var err error
	clipOf := func(sound []int16) (c clip) {
		if err == nil {
			c, err = encoded(lib, sound)
		}
		return c
	}
	for i, pitch := range pitches {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for d := shortest; d <= longest; d += grade {
			p.said[i] = append(p.said[i], clipOf(mixSounds(rig.Speech(pitch, d, playerLevel), background)))
		}
	}
	p.coughed = clipOf(mixSounds(cough(), background))
	p.room = clipOf(background)
	p.quiet = clipOf(make([]int16, rig.SamplesIn(100*time.Millisecond)))
	return err
}

// encoded encodes sound into packets, as a separate stream.
func encoded(lib *opus.Library, sound []int16) (clip, error) {
	var framer audio.Framer
	framer.Push(sound)
	var out clip
	var encoder opus.Encoder
	if lib != nil {
		var err error
		if encoder, err = opus.NewEncoder(lib, nil); err != nil {
			return nil, err
		}
	}
	for {
		frame := new(audio.Frame)
		if !framer.Next(frame) && !framer.Flush(frame) {
			return out, nil
		}
		if encoder == nil {
			out = append(out, ear.Packet{Frame: frame})
			continue
		}
		payload, err := encoder.Encode(nil, frame)
		if err != nil {
			return nil, fmt.Errorf("encoding the players' voices: %w", err)
		}
		out = append(out, ear.Packet{Payload: payload})
	}
}

// saying returns a pitch's clip with the length closest to d.
func (p *pool) saying(pitch int, d time.Duration) clip {
	i := int((d - shortest + grade/2) / grade)
	all := p.said[pitch]
	return all[max(0, min(i, len(all)-1))]
}
