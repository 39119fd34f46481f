package discord

// The state of a session, for everyone or for DMs.
var (
	WhoIsThere  = Text{"At the table", "Am Tisch"}
	MoreLines   = Text{"… and %d more", "… und %d weitere"}
	TroubleLine = Text{"⚠ <t:%d:t> %s (%s)", "⚠ <t:%d:t> %s (%s)"}
	Times       = Count{Text{"once", "einmal"}, Text{"%d times", "%d-mal"}}

	CouldNotAnswer = Text{"%s could not answer. Say it again; if that does not help, the reason is in the bot's log.", "%s konnte nicht antworten. Sagt es noch einmal; hilft das nicht, steht der Grund im Protokoll des Bots."}
	NotAnswered    = Text{"Too much came at once, so not everything was answered. Say it again.", "Es kam zu viel auf einmal, deshalb wurde nicht alles beantwortet. Sagt es noch einmal."}
	WaitsToBeKept  = Text{"What you say cannot be saved right now. The bot keeps trying until the session ends, and you can play on. The reason is in the bot's log.", "Was ihr sagt, lässt sich gerade nicht speichern. Der Bot versucht es bis zum Ende der Sitzung immer wieder, und ihr könnt weiterspielen. Der Grund steht im Protokoll des Bots."}
	KeptAgain      = Text{"Everything said in the meantime is saved now.", "Alles, was inzwischen gesagt wurde, ist jetzt gespeichert."}
	NotKept        = Text{"What was just said could not be saved. The reason is in the bot's log.", "Was gerade gesagt wurde, ließ sich nicht speichern. Der Grund steht im Protokoll des Bots."}
	AnswerCheaply  = Text{"To save money, the NPCs give cheaper answers from now on.", "Um Kosten zu sparen, antworten die NSCs ab jetzt sparsamer."}
	AnswerByLines  = Text{"To save money, the NPCs only use prepared lines from now on.", "Um Kosten zu sparen, antworten die NSCs ab jetzt nur noch mit vorbereiteten Sätzen."}
)

// Stages of an answer.
var (
	NoTurnYet      = Text{"No NPC has answered in this session yet. Say something to one of them in <#%s>, then use this command again.", "In dieser Sitzung hat noch kein NSC geantwortet. Sprich einen in <#%s> an und gib den Befehl dann noch einmal ein."}
	FirstWords     = Text{"first words after %s", "erste Worte nach %s"}
	FirstWordsOf   = Text{"first words after %s of %s", "erste Worte nach %s von %s"}
	NoWords        = Text{"no words", "keine Worte"}
	InAll          = Text{"%s in total", "insgesamt %s"}
	LateBy         = Text{"late: %s", "zu spät: %s"}
	WasInterrupted = Text{"interrupted", "unterbrochen"}
	GivenUp        = Text{"given up: %s", "abgebrochen: %s"}
	HasFailed      = Text{"failed: %s", "fehlgeschlagen: %s"}

	StageEndpoint   = Text{"end of speech", "Ende des Satzes"}
	StageTranscript = Text{"transcript", "Mitschrift"}
	StageQueue      = Text{"waiting", "Warten"}
	StageRoute      = Text{"who is meant", "Wer gemeint ist"}
	StageContext    = Text{"remembering", "Erinnern"}
	StageModel      = Text{"model", "Modell"}
	StageWriting    = Text{"writing", "Schreiben"}
	StageTools      = Text{"tools", "Nachschlagen"}
	StageVoice      = Text{"voice", "Stimme"}
	StageFloor      = Text{"waiting to speak", "Wort bekommen"}
	StageCommit     = Text{"saving", "Speichern"}
	StagePlayback   = Text{"playing", "Abspielen"}
	StageFiller     = Text{"filler line", "Überbrücken"}
	StageAnswer     = Text{"answer", "Antwort"}
)
