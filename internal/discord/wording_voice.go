package discord

// Texts about voice channels.
var (
	CmdSessionJoin  = Text{"Let the NPCs speak and hear in a voice channel", "Die NSCs in einem Sprachkanal sprechen und hören lassen"}
	CmdSessionLeave = Text{"Take the bot out of the voice channel; the session goes on in writing", "Den Bot aus dem Sprachkanal nehmen; die Sitzung geht schriftlich weiter"}
	CmdCaptions     = Text{"Whether what NPCs say aloud is written in the chat, too", "Ob im Chat mitgeschrieben wird, was die NSCs laut sagen"}
	CmdCaptionsOn   = Text{"Write along", "Mitschreiben"}
	CmdCaptionsOff  = Text{"Do not write along", "Nicht mitschreiben"}
	CmdVoice        = Text{"Try a voice: the NPC says one sentence with it, and keeps its own", "Eine Stimme ausprobieren: der NSC sagt damit einen Satz und behält seine eigene"}
	OptVoiceID      = Text{"The voice as the configured provider calls it, such as en-us+m3 or alloy", "Die Stimme, wie der eingestellte Anbieter sie nennt, etwa en-us+m3 oder alloy"}
	CmdPrivacyCode  = Text{"The code by which you can tell that nobody listens in on the voice channel", "Der Code, an dem ihr erkennt, dass im Sprachkanal niemand mithört"}
	OptVoice        = Text{"The voice channel", "Der Sprachkanal"}

	VoiceOn          = Text{"The NPCs speak and hear in <#%s>. Who does not want to be heard says so with `/privacy consent`.", "Die NSCs sprechen und hören in <#%s>. Wer nicht gehört werden will, sagt das mit `/privacy consent`."}
	VoiceOff         = Text{"The bot has left the voice channel. The session goes on in writing; `/session join` brings it back.", "Der Bot hat den Sprachkanal verlassen. Die Sitzung geht schriftlich weiter; `/session join` holt ihn zurück."}
	VoiceMissing     = Text{"there is no voice: %v; /session join tries again", "es gibt keinen Ton: %v; /session join versucht es noch einmal"}
	VoiceLost        = Text{"The voice channel is lost: %s", "Der Sprachkanal ist weg: %s"}
	VoiceGone        = Text{"the voice channel <#%s> is gone", "den Sprachkanal <#%s> gibt es nicht mehr"}
	VoiceAway        = Text{"The voice channel does not answer; until it does, what the NPCs say is written here.", "Der Sprachkanal antwortet nicht; bis er es tut, steht hier, was die NSCs sagen."}
	VoiceGivenUp     = Text{"The voice channel cannot be reached, and the session goes on in writing. The bot tries again every minute, and `/session join` at once. %s", "Der Sprachkanal ist nicht zu erreichen, und die Sitzung geht schriftlich weiter. Der Bot versucht es jede Minute wieder, `/session join` sofort. %s"}
	VoiceBack        = Text{"The NPCs speak and hear in <#%s> again.", "Die NSCs sprechen und hören wieder in <#%s>."}
	VoiceMoved       = Text{"The bot was moved to <#%s> and goes on there.", "Der Bot wurde nach <#%s> verschoben und macht dort weiter."}
	VoiceNotHeard    = Text{"players are not heard, only read: %v", "Mitspielende werden nicht gehört, nur gelesen: %v"}
	VoiceNotHeardNow = Text{"%s cannot be heard: %v", "%s kann nicht gehört werden: %v"}
	VoiceIdle        = Text{"nobody has said anything for %d minutes", "seit %d Minuten hat niemand etwas gesagt"}
	VoiceWhich       = Text{"say with the option voice in which voice channel, or give the command in the chat of one", "gib mit der Option voice den Sprachkanal an, oder gib den Befehl in dessen Chat"}
	VoiceNoChannel   = Text{"<#%s> is no voice channel", "<#%s> ist kein Sprachkanal"}
	VoiceTextOnly    = Text{"there is no voice on this machine, so the session goes on in writing: %v", "auf diesem Rechner gibt es keinen Ton, also geht die Sitzung schriftlich weiter: %v"}
	VoiceNone        = Text{"the bot is in no voice channel", "der Bot ist in keinem Sprachkanal"}
	VoiceNoCode      = Text{"This voice channel is not encrypted from end to end, so there is no code.", "Dieser Sprachkanal ist nicht Ende-zu-Ende verschlüsselt, also gibt es keinen Code."}
	VoiceOwnCode     = Text{"Between you and me it is **%s**, which Discord shows when you verify me in the call.", "Zwischen dir und mir ist es **%s**; Discord zeigt es, wenn du mich im Anruf verifizierst."}
	VoiceCode        = Text{"The code is **%s**. Compare it with the one that Discord shows you under the lock of the voice channel: if they are the same, nobody listens in.", "Der Code ist **%s**. Vergleicht ihn mit dem, den Discord am Schloss des Sprachkanals zeigt: sind sie gleich, hört niemand mit."}
	VoiceNotNamed    = Text{"say which voice, as voice.id in the NPC's file", "gib eine Stimme an, wie voice.id in der Datei des NSC"}
	VoiceSample      = Text{"Listen well, friend: this is what I would sound like by the fire, on a long evening.", "Hör gut zu, mein Freund: So würde ich am Feuer klingen, an einem langen Abend."}
	VoiceTried       = Text{"%s tries the voice %s. To keep it, make it the voice.id of the NPC's file, and `/npc reload`. What goes wrong is under `/session status`.", "%s probiert die Stimme %s. Soll sie bleiben, trag sie als voice.id in die Datei des NSC ein und gib `/npc reload`. Was schiefgeht, steht unter `/session status`."}
	CaptionsAreOn    = Text{"What NPCs say is written here, too.", "Was die NSCs sagen, steht auch hier."}
	CaptionsAreOff   = Text{"What NPCs say aloud is not written here any more.", "Was die NSCs laut sagen, steht nicht mehr hier."}
	OrderGiven       = Text{"🎙 %s: %s", "🎙 %s: %s"}
	OrderEnd         = Text{"%s wants to end the session. A dungeon master decides.", "%s möchte die Sitzung beenden. Die Spielleitung entscheidet."}
	OrderEndButton   = Text{"End the session", "Sitzung beenden"}
	VoiceField       = Text{"Voice", "Sprache"}
	VoiceIn          = Text{"in <#%s>, %s", "in <#%s>, %s"}
	VoiceConnecting  = Text{"in <#%s>, connecting", "in <#%s>, verbindet sich"}
	VoiceEncrypted   = Text{"encrypted from end to end", "Ende-zu-Ende verschlüsselt"}
	VoiceUnencrypted = Text{"encrypted on the way to Discord only", "nur bis zu Discord verschlüsselt"}
	VoiceRoundTrip   = Text{"%d ms to Discord and back", "%d ms zu Discord und zurück"}
	VoiceEar         = Text{"%s: heard, %d lost, %d late", "%s: wird gehört, %d verloren, %d verspätet"}
	VoiceEarSpeaking = Text{"%s: speaks, %d lost, %d late", "%s: spricht, %d verloren, %d verspätet"}
	VoiceEarMuted    = Text{"%s: muted", "%s: stumm"}
	VoiceEarDeclined = Text{"%s: does not want to be heard", "%s: möchte nicht gehört werden"}
	BadTransport     = Text{"%d on the way from Discord", "%d auf dem Weg von Discord"}
	BadPadding       = Text{"%d that end wrongly", "%d, die falsch enden"}
	BadNoKey         = Text{"%d without a key", "%d ohne Schlüssel"}
	BadPassthrough   = Text{"%d not encrypted", "%d unverschlüsselt"}
	BadReplay        = Text{"%d for the second time", "%d zum zweiten Mal"}
	BadTooOld        = Text{"%d too old", "%d zu alt"}
	BadBroken        = Text{"%d damaged", "%d beschädigt"}
	BadUnknown       = Text{"%d of nobody known", "%d von Unbekannten"}
	VoiceUndecipherd = Text{"packets that could not be deciphered: %s", "Pakete, die nicht zu entschlüsseln waren: %s"}
)
