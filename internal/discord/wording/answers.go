package wording

// What every command may answer.
var (
	Done         = Text{"Done.", "Erledigt."}
	OnlyManagers = Text{"only a dungeon master may do that: somebody with the right Manage Server", "das darf nur die Spielleitung: wer das Recht „Server verwalten“ hat"}
	OnlyRole     = Text{"only a dungeon master may do that: somebody with the role %s", "das darf nur die Spielleitung: wer die Rolle %s hat"}
	OnlyRoles    = Text{"only a dungeon master may do that: somebody with one of the roles %s", "das darf nur die Spielleitung: wer eine der Rollen %s hat"}
)
