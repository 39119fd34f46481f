package discord

// The world, its campaigns, dice and rules.
var (
	NPCs        = Count{Text{"one NPC", "ein NSC"}, Text{"%d NPCs", "%d NSCs"}}
	Sessions    = Count{Text{"one session", "eine Sitzung"}, Text{"%d sessions", "%d Sitzungen"}}
	OfEntities  = Count{Text{"a world of one entity", "eine Welt mit einem Eintrag"}, Text{"a world of %d entities", "eine Welt mit %d Einträgen"}}
	Configured  = Text{"the configured campaign", "die eingestellte Kampagne"}
	CampaignIs  = Text{"%s: %s, %s, %s so far.", "%s: %s, %s, bisher %s."}
	OtherPlays  = Text{"-# Play another with /campaign switch:", "-# Eine andere spielst du mit /campaign switch:"}
	WasRead     = Text{"%s was read from %s: %s.", "%s ist aus %s eingelesen: %s."}
	SwitchPlays = Text{"Play it with /campaign switch; it has a memory of its own.", "Mit /campaign switch spielst du sie; sie hat ihr eigenes Gedächtnis."}
	NowPlayed   = Text{"From now on you play %s here: %s, %s so far. Start one with /session start.", "Ab jetzt spielt ihr hier %s: %s, bisher %s. Mit /session start beginnt ihr eine."}
	NoOther     = Text{"there is no other campaign here yet; /campaign load adds one", "hier gibt es noch keine andere Kampagne; /campaign load fügt eine hinzu"}
	NoCampaign  = Text{"there is no campaign %q; the campaigns here are %s", "eine Kampagne %q gibt es nicht; hier gibt es %s"}

	EntityPlaced  = Text{"**%s** is now part of the world, as `%s`.", "**%s** gehört jetzt zur Welt, als `%s`."}
	NeedsName     = Text{"the name is missing", "der Name fehlt"}
	NoSuchKind    = Text{"%q is not a kind; choose %s", "die Art %q gibt es nicht; wähl %s"}
	NewEntity     = Text{"Someone or something new", "Jemand oder etwas Neues"}
	FieldName     = Text{"Name", "Name"}
	FieldKind     = Text{"Kind", "Art"}
	FieldText     = Text{"Description", "Beschreibung"}
	FieldPlace    = Text{"Place", "Ort"}
	HintPlace     = Text{"Where it is: the name of a place in your world", "Wo es ist: der Name eines Ortes eurer Welt"}
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
	NoSuchEntity  = Text{"There is no one and nothing with that name.", "Niemand und nichts heißt so."}
	NoneCalled    = Text{"no one and nothing is called %q; /entity list shows everything there is", "niemand und nichts heißt %q; /entity list zeigt alles, was es gibt"}
	SeveralCalled = Text{"several entries are called %q; give the id of one: %s", "mehrere Einträge heißen %q; gib die Kennung an: %s"}
	RemoveSure    = Text{"Permanently remove %s from the world, with everything that connects it to others?", "%s endgültig aus der Welt nehmen, mit allem, was es mit anderem verbindet?"}
	Removed       = Text{"`%s` is no longer part of the world.", "`%s` gehört nicht mehr zur Welt."}
	ImportedFrom  = Text{"Read from %s: %s.", "Aus %s eingelesen: %s."}
	NoFile        = Text{"no file is attached; attach one", "es ist keine Datei dabei; häng eine an"}
	FileTooLarge  = Text{"the file is too large; the limit is %d MB. Import larger files on the bot's machine: glyphoxa import FILE", "die Datei ist zu groß; möglich sind höchstens %d MB. Größere liest du auf dem Rechner des Bots ein: glyphoxa import DATEI"}

	NothingToRoll = Text{"the dice are missing; write what to roll, such as 2d6+3", "unter dice steht nichts; schreib dort, was du würfelst, etwa 2d6+3"}
	NothingToFind = Text{"there is nothing to look up; write what you are looking for, such as grapple", "unter about steht nichts; schreib dort, was du suchst, etwa grapple"}
	NothingToAsk  = Text{"there is nothing to look for; write a name, a place or a thing", "unter about steht nichts; schreib dort einen Namen, einen Ort oder ein Ding"}
	RulesSilent   = Text{"The rules say nothing about that; try another word.", "Dazu sagen die Regeln nichts; versuch ein anderes Wort, am besten auf Englisch."}
	NothingKnown  = Text{"Nothing is known about that.", "Darüber ist nichts bekannt."}
	NothingKept   = Text{"the text is empty; write what you think", "unter text steht nichts; schreib dort, was du denkst"}
	FeedbackKept  = Text{"Thank you. The person running the bot will read it.", "Danke. Wer den Bot betreibt, wird es lesen."}
)

// Approvals, and the tools of NPCs.
var (
	NothingChanged = Text{"Nothing has changed in the world that could be undone.", "In der Welt hat sich nichts geändert, das sich zurücknehmen ließe."}
	CannotUndo     = Text{"That cannot be undone: part of it has been changed again since, or it is no longer saved. /undo list shows what came after it.", "Das lässt sich nicht zurücknehmen: etwas davon wurde seither wieder geändert, oder es ist nicht mehr gespeichert. /undo list zeigt, was danach kam."}
	ChangeUndone   = Text{"Undone: %s", "Zurückgenommen: %s"}
	ChangeIsUndone = Text{"undone by #%d", "zurückgenommen durch #%d"}
	ChangePlaced   = Text{"added", "hinzugefügt"}
	ChangeMoved    = Text{"moved", "bewegt"}
	ChangeUpdated  = Text{"changed", "geändert"}
	ChangeRemoved  = Text{"removed", "entfernt"}
	ChangeRelated  = Text{"relation added", "Beziehung hinzugefügt"}
	ChangeParted   = Text{"relation removed", "Beziehung entfernt"}
	ChangeScene    = Text{"scene set", "Szene gesetzt"}
	ChangeBack     = Text{"change undone", "Änderung zurückgenommen"}
	ChangeOther    = Text{"another change", "eine andere Änderung"}
	NothingWaits   = Text{"Nothing is waiting.", "Es wartet nichts."}
	WantsTo        = Text{"- `%s` %s wants %s %s", "- `%s` %s will %s %s"}
	MayPass        = Text{"Allowed, this once.", "Erlaubt, dieses eine Mal."}
	IsDone         = Text{"Done.", "Erledigt."}
	IsDenied       = Text{"Denied.", "Abgelehnt."}
	CallWaits      = Text{"**Question for the dungeon master.** %s wants to use `%s` with:", "**Frage an die Spielleitung.** %s will `%s` benutzen, und zwar mit:"}
	CallUntil      = Text{"-# Open until <t:%d:f>. A dungeon master decides.", "-# Offen bis <t:%d:f>. Die Spielleitung entscheidet."}
	CallNotDone    = Text{"⚠ Allowed by %s, but it could not be done: %s", "⚠ Von %s erlaubt, aber es hat nicht geklappt: %s"}
	CallAllowed    = Text{"✅ Allowed by %s, this once.", "✅ Von %s erlaubt, dieses eine Mal."}
	CallDenied     = Text{"❌ Denied by %s.", "❌ Von %s abgelehnt."}
	CallTimedOut   = Text{"⌛ Nobody decided in time.", "⌛ Niemand hat rechtzeitig entschieden."}
	CallWithdrawn  = Text{"This is no longer waiting.", "Das wartet nicht mehr."}
	CallLeftOpen   = Text{"The session is over. If this is still waiting, decide with /approve.", "Die Sitzung ist vorbei. Wenn das noch wartet, entscheide mit /approve."}
	AllowCall      = Text{"Allow", "Erlauben"}
	DenyCall       = Text{"Deny", "Ablehnen"}
	AllowedBefore  = Text{"%s has already allowed it", "%s hat es schon erlaubt"}
	DeniedBefore   = Text{"%s has already denied it", "%s hat es schon abgelehnt"}
	NoTools        = Text{"The NPCs can do nothing but talk.", "Die NSCs können nichts außer reden."}
	ServerDown     = Text{"⚠ %s cannot be reached, so what it offers is missing: %s", "⚠ %s ist nicht erreichbar, deshalb fehlt, was es anbietet: %s"}
	ServerHolds    = Count{Text{"one thing is waiting for approval: see /tools approve", "eines wartet auf Freigabe: siehe /tools approve"}, Text{"%d things are waiting for approval: see /tools approve", "%d warten auf Freigabe: siehe /tools approve"}}
	ServerLeaves   = Count{Text{"one thing is left out, because it offers too many", "eines fehlt, weil es zu viele sind"}, Text{"%d things are left out, because it offers too many", "%d fehlen, weil es zu viele sind"}}
	OfServer       = Text{"⚠ Of what %s offers, %s", "⚠ Von dem, was %s anbietet: %s"}
	ToolIs         = Text{"- **%s**: from %s on", "- **%s**: ab %s"}
	ToolTakes      = Text{"about %s", "etwa %s"}
	ToolFrom       = Text{"from %s", "von %s"}
	ToolDemoted    = Text{"slower than promised", "langsamer als versprochen"}
	ToolOnTrial    = Text{"being tried again", "wird wieder erprobt"}
	ToolHeld       = Text{"held back: see /tools approve", "zurückgehalten: siehe /tools approve"}
	ToolAsleep     = Text{"asleep until it is needed", "schläft, bis es gebraucht wird"}
	ToolDown       = Text{"cannot be reached", "nicht erreichbar"}
	ToolWaiting    = Text{"waiting for something it needs", "wartet auf etwas, das es braucht"}
	ToolChanged    = Text{"it is no longer waiting for approval, or was changed again; /tools approve shows it as it is now", "das wartet nicht mehr auf Freigabe oder wurde noch einmal geändert; /tools approve zeigt es, wie es jetzt ist"}
	NoToolWaits    = Text{"nothing with that name is waiting for approval, and nothing else is, either", "nichts mit diesem Namen wartet auf Freigabe, und sonst auch nichts"}
	OthersWait     = Text{"nothing with that name is waiting for approval; these are: %s", "nichts mit diesem Namen wartet auf Freigabe, nur %s"}
	SeveralWait    = Text{"several with that name are waiting for approval: %s", "mehrere mit diesem Namen warten auf Freigabe: %s"}
	ApproveIt      = Text{"Approve", "Freigeben"}
	ToolApproved   = Text{"`%s` is approved: NPCs may use it as it is described now.", "`%s` ist freigegeben: die NSCs dürfen es benutzen, so wie es jetzt beschrieben ist."}
	ToolIsNew      = Text{"is new", "ist neu"}
	ToolDiffers    = Text{"was changed", "wurde geändert"}
	DiffApproved   = Text{"approved", "freigegeben"}
	DiffOffered    = Text{"offered", "angeboten"}
	WaitingCall    = Text{"%s: %s wants %s %s", "%s: %s will %s %s"}
	SomePlayer     = Text{"someone", "jemand"}
	ToolDifference = Text{"`%s` %s. The NPCs' models read this text; only approve it if it asks for nothing strange.\n```diff\n%s\n```", "`%s` %s. Diesen Text lesen die Modelle der NSCs; gib ihn nur frei, wenn er nichts Seltsames verlangt.\n```diff\n%s\n```"}
)

// Stored personal data.
var (
	PrivacyInfo = Text{
		"**What the bot stores, on the machine that runs it:**\n" +
			"- While a session is running, what is written in its channel: your name there, your words, the time, your Discord id and the message's. NPCs remember it, in later sessions too. The language model that plays them gets what was said recently, and may belong to another company.\n" +
			"- If you edit or delete a message while that session is running, it is changed or deleted there, too.\n" +
			"- What you write with /feedback, for the person running the bot.\n" +
			"- Your commands that change something or look something up: what, when, your Discord id.\n" +
			"- Your Discord id, if you do not want to be heard.\n" +
			"What is written without a session or in other channels is not stored, and what other bots write is not heard.\n" +
			"**What you can do:** `/privacy consent` sets whether you are heard. `/privacy forget` deletes all of this that is yours on this server, except your wish not to be heard. What others wrote and NPCs answered stays as it is, even where it names you, and so do the world and the messages on Discord, which you delete there; a DM is shown once where others mention you, and decides about it. Backups are with the person running the bot.",
		"**Was der Bot speichert, auf dem Rechner, auf dem er läuft:**\n" +
			"- Solange eine Sitzung läuft, was in ihrem Kanal geschrieben wird: deinen Namen dort, deine Worte, die Zeit, deine Discord-Kennung und die der Nachricht. Die NSCs erinnern sich daran, auch in späteren Sitzungen; das Sprachmodell, das sie spielt, bekommt, was zuletzt gesagt wurde, und läuft vielleicht bei einer anderen Firma.\n" +
			"- Was du änderst oder löschst, solange diese Sitzung läuft, wird auch dort geändert oder gelöscht.\n" +
			"- Was du mit /feedback sagst, für die, die den Bot betreiben.\n" +
			"- Befehle von dir, die etwas ändern oder nachschlagen: was, wann, deine Discord-Kennung.\n" +
			"- Deine Discord-Kennung, wenn du nicht gehört werden willst.\n" +
			"Was ohne Sitzung oder in anderen Kanälen geschrieben wird, wird nicht gespeichert, und was andere Bots schreiben, wird nicht gehört.\n" +
			"**Was du tun kannst:** `/privacy consent` bestimmt, ob du gehört wirst, `/privacy forget` löscht davon alles, was von dir auf diesem Server stammt, außer deinem Wunsch, nicht gehört zu werden. Was andere geschrieben und NSCs geantwortet haben, bleibt, wie es ist, auch wo dein Name darin steht, ebenso die Welt und die Nachrichten auf Discord, die du dort löschst; die Spielleitung bekommt einmal gezeigt, wo andere dich erwähnen, und entscheidet darüber. Sicherungskopien liegen bei denen, die den Bot betreiben.",
	}
	NowNotHeard  = Text{"You are now **not heard**: what you write does not reach the NPCs and is not saved.", "Jetzt wirst du **nicht gehört**: was du schreibst, erreicht die NSCs nicht und wird nicht gespeichert."}
	NowHeard     = Text{"You are now **heard**.", "Jetzt wirst du **gehört**."}
	HeardAgain   = Text{"You are heard: while a session is running, what you write in its channel reaches the NPCs and is saved.", "Du wirst gehört: was du während einer Sitzung in ihrem Kanal schreibst, erreicht die NSCs und wird gespeichert."}
	NotHeard     = Text{"You are not heard from now on: what you write does not reach the NPCs and is not saved. What you wrote before still is; /privacy forget deletes it.", "Ab jetzt wirst du nicht gehört: was du schreibst, erreicht die NSCs nicht und wird nicht gespeichert. Was du vorher geschrieben hast, ist noch da; /privacy forget löscht es."}
	ForgetSure   = Text{"Permanently delete everything you wrote in this server's sessions and feedback? What others wrote, what NPCs answered and what was added to the world stays; a DM is shown where it mentions you.", "Alles endgültig löschen, was du in den Sitzungen dieses Servers und als Rückmeldung geschrieben hast? Was andere geschrieben und NSCs geantwortet haben, bleibt, und was in die Welt aufgenommen wurde; die Spielleitung bekommt gezeigt, wo du darin erwähnt wirst."}
	IsForgetting = Text{"Deleting, step %d of %d, %s. The game goes on in the meantime.", "Wird gelöscht, Schritt %d von %d, %s. Das Spiel geht inzwischen weiter."}
	LinesSoFar   = Count{Text{"one line so far", "bisher eine Zeile"}, Text{"%d lines so far", "bisher %d Zeilen"}}
	Forgotten    = Text{"Everything you wrote has been deleted: %s. /privacy consent sets whether you are heard from now on.", "Alles, was du geschrieben hast, ist gelöscht: %s. /privacy consent bestimmt, ob du ab jetzt gehört wirst."}
	LinesGone    = Count{Text{"one line", "eine Zeile"}, Text{"%d lines", "%d Zeilen"}}
)
