package discord

// The guide for a first session, private rolls and breaks.
var (
	CmdHelp          = Text{"How to play with this bot, and what each command does", "Wie ihr mit diesem Bot spielt und was jeder Befehl tut"}
	CmdSessionPause  = Text{"Take a break: until you resume, nothing is heard or kept", "Pause machen: bis es weitergeht, wird nichts gehört oder aufgehoben"}
	CmdSessionResume = Text{"Go on after a break", "Nach einer Pause weiterspielen"}
	OptPrivateRoll   = Text{"Only you see the result; DMs find it under /session status", "Nur du siehst das Ergebnis; die Spielleitung findet es unter /session status"}

	GuidePlayers = Text{
		"**Playing.** Once a session runs, write in its channel what your character says. Begin with the name of whom you speak to, or reply to an NPC's message. What stands (in brackets), or begins with // or ooc, the NPCs do not hear. ❌ on an NPC's answer to you takes it back, 🔁 has the NPC answer otherwise. `/roll` rolls dice, `/session recap` shows what was said last, `/privacy info` what is kept of you.",
		"**Mitspielen.** Läuft eine Sitzung, dann schreib in ihren Kanal, was deine Figur sagt. Beginn mit dem Namen, wen du ansprichst, oder antworte auf die Nachricht eines NSC. Was (in Klammern) steht oder mit // oder ooc beginnt, hören die NSCs nicht. ❌ an der Antwort eines NSC an dich nimmt sie zurück, 🔁 lässt ihn anders antworten. `/roll` würfelt, `/session recap` zeigt, was zuletzt gesagt wurde, `/privacy info`, was von dir aufgehoben wird.",
	}
	GuideDMs = Text{
		"**Leading the game.** `/session start` begins in this channel, `/session pause` takes a break, `/session stop` ends it. `/npc direct` tells an NPC how to play, `/npc say` speaks as one, `/npc mute` silences it. `/tier raise` lets it think longer. `/entity list` is your world, `/ask` what is known of something.",
		"**Spielleitung.** `/session start` beginnt in diesem Kanal, `/session pause` macht Pause, `/session stop` beendet. `/npc direct` gibt einem NSC Regie, `/npc say` spricht als NSC, `/npc mute` lässt ihn schweigen. `/tier raise` lässt ihn länger nachdenken. `/entity list` ist eure Welt, `/ask`, was über etwas bekannt ist.",
	}

	SessionPaused  = Text{"⏸ Break: nothing is heard or kept until `/session resume`.", "⏸ Pause: bis `/session resume` wird nichts gehört oder aufgehoben."}
	SessionResumed = Text{"▶ The session goes on: you are heard again.", "▶ Es geht weiter: ihr werdet wieder gehört."}
	AlreadyPaused  = Text{"the session is paused already; /session resume goes on", "es ist schon Pause; mit /session resume geht es weiter"}
	NotPaused      = Text{"the session is not paused", "es ist gerade keine Pause"}
)
