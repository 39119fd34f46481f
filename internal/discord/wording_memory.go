package discord

// What NPCs learnt.
var (
	CmdMemory         = Text{"What the NPCs learn from your sessions; you decide", "Was die NSCs aus euren Sitzungen lernen; du entscheidest"}
	CmdMemoryReview   = Text{"Go through what they could learn, one by one", "Eins nach dem anderen ansehen, was sie lernen könnten"}
	CmdMemoryList     = Text{"What they have learnt, and what you had them keep in mind", "Was sie gelernt haben und was sie sich merken sollen"}
	CmdMemoryAccept   = Text{"Let them learn something that was proposed, in other words if you give some", "Sie etwas Vorgeschlagenes lernen lassen, auf Wunsch in anderen Worten"}
	CmdMemoryReject   = Text{"Let nobody learn something that was proposed", "Etwas Vorgeschlagenes niemanden lernen lassen"}
	CmdMemoryDrop     = Text{"Take back what was learnt: nobody knows it any more", "Gelerntes zurücknehmen: niemand weiß es mehr"}
	CmdMemoryMentions = Text{"Where others mention players who were forgotten, shown once", "Wo andere Spieler erwähnen, die vergessen wurden; wird einmal gezeigt"}
	CmdMemoryErase    = Text{"Delete a line or a note that mentions a player, for good", "Eine Zeile oder Notiz, die jemanden erwähnt, endgültig löschen"}
	OptMentionNumber  = Text{"Its number, as /memory mentions shows it", "Die Nummer, wie /memory mentions sie zeigt"}
	OptErased         = Text{"What the number is of; a line unless said otherwise", "Wovon die Nummer ist; ohne Angabe von einer Zeile"}
	ChoiceLine        = Text{"a line that was said", "eine gesagte Zeile"}
	ChoiceNote        = Text{"a note of a tool", "eine Notiz eines Werkzeugs"}
	CmdRemember       = Text{"Have an NPC keep something in mind; without a text what was said last", "Einen NSC sich etwas merken lassen; ohne Text das zuletzt Gesagte"}
	OptLearntNumber   = Text{"Its number, as /memory review and /memory list show it", "Die Nummer, wie /memory review und /memory list sie zeigen"}
	OptLearntText     = Text{"In other words, such as: Ada owes Bartok three silver", "In anderen Worten, etwa: Ada schuldet Bartok drei Silber"}
	OptPinText        = Text{"What is to be kept in mind; without it what was said last", "Was gemerkt werden soll; ohne Angabe, was zuletzt gesagt wurde"}
	OptPinNPC         = Text{"Who keeps it in mind; without it all who may know of it", "Wer es sich merken soll; ohne Angabe alle, die davon wissen dürfen"}

	CouldLearn        = Text{"**They could learn this:**", "**Das könnten sie lernen:**"}
	LearnIt           = Text{"Learn it", "Lernen"}
	LearnInOtherWords = Text{"In other words", "In anderen Worten"}
	DoNotLearn        = Text{"No", "Nein"}
	FieldLearnt       = Text{"What is learnt", "Was gelernt wird"}
	WouldKnow         = Text{"Known to those who heard it: %s", "Davon wüsste, wer es gehört hat: %s"}
	ProposalsLeft     = Text{"%d of %d", "%d von %d"}
	NothingProposed   = Text{"Nothing waits. Promises, debts and news that come up in a session are shown here.", "Nichts wartet. Versprechen, Schulden und Neuigkeiten aus den Sitzungen stehen dann hier."}
	LearningIsOff     = Text{"Nothing waits, and nothing is looked for: `memory.learn` is `off`.", "Nichts wartet, und es wird auch nach nichts gesucht: `memory.learn` steht auf `off`."}
	NothingLearnt     = Text{"Nothing has been learnt yet.", "Gelernt ist noch nichts."}
	IsLearnt          = Text{"Learnt: %s", "Gelernt: %s"}
	IsNotLearnt       = Text{"Not learnt: %s", "Nicht gelernt: %s"}
	IsUnlearnt        = Text{"Taken back: %s", "Zurückgenommen: %s"}
	IsPinned          = Text{"Kept in mind as #%d: %s", "Gemerkt als #%d: %s"}
	ProposalsWait     = Text{"%s: `/memory review` shows it to a DM.", "%s: `/memory review` zeigt es der Spielleitung."}
	Proposals         = Count{Text{"The NPCs could learn something from it", "Die NSCs könnten etwas daraus lernen"}, Text{"The NPCs could learn %d things from it", "Die NSCs könnten %d Dinge daraus lernen"}}
)

// Mentions of forgotten players.
var (
	NoMentions         = Text{"Nothing to look at. When a player asks to be forgotten, the places where others mention the player are shown here once.", "Nichts anzusehen. Wenn jemand vergessen werden will, steht hier einmal, wo andere ihn erwähnen."}
	MentionsOf         = Text{"**%s** was forgotten. Others mention the name here (%d places). Nothing was changed there:", "**%s** wurde vergessen. Andere erwähnen den Namen hier (%d Stellen). Dort wurde nichts geändert:"}
	MentionsOfIn       = Text{"**%s** was forgotten. In the campaign %s others mention the name (%d places). Nothing was changed there:", "**%s** wurde vergessen. In der Kampagne %s erwähnen andere den Namen (%d Stellen). Dort wurde nichts geändert:"}
	MoreMentions       = Text{"and %d more", "und %d weitere"}
	MentionsUnfinished = Text{"There may be more: looking for them failed or took too long.", "Es kann mehr geben: das Suchen ist misslungen oder hat zu lange gedauert."}
	MentionsHow        = Text{"This list is shown once, because it has the name in it. `/memory erase` deletes a line or a note, `/memory drop` what was learnt, `/memory reject` what is proposed; `/entity remove` and `/undo` change the world.", "Diese Liste wird einmal gezeigt, weil der Name darin steht. `/memory erase` löscht eine Zeile oder Notiz, `/memory drop` Gelerntes, `/memory reject` Vorgeschlagenes; `/entity remove` und `/undo` ändern die Welt."}
	MentionsWait       = Text{"A player was forgotten, and others mention the player in %d places: `/memory mentions` shows them once.", "Jemand wurde vergessen, und andere erwähnen ihn an %d Stellen: `/memory mentions` zeigt sie einmal."}
	IsErased           = Text{"Deleted: %s", "Gelöscht: %s"}
)

// mentionKinds name the kinds of records that can mention a player.
var mentionKinds = map[string]Text{
	"line": {"line", "Zeile"}, "learnt": {"learnt", "gelernt"}, "proposed": {"proposed", "vorgeschlagen"}, "note": {"note", "Notiz"},
	"fact": {"fact", "Tatsache"}, "entity": {"entity", "Eintrag der Welt"}, "relation": {"relation", "Beziehung"}, "scene": {"scene", "Szene"},
}

// MentionKind returns the name of a kind of record that mentions a player.
func MentionKind(kind string) Text {
	if t, ok := mentionKinds[kind]; ok {
		return t
	}
	return mentionKinds["fact"]
}

// learntKinds name the kinds of learnt entries, as in package salient.
var learntKinds = map[string]Text{
	"promise": {"promise", "Versprechen"}, "debt": {"debt", "Schuld"}, "trust": {"trust", "Vertrauen"}, "death": {"death", "Tod"},
	"change": {"change", "Neuigkeit"}, "secret": {"secret", "Geheimnis"}, "kin": {"kin", "Verwandtschaft"}, "place": {"whereabouts", "Aufenthalt"},
	"gift": {"gift", "Geschenk"}, "name": {"name", "Name"}, "pin": {"kept in mind", "gemerkt"}, "relation": {"relation", "Beziehung"}, "fact": {"fact", "Tatsache"},
}

// LearntKind returns the name of a kind of learnt entry.
func LearntKind(kind string) Text {
	if t, ok := learntKinds[kind]; ok {
		return t
	}
	return learntKinds["fact"]
}
