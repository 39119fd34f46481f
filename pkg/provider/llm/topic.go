package llm

// Topic is something an NPC has words for: what it is about, and what the NPC says
// of it.
type Topic struct {
	// Intents are what somebody may want for the topic to be meant, such as "price".
	// If empty, any question will do.
	Intents []string `yaml:"intents,omitempty" json:"intents,omitempty" enum:"greet|farewell|thanks|introduce|identity|smalltalk|rumour|drink|food|lodging|price|haggle|goods|person|place|way|thing|event|work|help|join|secret|memory|notes_read|notes_write|roll|wager|rules|insult|threat|joke|story|flirt|yes_no|meta|nonsense" doc:"What the player wants, such as price or way; any question if missing."`
	// Words are what is asked about, by language; a word stands for its forms, and
	// of several words all must be said, in this order. If empty, the intents suffice.
	Words map[string][]string `yaml:"words,omitempty" json:"words,omitempty" keys:"en|de" doc:"Words by which the topic is known, by language; 'bread jetty' takes both words, in this order."`
	// Lines are what the NPC says, by language.
	Lines map[string][]string `yaml:"lines,omitempty" json:"lines,omitempty" keys:"en|de" required:"true" doc:"What the NPC says about it, by language."`
}
