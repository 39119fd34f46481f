package config

// KnownPermissions returns what a profile may allow, as "domain.verb".
func KnownPermissions() []string {
	return []string{
		"dice.roll", "rules.read", "memory.read", "memory.write", "world.read", "world.write",
		"files.read", "files.write", "npc.read", "npc.control", "session.read", "session.control",
		"external.call", "audit.read",
	}
}

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
