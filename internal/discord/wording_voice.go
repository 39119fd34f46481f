package discord

// Texts about voice channels.
var (
	CmdSessionJoin  = Text{"Let the NPCs speak and hear in a voice channel", "Die NSCs in einem Sprachkanal sprechen und hören lassen"}
	CmdSessionLeave = Text{"Take the bot out of the voice channel; the session continues in writing", "Den Bot aus dem Sprachkanal nehmen; die Sitzung geht schriftlich weiter"}
	CmdCaptions     = Text{"Whether the chat also shows what NPCs say aloud", "Ob im Chat mitgeschrieben wird, was die NSCs laut sagen"}
	CmdCaptionsOn   = Text{"Show it in the chat", "Im Chat mitschreiben"}
	CmdCaptionsOff  = Text{"Do not show it in the chat", "Nicht im Chat mitschreiben"}
	CmdVoice        = Text{"Try out a voice: the NPC says one sentence with it, then goes back to its own", "Eine Stimme ausprobieren: der NSC sagt damit einen Satz und behält seine eigene"}
	OptVoiceID      = Text{"The name of the voice at your voice provider, such as en-us+m3 or alloy", "Der Name der Stimme bei eurem Anbieter, etwa en-us+m3 oder alloy"}
	CmdPrivacyCode  = Text{"The code that shows that nobody is listening in on the voice channel", "Der Code, an dem ihr erkennt, dass im Sprachkanal niemand mithört"}
	OptVoice        = Text{"The voice channel", "Der Sprachkanal"}

	VoiceOn          = Text{"The NPCs speak and hear in <#%s>. If you do not want to be heard, say so with `/privacy consent`.", "Die NSCs sprechen und hören in <#%s>. Wenn du nicht gehört werden willst, sag es mit `/privacy consent`."}
	VoiceOff         = Text{"The bot has left the voice channel. The session continues in writing; `/session join` brings it back.", "Der Bot hat den Sprachkanal verlassen. Die Sitzung geht schriftlich weiter; `/session join` holt ihn zurück."}
	VoiceMissing     = Text{"there is no sound: %v; try again with /session join", "es gibt keinen Ton: %v; versuch es mit /session join noch einmal"}
	VoiceLost        = Text{"The voice channel was lost: %s", "Der Sprachkanal ist weg: %s"}
	VoiceGone        = Text{"the voice channel <#%s> no longer exists", "den Sprachkanal <#%s> gibt es nicht mehr"}
	VoiceAway        = Text{"The voice channel does not respond; until it does, what the NPCs say is written here.", "Der Sprachkanal antwortet nicht; bis dahin steht hier, was die NSCs sagen."}
	VoiceGivenUp     = Text{"The voice channel cannot be reached, so the session continues in writing. The bot tries again every minute; `/session join` tries right away. %s", "Der Sprachkanal ist nicht zu erreichen, deshalb geht die Sitzung schriftlich weiter. Der Bot versucht es jede Minute wieder, mit `/session join` sofort. %s"}
	VoiceBack        = Text{"The NPCs speak and hear in <#%s> again.", "Die NSCs sprechen und hören wieder in <#%s>."}
	VoiceMoved       = Text{"The bot was moved to <#%s> and continues there.", "Der Bot wurde nach <#%s> verschoben und macht dort weiter."}
	VoiceNotHeard    = Text{"the NPCs cannot hear the players, only read them: %v", "die NSCs können euch nicht hören, nur lesen: %v"}
	VoiceNotHeardNow = Text{"%s cannot be heard: %v", "%s kann nicht gehört werden: %v"}
	VoiceIdle        = Text{"nobody has said anything for %d minutes", "seit %d Minuten hat niemand etwas gesagt"}
	VoiceWhich       = Text{"choose the voice channel with the option voice, or use the command in the chat of one", "gib mit der Option voice den Sprachkanal an, oder gib den Befehl in dessen Chat ein"}
	VoiceNoChannel   = Text{"<#%s> is not a voice channel", "<#%s> ist kein Sprachkanal"}
	VoiceTextOnly    = Text{"there is no sound on the bot's machine, so the session continues in writing: %v", "auf dem Rechner des Bots gibt es keinen Ton, deshalb geht die Sitzung schriftlich weiter: %v"}
	VoiceNone        = Text{"the bot is not in a voice channel", "der Bot ist in keinem Sprachkanal"}
	VoiceNoCode      = Text{"This voice channel is not end-to-end encrypted, so there is no code.", "Dieser Sprachkanal ist nicht Ende-zu-Ende verschlüsselt, also gibt es keinen Code."}
	VoiceOwnCode     = Text{"Between you and me the code is **%s**; Discord shows it when you verify me in the call.", "Zwischen dir und mir lautet der Code **%s**; Discord zeigt ihn, wenn du mich im Anruf verifizierst."}
	VoiceCode        = Text{"The code is **%s**. Compare it with the one that Discord shows at the voice channel's lock: if they are the same, nobody is listening in.", "Der Code ist **%s**. Vergleicht ihn mit dem, den Discord am Schloss des Sprachkanals zeigt: sind sie gleich, hört niemand mit."}
	VoiceNotNamed    = Text{"the voice is missing; write its name as in voice.id in the NPC's file", "die Stimme fehlt; schreib ihren Namen wie bei voice.id in der Datei des NSC"}
	VoiceSample      = Text{"Listen well, friend: this is what I would sound like by the fire, on a long evening.", "Hör gut zu, mein Freund: So würde ich am Feuer klingen, an einem langen Abend."}
	VoiceTried       = Text{"%s is trying the voice %s. To keep it, set it as voice.id in the NPC's file and use `/npc reload`. If something goes wrong, `/session status` shows it.", "%s probiert die Stimme %s. Soll sie bleiben, trag sie als voice.id in die Datei des NSC ein und gib `/npc reload` ein. Geht etwas schief, steht es unter `/session status`."}
	CaptionsAreOn    = Text{"What NPCs say aloud is also written here.", "Was die NSCs laut sagen, steht auch hier."}
	CaptionsAreOff   = Text{"What NPCs say aloud is no longer written here.", "Was die NSCs laut sagen, steht nicht mehr hier."}
	OrderGiven       = Text{"🎙 %s: %s", "🎙 %s: %s"}
	OrderEnd         = Text{"%s wants to end the session. A dungeon master decides.", "%s möchte die Sitzung beenden. Die Spielleitung entscheidet."}
	OrderEndButton   = Text{"End the session", "Sitzung beenden"}
	VoiceField       = Text{"Voice", "Sprache"}
	VoiceIn          = Text{"in <#%s>, %s", "in <#%s>, %s"}
	VoiceConnecting  = Text{"in <#%s>, connecting", "in <#%s>, verbindet sich"}
	VoiceEncrypted   = Text{"end-to-end encrypted", "Ende-zu-Ende verschlüsselt"}
	VoiceUnencrypted = Text{"only encrypted on the way to Discord", "nur bis zu Discord verschlüsselt"}
	VoiceRoundTrip   = Text{"%d ms to Discord and back", "%d ms zu Discord und zurück"}
	VoiceEar         = Text{"%s: heard, %d lost, %d late", "%s: wird gehört, %d verloren, %d verspätet"}
	VoiceEarSpeaking = Text{"%s: speaks, %d lost, %d late", "%s: spricht, %d verloren, %d verspätet"}
	VoiceEarMuted    = Text{"%s: muted", "%s: stumm"}
	VoiceEarDeclined = Text{"%s: does not want to be heard", "%s: möchte nicht gehört werden"}
	BadTransport     = Text{"%d on the way from Discord", "%d auf dem Weg von Discord"}
	BadPadding       = Text{"%d with a wrong ending", "%d, die falsch enden"}
	BadNoKey         = Text{"%d without a key", "%d ohne Schlüssel"}
	BadPassthrough   = Text{"%d not encrypted", "%d unverschlüsselt"}
	BadReplay        = Text{"%d received twice", "%d zum zweiten Mal"}
	BadTooOld        = Text{"%d too old", "%d zu alt"}
	BadBroken        = Text{"%d damaged", "%d beschädigt"}
	BadUnknown       = Text{"%d from an unknown sender", "%d von Unbekannten"}
	VoiceUndecipherd = Text{"sound that could not be decrypted: %s", "Ton, der sich nicht entschlüsseln ließ: %s"}
)
