package config

// Ways of listening.
const (
	ListeningEager      = "eager"
	ListeningAttentive  = "attentive"
	ListeningCalledOnly = "called_only"
)

// Table says how a table goes.
type Table struct {
	// Listening is one of the Listening constants. Default attentive.
	Listening string `yaml:"listening" json:"listening" enum:"eager|attentive|called_only" doc:"How readily NPCs take what calls none of them: eager (whatever is said while they are talked with), attentive (what is plausibly said to them) or called_only (nothing)."`
	// Leads is the player who leads the game; empty if it is not said.
	Leads string `yaml:"leads" json:"leads" max:"100" doc:"Name of the player who leads the game, as it is shown at the table: what is said by them is for no NPC."`
}
