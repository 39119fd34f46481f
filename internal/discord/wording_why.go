package discord

// The basis of an answer.
var (
	WhyAnswer       = Text{"**%s** answered %s: %s", "**%s** hat %s geantwortet: %s"}
	WhyTier         = Text{"Tier %s of at most %s: `%s`", "Stufe %s von höchstens %s: `%s`"}
	WhyScene        = Text{"Scene: %s", "Szene: %s"}
	WhyTool         = Text{"Looked up: %s", "Nachgesehen: %s"}
	WhyMentioned    = Text{"Mentioned: %s", "Erwähnt: %s"}
	WhyLine         = Text{"Heard: %s", "Gehört: %s"}
	WhyConversation = Text{"Of its own conversation it knew %d exchanges.", "Aus dem eigenen Gespräch bekannt: %d Wortwechsel."}
	WhySecrets      = Text{"It may tell %d of its %d secrets; the others were not given to it.", "%d von %d Geheimnissen dürfen erzählt werden; die anderen wurden nicht mitgegeben."}
	WhyWithheld     = Text{"Withheld in this session, since it would have told a secret: %d times.", "In dieser Sitzung zurückgehalten, weil es ein Geheimnis verraten hätte: %d-mal."}
)
