package discord

// The world, its campaigns, dice and rules.
var (
	NPCs        = Count{Text{"one NPC", "ein NSC"}, Text{"%d NPCs", "%d NSCs"}}
	Sessions    = Count{Text{"one session", "eine Sitzung"}, Text{"%d sessions", "%d Sitzungen"}}
	OfEntities  = Count{Text{"a world of one entity", "eine Welt mit einem Eintrag"}, Text{"a world of %d entities", "eine Welt mit %d Einträgen"}}
	Configured  = Text{"the configured campaign", "die eingestellte Kampagne"}
	CampaignIs  = Text{"%s: %s, %s, %s so far.", "%s: %s, %s, bisher %s."}
	OtherPlays  = Text{"-# /campaign switch plays another:", "-# /campaign switch spielt eine andere:"}
	WasRead     = Text{"%s was read from %s: %s.", "%s ist aus %s eingelesen: %s."}
	SwitchPlays = Text{"/campaign switch plays it, with a memory of its own.", "/campaign switch spielt sie, mit eigenem Gedächtnis."}
	NowPlayed   = Text{"From now on %s is played here: %s, %s so far. /session start begins one.", "Ab jetzt wird hier %s gespielt: %s, bisher %s. /session start beginnt eine."}
	NoOther     = Text{"there is no other campaign here yet; /campaign load adds one", "hier gibt es noch keine andere Kampagne; /campaign load fügt eine hinzu"}
	NoCampaign  = Text{"there is no campaign %q; there are %s", "eine Kampagne %q gibt es nicht; es gibt %s"}

	EntityPlaced  = Text{"**%s** is part of the world now, as `%s`.", "**%s** gehört jetzt zur Welt, als `%s`."}
	NeedsName     = Text{"it needs a name", "ein Name fehlt"}
	NoSuchKind    = Text{"%q is no kind; take %s", "%q ist keine Art; nimm %s"}
	NewEntity     = Text{"Somebody or something new", "Jemand oder etwas Neues"}
	FieldName     = Text{"Name", "Name"}
	FieldKind     = Text{"Kind", "Art"}
	FieldText     = Text{"Description", "Beschreibung"}
	FieldPlace    = Text{"Place", "Ort"}
	HintPlace     = Text{"Where it is: the name of a place of your world", "Wo es ist: der Name eines Ortes eurer Welt"}
	KindPerson    = Text{"npc", "NSC"}
	KindPlace     = Text{"location", "Ort"}
	KindFaction   = Text{"faction", "Gruppe"}
	KindItem      = Text{"item", "Ding"}
	KindCreature  = Text{"creature", "Wesen"}
	RuleCondition = Text{"condition", "Zustand"}
	RuleCombat    = Text{"combat", "Kampf"}
	RuleSpell     = Text{"spell", "Zauber"}
	RuleGeneral   = Text{"general", "Allgemeines"}
	YouTyped      = Text{"%s What you typed:", "%s Das hattest du eingegeben:"}
	NoSuchEntity  = Text{"There is nobody and nothing of that name.", "Niemand und nichts heißt so."}
	NoneCalled    = Text{"nobody and nothing is called %q; /entity list shows all there are", "niemand und nichts heißt %q; /entity list zeigt alles, was es gibt"}
	SeveralCalled = Text{"several are called %q; give the id of one: %s", "mehrere heißen %q; gib die Kennung an: %s"}
	RemoveSure    = Text{"Take %s out of the world for good, with all that connects it to others?", "%s endgültig aus der Welt nehmen, mit allem, was es mit anderem verbindet?"}
	Removed       = Text{"`%s` is no part of the world any more.", "`%s` gehört nicht mehr zur Welt."}
	ImportedFrom  = Text{"Read from %s: %s.", "Aus %s eingelesen: %s."}
	NoFile        = Text{"there is no file; attach one", "es ist keine Datei dabei; häng eine an"}
	FileTooLarge  = Text{"the file is too large; %d MB is the most. Larger ones are read on the bot's machine: glyphoxa import FILE", "die Datei ist zu groß; höchstens %d MB sind möglich. Größere liest man auf dem Rechner des Bots ein: glyphoxa import DATEI"}

	NothingToRoll = Text{"there is nothing under dice; write what to roll, such as 2d6+3", "unter dice steht nichts; schreib, was gewürfelt wird, etwa 2d6+3"}
	NothingToFind = Text{"there is nothing under about; write what to look up, such as grapple", "unter about steht nichts; schreib, was du suchst, etwa grapple"}
	NothingToAsk  = Text{"there is nothing under about; write a name, a place or a thing", "unter about steht nichts; schreib einen Namen, einen Ort oder ein Ding"}
	RulesSilent   = Text{"The rules say nothing of that; try another word.", "Dazu sagen die Regeln nichts; versuch ein anderes Wort, am besten auf Englisch."}
	NothingKnown  = Text{"Nothing is known of that.", "Darüber ist nichts bekannt."}
	NothingKept   = Text{"there is nothing to keep; write what you think", "es gibt nichts aufzuheben; schreib, was du denkst"}
	FeedbackKept  = Text{"Thank you. Whoever runs the bot will read it.", "Danke. Wer den Bot betreibt, wird es lesen."}
)

// Approvals, and the tools of NPCs.
var (
	NothingChanged = Text{"Nothing has changed in the world that could be taken back.", "In der Welt hat sich nichts geändert, das sich zurücknehmen ließe."}
	CannotUndo     = Text{"That cannot be taken back: something of it was changed again since, or it is not kept any more. /undo list shows what came after it.", "Das lässt sich nicht zurücknehmen: etwas davon wurde seither wieder geändert, oder es ist nicht mehr aufgehoben. /undo list zeigt, was danach kam."}
	ChangeUndone   = Text{"Taken back: %s", "Zurückgenommen: %s"}
	ChangeIsUndone = Text{"taken back by #%d", "zurückgenommen durch #%d"}
	ChangePlaced   = Text{"added", "hinzugefügt"}
	ChangeMoved    = Text{"moved", "bewegt"}
	ChangeUpdated  = Text{"changed", "geändert"}
	ChangeRemoved  = Text{"removed", "entfernt"}
	ChangeRelated  = Text{"related", "in Beziehung gesetzt"}
	ChangeParted   = Text{"no longer related", "nicht mehr in Beziehung"}
	ChangeScene    = Text{"the scene set", "die Szene gesetzt"}
	ChangeBack     = Text{"a change taken back", "eine Änderung zurückgenommen"}
	ChangeOther    = Text{"changed otherwise", "anders geändert"}
	NothingWaits   = Text{"Nothing waits.", "Es wartet nichts."}
	WantsTo        = Text{"- `%s` %s wants %s %s", "- `%s` %s will %s %s"}
	MayPass        = Text{"It may happen, once.", "Es darf geschehen, dieses eine Mal."}
	IsDone         = Text{"It is done.", "Es ist geschehen."}
	IsDenied       = Text{"It is refused.", "Es ist abgelehnt."}
	CallWaits      = Text{"**A dungeon master is asked.** %s wants to use `%s` with:", "**Frage an die Spielleitung.** %s will `%s` benutzen, und zwar mit:"}
	CallUntil      = Text{"-# It waits until <t:%d:f>. A dungeon master decides.", "-# Das wartet bis <t:%d:f>. Die Spielleitung entscheidet."}
	CallNotDone    = Text{"⚠ Allowed by %s, and it could not be done: %s", "⚠ Von %s erlaubt, und es ließ sich nicht machen: %s"}
	CallAllowed    = Text{"✅ Allowed by %s, once.", "✅ Von %s erlaubt, dieses eine Mal."}
	CallDenied     = Text{"❌ Refused by %s.", "❌ Von %s abgelehnt."}
	CallTimedOut   = Text{"⌛ Nobody decided in time.", "⌛ Niemand hat rechtzeitig entschieden."}
	CallWithdrawn  = Text{"It does not wait any more.", "Das wartet nicht mehr."}
	CallLeftOpen   = Text{"The session is over. If this still waits, /approve decides.", "Die Sitzung ist vorbei. Wenn das noch wartet, entscheidet /approve."}
	AllowCall      = Text{"Allow", "Erlauben"}
	DenyCall       = Text{"Deny", "Ablehnen"}
	AllowedBefore  = Text{"%s was first, and has allowed it", "%s war schneller und hat es erlaubt"}
	DeniedBefore   = Text{"%s was first, and has refused it", "%s war schneller und hat es abgelehnt"}
	NoTools        = Text{"NPCs can do nothing but talk.", "Die NSCs können nichts außer reden."}
	ServerDown     = Text{"⚠ %s cannot be reached, and what it offers is missing: %s", "⚠ %s ist nicht erreichbar, und was es anbietet, fehlt: %s"}
	ServerHolds    = Count{Text{"one thing waits for approval: see /tools approve", "eines wartet auf Freigabe: siehe /tools approve"}, Text{"%d things wait for approval: see /tools approve", "%d warten auf Freigabe: siehe /tools approve"}}
	ServerLeaves   = Count{Text{"one thing is left out: it has too many", "eines fehlt: es sind zu viele"}, Text{"%d things are left out: it has too many", "%d fehlen: es sind zu viele"}}
	OfServer       = Text{"⚠ Of what %s offers, %s", "⚠ Von dem, was %s anbietet: %s"}
	ToolIs         = Text{"- **%s**: from %s on", "- **%s**: ab %s"}
	ToolTakes      = Text{"about %s", "etwa %s"}
	ToolFrom       = Text{"from %s", "von %s"}
	ToolDemoted    = Text{"slower than promised", "langsamer als versprochen"}
	ToolOnTrial    = Text{"being tried again", "wird wieder erprobt"}
	ToolHeld       = Text{"held back: see /tools approve", "zurückgehalten: siehe /tools approve"}
	ToolAsleep     = Text{"asleep until it is needed", "schläft, bis es gebraucht wird"}
	ToolDown       = Text{"cannot be reached", "nicht erreichbar"}
	ToolWaiting    = Text{"waits for what it needs", "wartet auf etwas, das es braucht"}
	ToolChanged    = Text{"it does not wait for approval any more, or was changed again; /tools approve shows it as it is now", "das wartet nicht mehr auf Freigabe oder wurde noch einmal geändert; /tools approve zeigt es, wie es jetzt ist"}
	NoToolWaits    = Text{"nothing of that name waits for approval, and nothing else does", "nichts mit diesem Namen wartet auf Freigabe, und sonst auch nichts"}
	OthersWait     = Text{"nothing of that name waits for approval; there are %s", "nichts mit diesem Namen wartet auf Freigabe; es gibt %s"}
	SeveralWait    = Text{"several of that name wait for approval; there are %s", "mehrere mit diesem Namen warten auf Freigabe; es gibt %s"}
	ApproveIt      = Text{"Approve", "Freigeben"}
	ToolApproved   = Text{"`%s` is approved: NPCs may use it as it is described now.", "`%s` ist freigegeben: die NSCs dürfen es benutzen, so wie es jetzt beschrieben ist."}
	ToolIsNew      = Text{"is new", "ist neu"}
	ToolDiffers    = Text{"was changed", "wurde geändert"}
	DiffApproved   = Text{"approved", "freigegeben"}
	DiffOffered    = Text{"offered", "angeboten"}
	WaitingCall    = Text{"%s: %s wants %s %s", "%s: %s will %s %s"}
	SomePlayer     = Text{"somebody", "jemand"}
	ToolDifference = Text{"`%s` %s. The NPCs' models read this text; approve it if it asks for nothing strange.\n```diff\n%s\n```", "`%s` %s. Diesen Text lesen die Modelle der NSCs; gib ihn frei, wenn er nichts Seltsames verlangt.\n```diff\n%s\n```"}
)

// Stored personal data.
var (
	PrivacyInfo = Text{
		"**What the bot keeps, on the machine that runs it:**\n" +
			"- While a session runs, what is written in its channel: your name there, your words, when, your Discord id and the message's. NPCs remember it, also in later sessions; the language model that plays them is given what was said lately, which may run at somebody else's.\n" +
			"- What you edit or delete while that session runs is changed or deleted there, too.\n" +
			"- What you tell with /feedback, for whoever runs the bot.\n" +
			"- Commands you gave that change something or look something up: what, when, your Discord id.\n" +
			"- Your Discord id, if you do not want to be heard.\n" +
			"What is written without a session or in other channels is not kept, and what bots write is not heard.\n" +
			"**What you can do:** `/privacy consent` says whether you are heard, `/privacy forget` deletes all of this that is yours and of this server, but for your wish not to be heard. What others wrote and NPCs answered stays as it is, also where it names you, and so do the world and the messages on Discord, which you delete there; a DM reads once where others mention you, and decides about it. Backups are with whoever runs the bot.",
		"**Was der Bot aufhebt, auf dem Rechner, auf dem er läuft:**\n" +
			"- Solange eine Sitzung läuft, was in ihrem Kanal geschrieben wird: deinen Namen dort, deine Worte, die Zeit, deine Discord-Kennung und die der Nachricht. Die NSCs erinnern sich daran, auch in späteren Sitzungen; das Sprachmodell, das sie spielt, bekommt, was zuletzt gesagt wurde, und läuft vielleicht bei einem Anbieter.\n" +
			"- Was du änderst oder löschst, solange diese Sitzung läuft, wird auch dort geändert oder gelöscht.\n" +
			"- Was du mit /feedback sagst, für die, die den Bot betreiben.\n" +
			"- Befehle von dir, die etwas ändern oder nachschlagen: was, wann, deine Discord-Kennung.\n" +
			"- Deine Discord-Kennung, wenn du nicht gehört werden willst.\n" +
			"Was ohne Sitzung oder in anderen Kanälen geschrieben wird, wird nicht aufgehoben, und was Bots schreiben, wird nicht gehört.\n" +
			"**Was du tun kannst:** `/privacy consent` bestimmt, ob du gehört wirst, `/privacy forget` löscht alles davon, was von dir und von diesem Server ist, außer deinem Wunsch, nicht gehört zu werden. Was andere geschrieben und NSCs geantwortet haben, bleibt, wie es ist, auch wo dein Name darin steht, ebenso die Welt und die Nachrichten auf Discord, die du dort löschst; die Spielleitung liest einmal, wo andere dich erwähnen, und entscheidet darüber. Sicherungskopien liegen bei denen, die den Bot betreiben.",
	}
	NowNotHeard  = Text{"Now you are **not heard**: what you write is not for the NPCs, and not kept.", "Jetzt wirst du **nicht gehört**: was du schreibst, ist nicht für die NSCs und wird nicht aufgehoben."}
	NowHeard     = Text{"Now you are **heard**.", "Jetzt wirst du **gehört**."}
	HeardAgain   = Text{"You are heard: while a session runs, what you write in its channel is for the NPCs, and kept.", "Du wirst gehört: solange eine Sitzung läuft, ist für die NSCs, was du in ihrem Kanal schreibst, und wird aufgehoben."}
	NotHeard     = Text{"You are not heard from now on: what you write is not for the NPCs, and not kept. What you wrote before is; /privacy forget deletes it.", "Ab jetzt wirst du nicht gehört: was du schreibst, ist nicht für die NSCs und wird nicht aufgehoben. Was du vorher geschrieben hast, schon noch; /privacy forget löscht es."}
	ForgetSure   = Text{"Delete all that you wrote in this server's sessions and feedback, for good? What others wrote and NPCs answered stays, and what was put into the world; a DM reads where it mentions you.", "Alles endgültig löschen, was du in den Sitzungen dieses Servers und als Rückmeldung geschrieben hast? Was andere geschrieben und NSCs geantwortet haben, bleibt, und was in die Welt aufgenommen wurde; die Spielleitung liest, wo du darin erwähnt wirst."}
	IsForgetting = Text{"Forgetting, step %d of %d, %s. The table goes on meanwhile.", "Wird vergessen, Schritt %d von %d, %s. Der Tisch spielt inzwischen weiter."}
	LinesSoFar   = Count{Text{"one line so far", "bisher eine Zeile"}, Text{"%d lines so far", "bisher %d Zeilen"}}
	Forgotten    = Text{"What you wrote is forgotten: %s. /privacy consent says whether you are heard from now on.", "Was du geschrieben hast, ist vergessen: %s. /privacy consent bestimmt, ob du ab jetzt gehört wirst."}
	LinesGone    = Count{Text{"one line is gone", "eine Zeile ist gelöscht"}, Text{"%d lines are gone", "%d Zeilen sind gelöscht"}}
)
