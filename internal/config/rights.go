package config

// KnownProfiles returns the names of the built-in profiles.
func KnownProfiles() []string {
	return []string{
		"system.readonly", "reviewer", "player.limited", "player.full", "npc.agent",
		"builder.readWrite", "dm",
	}
}

// builtInCallers returns the names of callers that need no entry in the configuration: the person who runs
// Glyphoxa, clients that connect from this machine without a token, and programs that start Glyphoxa.
func builtInCallers() []string { return []string{"operator", "anonymous", "stdio"} }
