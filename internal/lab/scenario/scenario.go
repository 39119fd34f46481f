// Package scenario plays scripted scenes at a real table and judges them. A
// scene says who speaks when, how the providers behave, what the dungeon master
// does, and what the result must be.
//
// The same scene runs in virtual time, where a minute takes milliseconds and
// every run is the same, and in real time over audio, where a synthesiser
// speaks for players and NPCs. Both use the product's lanes, voice detection,
// floor, mixer, tool host, engine and memory; recognition and language model
// are scripted. The package measures sound on the table's output, not in the
// table's events.
//
// It writes only temporary files unless asked for others.
package scenario

import (
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Scene is one scene as in its file, with defaults filled in. Load creates it;
// it does not change afterwards and may be played any number of times.
type Scene struct {
	Title string `yaml:"title" required:"true" max:"100" doc:"What the scene shows, in one line."`
	// Proves names the past failure or the lesson that the scene guards
	// against.
	Proves    string          `yaml:"proves" required:"true" doc:"What would go wrong without what the scene shows."`
	Languages []string        `yaml:"languages" format:"language" doc:"Languages spoken at the table, the main one first."`
	Lasts     config.Duration `yaml:"lasts" min:"0s" max:"1h" doc:"Shortest time the scene is watched; it goes on until nothing happens any more."`
	// Audio marks scenes short and plain enough to be played in real time as
	// well.
	Audio   bool     `yaml:"audio" doc:"Whether the scene belongs to those that are also tested in real time."`
	Players []Player `yaml:"players" doc:"Players who are special; all others are there from the beginning without being listed."`
	// Engines are the engines to play the scene with, one after the other; see
	// Variants.
	Engines []string       `yaml:"engines" enum:"cascaded|sentence_cascade|s2s" doc:"Engines with which the scene is played, one after the other, in place of the NPCs' own."`
	NPCs    []config.NPC   `yaml:"npcs" doc:"NPCs defined right here, as in glyphoxa.yaml."`
	Cast    []string       `yaml:"cast" doc:"NPC files, from the scene's directory."`
	Latency config.Latency `yaml:"latency" doc:"As in glyphoxa.yaml."`
	Table   config.Table   `yaml:"table" doc:"As in glyphoxa.yaml."`
	Model   Model          `yaml:"model" doc:"What the language model answers, and how fast."`
	STT     STT            `yaml:"stt" doc:"How speech recognition behaves. It hears what the players say."`
	Voice   Voice          `yaml:"voice" doc:"How speech synthesis behaves."`
	S2S     S2S            `yaml:"s2s" doc:"How the speech-to-speech model behaves, for NPCs with that engine."`
	Tools   []Tool         `yaml:"tools" doc:"Tools there are."`
	Story   []Step         `yaml:"story" required:"true" doc:"What happens."`
	Expect  []Expectation  `yaml:"expect" required:"true" doc:"What must come of it."`

	// Engine is a variant's engine; empty means the NPCs' own.
	Engine string `yaml:"-"`
	// File is the path of the scene, and ExpectLines the lines of its
	// expectations.
	File        string `yaml:"-"`
	ExpectLines []int  `yaml:"-"`

	recordings map[string][]int16 // by Step.Plays
}

// Player configures a player whose voice or connection is special.
type Player struct {
	Name string `yaml:"name" required:"true" doc:"Name of the player."`
	// Pitch and Level describe the generated voice.
	Pitch float64 `yaml:"pitch" min:"60" max:"400" doc:"Pitch of the voice in Hz."`
	Level float64 `yaml:"level" min:"-60" max:"0" doc:"Peak of the voice in dBFS; -14 if missing."`
	// Loss and Reorder are shares of the packets.
	Loss    float64         `yaml:"loss" min:"0" max:"0.9" doc:"Share of the packets that are lost."`
	Reorder float64         `yaml:"reorder" min:"0" max:"0.9" doc:"Share of the packets that come after the one behind them."`
	Jitter  config.Duration `yaml:"jitter" min:"0s" max:"1s" doc:"By how much packets are late at most."`
	// Echo is the level of the NPCs' voices in the microphone, 0 for none.
	Echo    float64 `yaml:"echo" min:"-60" max:"0" doc:"How loud the NPCs' voices come back through the microphone, in dB; none if missing."`
	OpenMic bool    `yaml:"open_mic" doc:"Whether sound is sent in silence too, with the noise of a room."`
	Late    bool    `yaml:"late" doc:"Whether the player is not there from the beginning."`
}

// Model is the script of the language model.
type Model struct {
	FirstToken config.Duration `yaml:"first_token" min:"0s" max:"1h" doc:"Time to the first piece of an answer; 200 ms if missing."`
	Between    config.Duration `yaml:"between" min:"0s" max:"1h" doc:"Time between two sentences; 50 ms if missing."`
	// Word is its time per word.
	Word config.Duration `yaml:"word" min:"0s" max:"1m" doc:"Time to write each word after the first; each sentence comes at once if missing."`
	// Hurried is FirstToken for requests for the fastest provider.
	Hurried config.Duration `yaml:"hurried" min:"0s" max:"1h" doc:"Time to the first piece where the table asks for the faster provider; there is none if missing."`
	// Opens is FirstToken of the opening model.
	Opens   config.Duration `yaml:"opens" min:"0s" max:"1h" doc:"Time to the first piece of the sentence that an NPC with engine sentence_cascade opens with; half of the first_token of what it is part of if missing."`
	Replies []Reply         `yaml:"replies" doc:"Answers: the first one that fits and is not used up."`
}

// Reply is an answer of the model, in rounds if it uses tools.
type Reply struct {
	On  string `yaml:"on" doc:"Part of the player's line; any line if missing. A reply with it is never used up."`
	NPC string `yaml:"npc" doc:"Who answers; anyone if missing."`
	// A single round may be inline in the reply.
	Round `yaml:",inline"`
	// Opens is for NPCs with engine sentence_cascade.
	Opens string `yaml:"opens" max:"250" doc:"What an NPC with engine sentence_cascade opens with, with [DONE] in front if nothing has to follow; the first sentence of says if missing, or nothing if the model calls tools first."`
	// Again is the answer to a second request in the same turn.
	Again  string  `yaml:"again" max:"10000" doc:"What the model says when it is asked once more, since what it said was withheld; nothing if missing."`
	Rounds []Round `yaml:"rounds" doc:"What the model does first, after the first tools, and so on."`
}

// Round is the model's reaction to one request.
type Round struct {
	Says       string          `yaml:"says" max:"10000" doc:"Text of the answer."`
	Calls      []Call          `yaml:"calls" doc:"Tools it calls."`
	Declines   bool            `yaml:"declines" doc:"Whether it says nothing, as it is told to where the line is not meant for the NPC: with words for that, or a call of a speech-to-speech model."`
	FirstToken config.Duration `yaml:"first_token" min:"0s" max:"1h" doc:"Time to the first piece."`
	Between    config.Duration `yaml:"between" min:"0s" max:"1h" doc:"Time between two sentences."`
	Fault      string          `yaml:"fault" enum:"error|rejected|rate_limited|hang" doc:"How it fails, after the text."`
}

// Call is a tool call of the model.
type Call struct {
	Tool string `yaml:"tool" required:"true" doc:"Name of the tool."`
	Args string `yaml:"args" doc:"Arguments as JSON, right or wrong; {} if missing."`
}

// STT is the script of speech recognition.
type STT struct {
	Delay    config.Duration `yaml:"delay" min:"0s" max:"1h" doc:"From the end of an utterance to its final transcript; 300 ms if missing."`
	Interims bool            `yaml:"interims" doc:"Whether there are transcripts while a player speaks."`
	Faults   []STTFault      `yaml:"faults" doc:"What goes wrong."`
}

// STTFault is a fault of an utterance.
type STTFault struct {
	On    string          `yaml:"on" doc:"Part of what was said; anything if missing."`
	Fault string          `yaml:"fault" enum:"never|empty|duplicate|wrong|error|broken" doc:"What goes wrong: no final, an empty one, two, another text, an error, or the connection breaks."`
	Text  string          `yaml:"text" max:"2000" doc:"What is heard instead."`
	Delay config.Duration `yaml:"delay" min:"0s" max:"1h" doc:"How late the final is."`
	Once  bool            `yaml:"once" doc:"Whether it happens only the first time."`
}

// Voice is the script of speech synthesis.
type Voice struct {
	FirstSound config.Duration `yaml:"first_sound" min:"0s" max:"1h" doc:"Time to the first sound of a sentence; 120 ms if missing."`
	Speed      float64         `yaml:"speed" min:"0.1" max:"1000" doc:"How much faster than it plays a sentence is made; 5 if missing."`
	Clauses    bool            `yaml:"clauses" doc:"Whether it can be given the first clause of a sentence by itself."`
	Faults     []VoiceFault    `yaml:"faults" doc:"What goes wrong."`
}

// VoiceFault is a fault of a sentence.
type VoiceFault struct {
	On    string          `yaml:"on" doc:"Part of the sentence; any if missing."`
	Fault string          `yaml:"fault" required:"true" enum:"error|hang|silent" doc:"What goes wrong: an error, no end, or no sound."`
	After config.Duration `yaml:"after" min:"0s" max:"1h" doc:"How much of the sentence is made before."`
	Once  bool            `yaml:"once" doc:"Whether it happens only the first time."`
}

// Tool is a tool at the table. Every tool takes one optional text, x.
type Tool struct {
	Name    string          `yaml:"name" required:"true" format:"id" doc:"Name of the tool."`
	Takes   config.Duration `yaml:"takes" min:"0s" max:"1h" doc:"How long a call takes."`
	P50     config.Duration `yaml:"p50" min:"0s" max:"1h" doc:"How long it is said to take, which decides its tier."`
	Result  string          `yaml:"result" doc:"What it answers; {} if missing."`
	Error   string          `yaml:"error" doc:"The error it ends with."`
	Hangs   bool            `yaml:"hangs" doc:"Whether it never answers."`
	Writes  bool            `yaml:"writes" doc:"Whether it changes something, which happens when the turn is committed."`
	Changes bool            `yaml:"changes" doc:"Whether it changes something at once."`
}

// Step is one action at a time: At from the beginning, After an event, or else
// after the previous step.
type Step struct {
	At    config.Duration `yaml:"at" min:"0s" max:"1h" doc:"When, from the beginning."`
	After string          `yaml:"after" doc:"After what, such as: audio.started npc=Bart +300ms."`
	Wait  config.Duration `yaml:"wait" min:"0s" max:"1h" doc:"How long after that."`

	Who    string          `yaml:"who" doc:"The player who does it."`
	Says   string          `yaml:"says" max:"2000" doc:"What the player says aloud; [800ms] is a pause."`
	Plays  string          `yaml:"plays" doc:"A WAV file, seen from the scene's directory, that is heard instead of generated speech; says is what it says."`
	Types  string          `yaml:"types" max:"2000" doc:"What the player types."`
	Ref    string          `yaml:"ref" max:"100" doc:"What the typed line is called, by which it can be edited and deleted."`
	Makes  string          `yaml:"makes" enum:"cough|noise|laugh|click" doc:"A sound the player makes that is no speech."`
	Lasts  config.Duration `yaml:"lasts" min:"20ms" max:"1m" doc:"How long the sound or the speech is; by its text if missing."`
	Joins  bool            `yaml:"joins" doc:"The player joins."`
	Leaves bool            `yaml:"leaves" doc:"The player leaves, in the middle of a word if need be."`

	Edits   *Edit  `yaml:"edits" doc:"Typed line that the player changes."`
	Deletes string `yaml:"deletes" max:"100" doc:"Ref of the typed line that the player deletes."`

	Mute   string  `yaml:"mute" doc:"NPC the dungeon master mutes, or all."`
	Unmute string  `yaml:"unmute" doc:"NPC that may speak again, or all."`
	Say    *Order  `yaml:"say" doc:"What the dungeon master has an NPC say."`
	Raise  *Raise  `yaml:"raise" doc:"NPC whose tier the dungeon master raises."`
	Lower  *Raise  `yaml:"lower" doc:"NPC whose raise ends, and the tier it stays below."`
	Direct *Order  `yaml:"direct" doc:"Directive the dungeon master gives an NPC."`
	Reveal *Reveal `yaml:"reveal" doc:"NPC that may tell what it keeps secret."`
	Unsay  *Unsay  `yaml:"unsay" doc:"What an NPC said last is taken back."`
	// Conceal reverts Reveal.
	Conceal   string `yaml:"conceal" doc:"NPC that keeps its secrets again."`
	Listening string `yaml:"listening" enum:"eager|attentive|called_only" doc:"How the NPCs listen from then on."`
	// Recast removes the NPCs that are not named.
	Recast []string `yaml:"recast" doc:"NPCs who are at the table from now on; in the beginning all are."`
}

// Edit changes a typed line.
type Edit struct {
	Ref  string `yaml:"ref" required:"true" max:"100" doc:"Ref of the typed line."`
	Text string `yaml:"text" required:"true" max:"2000" doc:"What it says from then on."`
}

// Order is a text for an NPC.
type Order struct {
	NPC   string `yaml:"npc" required:"true" doc:"The NPC."`
	Text  string `yaml:"text" required:"true" max:"2000" doc:"What it is to say or to do."`
	Turns int    `yaml:"turns" min:"0" max:"1000" doc:"For how many turns a directive holds."`
}

// Reveal is what an NPC may tell from then on.
type Reveal struct {
	NPC    string `yaml:"npc" required:"true" doc:"The NPC."`
	Secret int    `yaml:"secret" min:"0" max:"1000" doc:"The number of its secret, from 1; all if missing."`
}

// Unsay retracts an NPC's last line.
type Unsay struct {
	NPC   string `yaml:"npc" required:"true" doc:"The NPC."`
	Again bool   `yaml:"again" doc:"Whether it answers the same again, otherwise."`
}

// Raise raises or caps an NPC's tier.
type Raise struct {
	NPC   string          `yaml:"npc" required:"true" doc:"The NPC."`
	Tier  string          `yaml:"tier" required:"true" enum:"fast|standard|deep" doc:"The tier."`
	Lasts config.Duration `yaml:"lasts" min:"0s" max:"24h" doc:"For how long; latency.lease if missing."`
	Turns int             `yaml:"turns" min:"0" max:"1000" doc:"For how many turns at most; latency.lease_turns if missing."`
}

// Expectation is one required result of a scene: one of Event, Absent, Order,
// Outcomes, Ledger, Transcript, Heard, Silent and Sounds.
type Expectation struct {
	Event  string `yaml:"event" doc:"What must happen, such as: turn.ended outcome=barged."`
	Absent string `yaml:"absent" doc:"What must not happen."`
	// After and Before bound its time range.
	After    string          `yaml:"after" doc:"What comes before it."`
	Before   string          `yaml:"before" doc:"What comes after it."`
	Within   config.Duration `yaml:"within" min:"0s" max:"1h" doc:"At most how long after."`
	NoSooner config.Duration `yaml:"no_sooner" min:"0s" max:"1h" doc:"At least how long after."`
	Count    string          `yaml:"count" doc:"How often, such as 2, <3 or >=1."`

	Order      []string          `yaml:"order" doc:"What must happen in this order."`
	Outcomes   []string          `yaml:"outcomes" doc:"How the turns end, in order."`
	Ledger     map[string]string `yaml:"ledger" doc:"Bounds of ledger fields, such as first_sound_ms: \"<1200\"."`
	Turn       int               `yaml:"turn" min:"1" max:"10000" doc:"Which turn's ledger; every answered one if missing."`
	Transcript []string          `yaml:"transcript" doc:"The lines kept at the end, as Name: text."`
	Heard      []string          `yaml:"heard" doc:"Sentences of the NPCs that sounded to their end, in order."`
	Silent     bool              `yaml:"silent" doc:"No NPC sounds between after and before."`
	Sounds     bool              `yaml:"sounds" doc:"An NPC sounds all the time between after and before."`

	Engines []string `yaml:"engines" enum:"cascaded|sentence_cascade|s2s" doc:"With which of the scene's engines it counts; with all of them if missing."`

	Judge string `yaml:"judge" doc:"A sentence that the answer must meet in the eyes of a language model."`
}

// Defaults of a scene.
const (
	defaultFirstToken = 200 * time.Millisecond
	defaultBetween    = 50 * time.Millisecond
	defaultDelay      = 300 * time.Millisecond
	defaultFirstSound = 120 * time.Millisecond
	defaultSpeed      = 5
	defaultLevel      = -14
)

// blank is a scene before its file is read.
func blank() *Scene {
	return &Scene{
		Languages: []string{"en"},
		Latency:   config.Default().Latency,
		Table:     config.Default().Table,
		Model:     Model{FirstToken: config.Duration(defaultFirstToken), Between: config.Duration(defaultBetween)},
		STT:       STT{Delay: config.Duration(defaultDelay)},
		Voice:     Voice{FirstSound: config.Duration(defaultFirstSound), Speed: defaultSpeed},
		S2S:       blankS2S(),
	}
}
