package discord

// Notices about messages that Discord did not accept, or that were too many.
var (
	// CameLate gives the duration of a delay in seconds.
	CameLate = Text{
		EN: "Discord took nothing for %d s; what is above came late.",
		DE: "Discord hat %d s lang nichts angenommen; was darüber steht, kam zu spät.",
	}
	// LineLost names the NPC whose message was not posted, and why.
	LineLost = Text{
		EN: "Here a message of %s was lost, and nobody heard it: %v.",
		DE: "Hier ging eine Nachricht von %s verloren, und niemand hat sie gehört: %v.",
	}
	// LinesLost gives the number of messages that were not posted, their NPCs, and why.
	LinesLost = Text{
		EN: "Here %d messages of %s were lost, and nobody heard them: %v.",
		DE: "Hier gingen %d Nachrichten von %s verloren, und niemand hat sie gehört: %v.",
	}
	// HeardNotWritten names NPCs whose lines were heard but not posted, and why.
	HeardNotWritten = Text{
		EN: "Here something that %s said aloud was not written: %v.",
		DE: "Hier wurde nicht mitgeschrieben, was laut gesagt wurde (%s): %v.",
	}
	// NotTakenInTime is the reason why a message was given up.
	NotTakenInTime = Text{
		EN: "Discord did not take it in time",
		DE: "Discord hat sie nicht rechtzeitig angenommen",
	}
	// NotDeleted reports that a line that was taken back is still visible.
	NotDeleted = Text{
		EN: "A line that was taken back could not be deleted here. The NPC has forgotten it all the same.",
		DE: "Eine zurückgenommene Zeile ließ sich hier nicht löschen. Der NSC hat sie trotzdem vergessen.",
	}
	// NotDone replaces the answer to a command that came too late.
	NotDone = Text{
		EN: "This was not done: Discord was too slow. Give the command again.",
		DE: "Das wurde nicht ausgeführt: Discord war zu langsam. Gib den Befehl noch einmal.",
	}
	// NotDoneFor reports the same to a user in the channel.
	NotDoneFor = Text{
		EN: "<@%s>: what you just asked for was not done, since Discord was too slow. Do it again.",
		DE: "<@%s>: Was du eben wolltest, wurde nicht ausgeführt, weil Discord zu langsam war. Versuch es noch einmal.",
	}
	// TooMuchOfOne tells a player that a line was dropped.
	TooMuchOfOne = Text{
		EN: "Too much at once: what %s wrote was not heard. Wait for the answers, then write it again.",
		DE: "Zu viel auf einmal: Was %s geschrieben hat, wurde nicht gehört. Warte die Antworten ab und schreib es dann noch einmal.",
	}
	// SessionLost reports in another channel that a session has ended, where and why.
	SessionLost = Text{
		EN: "The session in <#%s> is over, since I may not write there any more (%v). What was said is kept. Give me View Channel, Send Messages and Manage Webhooks there, and unlock it if it is a locked thread; then /session start goes on.",
		DE: "Die Sitzung in <#%s> ist zu Ende, weil ich dort nicht mehr schreiben darf (%v). Was gesagt wurde, ist aufgehoben. Gib mir dort die Rechte Kanal ansehen, Nachrichten senden und WebHooks verwalten, und entsperre den Thread, falls es einer ist; dann geht es mit /session start weiter.",
	}
)
