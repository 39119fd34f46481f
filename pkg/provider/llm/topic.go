package llm

// Topic is something an NPC has lines for.
type Topic struct {
	// Intents are the intents that the topic applies to, such as "price". If empty, it applies to any
	// question.
	Intents []string `yaml:"intents,omitempty" json:"intents,omitempty" enum:"greet|farewell|thanks|introduce|identity|smalltalk|rumour|drink|food|lodging|price|haggle|goods|person|place|way|thing|event|work|help|join|secret|memory|notes_read|notes_write|roll|wager|rules|insult|threat|joke|story|flirt|yes_no|meta|nonsense" doc:"What the player wants, such as price or way; any question if missing."`
	// Words are the words that select the topic, by language. A word includes its inflected forms; several
	// words have to occur in this order. If empty, the intents suffice.
	Words map[string][]string `yaml:"words,omitempty" json:"words,omitempty" keys:"en|de" doc:"Words by which the topic is known, by language; 'bread jetty' takes both words, in this order."`
	// Lines are the NPC's lines, by language.
	Lines map[string][]string `yaml:"lines,omitempty" json:"lines,omitempty" keys:"en|de" required:"true" doc:"What the NPC says about it, by language."`
}
