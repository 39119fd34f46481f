package discord

// Descriptions of commands and options, which Discord shows during typing. They have at most 100 characters.
var (
	CmdSession       = Text{"The session at the table in this channel", "Die Sitzung am Tisch in diesem Kanal"}
	CmdSessionStart  = Text{"Start a session: from now on the NPCs answer in this channel", "Eine Sitzung beginnen: ab jetzt antworten die NSCs in diesem Kanal"}
	CmdSessionStop   = Text{"End the session; everything said is saved", "Die Sitzung beenden; was gesagt wurde, bleibt gespeichert"}
	CmdSessionStatus = Text{"Who is at the table, and for how long the session has been running", "Wer am Tisch sitzt und wie lange die Sitzung schon läuft"}
	CmdSessionRecap  = Text{"What was said last, in this session or the one before", "Was zuletzt gesagt wurde, in dieser oder der letzten Sitzung"}
	CmdSessionTiming = Text{"A chart of what the last answers spent their time on", "Ein Bild davon, wofür die letzten Antworten Zeit gebraucht haben"}

	CmdNPC          = Text{"The NPCs at the table", "Die NSCs am Tisch"}
	CmdNPCList      = Text{"Who is at the table", "Wer am Tisch sitzt"}
	CmdNPCMute      = Text{"Silence an NPC", "Einen NSC schweigen lassen"}
	CmdNPCUnmute    = Text{"Let an NPC speak again", "Einen NSC wieder sprechen lassen"}
	CmdNPCMuteAll   = Text{"Silence all NPCs", "Alle NSCs schweigen lassen"}
	CmdNPCUnmuteAll = Text{"Let all NPCs speak again", "Alle NSCs wieder sprechen lassen"}
	CmdNPCSay       = Text{"Speak as an NPC", "Als NSC sprechen"}
	CmdNPCDirect    = Text{"Tell an NPC how to play its next answers, such as: lie about the key", "Einem NSC sagen, wie er als Nächstes spielen soll, etwa: lüg über den Schlüssel"}
	CmdNPCReveal    = Text{"Let an NPC tell a secret for the rest of the session", "Einen NSC bis zum Ende der Sitzung ein Geheimnis verraten lassen"}
	CmdNPCConceal   = Text{"Make an NPC keep its secrets again", "Einen NSC seine Geheimnisse wieder hüten lassen"}
	CmdNPCWhy       = Text{"What an NPC's last answer was based on; only you see it", "Worauf die letzte Antwort eines NSC beruht; nur du siehst es"}
	CmdNPCListening = Text{"When NPCs answer a line that names none of them; without an option, shows the setting", "Worauf NSCs reagieren, wenn niemand sie beim Namen nennt; ohne Angabe: die Einstellung"}
	CmdNPCReload    = Text{"Read the NPC files again: the game continues with what is in them now", "Die NSC-Dateien neu einlesen: es geht mit dem weiter, was jetzt darin steht"}

	CmdWhisper = Text{"Whisper to one NPC; nobody else hears it, or the answer", "Einem NSC etwas sagen, das sonst niemand hört, auch die Antwort nicht"}
	CmdDate    = Text{"The date in your world; the DM sets it", "Das Datum in eurer Welt; die Spielleitung setzt es"}

	CmdTier       = Text{"How much time NPCs may take to think", "Wie viel Zeit sich die NSCs zum Nachdenken nehmen dürfen"}
	CmdTierRaise  = Text{"Let an NPC think longer and look things up, for a while", "Einen NSC eine Weile länger nachdenken und nachschlagen lassen"}
	CmdTierLower  = Text{"Let an NPC answer quickly until /tier cap allows more", "Einen NSC schnell antworten lassen, bis /tier cap wieder mehr erlaubt"}
	CmdTierCap    = Text{"Limit how long an NPC may think; thoughtful removes the limit", "Einem NSC eine Obergrenze setzen; gründlich hebt sie auf"}
	CmdTierStatus = Text{"How carefully each NPC answers now", "Wie sorgfältig die einzelnen NSCs gerade antworten"}

	CmdTools          = Text{"What NPCs can do besides talking", "Was die NSCs außer Reden noch können"}
	CmdToolsList      = Text{"Everything NPCs can do, such as rolling dice, and when they may", "Alles, was die NSCs können, etwa würfeln, und wann sie es dürfen"}
	CmdToolsCalibrate = Text{"Measure how fast all of this works right now", "Messen, wie schnell das alles gerade geht"}
	CmdToolsApprove   = Text{"Let NPCs use something that is new or was changed by its provider", "Den NSCs etwas erlauben, das neu ist oder von seinem Anbieter geändert wurde"}

	CmdRoll     = Text{"Roll dice for everyone to see", "Würfeln, für alle sichtbar"}
	CmdRules    = Text{"Look something up in the rules", "Etwas in den Regeln nachschlagen"}
	CmdAsk      = Text{"What is known about something: who said what, who is involved; only you see it", "Was über etwas bekannt ist: wer was sagte, wer damit zu tun hat. Nur du siehst es"}
	CmdFeedback = Text{"Tell the person running the bot what is good and what is not; NPCs do not read it", "Sag denen, die den Bot betreiben, was gut ist und was nicht; NSCs lesen es nicht"}

	CmdCampaign       = Text{"What is played here", "Was hier gespielt wird"}
	CmdCampaignInfo   = Text{"Its name, its rules, and what is going on", "Name, Regeln und was gerade los ist"}
	CmdCampaignLoad   = Text{"Add a campaign from a file, so that you can play it, too", "Eine Kampagne aus einer Datei hinzufügen, um auch sie zu spielen"}
	CmdCampaignSwitch = Text{"Play another campaign, with a world and a memory of its own", "Eine andere Kampagne spielen, mit eigener Welt und eigenem Gedächtnis"}

	CmdPrivacy        = Text{"What the bot stores about you, and what you can do about it", "Was der Bot über dich speichert und was du dagegen tun kannst"}
	CmdPrivacyInfo    = Text{"What is stored, and where", "Was gespeichert wird und wo"}
	CmdPrivacyConsent = Text{"Choose whether the bot hears what you write", "Bestimmen, ob der Bot hört, was du schreibst"}
	CmdPrivacyForget  = Text{"Permanently delete everything you wrote that the bot has stored", "Endgültig löschen, was der Bot von dir gespeichert hat"}

	CmdUndo        = Text{"See what changed in the world, and undo it", "Ansehen, was sich in der Welt geändert hat, und es zurücknehmen"}
	CmdUndoList    = Text{"The latest changes to the world, and who made them", "Die letzten Änderungen der Welt, und von wem sie sind"}
	CmdUndoChange  = Text{"Undo a change: the last one, or the one with a number", "Eine Änderung zurücknehmen: die letzte oder die mit einer Nummer"}
	CmdApprove     = Text{"What is waiting for a dungeon master to agree", "Was auf die Zustimmung der Spielleitung wartet"}
	CmdApproveList = Text{"What is waiting", "Was wartet"}
	CmdApproveYes  = Text{"Allow it, this once", "Es erlauben, dieses eine Mal"}
	CmdApproveNo   = Text{"Deny it", "Es ablehnen"}

	CmdEntity       = Text{"The people, places and things of your world", "Die Personen, Orte und Dinge eurer Welt"}
	CmdEntityAdd    = Text{"Add someone or something; leave the name out to get a form", "Jemanden oder etwas hinzufügen; ohne Namen öffnet sich ein Formular"}
	CmdEntityImport = Text{"Read people, places and things from a campaign file", "Personen, Orte und Dinge aus einer Kampagnendatei einlesen"}
	CmdEntityList   = Text{"Everyone and everything in your world", "Alle und alles, was es in eurer Welt gibt"}
	CmdEntityRemove = Text{"Permanently remove someone or something from the world", "Jemanden oder etwas endgültig aus der Welt nehmen"}
)

// Options.
var (
	OptNPC           = Text{"Name of the NPC", "Name des NSC"}
	OptNPCs          = Text{"Name of the NPC, or all", "Name des NSC, oder all für alle"}
	OptWhisper       = Text{"What you whisper", "Was du flüsterst"}
	OptDate          = Text{"A date, or tomorrow, +3, in 2 weeks; leave it out to see the date", "Ein Datum, oder morgen, +3, in 2 Wochen; ohne Angabe siehst du das Datum"}
	OptSayText       = Text{"What the NPC says", "Was der NSC sagt"}
	OptDirectText    = Text{"How to play; leave it out to let the NPC play freely again", "Wie er spielen soll; ohne Angabe spielt er wieder frei"}
	OptDirectTurns   = Text{"For how many answers (3 if you leave it out)", "Für wie viele Antworten (ohne Angabe 3)"}
	OptWhichSecret   = Text{"The secret's number, or all; leave it out to list the secrets", "Die Nummer des Geheimnisses, oder all; ohne Angabe werden sie aufgezählt"}
	OptListening     = Text{"How readily they answer a line that names none of them", "Wie bereitwillig sie reagieren, wenn niemand sie beim Namen nennt"}
	OptTier          = Text{"How carefully the NPC answers", "Wie sorgfältig der NSC antwortet"}
	OptRaiseMinutes  = Text{"For how many minutes (if you leave it out: as set for this bot)", "Für wie viele Minuten (sonst so lange, wie für den Bot eingestellt ist)"}
	OptRaiseTurns    = Text{"For how many of its answers (if you leave it out: as set for this bot)", "Für wie viele seiner Antworten (sonst so viele, wie für den Bot eingestellt sind)"}
	OptToolName      = Text{"The tool, as server/tool", "Das Werkzeug, als server/tool"}
	OptDice          = Text{"Such as 2d6+3, d20 or 4d6kh3", "Etwa 2d6+3, d20 oder 4d6kh3"}
	OptRulesAbout    = Text{"Such as grapple or fireball", "Etwa grapple oder fireball (die Regeln sind auf Englisch)"}
	OptAskAbout      = Text{"A name, place or thing, such as Rusty Flagon", "Ein Name, Ort oder Ding, etwa Rostiger Krug"}
	OptCampaign      = Text{"Its name", "Ihr Name"}
	OptCampaignFile  = Text{"A campaign file in YAML, 1 MB at most", "Eine Kampagnendatei in YAML, höchstens 1 MB"}
	OptFeedback      = Text{"What you think", "Was du denkst"}
	OptHeard         = Text{"Whether the bot hears you", "Ob der Bot dich hört"}
	OptChange        = Text{"The change's number from /undo list; leave it out for the last one", "Die Nummer der Änderung, wie /undo list sie zeigt; ohne sie die letzte"}
	OptApprovalID    = Text{"What is waiting; choose while you type, or name who is waiting, or for what", "Was wartet; wähl es beim Tippen aus, oder nenn, wer wartet oder worauf"}
	OptEntityName    = Text{"What people call it", "Wie es genannt wird"}
	OptEntityKind    = Text{"What it is", "Was es ist"}
	OptEntityText    = Text{"One to three sentences", "Ein bis drei Sätze"}
	OptEntityPlace   = Text{"Where it is: the name of a place", "Wo es ist: der Name eines Ortes"}
	OptEntityFilter  = Text{"Only entries with this in their name", "Nur, was das im Namen trägt"}
	OptEntityRemoved = Text{"Its name", "Der Name"}
)

// Choices of options.
var (
	ChoiceHeardYes   = Text{"yes: NPCs hear what I write in a session's channel", "ja: die NSCs hören, was ich im Kanal einer Sitzung schreibe"}
	ChoiceHeardNo    = Text{"no: what I write is neither heard nor saved", "nein: was ich schreibe, wird weder gehört noch gespeichert"}
	ChoiceEager      = Text{"eager: anything said while someone is talking with them", "eifrig: auf alles, solange mit ihnen gesprochen wird"}
	ChoiceAttentive  = Text{"attentive: what is probably meant for them", "aufmerksam: auf das, was wohl ihnen gilt"}
	ChoiceCalledOnly = Text{"only when called: only what names them", "nur auf Zuruf: nur auf ihren Namen"}
	ChoiceFast       = Text{"quick (fast): small talk", "schnell (fast): Plauderei"}
	ChoiceStandard   = Text{"careful (standard): remembers and looks things up", "sorgfältig (standard): erinnert sich und schlägt nach"}
	ChoiceDeep       = Text{"thoughtful (deep): takes its time", "gründlich (deep): nimmt sich Zeit"}
	ChoicePerson     = Text{"a person", "eine Person"}
	ChoicePlace      = Text{"a place", "ein Ort"}
	ChoiceFaction    = Text{"a group of people", "eine Gruppe von Leuten"}
	ChoiceItem       = Text{"a thing", "ein Ding"}
	ChoiceCreature   = Text{"a beast or a monster", "ein Tier oder Ungeheuer"}
)
