package config

// Values of table.listening.
const (
	ListeningEager      = "eager"
	ListeningAttentive  = "attentive"
	ListeningCalledOnly = "called_only"
)

// Values of table.judge.
const (
	JudgeAuto = "auto"
	JudgeOff  = "off"
)

// Table configures how Glyphoxa behaves at the table.
type Table struct {
	// Listening is one of the Listening constants. Default attentive.
	Listening string `yaml:"listening" json:"listening" enum:"eager|attentive|called_only" doc:"How readily NPCs answer lines without a name: eager (all lines while players talk with them), attentive (lines that are plausibly for them) or called_only (none)."`
	// Judge is one of the Judge constants. Default auto.
	Judge string `yaml:"judge" json:"judge" enum:"auto|off" doc:"Whether a language model decides whom a line is for if the rules are in doubt: auto (if a model is configured) or off."`
	// JudgeWait is how long a line waits for the judge's decision. Default 700ms.
	JudgeWait Duration `yaml:"judge_wait" json:"judge_wait" min:"50ms" max:"5s" doc:"How long a doubtful line waits for that model after its words are known. After that, the rules decide."`
	// JudgeCalls is the maximum number of calls of the judge per minute. Default 20.
	JudgeCalls int `yaml:"judge_calls" json:"judge_calls" min:"1" max:"600" doc:"Maximum number of requests to that model per minute. For further lines, the rules decide."`
	// Players maps the names of players to the names of their characters.
	Players map[string]string `yaml:"players" json:"players" doc:"The players' characters, by the players' names, such as {Marco: Thokk}. NPCs do not answer a line that calls one of them."`
	// Leads is the player who leads the game, or empty if not set.
	Leads string `yaml:"leads" json:"leads" max:"100" doc:"The player who leads the game, by the name shown at the table. NPCs answer only those lines of this player that greet them by name."`
}
