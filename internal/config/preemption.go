package config

import "fmt"

// Preemption says what may start to work on an answer before the player's words are final.
type Preemption string

const (
	// PreemptOff means that nothing does.
	PreemptOff Preemption = "off"
	// PreemptModel means that the model does.
	PreemptModel Preemption = "model"
	// PreemptVoice means that the model does, and so does the voice for the first sentence. No audio is
	// played before the words are confirmed.
	PreemptVoice Preemption = "voice"
)

// UnmarshalText parses one of the constants. The setting used to be a boolean, so true stands for
// PreemptVoice and false for PreemptOff.
func (p *Preemption) UnmarshalText(text []byte) error {
	switch s := Preemption(text); s {
	case PreemptOff, PreemptModel, PreemptVoice:
		*p = s
	case "true", "True", "TRUE":
		*p = PreemptVoice
	case "false", "False", "FALSE":
		*p = PreemptOff
	default:
		return fmt.Errorf("%q is not one of off, model, voice", string(text))
	}
	return nil
}
