package discord

// What NPCs learnt.
var (
	CmdMemory         = Text{"What the NPCs learn from your sessions: you decide", "Was die NSCs aus euren Sitzungen lernen; du entscheidest"}
	CmdMemoryReview   = Text{"Go through what they could learn, one by one", "Eins nach dem anderen ansehen, was sie lernen könnten"}
	CmdMemoryList     = Text{"What they have learnt, and what you told them to remember", "Was sie gelernt haben und was sie sich merken sollen"}
	CmdMemoryAccept   = Text{"Let them learn a proposal, in your own words if you like", "Sie etwas Vorgeschlagenes lernen lassen, auf Wunsch in anderen Worten"}
	CmdMemoryReject   = Text{"Reject a proposal, so that nobody learns it", "Etwas Vorgeschlagenes niemanden lernen lassen"}
	CmdMemoryDrop     = Text{"Make everyone forget something they learnt", "Gelerntes zurücknehmen: niemand weiß es mehr"}
	CmdMemoryMentions = Text{"Where others mention players who were forgotten; shown once", "Wo andere Spieler erwähnen, die vergessen wurden; wird einmal gezeigt"}
	CmdMemoryErase    = Text{"Permanently delete a line or note that mentions a player", "Eine Zeile oder Notiz, die jemanden erwähnt, endgültig löschen"}
	OptMentionNumber  = Text{"Its number, as /memory mentions shows it", "Die Nummer, wie /memory mentions sie zeigt"}
	OptErased         = Text{"What the number belongs to; a line if you leave it out", "Wozu die Nummer gehört; ohne Angabe zu einer Zeile"}
	ChoiceLine        = Text{"a line someone said", "eine gesagte Zeile"}
	ChoiceNote        = Text{"a note an NPC made", "eine Notiz eines NSC"}
	CmdRemember       = Text{"Make an NPC remember something; without a text, what was said last", "Einen NSC sich etwas merken lassen; ohne Text das zuletzt Gesagte"}
	OptLearntNumber   = Text{"Its number, as /memory review and /memory list show it", "Die Nummer, wie /memory review und /memory list sie zeigen"}
	OptLearntText     = Text{"In other words, such as: Ada owes Bartok three silver", "In anderen Worten, etwa: Ada schuldet Bartok drei Silber"}
	OptPinText        = Text{"What to remember; leave it out for what was said last", "Was gemerkt werden soll; ohne Angabe, was zuletzt gesagt wurde"}
	OptPinNPC         = Text{"Who should remember it; leave it out for everyone who may know it", "Wer es sich merken soll; ohne Angabe alle, die davon wissen dürfen"}

	CouldLearn        = Text{"**They could learn this:**", "**Das könnten sie lernen:**"}
	LearnIt           = Text{"Learn it", "Lernen"}
	LearnInOtherWords = Text{"In other words", "In anderen Worten"}
	DoNotLearn        = Text{"No", "Nein"}
	FieldLearnt       = Text{"What is learnt", "Was gelernt wird"}
	WouldKnow         = Text{"Those who heard it would know: %s", "Davon wüsste, wer es gehört hat: %s"}
	ProposalsLeft     = Text{"%d of %d", "%d von %d"}
	NothingProposed   = Text{"Nothing is waiting. Promises, debts and news from your sessions will be shown here.", "Nichts wartet. Versprechen, Schulden und Neuigkeiten aus den Sitzungen stehen dann hier."}
	LearningIsOff     = Text{"Nothing is waiting, and learning is switched off: `memory.learn` is `off`.", "Nichts wartet, und das Lernen ist abgeschaltet: `memory.learn` steht auf `off`."}
	NothingLearnt     = Text{"Nothing has been learnt yet.", "Gelernt ist noch nichts."}
	IsLearnt          = Text{"Learnt: %s", "Gelernt: %s"}
	IsNotLearnt       = Text{"Not learnt: %s", "Nicht gelernt: %s"}
	IsUnlearnt        = Text{"Forgotten: %s", "Vergessen: %s"}
	IsPinned          = Text{"Remembered as #%d: %s", "Gemerkt als #%d: %s"}
	ProposalsWait     = Text{"%s: `/memory review` shows it to a DM.", "%s: `/memory review` zeigt es der Spielleitung."}
	Proposals         = Count{Text{"The NPCs could learn something from it", "Die NSCs könnten etwas daraus lernen"}, Text{"The NPCs could learn %d things from it", "Die NSCs könnten %d Dinge daraus lernen"}}
)

// Mentions of forgotten players.
var (
	NoMentions         = Text{"Nothing to look at. When a player asks to be forgotten, this shows once where others mention that player.", "Nichts anzusehen. Wenn jemand vergessen werden will, steht hier einmal, wo andere ihn erwähnen."}
	MentionsOf         = Text{"**%s** was forgotten. Others mention the name here (%s). Nothing was changed there:", "**%s** wurde vergessen. Andere erwähnen den Namen hier (%s). Dort wurde nichts geändert:"}
	MentionsOfIn       = Text{"**%s** was forgotten. In the campaign %s, others mention the name (%s). Nothing was changed there:", "**%s** wurde vergessen. In der Kampagne %s erwähnen andere den Namen (%s). Dort wurde nichts geändert:"}
	MoreMentions       = Text{"and %d more", "und %d weitere"}
	MentionsUnfinished = Text{"There may be more: the search failed or took too long.", "Es kann noch mehr geben: die Suche ist misslungen oder hat zu lange gedauert."}
	MentionsHow        = Text{"This list is shown only once, because it contains the name. `/memory erase` deletes a line or a note, `/memory drop` what was learnt, `/memory reject` what is proposed; `/entity remove` and `/undo` change the world.", "Diese Liste wird einmal gezeigt, weil der Name darin steht. `/memory erase` löscht eine Zeile oder Notiz, `/memory drop` Gelerntes, `/memory reject` Vorgeschlagenes; `/entity remove` und `/undo` ändern die Welt."}
	MentionPlaces      = Count{Text{"one place", "eine Stelle"}, Text{"%d places", "%d Stellen"}}
	MentionsWait       = Count{Text{"A player was forgotten, and others mention that player in one place: `/memory mentions` shows it once.", "Jemand wurde vergessen, und andere erwähnen ihn an einer Stelle: `/memory mentions` zeigt sie einmal."}, Text{"A player was forgotten, and others mention that player in %d places: `/memory mentions` shows them once.", "Jemand wurde vergessen, und andere erwähnen ihn an %d Stellen: `/memory mentions` zeigt sie einmal."}}
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
	"gift": {"gift", "Geschenk"}, "name": {"name", "Name"}, "pin": {"remembered", "gemerkt"}, "relation": {"relation", "Beziehung"}, "fact": {"fact", "Tatsache"},
}

// LearntKind returns the name of a kind of learnt entry.
func LearntKind(kind string) Text {
	if t, ok := learntKinds[kind]; ok {
		return t
	}
	return learntKinds["fact"]
}
