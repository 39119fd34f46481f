package discord

// The basis of an answer.
var (
	WhyAnswer       = Text{"**%s** answered %s: %s", "**%s** hat %s geantwortet: %s"}
	WhyTier         = Text{"Tier %s of at most %s: %s", "Stufe %s von höchstens %s: %s"}
	WhyScene        = Text{"Scene: %s", "Szene: %s"}
	WhyTool         = Text{"Looked up: %s", "Nachgesehen: %s"}
	WhyMentioned    = Text{"Mentioned: %s", "Erwähnt: %s"}
	WhyLine         = Text{"Heard: %s", "Gehört: %s"}
	WhyConversation = Count{Text{"It remembered one exchange of its own conversation.", "Aus dem eigenen Gespräch bekannt: ein Wortwechsel."}, Text{"It remembered %d exchanges of its own conversation.", "Aus dem eigenen Gespräch bekannt: %d Wortwechsel."}}
	WhySecrets      = Text{"Secrets it may tell: %d of %d. It was not given the others.", "Geheimnisse, die es verraten darf: %d von %d. Die anderen wurden nicht mitgegeben."}
	WhyWithheld     = Count{Text{"It was stopped once in this session from telling a secret.", "Einmal wurde es in dieser Sitzung davon abgehalten, ein Geheimnis zu verraten."}, Text{"It was stopped %d times in this session from telling a secret.", "%d-mal wurde es in dieser Sitzung davon abgehalten, ein Geheimnis zu verraten."}}
)

// Reasons for the tier of an answer.
var (
	ReasonOverride = Text{"raised by the DM", "von der Spielleitung angehoben"}
	ReasonDeep     = Text{"the line asked for a thorough answer", "die Zeile verlangte eine gründliche Antwort"}
	ReasonSpam     = Text{"thorough answers were asked for too often", "gründliche Antworten wurden zu oft verlangt"}
	ReasonQueue    = Text{"players are waiting", "es warten Spieler"}
	ReasonStandard = Text{"the line needed looking something up", "für die Zeile war etwas nachzuschlagen"}
	ReasonFirst    = Text{"the first answer", "die erste Antwort"}
	ReasonDefault  = Text{"nothing special was asked for", "es war nichts Besonderes verlangt"}
	ReasonPuppet   = Text{"led by the DM", "von der Spielleitung geführt"}
	ReasonReaction = Text{"a reaction to another answer", "eine Reaktion auf eine andere Antwort"}
	ReasonRules    = Text{"the rule book has something about it", "das Regelbuch sagt etwas dazu"}
	ReasonMemory   = Text{"memory has something about it", "im Gedächtnis steht etwas dazu"}
)
