package discord

// The state of a session, for everyone or for DMs.
var (
	WhoIsThere  = Text{"At the table", "Am Tisch"}
	MoreLines   = Text{"… and %d more", "… und %d weitere"}
	TroubleLine = Text{"⚠ <t:%d:t> %s (%s)", "⚠ <t:%d:t> %s (%s)"}
	Times       = Count{Text{"once", "einmal"}, Text{"%d times", "%d-mal"}}

	CouldNotAnswer = Text{"%s could not answer. Say it once more; if that does not help, whoever runs the bot finds the reason in its log.", "%s konnte nicht antworten. Sagt es noch einmal; hilft das nicht, steht der Grund im Protokoll des Bots."}
	NotAnswered    = Text{"Not everything was answered: too much came at once. Say it once more.", "Nicht alles wurde beantwortet: es kam zu viel auf einmal. Sagt es noch einmal."}
	WaitsToBeKept  = Text{"What is said cannot be kept right now. It is tried again until the session ends, and you can go on. Whoever runs the bot finds the reason in its log.", "Was gesagt wird, kann gerade nicht aufgehoben werden. Bis zum Ende der Sitzung wird es immer wieder versucht, und ihr könnt weiterspielen. Der Grund steht im Protokoll des Bots."}
	KeptAgain      = Text{"All that was said meanwhile is kept now.", "Alles, was inzwischen gesagt wurde, ist jetzt aufgehoben."}
	NotKept        = Text{"What was said just now could not be kept. Whoever runs the bot finds the reason in its log.", "Was gerade gesagt wurde, konnte nicht aufgehoben werden. Der Grund steht im Protokoll des Bots."}
	AnswerCheaply  = Text{"From now on the NPCs answer more cheaply.", "Ab jetzt antworten die NSCs sparsamer."}
	AnswerByLines  = Text{"From now on the NPCs answer with prepared lines only.", "Ab jetzt antworten die NSCs nur noch mit vorbereiteten Sätzen."}
)

// Stages of an answer.
var (
	NoTurnYet      = Text{"No NPC has answered in this session yet. Say something to one of them in <#%s>, then ask again.", "In dieser Sitzung hat noch kein NSC geantwortet. Sprich einen in <#%s> an und frag dann noch einmal."}
	FirstWords     = Text{"first words after %s", "erste Worte nach %s"}
	FirstWordsOf   = Text{"first words after %s of %s", "erste Worte nach %s von %s"}
	NoWords        = Text{"no words", "keine Worte"}
	InAll          = Text{"%s in all", "insgesamt %s"}
	LateBy         = Text{"late: %s", "zu spät: %s"}
	WasInterrupted = Text{"interrupted", "unterbrochen"}
	GivenUp        = Text{"given up: %s", "abgebrochen: %s"}
	HasFailed      = Text{"failed: %s", "fehlgeschlagen: %s"}

	StageEndpoint   = Text{"end of speech", "Ende des Satzes"}
	StageTranscript = Text{"transcript", "Mitschrift"}
	StageQueue      = Text{"waiting", "Warten"}
	StageRoute      = Text{"routing", "Zuordnen"}
	StageContext    = Text{"context", "Erinnern"}
	StageModel      = Text{"model", "Modell"}
	StageWriting    = Text{"writing", "Schreiben"}
	StageTools      = Text{"tools", "Nachschlagen"}
	StageVoice      = Text{"voice", "Stimme"}
	StageFloor      = Text{"floor", "Wort bekommen"}
	StageCommit     = Text{"keeping the lines", "Aufheben"}
	StagePlayback   = Text{"playing", "Abspielen"}
	StageFiller     = Text{"bridging", "Überbrücken"}
	StageAnswer     = Text{"answer", "Antwort"}
)
