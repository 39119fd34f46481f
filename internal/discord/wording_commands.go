package discord

// Descriptions of commands and options, which Discord shows during typing. They have at most 100 characters.
var (
	CmdSession       = Text{"The session at the table in this channel", "Die Sitzung am Tisch in diesem Kanal"}
	CmdSessionStart  = Text{"Begin a session: from now on the NPCs answer in this channel", "Eine Sitzung beginnen: ab jetzt antworten die NSCs in diesem Kanal"}
	CmdSessionStop   = Text{"End the session; what was said is kept", "Die Sitzung beenden; was gesagt wurde, bleibt aufgehoben"}
	CmdSessionStatus = Text{"Who is at the table, and for how long the session has been running", "Wer am Tisch sitzt und wie lange die Sitzung schon läuft"}
	CmdSessionRecap  = Text{"What was said last, in this session or the one before", "Was zuletzt gesagt wurde, in dieser oder der letzten Sitzung"}
	CmdSessionTiming = Text{"Where the time of the last answers went, as a picture", "Womit die letzten Antworten ihre Zeit verbracht haben, als Bild"}

	CmdNPC          = Text{"The NPCs at the table", "Die NSCs am Tisch"}
	CmdNPCList      = Text{"Who is at the table", "Wer am Tisch sitzt"}
	CmdNPCMute      = Text{"Let an NPC be silent", "Einen NSC schweigen lassen"}
	CmdNPCUnmute    = Text{"Let an NPC speak again", "Einen NSC wieder sprechen lassen"}
	CmdNPCMuteAll   = Text{"Let all NPCs be silent", "Alle NSCs schweigen lassen"}
	CmdNPCUnmuteAll = Text{"Let all NPCs speak again", "Alle NSCs wieder sprechen lassen"}
	CmdNPCSay       = Text{"Speak as an NPC", "Als NSC sprechen"}
	CmdNPCDirect    = Text{"Tell an NPC how to play its next turns, such as: lie about the key", "Einem NSC sagen, wie er als Nächstes spielen soll, etwa: lüg über den Schlüssel"}
	CmdNPCReveal    = Text{"Let an NPC tell what it keeps secret, for the rest of the session", "Einen NSC erzählen lassen, was er geheim hält, bis zum Ende der Sitzung"}
	CmdNPCConceal   = Text{"Let an NPC keep its secrets again", "Einen NSC seine Geheimnisse wieder hüten lassen"}
	CmdNPCWhy       = Text{"What went into an NPC's last answer, and from where; only you see it", "Was in die letzte Antwort eines NSC eingegangen ist und woher; nur du siehst es"}
	CmdNPCListening = Text{"What the NPCs take that calls none of them; without an option, what they take now", "Worauf die NSCs reagieren, wenn niemand sie anspricht; ohne Angabe: worauf jetzt"}
	CmdNPCReload    = Text{"Read the NPC files anew: the table goes on with what is in them now", "Die NSC-Dateien neu einlesen: es geht mit dem weiter, was jetzt darin steht"}

	CmdWhisper = Text{"Say something to one NPC that nobody else hears, nor the answer", "Einem NSC etwas sagen, das sonst niemand hört, auch die Antwort nicht"}
	CmdDate    = Text{"The day in your world; the DM sets it", "Der Tag in eurer Welt; die Spielleitung stellt ihn"}

	CmdTier       = Text{"How much time NPCs may take to think", "Wie viel Zeit sich die NSCs zum Nachdenken nehmen dürfen"}
	CmdTierRaise  = Text{"Let an NPC think longer and look things up, for a while", "Einen NSC eine Weile länger nachdenken und nachschlagen lassen"}
	CmdTierLower  = Text{"Let an NPC answer quickly until /tier cap allows more", "Einen NSC schnell antworten lassen, bis /tier cap wieder mehr erlaubt"}
	CmdTierCap    = Text{"Let an NPC never take longer than that; thoughtful lifts the limit", "Einem NSC eine Obergrenze setzen; gründlich hebt sie auf"}
	CmdTierStatus = Text{"How carefully each NPC answers now", "Wie sorgfältig die einzelnen NSCs gerade antworten"}

	CmdTools          = Text{"What NPCs can do besides talking", "Was die NSCs außer Reden noch können"}
	CmdToolsList      = Text{"All that NPCs can do, such as rolling dice, and when they may", "Alles, was die NSCs können, etwa würfeln, und wann sie es dürfen"}
	CmdToolsCalibrate = Text{"Measure how fast all of that is now", "Messen, wie schnell das alles gerade geht"}
	CmdToolsApprove   = Text{"Let NPCs use something that is new or was changed by whoever offers it", "Den NSCs etwas erlauben, das neu ist oder von seinem Anbieter geändert wurde"}

	CmdRoll     = Text{"Roll dice for everyone to see", "Würfeln, für alle sichtbar"}
	CmdRules    = Text{"Look something up in the rules", "Etwas in den Regeln nachschlagen"}
	CmdAsk      = Text{"What is known of something: who said what, who is involved. Only you see the answer", "Was über etwas bekannt ist: wer was sagte, wer damit zu tun hat. Nur du siehst es"}
	CmdFeedback = Text{"Tell whoever runs the bot what is good and what is not; the NPCs do not read it", "Sag denen, die den Bot betreiben, was gut ist und was nicht; NSCs lesen es nicht"}

	CmdCampaign       = Text{"What is played here", "Was hier gespielt wird"}
	CmdCampaignInfo   = Text{"Its name, its rules, and what is going on", "Name, Regeln und was gerade los ist"}
	CmdCampaignLoad   = Text{"Keep a campaign file, to play that campaign, too", "Eine Kampagnendatei aufheben, um auch diese Kampagne zu spielen"}
	CmdCampaignSwitch = Text{"Play another campaign, with a world and a memory of its own", "Eine andere Kampagne spielen, mit eigener Welt und eigenem Gedächtnis"}

	CmdPrivacy        = Text{"What the bot keeps of you, and what you can do about it", "Was der Bot über dich aufhebt und was du dagegen tun kannst"}
	CmdPrivacyInfo    = Text{"What is kept, and where", "Was aufgehoben wird und wo"}
	CmdPrivacyConsent = Text{"Say whether the bot hears what you write", "Bestimmen, ob der Bot hört, was du schreibst"}
	CmdPrivacyForget  = Text{"Delete what you wrote from what the bot keeps, for good", "Löschen, was der Bot von dir aufgehoben hat, endgültig"}

	CmdUndo        = Text{"What changed in the world, and taking it back", "Was sich in der Welt geändert hat, und es zurücknehmen"}
	CmdUndoList    = Text{"The latest changes of the world, and who made them", "Die letzten Änderungen der Welt, und von wem sie sind"}
	CmdUndoChange  = Text{"Take a change back: the last one, or the one of a number", "Eine Änderung zurücknehmen: die letzte oder die mit einer Nummer"}
	CmdApprove     = Text{"What waits until a dungeon master agrees", "Was darauf wartet, dass die Spielleitung zustimmt"}
	CmdApproveList = Text{"What waits", "Was wartet"}
	CmdApproveYes  = Text{"Allow it, once", "Es erlauben, dieses eine Mal"}
	CmdApproveNo   = Text{"Refuse it", "Es ablehnen"}

	CmdEntity       = Text{"The people, places and things of your world", "Die Personen, Orte und Dinge eurer Welt"}
	CmdEntityAdd    = Text{"Add somebody or something; without a name a form opens", "Jemanden oder etwas hinzufügen; ohne Namen öffnet sich ein Formular"}
	CmdEntityImport = Text{"Read people, places and things from a campaign file", "Personen, Orte und Dinge aus einer Kampagnendatei einlesen"}
	CmdEntityList   = Text{"Who and what there is", "Wen und was es gibt"}
	CmdEntityRemove = Text{"Take somebody or something out of the world for good", "Jemanden oder etwas endgültig aus der Welt nehmen"}
)

// Options.
var (
	OptNPC           = Text{"Name of the NPC", "Name des NSC"}
	OptNPCs          = Text{"Name of the NPC, or all", "Name des NSC, oder all für alle"}
	OptWhisper       = Text{"What you whisper", "Was du flüsterst"}
	OptDate          = Text{"A date, or tomorrow, +3, in 2 weeks; without it the date is told", "Ein Datum, oder morgen, +3, in 2 Wochen; ohne Angabe wird das Datum gesagt"}
	OptSayText       = Text{"What the NPC says", "Was der NSC sagt"}
	OptDirectText    = Text{"How to play; without it the NPC plays freely again", "Wie er spielen soll; ohne Angabe spielt er wieder frei"}
	OptDirectTurns   = Text{"For how many answers (3 unless said otherwise)", "Für wie viele Antworten (ohne Angabe 3)"}
	OptWhichSecret   = Text{"The number of the secret, or all; without it they are listed", "Die Nummer des Geheimnisses, oder all; ohne Angabe werden sie aufgezählt"}
	OptListening     = Text{"How readily they take what calls none of them", "Wie bereitwillig sie reagieren, wenn niemand sie anspricht"}
	OptTier          = Text{"How carefully the NPC answers", "Wie sorgfältig der NSC antwortet"}
	OptRaiseMinutes  = Text{"For how many minutes (else as long as whoever runs the bot chose)", "Für wie viele Minuten (sonst so lange, wie für den Bot eingestellt ist)"}
	OptRaiseTurns    = Text{"For how many of its answers (else as many as whoever runs the bot chose)", "Für wie viele seiner Antworten (sonst so viele, wie für den Bot eingestellt sind)"}
	OptToolName      = Text{"What it is about, as server/tool", "Worum es geht, als server/tool"}
	OptDice          = Text{"Such as 2d6+3, d20 or 4d6kh3", "Etwa 2d6+3, d20 oder 4d6kh3"}
	OptRulesAbout    = Text{"Such as grapple or fireball", "Etwa grapple oder fireball (die Regeln sind auf Englisch)"}
	OptAskAbout      = Text{"A name, place or thing, such as Rusty Flagon", "Ein Name, Ort oder Ding, etwa Rostiger Krug"}
	OptCampaign      = Text{"Its name", "Ihr Name"}
	OptCampaignFile  = Text{"A campaign file in YAML, 1 MB at most", "Eine Kampagnendatei in YAML, höchstens 1 MB"}
	OptFeedback      = Text{"What you think", "Was du denkst"}
	OptHeard         = Text{"Whether you are heard", "Ob du gehört wirst"}
	OptChange        = Text{"The change's number, as /undo list shows it; the last one if missing", "Die Nummer der Änderung, wie /undo list sie zeigt; ohne sie die letzte"}
	OptApprovalID    = Text{"What waits; choose while you type, or name who waits or what for", "Was wartet; wähl es beim Tippen aus, oder nenn, wer wartet oder worauf"}
	OptEntityName    = Text{"What people call it", "Wie es genannt wird"}
	OptEntityKind    = Text{"What it is", "Was es ist"}
	OptEntityText    = Text{"One to three sentences", "Ein bis drei Sätze"}
	OptEntityPlace   = Text{"Where it is: the name of a place", "Wo es ist: der Name eines Ortes"}
	OptEntityFilter  = Text{"Only those with this in their name", "Nur, was das im Namen trägt"}
	OptEntityRemoved = Text{"Its name", "Der Name"}
)

// Choices of options.
var (
	ChoiceHeardYes   = Text{"yes: NPCs hear what I write in a session's channel", "ja: die NSCs hören, was ich im Kanal einer Sitzung schreibe"}
	ChoiceHeardNo    = Text{"no: what I write is not heard, and not kept", "nein: was ich schreibe, wird nicht gehört und nicht aufgehoben"}
	ChoiceEager      = Text{"eager: whatever is said while they are talked with", "eifrig: auf alles, solange mit ihnen gesprochen wird"}
	ChoiceAttentive  = Text{"attentive: what is plausibly said to them", "aufmerksam: auf das, was ihnen wohl gilt"}
	ChoiceCalledOnly = Text{"only when called: nothing", "nur auf Zuruf: auf nichts"}
	ChoiceFast       = Text{"quick (fast): small talk", "schnell (fast): Plauderei"}
	ChoiceStandard   = Text{"careful (standard): remembers and looks things up", "sorgfältig (standard): erinnert sich und schlägt nach"}
	ChoiceDeep       = Text{"thoughtful (deep): takes its time", "gründlich (deep): nimmt sich Zeit"}
	ChoicePerson     = Text{"a person", "eine Person"}
	ChoicePlace      = Text{"a place", "ein Ort"}
	ChoiceFaction    = Text{"a group of people", "eine Gruppe von Leuten"}
	ChoiceItem       = Text{"a thing", "ein Ding"}
	ChoiceCreature   = Text{"a beast or a monster", "ein Tier oder Ungeheuer"}
)
