package discord

// The guide for a first session, private rolls and breaks.
var (
	CmdHelp          = Text{"How to play with this bot, and what each command does", "Wie ihr mit diesem Bot spielt und was jeder Befehl tut"}
	CmdSessionPause  = Text{"Take a break: nothing is heard or saved until you resume", "Pause machen: bis es weitergeht, wird nichts gehört oder gespeichert"}
	CmdSessionResume = Text{"Continue after a break", "Nach einer Pause weiterspielen"}
	OptPrivateRoll   = Text{"Only you see the result; DMs find it under /session status", "Nur du siehst das Ergebnis; die Spielleitung findet es unter /session status"}

	GuidePlayers = Text{
		"**Playing.** While a session is running, write in its channel what your character says. Start with the NPC's name, or reply to an NPC's message. The NPCs do not hear what is (in brackets) or starts with // or ooc. React with ❌ to an NPC's answer to you to take it back, or with 🔁 to get a different one. `/roll` rolls dice, `/session recap` shows what was said last, `/privacy info` shows what the bot stores about you.",
		"**Mitspielen.** Während einer Sitzung schreibst du in ihrem Kanal, was deine Figur sagt. Beginn mit dem Namen des NSC, mit dem du sprichst, oder antworte auf seine Nachricht. Was (in Klammern) steht oder mit // oder ooc beginnt, hören die NSCs nicht. Mit ❌ an der Antwort eines NSC an dich nimmst du sie zurück, mit 🔁 bekommst du eine andere. `/roll` würfelt, `/session recap` zeigt, was zuletzt gesagt wurde, `/privacy info`, was der Bot von dir speichert.",
	}
	GuideDMs = Text{
		"**Running the game.** `/session start` starts a session in this channel, `/session pause` takes a break, `/session stop` ends it. `/npc direct` tells an NPC how to play, `/npc say` speaks as an NPC, `/npc mute` silences it. `/tier raise` lets it think longer. `/entity list` shows your world, `/ask` shows what is known about something.",
		"**Spielleitung.** `/session start` beginnt in diesem Kanal, `/session pause` macht Pause, `/session stop` beendet. `/npc direct` gibt einem NSC eine Regieanweisung, `/npc say` spricht als NSC, `/npc mute` lässt ihn schweigen. `/tier raise` lässt ihn länger nachdenken. `/entity list` zeigt eure Welt, `/ask` zeigt, was über etwas bekannt ist.",
	}

	SessionPaused  = Text{"⏸ Break: nothing is heard or saved until `/session resume`.", "⏸ Pause: bis `/session resume` wird nichts gehört oder gespeichert."}
	SessionResumed = Text{"▶ The session continues: you are heard again.", "▶ Es geht weiter: ihr werdet wieder gehört."}
	AlreadyPaused  = Text{"the session is already paused; /session resume continues it", "es ist schon Pause; mit /session resume geht es weiter"}
	NotPaused      = Text{"the session is not paused", "es ist gerade keine Pause"}
)
