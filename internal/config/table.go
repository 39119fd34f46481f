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
}
