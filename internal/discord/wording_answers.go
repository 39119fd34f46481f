package discord

import (
	"strconv"
	"strings"
	"time"
)

// NamedText is a text about one NPC, whose name is its first argument, or about all NPCs.
type NamedText struct{ One, All Text }

// In formats the text in a language. An empty name means all.
func (n NamedText) In(l Language, name string, args ...any) string {
	if name == "" {
		return n.All.In(l, args...)
	}
	return n.One.In(l, append([]any{name}, args...)...)
}

// LocalSeconds formats a duration in seconds.
func LocalSeconds(l Language, d time.Duration) string {
	return LocalDecimals(l, strconv.FormatFloat(d.Seconds(), 'f', 1, 64)+" s")
}

// LocalDecimals replaces a number's decimal point with the language's separator.
func LocalDecimals(l Language, number string) string {
	if l == German {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

// TextGroup is a text about a list of names: One for one name, More for several.
type TextGroup struct{ One, More Text }

// In formats the text in a language. There must be at least one name.
func (g TextGroup) In(l Language, names []string) string {
	last := len(names) - 1
	if last == 0 {
		return g.One.In(l, names[0])
	}
	return g.More.In(l, andLast.In(l, strings.Join(names[:last], ", "), names[last]))
}

var andLast = Text{"%s and %s", "%s und %s"}

// DurationPhrase returns a phrase for a duration.
func DurationPhrase(d time.Duration) *Phrase {
	switch {
	case d < time.Minute:
		return lessThanMinute.With()
	case d < 2*time.Hour:
		return inMinutes.With(int(d.Minutes()))
	}
	return inHours.With(int(d.Hours()), int(d.Minutes())%60)
}

var (
	lessThanMinute = Text{"less than a minute", "weniger als einer Minute"}
	inMinutes      = Text{"%d min", "%d min"}
	inHours        = Text{"%d h %d min", "%d h %d min"}
)

// Answers of all commands.
var (
	Done          = Text{"Done.", "Erledigt."}
	Verbatim      = Text{"%s", "%s"} // for arguments that are already in the reader's language
	OnlyManagers  = Text{"only a dungeon master may do that: someone with the Manage Server permission", "das darf nur die Spielleitung: wer das Recht „Server verwalten“ hat"}
	OnlyRole      = Text{"only a dungeon master may do that: someone with the role %s", "das darf nur die Spielleitung: wer die Rolle %s hat"}
	OnlyRoles     = Text{"only a dungeon master may do that: someone with one of the roles %s", "das darf nur die Spielleitung: wer eine der Rollen %s hat"}
	OnlyInServer  = Text{"this only works in a server", "das geht nur auf einem Server"}
	OtherServer   = Text{"this bot plays on another server", "dieser Bot spielt auf einem anderen Server"}
	NoCommand     = Text{"the command /%s no longer exists; restart Discord to see the current commands", "den Befehl /%s gibt es nicht mehr; starte Discord neu, dann siehst du die aktuellen"}
	TooManyAsked  = Text{"too many commands in this server at once; try again in a moment", "auf diesem Server kommen gerade zu viele Befehle auf einmal; versuch es gleich noch einmal"}
	YouAskTooMuch = Text{"too many commands at once; wait until your last ones are answered", "zu viele Befehle auf einmal; warte, bis deine letzten beantwortet sind"}
	StaleButton   = Text{"this button has expired; use the command again", "dieser Knopf ist abgelaufen; gib den Befehl noch einmal ein"}
	GoingOffline  = Text{"the bot is going offline; try again when it is back", "der Bot geht gerade offline; versuch es noch einmal, wenn er wieder da ist"}
	TookTooLong   = Text{"it took too long; try again", "das hat zu lange gedauert; versuch es noch einmal"}
	YourButton    = Text{"this button belongs to someone else; use the command yourself", "dieser Knopf gehört jemand anderem; gib den Befehl selbst ein"}
	YesForGood    = Text{"Yes, permanently", "Ja, endgültig"}
	PageBack      = Text{"◀ Back", "◀ Zurück"}
	PageOn        = Text{"Next ▶", "Weiter ▶"}
	PageFoot      = Text{"-# page %d of %d, %d in total", "-# Seite %d von %d, insgesamt %d"}
	NoSession     = Text{"no session is running here; a DM can start one with /session start", "hier läuft keine Sitzung; die Spielleitung kann mit /session start eine beginnen"}
)

// Sessions.
var (
	SessionStopped   = Text{"The session has ended after %s. Everything said has been saved.", "Die Sitzung ist nach %s zu Ende. Was gesagt wurde, ist gespeichert."}
	SessionEnded     = Text{"The session has ended: %s. Everything said has been saved.", "Die Sitzung ist zu Ende: %s. Was gesagt wurde, ist gespeichert."}
	SessionIsOver    = Text{"The session has ended.", "Die Sitzung ist zu Ende."}
	BotGoesOffline   = Text{"the bot is going offline", "der Bot geht offline"}
	EndedInDisorder  = Text{"the session has ended, but something went wrong: %s", "die Sitzung ist zu Ende, aber dabei ging etwas schief: %s"}
	SessionChanges   = Text{"a session is just starting or ending; wait a moment", "gerade beginnt oder endet eine Sitzung; warte einen Moment"}
	SessionElsewhere = Text{"a session is already running in <#%s>; /session stop ends it", "in <#%s> läuft schon eine Sitzung; /session stop beendet sie"}
	SessionTaken     = Text{"someone has already continued that session or started another; use /session start to start one now", "jemand spielt diese Sitzung schon weiter oder hat eine andere begonnen; mit /session start beginnst du jetzt eine"}
	SessionCutOff    = Text{"The last session, started <t:%d:f>, was cut off; %s. Continue it, or start a new one? A dungeon master decides.",
		"Die letzte Sitzung, begonnen <t:%d:f>, wurde unterbrochen; %s. Weiterspielen oder neu beginnen? Die Spielleitung entscheidet."}
	LinesAreKept  = Count{Text{"its one line is saved", "ihre eine Zeile ist gespeichert"}, Text{"its %d lines are saved", "ihre %d Zeilen sind gespeichert"}}
	LinesOfBefore = Count{Text{"the last session was cut off; its one line is saved, and /session recap shows it", "die letzte Sitzung wurde unterbrochen; ihre eine Zeile ist gespeichert, /session recap zeigt sie"}, Text{"the last session was cut off; its %d lines are saved, and /session recap shows the latest", "die letzte Sitzung wurde unterbrochen; ihre %d Zeilen sind gespeichert, /session recap zeigt die letzten"}}
	GoOn          = Text{"Continue", "Weiterspielen"}
	BeginAnew     = Text{"Start a new one", "Neu beginnen"}

	CannotSeeChannel = Text{"the bot cannot see this channel: %s; give it the View Channel permission here", "der Bot kann diesen Kanal nicht sehen: %s; gib ihm hier das Recht „Kanal ansehen“"}
	NeedsTextChannel = Text{"a session needs a text channel or a thread", "eine Sitzung braucht einen Textkanal oder einen Thread"}
	CannotPlayHere   = Text{"the bot cannot play here; give it %s in this channel", "der Bot kann hier nicht spielen; gib ihm in diesem Kanal %s"}
	AndRight         = Text{"%s and %s", "%s und %s"}
	RightView        = Text{"View Channel", "„Kanal ansehen“"}
	RightSend        = Text{"Send Messages", "„Nachrichten senden“"}
	RightThread      = Text{"Send Messages in Threads", "„Nachrichten in Threads senden“"}

	TheSession  = Text{"The session", "Die Sitzung"}
	GoesOn      = Text{"**%s** continues", "**%s** geht weiter"}
	AtTheTable  = Text{"At the table: %s.", "Am Tisch: %s."}
	HowToPlay   = Text{"Write here to play, and start with the NPC's name. `/help` explains more, `/session stop` ends the session.", "Schreibt hier, um zu spielen, und beginnt mit dem Namen des NSC, mit dem ihr sprecht. `/help` erklärt mehr, `/session stop` beendet die Sitzung."}
	Scripted    = Text{"the NPCs only speak prepared lines, because no language model is connected. The person running the bot can change that", "die NSCs sprechen nur vorbereitete Sätze, weil kein Sprachmodell angeschlossen ist. Wer den Bot betreibt, kann das ändern"}
	NeedsHook   = Text{"the bot has to speak for the NPCs: give it the Manage Webhooks permission here and start again, so that they speak under their own names", "der Bot muss für die NSCs sprechen: gib ihm hier das Recht „Webhooks verwalten“ und beginn noch einmal, dann sprechen sie unter eigenem Namen"}
	NeedsEmbeds = Text{"the session's status cannot be shown: give the bot the Embed Links permission here and start again", "der Stand der Sitzung kann nicht gezeigt werden: gib dem Bot hier das Recht „Links einbetten“ und beginn noch einmal"}
	WhatIsKept  = Text{"from now on, what you write here is saved on the machine that runs the bot; /privacy info explains it", "was ihr hier ab jetzt schreibt, wird auf dem Rechner gespeichert, auf dem der Bot läuft; /privacy info erklärt das genauer"}

	StatusHead = Text{"In <#%s> for %s: %s", "In <#%s> seit %s: %s"}
	Silent     = Text{"%s (silent)", "%s (schweigt)"}

	ListenEager    = Text{"The NPCs answer anything that is said while someone is talking with them (eager).", "Die NSCs reagieren auf alles, solange mit ihnen gesprochen wird (eager)."}
	ListenAttend   = Text{"The NPCs answer what is probably meant for them (attentive).", "Die NSCs reagieren auf das, was wohl ihnen gilt (attentive)."}
	ListenCalled   = Text{"The NPCs only answer when someone calls them by name (called_only).", "Die NSCs reagieren nur, wenn jemand sie beim Namen nennt (called_only)."}
	CostNothing    = Text{"So far this session has not cost anything.", "Bisher hat diese Sitzung nichts gekostet."}
	CostSoFar      = Text{"So far this session has cost %s.", "Bisher hat diese Sitzung %s gekostet."}
	CostUnknown    = Text{"What this session has cost so far is unknown, because prices are missing.", "Was diese Sitzung bisher gekostet hat, ist unbekannt, weil Preise fehlen."}
	CostPartly     = Text{"So far this session has cost %s, not counting what has no price.", "Bisher hat diese Sitzung %s gekostet, ohne das, wofür kein Preis bekannt ist."}
	CostWarnAt     = Text{"From %s on, the NPCs give cheaper answers.", "Ab %s antworten die NSCs sparsamer."}
	CostStopAt     = Text{"From %s on, they only use prepared lines.", "Ab %s antworten sie nur noch mit vorbereiteten Sätzen."}
	CostIsCheaper  = Text{"They are giving cheaper answers now.", "Sie antworten jetzt sparsamer."}
	CostLinesOnly  = Text{"They only use prepared lines now.", "Sie antworten jetzt mit vorbereiteten Sätzen."}
	Withheld       = Count{Text{"An NPC was stopped from saying something once.", "Einmal wurde ein NSC davon abgehalten, etwas zu sagen."}, Text{"NPCs were stopped from saying something %d times.", "%d-mal wurde ein NSC davon abgehalten, etwas zu sagen."}}
	NothingSaidYet = Text{"Nothing has been said yet.", "Bisher wurde nichts gesagt."}
	RecapHead      = Text{"**%s**, started <t:%d:f>, %s:", "**%s**, begonnen <t:%d:f>, %s:"}
	SaidByPlayer   = Text{"> **%s** (player): %s", "> **%s** (spielt mit): %s"}
	SaidByDM       = Text{"> **%s** (DM): %s", "> **%s** (Spielleitung): %s"}
	SaidByNPC      = Text{"> **%s** (NPC): %s", "> **%s** (NSC): %s"}
	RecapLines     = Count{Text{"one line", "eine Zeile"}, Text{"%d lines; the latest", "%d Zeilen; die letzten"}}
)

// Messages for a whole channel.
var (
	TooManyChanges  = Text{"Too many messages were edited or deleted at once, so the NPCs remember some of them as they were. /privacy forget deletes everything you wrote.", "Zu viele Nachrichten wurden auf einmal geändert oder gelöscht, deshalb bleiben manche im Gedächtnis, wie sie waren. /privacy forget löscht alles, was du geschrieben hast."}
	ChangeNotMade   = Text{"A message was edited or deleted, but the bot could not update what it had saved.", "Eine Nachricht wurde geändert oder gelöscht, aber der Bot konnte nicht ändern, was er davon gespeichert hat."}
	CannotShowState = Text{"The session's status cannot be shown here: give the bot the Embed Links permission and start again.", "Der Stand der Sitzung kann hier nicht gezeigt werden: gib dem Bot das Recht „Links einbetten“ und beginn noch einmal."}
)

// NPCs and orders to them.
var (
	NoSuchNPC        = Text{"no NPC is called %q; the NPCs here are %s", "kein NSC heißt %q; hier gibt es %s"}
	EveryNPC         = Text{"all", "alle"}
	NameOneNPC       = Text{"choose one NPC", "nenn einen einzelnen NSC"}
	NPCMuted         = NamedText{Text{"%s is silent now.", "%s schweigt jetzt."}, Text{"Everyone is silent now.", "Alle schweigen jetzt."}}
	NPCUnmuted       = NamedText{Text{"%s may speak again.", "%s darf wieder sprechen."}, Text{"Everyone may speak again.", "Alle dürfen wieder sprechen."}}
	WillSayIt        = Text{"%s will say it.", "%s sagt es gleich."}
	TodayIs          = Text{"It is %s.", "Es ist %s."}
	NoDateYet        = Text{"The date has not been set yet.", "Es ist noch kein Datum gesetzt."}
	NotHeardHere     = Text{"the NPCs cannot hear you here; write in the session's channel while it is not paused, and agree to being heard with /privacy consent", "hier hören dich die NSCs nicht; schreib im Kanal der Sitzung, wenn gerade keine Pause ist, und stimm mit /privacy consent zu, gehört zu werden"}
	NothingWhispered = Text{"the text is empty; write what you want to whisper", "unter text steht nichts; schreib dort, was du flüstern willst"}
	WhispersBack     = Text{"*%s whispers:* %s", "*%s flüstert:* %s"}
	SaysNothingBack  = Text{"%s says nothing in reply.", "%s sagt nichts dazu."}
	NothingToSay     = Text{"the text is empty; write what the NPC should say", "unter text steht nichts; schreib dort, was der NSC sagen soll"}
	NPCDirected      = NamedText{Text{"Your direction for %s (%s): %s", "Deine Regie für %s (%s): %s"}, Text{"Your direction for everyone (%s): %s", "Deine Regie für alle (%s): %s"}}
	NPCPlaysFreely   = NamedText{Text{"%s plays freely again.", "%s spielt wieder frei."}, Text{"Everyone plays freely again.", "Alle spielen wieder frei."}}
	Answers          = Count{Text{"one answer", "eine Antwort"}, Text{"%d answers", "%d Antworten"}}
	KeepsNothing     = Text{"%s has no secrets", "%s hat keine Geheimnisse"}
	NoSuchSecret     = Text{"%s has no secret %q; choose 1 to %d, or all", "%s hat kein Geheimnis %q; wähl 1 bis %d, oder all"}
	MayTellAll       = Text{"%s may tell all its secrets now.", "%s darf jetzt alle Geheimnisse verraten."}
	MayTellSecret    = Text{"%s may tell secret %d now.", "%s darf jetzt Geheimnis %d verraten."}
	KeepsThese       = Text{"%s keeps these secrets; choose one by its number, or all:", "%s hütet diese Geheimnisse; wähl eins mit seiner Nummer, oder all:"}
	CastJoins        = TextGroup{Text{"%s joins.", "%s kommt dazu."}, Text{"%s join.", "%s kommen dazu."}}
	CastChanges      = TextGroup{Text{"%s has changed.", "%s hat sich geändert."}, Text{"%s have changed.", "%s haben sich geändert."}}
	CastLeaves       = TextGroup{Text{"%s leaves.", "%s geht."}, Text{"%s leave.", "%s gehen."}}
	CastIsTheSame    = Text{"Nothing has changed.", "Es hat sich nichts geändert."}
	KeepsAllAgain    = Text{"%s keeps everything secret again.", "%s behält wieder alles für sich."}
)

// Tiers of NPCs. The word in brackets is the same in all languages.
var (
	TierFast     = Text{"quick (fast)", "schnell (fast)"}
	TierStandard = Text{"careful (standard)", "sorgfältig (standard)"}
	TierDeep     = Text{"thoughtful (deep)", "gründlich (deep)"}

	NPCRaised   = NamedText{Text{"%s may be %s until <t:%d:t>, for at most %s.", "%s darf jetzt %s antworten, bis <t:%d:t> und höchstens %s lang."}, Text{"Everyone may be %s until <t:%d:t>, for at most %s.", "Alle dürfen jetzt %s antworten, bis <t:%d:t> und höchstens %s lang."}}
	NPCLowered  = NamedText{Text{"%s stays quick (fast) until /tier cap allows more.", "%s antwortet schnell (fast), bis /tier cap mehr erlaubt."}, Text{"Everyone stays quick (fast) until /tier cap allows more.", "Alle antworten schnell (fast), bis /tier cap mehr erlaubt."}}
	NPCCapped   = NamedText{Text{"%s will be %s at most.", "%s antwortet höchstens %s."}, Text{"Everyone will be %s at most.", "Alle antworten höchstens %s."}}
	NPCUncapped = NamedText{Text{"%s no longer has a limit.", "Für %s gilt keine Obergrenze mehr."}, Text{"Nobody has a limit now.", "Für niemanden gilt mehr eine Obergrenze."}}

	NPCIs        = Text{"%s: %s", "%s: %s"}
	NPCIsAtMost  = Text{"%s: %s at most", "%s: höchstens %s"}
	NPCIsRaised  = Text{"%s: %s until <t:%d:t>, for at most %s", "%s: %s bis <t:%d:t>, höchstens %s lang"}
	IsSilent     = Text{"silent", "schweigt"}
	IsDirected   = Text{"your direction for %s: %s", "Regie, noch %s lang: %s"}
	MayTell      = Count{Text{"may tell one secret", "darf ein Geheimnis verraten"}, Text{"may tell %d secrets", "darf %d Geheimnisse verraten"}}
	HowFastAre   = Text{"%s, lately %s: half started within %s, nearly all within %s", "%s, zuletzt %s: die Hälfte begann nach höchstens %s, fast alle nach höchstens %s"}
	AnswersCount = Count{Text{"one answer on time", "eine Antwort rechtzeitig"}, Text{"%d answers on time", "%d Antworten rechtzeitig"}}
	AnswersLate  = Text{"%s, %d late or not at all (%s)", "%s, %d zu spät oder gar nicht (%s)"}
)

// TierWord returns the readable name of a tier.
func TierWord(tier string) Text {
	switch tier {
	case "standard":
		return TierStandard
	case "deep":
		return TierDeep
	}
	return TierFast
}
