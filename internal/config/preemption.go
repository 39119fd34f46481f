package config

import "fmt"

// Preemption is what works on an answer to words that may not be all yet.
type Preemption string

const (
	// PreemptOff: nothing does.
	PreemptOff Preemption = "off"
	// PreemptModel: the model does.
	PreemptModel Preemption = "model"
	// PreemptVoice: the model does, and the voice on its first sentence. Nothing is
	// heard before the words have proved right.
	PreemptVoice Preemption = "voice"
)

// UnmarshalText reads one of the constants. Where it was a yes or no, true stands for
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
