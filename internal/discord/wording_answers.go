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
	OnlyManagers  = Text{"only a dungeon master may do that: somebody with the right Manage Server", "das darf nur die Spielleitung: wer das Recht „Server verwalten“ hat"}
	OnlyRole      = Text{"only a dungeon master may do that: somebody with the role %s", "das darf nur die Spielleitung: wer die Rolle %s hat"}
	OnlyRoles     = Text{"only a dungeon master may do that: somebody with one of the roles %s", "das darf nur die Spielleitung: wer eine der Rollen %s hat"}
	OnlyInServer  = Text{"this works in a server only", "das geht nur auf einem Server"}
	OtherServer   = Text{"this bot plays in another server", "dieser Bot spielt auf einem anderen Server"}
	NoCommand     = Text{"there is no command /%s any more; restart Discord to see those there are", "den Befehl /%s gibt es nicht mehr; starte Discord neu, dann siehst du die jetzigen"}
	TooManyAsked  = Text{"too much is being asked for in this server at once; try again in a moment", "auf diesem Server wird gerade zu viel auf einmal verlangt; versuch es gleich noch einmal"}
	YouAskTooMuch = Text{"you are asking for too much at once; wait until your last commands are answered", "du verlangst zu viel auf einmal; warte, bis deine letzten Befehle beantwortet sind"}
	StaleButton   = Text{"this button is too old; give the command again", "dieser Knopf ist zu alt; gib den Befehl noch einmal"}
	GoingOffline  = Text{"the bot is going offline; try again when it is back", "der Bot geht gerade offline; versuch es noch einmal, wenn er wieder da ist"}
	TookTooLong   = Text{"it took too long; try again", "das hat zu lange gedauert; versuch es noch einmal"}
	YourButton    = Text{"this button is somebody else's; give the command yourself", "dieser Knopf gehört jemand anderem; gib den Befehl selbst"}
	YesForGood    = Text{"Yes, for good", "Ja, endgültig"}
	PageBack      = Text{"◀ Back", "◀ Zurück"}
	PageOn        = Text{"On ▶", "Weiter ▶"}
	PageFoot      = Text{"-# page %d of %d, %d in all", "-# Seite %d von %d, insgesamt %d"}
	NoSession     = Text{"no session is running here; a DM starts one with /session start", "hier läuft keine Sitzung; die Spielleitung beginnt eine mit /session start"}
)

// Sessions.
var (
	SessionStopped   = Text{"The session has ended after %s. What was said is kept.", "Die Sitzung ist nach %s zu Ende. Was gesagt wurde, ist aufgehoben."}
	SessionEnded     = Text{"The session has ended: %s. What was said is kept.", "Die Sitzung ist zu Ende: %s. Was gesagt wurde, ist aufgehoben."}
	SessionIsOver    = Text{"The session has ended.", "Die Sitzung ist zu Ende."}
	BotGoesOffline   = Text{"the bot is going offline", "der Bot geht offline"}
	EndedInDisorder  = Text{"the session has ended, but not in order: %s", "die Sitzung ist zu Ende, aber nicht sauber: %s"}
	SessionChanges   = Text{"a session is being started or stopped; wait a moment", "gerade beginnt oder endet eine Sitzung; warte einen Moment"}
	SessionElsewhere = Text{"a session is running in <#%s>; /session stop ends it", "in <#%s> läuft schon eine Sitzung; /session stop beendet sie"}
	SessionTaken     = Text{"somebody went on with that session, or began another; /session start begins one now", "jemand spielt diese Sitzung schon weiter oder hat eine andere begonnen; /session start beginnt jetzt eine"}
	SessionCutOff    = Text{"The last session, begun <t:%d:f>, was cut off; %s. Go on with it, or begin anew? A dungeon master decides.",
		"Die letzte Sitzung, begonnen <t:%d:f>, ist abgerissen; %s. Weiterspielen oder neu beginnen? Die Spielleitung entscheidet."}
	LinesAreKept  = Count{Text{"its one line is kept", "ihre eine Zeile ist aufgehoben"}, Text{"its %d lines are kept", "ihre %d Zeilen sind aufgehoben"}}
	LinesOfBefore = Count{Text{"the last session was cut off; its one line is kept, and /session recap shows it", "die letzte Sitzung ist abgerissen; ihre eine Zeile ist aufgehoben, /session recap zeigt sie"}, Text{"the last session was cut off; its %d lines are kept, and /session recap shows the latest", "die letzte Sitzung ist abgerissen; ihre %d Zeilen sind aufgehoben, /session recap zeigt die letzten"}}
	GoOn          = Text{"Go on", "Weiterspielen"}
	BeginAnew     = Text{"Begin anew", "Neu beginnen"}

	CannotSeeChannel = Text{"looking at this channel: %s; give the bot View Channel here", "dieser Kanal ist nicht zu sehen: %s; gib dem Bot hier „Kanal ansehen“"}
	NeedsTextChannel = Text{"a session needs a text channel or a thread", "eine Sitzung braucht einen Textkanal oder einen Thread"}
	CannotPlayHere   = Text{"the bot cannot play here; give it %s in this channel", "der Bot kann hier nicht spielen; gib ihm in diesem Kanal %s"}
	AndRight         = Text{"%s and %s", "%s und %s"}
	RightView        = Text{"View Channel", "„Kanal ansehen“"}
	RightSend        = Text{"Send Messages", "„Nachrichten senden“"}
	RightThread      = Text{"Send Messages in Threads", "„Nachrichten in Threads senden“"}

	TheSession  = Text{"The session", "Die Sitzung"}
	GoesOn      = Text{"**%s** goes on", "**%s** geht weiter"}
	AtTheTable  = Text{"At the table: %s.", "Am Tisch: %s."}
	HowToPlay   = Text{"Write here to play, and begin with the name of whom you speak to. `/help` tells more, `/session stop` ends the session.", "Schreibt hier, um zu spielen, und beginnt mit dem Namen, wen ihr ansprecht. `/help` sagt mehr, `/session stop` beendet die Sitzung."}
	Scripted    = Text{"the NPCs speak prepared lines only: no language model is connected. Whoever runs the bot can change that", "die NSCs sprechen nur vorbereitete Sätze: es ist kein Sprachmodell angeschlossen. Wer den Bot betreibt, kann das ändern"}
	NeedsHook   = Text{"the bot speaks for the NPCs: give it the permission Manage Webhooks here, and start again, so that they speak under their own names", "der Bot spricht für die NSCs: gib ihm hier das Recht „Webhooks verwalten“ und beginn noch einmal, dann sprechen sie unter eigenem Namen"}
	NeedsEmbeds = Text{"how the session goes cannot be shown: give the bot the permission Embed Links here, and start again", "wie die Sitzung läuft, kann nicht gezeigt werden: gib dem Bot hier das Recht „Links einbetten“ und beginn noch einmal"}
	WhatIsKept  = Text{"what is written here from now on is kept on the machine that runs the bot; /privacy info says more", "was hier ab jetzt geschrieben wird, wird auf dem Rechner aufgehoben, auf dem der Bot läuft; /privacy info sagt mehr"}

	StatusHead = Text{"In <#%s> for %s: %s", "In <#%s> seit %s: %s"}
	Silent     = Text{"%s (silent)", "%s (schweigt)"}

	ListenEager    = Text{"The NPCs take whatever is said while they are talked with (eager).", "Die NSCs reagieren auf alles, solange mit ihnen gesprochen wird (eager)."}
	ListenAttend   = Text{"The NPCs take what is plausibly said to them (attentive).", "Die NSCs reagieren auf das, was ihnen wohl gilt (attentive)."}
	ListenCalled   = Text{"The NPCs hear who calls them, and nothing else (called_only).", "Die NSCs hören nur, wer sie anspricht (called_only)."}
	CostNothing    = Text{"So far this session has taken nothing that is paid for.", "Bisher hat diese Sitzung nichts verbraucht, was etwas kostet."}
	CostSoFar      = Text{"So far this session cost %s.", "Bisher hat diese Sitzung %s gekostet."}
	CostUnknown    = Text{"So far this session cost an unknown amount: prices are missing.", "Was diese Sitzung bisher gekostet hat, ist unbekannt: es fehlen Preise."}
	CostPartly     = Text{"So far this session cost %s, and what has no price.", "Bisher hat diese Sitzung %s gekostet, und dazu, was keinen Preis hat."}
	CostWarnAt     = Text{"From %s on the NPCs answer more cheaply.", "Ab %s antworten die NSCs sparsamer."}
	CostStopAt     = Text{"From %s on they answer with prepared lines only.", "Ab %s antworten sie nur noch mit vorbereiteten Sätzen."}
	CostIsCheaper  = Text{"They answer more cheaply now.", "Sie antworten jetzt sparsamer."}
	CostLinesOnly  = Text{"They answer with prepared lines now.", "Sie antworten jetzt mit vorbereiteten Sätzen."}
	Withheld       = Count{Text{"NPCs were kept from saying something one time.", "Einmal wurde ein NSC davon abgehalten, etwas zu sagen."}, Text{"NPCs were kept from saying something %d times.", "%d-mal wurde ein NSC davon abgehalten, etwas zu sagen."}}
	NothingSaidYet = Text{"Nothing has been said yet.", "Bisher wurde nichts gesagt."}
	RecapHead      = Text{"**%s**, begun <t:%d:f>, %s:", "**%s**, begonnen <t:%d:f>, %s:"}
	SaidByPlayer   = Text{"> **%s** (player): %s", "> **%s** (spielt mit): %s"}
	SaidByDM       = Text{"> **%s** (DM): %s", "> **%s** (Spielleitung): %s"}
	SaidByNPC      = Text{"> **%s** (NPC): %s", "> **%s** (NSC): %s"}
	RecapLines     = Count{Text{"one line", "eine Zeile"}, Text{"%d lines; the last", "%d Zeilen; die letzten"}}
)

// Messages for a whole channel.
var (
	TooManyChanges  = Text{"Too many messages were edited or deleted at once: some are kept as they were. /privacy forget deletes all that somebody wrote.", "Zu viele Nachrichten wurden auf einmal geändert oder gelöscht: manche bleiben, wie sie waren. /privacy forget löscht alles, was jemand geschrieben hat."}
	ChangeNotMade   = Text{"A message that was edited or deleted is kept as it was: the bot could not change it.", "Eine Nachricht, die geändert oder gelöscht wurde, bleibt, wie sie war: der Bot konnte sie nicht ändern."}
	CannotShowState = Text{"How the session goes cannot be shown here: give the bot the permission Embed Links, and start again.", "Wie die Sitzung läuft, kann hier nicht gezeigt werden: gib dem Bot das Recht „Links einbetten“ und beginn noch einmal."}
)

// NPCs and orders to them.
var (
	NoSuchNPC        = Text{"no NPC is called %q; there are %s", "kein NSC heißt %q; es gibt %s"}
	EveryNPC         = Text{"all", "alle"}
	NameOneNPC       = Text{"name one NPC", "nenn einen einzelnen NSC"}
	NPCMuted         = NamedText{Text{"%s is silent now.", "%s schweigt jetzt."}, Text{"Everyone is silent now.", "Alle schweigen jetzt."}}
	NPCUnmuted       = NamedText{Text{"%s may speak again.", "%s darf wieder sprechen."}, Text{"Everyone may speak again.", "Alle dürfen wieder sprechen."}}
	WillSayIt        = Text{"%s will say it.", "%s sagt es gleich."}
	TodayIs          = Text{"It is %s.", "Es ist %s."}
	NoDateYet        = Text{"Nobody has said yet which day it is.", "Noch hat niemand gesagt, welcher Tag ist."}
	NotHeardHere     = Text{"nobody hears you here; write in the session's channel, while it is not paused, and agree to being heard with /privacy consent", "hier hört dich niemand; schreib im Kanal der Sitzung, solange sie nicht pausiert, und stimm mit /privacy consent zu, gehört zu werden"}
	NothingWhispered = Text{"there is nothing under text; write what you whisper", "unter text steht nichts; schreib, was du flüsterst"}
	WhispersBack     = Text{"*%s whispers:* %s", "*%s flüstert:* %s"}
	SaysNothingBack  = Text{"%s says nothing to that.", "%s sagt nichts dazu."}
	NothingToSay     = Text{"there is nothing under text; write what the NPC says", "unter text steht nichts; schreib, was der NSC sagen soll"}
	NPCDirected      = NamedText{Text{"%s is directed for %s: %s", "Regie für %s, %s lang: %s"}, Text{"Everyone is directed for %s: %s", "Regie für alle, %s lang: %s"}}
	NPCPlaysFreely   = NamedText{Text{"%s plays freely again.", "%s spielt wieder frei."}, Text{"Everyone plays freely again.", "Alle spielen wieder frei."}}
	Answers          = Count{Text{"one answer", "eine Antwort"}, Text{"%d answers", "%d Antworten"}}
	KeepsNothing     = Text{"%s keeps nothing secret", "%s hat keine Geheimnisse"}
	NoSuchSecret     = Text{"%s has no secret %q; there are 1 to %d, or all", "%s hat kein Geheimnis %q; es gibt 1 bis %d, oder all"}
	MayTellAll       = Text{"%s may tell all its secrets now.", "%s darf jetzt alle Geheimnisse verraten."}
	MayTellSecret    = Text{"%s may tell secret %d now.", "%s darf jetzt Geheimnis %d verraten."}
	KeepsThese       = Text{"%s keeps these; say which, by its number, or all:", "%s hütet diese; sag welches, mit der Nummer, oder all:"}
	CastJoins        = TextGroup{Text{"%s joins.", "%s kommt dazu."}, Text{"%s join.", "%s kommen dazu."}}
	CastChanges      = TextGroup{Text{"%s is not as before.", "%s ist nicht mehr wie vorher."}, Text{"%s are not as before.", "%s sind nicht mehr wie vorher."}}
	CastLeaves       = TextGroup{Text{"%s leaves.", "%s geht."}, Text{"%s leave.", "%s gehen."}}
	CastIsTheSame    = Text{"Everyone is as before.", "Alle sind wie vorher."}
	KeepsAllAgain    = Text{"%s keeps everything secret again.", "%s behält wieder alles für sich."}
)

// Tiers of NPCs. The word in brackets is the same in all languages.
var (
	TierFast     = Text{"quick (fast)", "schnell (fast)"}
	TierStandard = Text{"careful (standard)", "sorgfältig (standard)"}
	TierDeep     = Text{"thoughtful (deep)", "gründlich (deep)"}

	NPCRaised   = NamedText{Text{"%s may be %s until <t:%d:t>, for %s at most.", "%s darf jetzt %s antworten, bis <t:%d:t> und höchstens %s lang."}, Text{"Everyone may be %s until <t:%d:t>, for %s at most.", "Alle dürfen jetzt %s antworten, bis <t:%d:t> und höchstens %s lang."}}
	NPCLowered  = NamedText{Text{"%s stays quick (fast) until /tier cap allows more.", "%s antwortet schnell (fast), bis /tier cap mehr erlaubt."}, Text{"Everyone stays quick (fast) until /tier cap allows more.", "Alle antworten schnell (fast), bis /tier cap mehr erlaubt."}}
	NPCCapped   = NamedText{Text{"%s is %s at most.", "%s antwortet höchstens %s."}, Text{"Everyone is %s at most.", "Alle antworten höchstens %s."}}
	NPCUncapped = NamedText{Text{"%s has no limit any more.", "Für %s gilt keine Obergrenze mehr."}, Text{"Nobody has a limit any more.", "Für niemanden gilt mehr eine Obergrenze."}}

	NPCIs        = Text{"%s: %s", "%s: %s"}
	NPCIsAtMost  = Text{"%s: %s at most", "%s: höchstens %s"}
	NPCIsRaised  = Text{"%s: %s until <t:%d:t>, for %s at most", "%s: %s bis <t:%d:t>, höchstens %s lang"}
	IsSilent     = Text{"silent", "schweigt"}
	IsDirected   = Text{"directed for %s: %s", "Regie, noch %s lang: %s"}
	MayTell      = Count{Text{"may tell one secret", "darf ein Geheimnis verraten"}, Text{"may tell %d secrets", "darf %d Geheimnisse verraten"}}
	HowFastAre   = Text{"%s, %s lately: half began within %s, nearly all within %s", "%s, zuletzt %s: die Hälfte begann nach höchstens %s, fast alle nach höchstens %s"}
	AnswersCount = Count{Text{"one answer in time", "eine Antwort rechtzeitig"}, Text{"%d answers in time", "%d Antworten rechtzeitig"}}
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
