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
	// maxText is the maximum length of a part of a transcript in runes.
	maxText = 4096
	// maxHandle is the maximum length of a resumption handle in bytes.
	maxHandle = 16 << 10
	// maxTokens is the maximum plausible number of tokens.
	maxTokens = 100_000_000
)

// errSound means that the service sent audio in an unexpected format.
var errSound = errors.New("it sent sound that is no 16-bit PCM at 24 kHz")

// clean makes a part of a transcript fit to be read. It keeps spaces at the ends.
func clean(text string) string { return untrusted.Clean(text, maxText) }

// isSound reports whether a part of an answer is audio in the requested format.
func isSound(kind string) bool {
	name, parameters, err := mime.ParseMediaType(kind)
	if err != nil || name != "audio/pcm" {
		return false
	}
	rate, ok := parameters["rate"]
	return !ok || rate == strconv.Itoa(outputRate)
}

// decode decodes little-endian 16-bit samples. A leftover byte starts the next piece.
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

// outcome returns the status of an answer for [s2s.GenerationDone].
func outcome(reason string) (string, error) {
	switch reason {
	case "", "TURN_COMPLETE_REASON_UNSPECIFIED":
		return "completed", nil
	case "NEED_MORE_INPUT":
		return "incomplete", nil
	}
	return "failed", fmt.Errorf("the service ended its answer: %s", untrusted.Line(reason, 80))
}

// count returns the usage in a message; implausible numbers count as 0. Tokens of unspecified modality count
// as text in the input and as audio in the output.
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

// split sums the token counts, for text and other modalities, and for audio.
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

// tame clamps a number of tokens to a plausible range.
func tame(n int32) int { return int(max(0, min(n, int32(min(maxTokens, math.MaxInt32))))) }
