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
	Listening string `yaml:"listening" json:"listening" enum:"eager|attentive|called_only" doc:"How readily NPCs take what calls none of them: eager (whatever is said while they are talked with), attentive (what is plausibly said to them) or called_only (nothing)."`
	// Judge is one of the Judge constants. Default auto.
	Judge string `yaml:"judge" json:"judge" enum:"auto|off" doc:"Whether a language model is asked whom a line is for where the rules leave that in doubt: auto (if one is configured) or off."`
	// JudgeWait is how long a line waits for the judge's decision. Default 700ms.
	JudgeWait Duration `yaml:"judge_wait" json:"judge_wait" min:"50ms" max:"5s" doc:"How long a line in doubt waits for that model, from when its words are known; after that the rules decide."`
	// JudgeCalls is the maximum number of calls of the judge per minute. Default 20.
	JudgeCalls int `yaml:"judge_calls" json:"judge_calls" min:"1" max:"600" doc:"How often that model is asked within a minute at most; what is beyond that the rules decide."`
	// Players maps the names of players to the names of their characters.
	Players map[string]string `yaml:"players" json:"players" doc:"Characters by the name of their player, such as {Marco: Thokk}: a line that calls one of them is for no NPC."`
	// Leads is the player who leads the game, or empty if not set.
	Leads string `yaml:"leads" json:"leads" max:"100" doc:"Name of the player who leads the game, as it is shown at the table: what is said by them is for no NPC."`
}
