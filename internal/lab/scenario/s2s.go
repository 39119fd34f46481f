package scenario

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// S2S is the script of the speech-to-speech model. It says and calls the same
// as the language model.
type S2S struct {
	Opens        config.Duration `yaml:"opens" min:"0s" max:"1h" doc:"How long it takes to open a session; 100 ms if missing."`
	FirstSound   config.Duration `yaml:"first_sound" min:"0s" max:"1h" doc:"From the end of a turn to the first sound of its answer; as long as the language model and the synthesiser take if missing."`
	Between      config.Duration `yaml:"between" min:"0s" max:"1h" doc:"Time between two sentences; 50 ms if missing."`
	Speed        float64         `yaml:"speed" min:"0.1" max:"1000" doc:"How much faster than it plays sound is made; 5 if missing."`
	Limit        config.Duration `yaml:"limit" min:"0s" max:"24h" doc:"How long a session lasts; without end if missing."`
	Capabilities S2SCapabilities `yaml:"capabilities" doc:"What its sessions can do; all of it but duplex and resumes, if missing."`
	Faults       []S2SFault      `yaml:"faults" doc:"What goes wrong."`
}

// S2SCapabilities are s2s.Capabilities in a file.
type S2SCapabilities struct {
	InputRate   int    `yaml:"input_rate" min:"8000" max:"48000" doc:"Samples a second of what it hears."`
	OutputRate  int    `yaml:"output_rate" min:"8000" max:"48000" doc:"Samples a second of what it says."`
	Tools       string `yaml:"tools" enum:"update|context|new_session" doc:"How an open session gets other tools."`
	ManualTurns bool   `yaml:"manual_turns" doc:"Whether it answers only when asked to."`
	Clears      bool   `yaml:"clears" doc:"Whether sound can be taken back."`
	Truncates   bool   `yaml:"truncates" doc:"Whether it forgets what of its answer was not heard."`
	Typed       bool   `yaml:"typed" doc:"Whether it takes text in place of sound."`
	EndsTurns   bool   `yaml:"ends_turns" doc:"Whether it tells the end of an answer."`
	Duplex      bool   `yaml:"duplex" doc:"Whether it is a voice that has others do the work."`
	Resumes     bool   `yaml:"resumes" doc:"Whether a new session can go on where an old one was."`
}

// S2SFault is a fault of an answer, or of opening a session.
type S2SFault struct {
	On    string          `yaml:"on" doc:"Part of the player's line; any if missing. It says nothing of sessions that cannot be opened."`
	Fault string          `yaml:"fault" required:"true" enum:"refused|unreachable|hang|stalls|dies|closes|leaves|failed|rate_limited|malformed|interrupts|orphan|two_items|empty|takes_back|delegates_twice" doc:"What goes wrong."`
	After config.Duration `yaml:"after" min:"0s" max:"1h" doc:"How much of the answer's sound is told before; of takes_back, how long after the calls; of closes, how long after the answer; of leaves, how long after the warning."`
	Round int             `yaml:"round" min:"0" max:"100" doc:"In which round of an answer, the one after the first tools being 2; in the first if missing."`
	Once  bool            `yaml:"once" doc:"Whether it happens only the first time."`
}

// Faults of a speech-to-speech model.
const (
	faultRefused     = "refused"     // no session, and retries are useless
	faultUnreachable = "unreachable" // no session
	faultHang        = "hang"        // no answer
	faultStalls      = "stalls"      // the answer stops
	faultDies        = "dies"        // the session ends during the answer
	faultCloses      = "closes"      // the session ends after the answer
	faultLeaves      = "leaves"      // the session announces its end, and ends
	faultFailed      = "failed"      // the answer fails
	faultRateLimited = "rate_limited"
	faultMalformed   = "malformed"  // an invalid event comes before the answer
	faultInterrupts  = "interrupts" // the vendor ends the answer
	faultOrphan      = "orphan"     // sound comes after an interruption
	faultTwoItems    = "two_items"  // each sentence is an item, and the second begins before the first ends
	faultEmpty       = "empty"      // the answer is empty
	faultTakesBack   = "takes_back" // the calls are cancelled
	faultTwice       = "delegates_twice"
)

const (
	// orphanText is what a session still says after an interruption.
	orphanText = "(orphan)"
	// oldText is what a session says if its history ends with an unanswered
	// line.
	oldText = "(answer to an old line)"
)

// Defaults of a speech-to-speech model.
const (
	defaultOpens      = 100 * time.Millisecond
	defaultRate       = 24_000
	defaultLeaving    = 10 * time.Second
	orphanAfter       = 60 * time.Millisecond
	defaultTellsAgain = 300 * time.Millisecond
)

// blankS2S is a speech-to-speech model with all capabilities and no faults.
func blankS2S() S2S {
	return S2S{
		Opens: config.Duration(defaultOpens), Between: config.Duration(defaultBetween), Speed: defaultSpeed,
		Capabilities: S2SCapabilities{
			InputRate: defaultRate, OutputRate: defaultRate, Tools: "update",
			ManualTurns: true, Clears: true, Truncates: true, Typed: true, EndsTurns: true,
		},
	}
}

// capabilities returns the script's capabilities.
func (s S2S) capabilities() s2s.Capabilities {
	c := s.Capabilities
	change := map[string]s2s.ToolChange{"update": s2s.ToolsByUpdate, "context": s2s.ToolsByContext, "new_session": s2s.ToolsByNewSession}
	return s2s.Capabilities{
		InputRate: c.InputRate, OutputRate: c.OutputRate, ToolChange: change[c.Tools], ManualTurns: c.ManualTurns, Clears: c.Clears,
		Truncates: c.Truncates, Typed: c.Typed, EndsTurns: c.EndsTurns, Duplex: c.Duplex, Longest: time.Duration(s.Limit),
	}
}

// Variants returns the scenes that a scene stands for: one for each of its
// engines, which replaces the NPCs' own, or the scene itself if it names none.
func (s *Scene) Variants() []*Scene {
	if len(s.Engines) == 0 {
		return []*Scene{s}
	}
	out := make([]*Scene, len(s.Engines))
	for i, engine := range s.Engines {
		variant := *s
		variant.Engine, variant.NPCs = engine, append([]config.NPC(nil), s.NPCs...)
		for k := range variant.NPCs {
			variant.NPCs[k].Engine = engine
		}
		out[i] = &variant
	}
	return out
}
