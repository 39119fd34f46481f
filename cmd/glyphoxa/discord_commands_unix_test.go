//go:build unix

package main_test

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// unheardOf exists only in the other guild.
const unheardOf = "Zorblaxia"

// table lists good and bad input for every command.
func (e *everywhere) table() map[string]covered {
	npc := func(name string) discordtest.Option { return opt("npc", name) }
	tier := func(name string) discordtest.Option { return opt("tier", name) }
	id := func(id string) discordtest.Option { return opt("id", id) }
	about := func(text string) discordtest.Option { return opt("about", text) }
	dice := func(text string) discordtest.Option { return opt("dice", text) }
	text := func(text string) discordtest.Option { return opt("text", text) }
	to := func(date string) discordtest.Option { return opt("to", date) }
	nobody := []string{"⚠ No NPC is called \"Nobody\"; the NPCs here are Bartok, Mira"}
	return map[string]covered{
		"session start":  {dm: true, good: []given{input().says("**The Flagon**", "At the table: Bartok, Mira")}, bad: []given{input().says("⚠ A session is already running in <#")}},
		"session stop":   {dm: true, table: true, good: []given{input().says("The session has ended")}, bad: []given{input().says("⚠ No session is running here")}},
		"session status": {table: true, good: []given{input().says("- Bartok\n- Mira\nThe NPCs ")}},
		"session join":   {dm: true, table: true, good: []given{input().says("hoose the voice channel")}},
		"session leave":  {dm: true, table: true, good: []given{input().says("not in a voice channel")}},
		"voice":          {dm: true, table: true, good: []given{input(opt("npc", "Mira"), opt("voice", "en+f2")).says("not in a voice channel")}, bad: []given{input(opt("npc", "Mira"), opt("voice", " ")).says("not in a voice channel")}},
		"captions on":    {dm: true, table: true, good: []given{input().says("is also written here")}},
		"captions off":   {dm: true, table: true, good: []given{input().says("no longer written here")}},
		"privacy code":   {dm: true, table: true, good: []given{input().says("not in a voice channel")}},
		"session recap":  {good: []given{input().says("Nothing has been said yet")}},
		"session pause":  {dm: true, table: true, good: []given{input().says("⏸ Break")}},
		"session resume": {dm: true, table: true, good: []given{input().says("⚠ The session is not paused")}},
		"help":           {good: []given{input().says("**Playing.**", "`/session recap`")}},
		"session timing": {dm: true, table: true, good: []given{input().says("No NPC has answered in this session yet")}},

		"npc list":      {table: true, good: []given{input().says("- Bartok\n- Mira")}},
		"npc mute":      {dm: true, table: true, good: []given{input(npc("Bartok")).says("Bartok is silent now"), input(npc("all"))}, bad: []given{input(npc("Nobody")).says(nobody...), input(npc("")).says("⚠")}},
		"npc unmute":    {dm: true, table: true, good: []given{input(npc("bartok")).says("Bartok may speak again"), input(npc("all"))}, bad: []given{input(npc("Nobody")).says(nobody...)}},
		"npc muteall":   {dm: true, table: true, good: []given{input().says("Everyone is silent now")}},
		"npc unmuteall": {dm: true, table: true, good: []given{input().says("Everyone may speak again")}},
		"npc say": {dm: true, table: true, good: []given{input(npc("Mira"), opt("text", "All aboard!")).says("Mira will say it")},
			bad: []given{input(npc("Nobody"), opt("text", "Boo")).says(nobody...), input(npc("all"), opt("text", "Boo")).says("⚠"), input(npc("Mira"), opt("text", "  ")).says("⚠")}},
		"npc listening": {dm: true, table: true, good: []given{input().says("The NPCs answer what is probably meant for them"), input(opt("how", "called_only")).says("calls them by name"), input(opt("how", "eager")).says("eager")}},
		"npc reveal": {dm: true, table: true, good: []given{input(npc("Mira")).says("Mira keeps these secrets", "1: The old jetty is hollow.", "2: The ferry leaks.").and(func(m discordtest.Message) { answers(e.t, m, true) }), input(npc("mira"), opt("which", "2")).says("Mira may tell secret 2 now"), input(npc("Mira"), opt("which", "all")).says("Mira may tell all its secrets now")},
			bad: []given{input(npc("Nobody")).says(nobody...), input(npc("all")).says("⚠", "Choose one NPC"), input(npc("Bartok")).says("⚠", "Bartok has no secrets"), input(npc("Mira"), opt("which", "3")).says("⚠ Mira has no secret")}},
		"npc conceal": {dm: true, table: true, good: []given{input(npc("Mira")).says("Mira keeps everything secret again")}, bad: []given{input(npc("Nobody")).says(nobody...), input(npc("all")).says("⚠", "Choose one NPC")}},
		"npc why": {dm: true, table: true, good: []given{input(npc("Bartok")).after(e.bartokAnswers).says("**Bartok** answered Ana: Hello Bartok!", "Tier ", "Scene: A foggy evening.", "conversation").and(func(m discordtest.Message) { answers(e.t, m, true) }), input(npc("bartok")).says("**Bartok** answered")},
			bad: []given{input(npc("Nobody")).says(nobody...), input(npc("Mira")).says("⚠", "has answered lately"), input(npc("all")).says("⚠", "Choose one NPC"), input(npc("")).says("⚠")}},
		"npc reload": {dm: true, table: true, good: []given{input()}},
		"npc direct": {dm: true, table: true, good: []given{input(npc("Mira"), opt("text", "Lie."), opt("turns", 50)).says("Mira", "50"), input(npc("all"), opt("text", "Be brief.")), input(npc("Mira"))},
			bad: []given{input(npc("Nobody"), opt("text", "Lie.")).says(nobody...)}},

		"whisper": {table: true, good: []given{input(npc("Bartok"), text("Hello!")).says("*Bartok whispers:* Welcome to the Flagon.").and(e.unheard("Hello!", "Welcome to the Flagon.")), input(npc("mira"), text("Hello!")).says("*Mira whispers:*")},
			bad: []given{input(npc("all"), text("Hello!")).says("⚠", "Choose one NPC"), input(npc(""), text("Hello!")).says("⚠"), input(npc("Bartok"), text(" ")).says("⚠", "write what you want to whisper"), input(npc("Bartok"), text("Hello!")).after(e.anaIsUnheard).says("⚠", "NPCs cannot hear you here").and(e.anaIsHeard), input(npc("Bartok"), text("Hello!")).after(e.pauses).says("⚠", "NPCs cannot hear you here").and(e.goesOn), input(npc("Nobody"), text("Hello!")).says(nobody...).and(e.unheard("Hello!", "Welcome to the Flagon."))}},
		"date": {table: true, good: []given{input().says("The date has not been set yet"), input().after(e.dayIsSet).says("It is ", "3 Deepfrost 1024")},
			bad: []given{input(to("+1")).says("⚠", "Only a dungeon master may do that"), input().after(e.noDayIsSet).says("3 Deepfrost 1024")}},

		"memory review": {dm: true, good: []given{input().says("Nothing is waiting. Promises"), input().after(e.somethingIsPromised).says("They could learn this", "promise: Ana (player): Bartok, I promise you a keg.").and(e.pressed("Learnt: Ana (player): Bartok, I promise you a keg.", "Nothing is waiting"))}},
		"memory list":   {dm: true, good: []given{input().says("Nothing has been learnt yet"), input().after(e.nettleIsRemembered).says("remembered: The goat is called Nettle.")}},
		"memory accept": {dm: true, good: []given{input(opt("number", 1), text("Ana promised a keg.")).after(e.somethingIsProposed).says("Learnt: Ana promised a keg.")},
			bad: []given{input(opt("number", 1)).says("⚠ 1 has already been accepted"), input(opt("number", 77)).says("⚠ There is no such entry: 77"), input(opt("number", 0)).refused()}},
		"memory reject": {dm: true, good: []given{input(opt("number", 1)).after(e.somethingIsProposed).says("Not learnt: Ana (player): Bartok, I promise you a keg.")},
			bad: []given{input(opt("number", 1)).says("⚠ There is no such entry: 1")}},
		"memory drop": {dm: true, good: []given{input(opt("number", 1)).after(e.nettleIsRemembered).says("Forgotten: The goat is called Nettle.")},
			bad: []given{input(opt("number", 1)).says("⚠ There is no such entry: 1")}},
		"memory mentions": {dm: true, good: []given{input().says("Nothing to look at. When a player asks to be forgotten")}},
		"memory erase": {dm: true, good: []given{input(opt("number", 1)).after(e.somethingIsPromised).says("Deleted: Ana: Bartok, I promise you a keg.")},
			bad: []given{input(opt("number", 77)).says("⚠ There is no such line"), input(opt("number", 77), opt("what", "note")).says("⚠ There is no such note"), input(opt("number", 0)).refused(), input(opt("number", 1), opt("what", "entity")).refused()}},
		"remember": {dm: true, good: []given{input(npc("Bartok"), text("The goat is called Nettle.")).says("Remembered as #1: The goat is called Nettle."), input(text("It rains.")).says("Remembered as #2")},
			bad: []given{input().says("⚠ Nothing has been said yet"), input(npc("Nobody"), text("Hm.")).says(nobody...), input(npc("Mira"), text(" ")).says("⚠")}},
		"tier raise": {dm: true, table: true, good: []given{input(npc("Bartok"), tier("deep"), opt("minutes", 24*60)).says("Bartok may be thoughtful (deep) until <t:"), input(npc("Mira"), tier("standard"), opt("turns", 1)).says("Mira may be careful (standard) until <t:", "for at most one answer")},
			bad: []given{input(npc("Nobody"), tier("deep")).says(nobody...)}},
		"tier lower":  {dm: true, table: true, good: []given{input(npc("Bartok")), input(npc("all"))}, bad: []given{input(npc("Nobody")).says(nobody...)}},
		"tier cap":    {dm: true, table: true, good: []given{input(npc("all"), tier("fast")).says("Everyone will be quick (fast) at most"), input(npc("Mira"), tier("deep"))}, bad: []given{input(npc("Nobody"), tier("fast")).says(nobody...)}},
		"tier status": {dm: true, table: true, good: []given{input().says("- Bartok: quick (fast)")}},

		"tools list":      {dm: true, good: []given{input().says("**roll**: from quick (fast) on", "**tide**")}},
		"tools calibrate": {dm: true, good: []given{input().says("**roll**: from quick (fast) on")}},
		"tools approve": {dm: true, good: []given{input(opt("name", "harbour/tide")).after(e.tideTurns).says("harbour/tide@", "Call this first").and(e.pressed("`harbour/tide@", "is approved"))},
			bad: []given{input(opt("name", "harbour/tide")).says("⚠"), input(opt("name", "roll")).says("⚠"), input(opt("name", " ")).says("⚠")}},

		"approve list": {dm: true, good: []given{input().says("Nothing is waiting.")}},
		"approve yes": {dm: true, good: []given{input(id("")).after(e.removalWaits).says("⚠").and(func(discordtest.Message) { e.decides("yes", "Allowed, this once") })},
			bad: []given{input(id("nope")).says("⚠", "call waits"), input(id(e.other.id)).says("⚠")}},
		"approve no": {dm: true, good: []given{input(id("")).after(e.removalWaits).says("⚠").and(func(discordtest.Message) { e.decides("no", "Denied") })},
			bad: []given{input(id("nope")).says("⚠", "call waits")}},

		"undo list": {dm: true, good: []given{input()}},
		"undo change": {dm: true, good: []given{input().after(func() { e.g.gives(e.t, e.g.dm, "entity add", opt("name", "Old Ted"), opt("kind", "npc")) }).says("Undone: **#", "Old Ted")},
			bad: []given{input(opt("number", 1<<52)).says("⚠", "cannot be undone")}},

		"roll":     {good: []given{input(dice("2d6+3")).says("🎲", "2d6+3", "**")}, bad: []given{input(dice("a horse")).says("⚠"), input(dice("999999999d999999999")).says("⚠"), input(dice("")).says("⚠")}},
		"rules":    {good: []given{input(about("grapple")).says("Grappl")}, bad: []given{input(about("xyzzyqq")).says("The rules say nothing about that"), input(about(" ")).says("⚠")}},
		"ask":      {dm: true, good: []given{input(about("Bartok"))}, bad: []given{input(about(unheardOf)).says("Nothing is known about that"), input(about(" ")).says("⚠")}},
		"feedback": {good: []given{input(opt("text", "Bartok is grumpy")).says("Thank you")}, bad: []given{input(opt("text", " ")).says("⚠")}},

		"privacy info":    {good: []given{input().says("You are now **heard**")}},
		"privacy consent": {good: []given{input(opt("heard", "no")).says("You are not heard from now on"), input(opt("heard", "yes")).says("You are heard")}, bad: []given{input(opt("heard", "perhaps")).refused()}},
		"privacy forget":  {good: []given{input().says("Permanently delete").and(e.pressed("Everything you wrote has been deleted"))}},

		"campaign info": {good: []given{input().says("**The Flagon** (dnd5e): 2 NPCs")}},
		"campaign load": {dm: true, good: []given{input(sheet("name: Mere\nentities:\n  - {id: ned, type: npc, name: Ned}\n")).says("**Mere**", "a world of one entity")},
			bad: brokenSheets()},
		"campaign switch": {dm: true, good: []given{input(opt("campaign", "Mere")).after(e.mereIsLoaded).says("From now on you play **Mere**")},
			bad: []given{input(opt("campaign", unheardOf)).says("⚠", "the campaigns here are"), input(opt("campaign", " ")).says("⚠")}},

		"entity add": {dm: true, good: []given{input(opt("name", "Old Ted"), opt("kind", "npc")).says("**Old Ted** is now part of the world")},
			bad: []given{input(opt("name", "Ned"), opt("kind", "npc"), opt("place", unheardOf)).says("⚠", "no")}},
		"entity list": {dm: true, good: []given{input()}, bad: []given{input(opt("name", unheardOf)).says("There is no one and nothing with that name")}},
		"entity import": {dm: true, good: []given{input(sheet("name: Mere\nentities:\n  - {id: ned, type: npc, name: Ned}\n")).says("one entity")},
			bad: brokenSheets()},
		"entity remove": {dm: true, good: []given{input(id("old ted")).after(e.tedIsAdded).says("Permanently remove **Old Ted** `old-ted` from the world")},
			bad: []given{input(id("Young Ted")).says("⚠ No one and nothing is called \"Young Ted\""), input(id(strings.ToLower(unheardOf))).says("⚠")}},
	}
}

// sheet is a campaign file.
func sheet(text string) discordtest.Option {
	return opt("file", discordtest.Upload{Name: "mere.yaml", Type: "application/yaml", Data: []byte(text)})
}

// brokenSheets are files that are not campaigns.
func brokenSheets() (all []given) {
	for _, text := range []string{
		"", "\x00\x01\xff", "entities: {", "name: Mere\nentitles: []\n", "- just\n- a list\n",
		"name: Mere\nentities:\n  - {id: a, type: npc}\n",
		"a: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n",
		strings.Repeat("[", 10_000),
	} {
		all = append(all, input(sheet(text)).says("⚠"))
	}
	return all
}
