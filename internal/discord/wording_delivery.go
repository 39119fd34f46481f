package discord

// Notices about messages that Discord did not accept, or that were too many.
var (
	// CameLate gives the duration of a delay in seconds.
	CameLate = Text{
		EN: "Discord accepted no messages for %d s; the lines above came late.",
		DE: "Discord hat %d s lang nichts angenommen; was darüber steht, kam zu spät.",
	}
	// LineLost names the NPC whose message was not posted, and why.
	LineLost = Text{
		EN: "A message from %s was lost here, and nobody heard it: %v.",
		DE: "Hier ging eine Nachricht von %s verloren, und niemand hat sie gehört: %v.",
	}
	// LinesLost gives the number of messages that were not posted, their NPCs, and why.
	LinesLost = Text{
		EN: "%d messages from %s were lost here, and nobody heard them: %v.",
		DE: "Hier gingen %d Nachrichten von %s verloren, und niemand hat sie gehört: %v.",
	}
	// HeardNotWritten names NPCs whose lines were heard but not posted, and why.
	HeardNotWritten = Text{
		EN: "Something that %s said aloud is missing here in writing: %v.",
		DE: "Hier fehlt schriftlich etwas, das laut gesagt wurde (%s): %v.",
	}
	// NotTakenInTime is the reason why a message was given up.
	NotTakenInTime = Text{
		EN: "Discord did not accept it in time",
		DE: "Discord hat sie nicht rechtzeitig angenommen",
	}
	// NotDeleted reports that a line that was taken back is still visible.
	NotDeleted = Text{
		EN: "A line that was taken back could not be deleted here, but the NPC has forgotten it.",
		DE: "Eine zurückgenommene Zeile ließ sich hier nicht löschen. Der NSC hat sie trotzdem vergessen.",
	}
	// NotDone replaces the answer to a command that came too late.
	NotDone = Text{
		EN: "This was not done, because Discord was too slow. Use the command again.",
		DE: "Das wurde nicht ausgeführt, weil Discord zu langsam war. Gib den Befehl noch einmal ein.",
	}
	// NotDoneFor reports the same to a user in the channel.
	NotDoneFor = Text{
		EN: "<@%s>: what you just asked for was not done, because Discord was too slow. Try again.",
		DE: "<@%s>: Was du eben wolltest, wurde nicht ausgeführt, weil Discord zu langsam war. Versuch es noch einmal.",
	}
	// TooMuchOfOne tells a player that a line was dropped.
	TooMuchOfOne = Text{
		EN: "Too much at once: the NPCs did not hear what %s wrote. Wait for the answers, then write it again.",
		DE: "Zu viel auf einmal: Was %s geschrieben hat, wurde nicht gehört. Warte die Antworten ab und schreib es dann noch einmal.",
	}
	// SessionLost reports in another channel that a session has ended, where and why.
	SessionLost = Text{
		EN: "The session in <#%s> is over, because I may no longer write there (%v). Everything said has been saved. Give me View Channel, Send Messages and Manage Webhooks there, and unlock the thread if it is locked; then /session start continues it.",
		DE: "Die Sitzung in <#%s> ist zu Ende, weil ich dort nicht mehr schreiben darf (%v). Was gesagt wurde, ist gespeichert. Gib mir dort die Rechte „Kanal ansehen“, „Nachrichten senden“ und „Webhooks verwalten“, und entsperre den Thread, falls es einer ist; dann geht es mit /session start weiter.",
	}
)
