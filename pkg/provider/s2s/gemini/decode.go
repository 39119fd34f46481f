package gemini

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"mime"
	"strconv"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

const (
	// maxText bounds a piece of a transcript, in runes.
	maxText = 4096
	// maxHandle bounds what a session is resumed with, in bytes.
	maxHandle = 16 << 10
	// maxTokens bounds a number of tokens.
	maxTokens = 100_000_000
)

// errSound means sound of another kind than was asked for.
var errSound = errors.New("it sent sound that is no 16-bit PCM at 24 kHz")

// clean returns a piece of a transcript fit to be read. Blanks at its ends stay.
func clean(text string) string { return untrusted.Clean(text, maxText) }

// isSound reports whether a part of an answer is sound as it was asked for.
func isSound(kind string) bool {
	name, parameters, err := mime.ParseMediaType(kind)
	if err != nil || name != "audio/pcm" {
		return false
	}
	rate, ok := parameters["rate"]
	return !ok || rate == strconv.Itoa(outputRate)
}

// decode reads sound: 16 bits a sample, the lower byte first. A byte left over begins
// the next piece.
func decode(left, data []byte) (samples []int16, rest []byte) {
	if len(left) > 0 {
		data = append(left[:len(left):len(left)], data...)
	}
	samples = make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:])) //nolint:gosec // the bits are those of a signed sample
	}
	if len(data)%2 == 1 {
		rest = data[len(data)-1:]
	}
	return samples, rest
}

// outcome is how an answer ended, in the words of [s2s.GenerationDone].
func outcome(reason string) (string, error) {
	switch reason {
	case "", "TURN_COMPLETE_REASON_UNSPECIFIED":
		return "completed", nil
	case "NEED_MORE_INPUT":
		return "incomplete", nil
	}
	return "failed", fmt.Errorf("the service ended its answer: %s", untrusted.Line(reason, 80))
}

// count returns what a message says was used; numbers that make no sense count
// nothing. Tokens of no stated kind are text where they went in, and sound where
// they came out.
func count(u *usage) s2s.Usage {
	inText, inAudio := split(u.PromptTokensDetails)
	toolText, toolAudio := split(u.ToolUsePromptTokensDetails)
	outText, outAudio := split(u.ResponseTokensDetails)
	in := tame(u.PromptTokenCount) + tame(u.ToolUsePromptTokenCount)
	inText, inAudio = inText+toolText, inAudio+toolAudio
	inText += max(0, in-inText-inAudio)
	outAudio += max(0, tame(u.ResponseTokenCount)-outText-outAudio)
	return s2s.Usage{
		InputTextTokens: inText, InputAudioTokens: inAudio,
		OutputTextTokens: outText + tame(u.ThoughtsTokenCount), OutputAudioTokens: outAudio,
		CachedTokens: min(tame(u.CachedContentTokenCount), inText+inAudio),
	}
}

// split sums tokens up: of text and all else, and of sound.
func split(details []tokenCount) (text, audio int) {
	for _, d := range details {
		switch d.Modality {
		case "AUDIO":
			audio = min(maxTokens, audio+tame(d.TokenCount))
		default:
			text = min(maxTokens, text+tame(d.TokenCount))
		}
	}
	return text, audio
}

// tame keeps a number of tokens within reason.
func tame(n int32) int { return int(max(0, min(n, int32(min(maxTokens, math.MaxInt32))))) }
