package config

// KnownProfiles returns the names of the built-in profiles.
func KnownProfiles() []string {
	return []string{
		"system.readonly", "reviewer", "player.limited", "player.full", "npc.agent",
		"builder.readWrite", "dm",
	}
}

// callers without an entry of their own: the person who runs Glyphoxa, those
// who connect from this machine without a token, and programs that start
// Glyphoxa themselves.
func builtInCallers() []string { return []string{"operator", "anonymous", "stdio"} }
