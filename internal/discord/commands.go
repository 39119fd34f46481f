package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/guilds"
)

// action is what a command or a subcommand does.
type action struct {
	// everyone may do it; else it takes a DM.
	everyone bool
	// open shows the answer to everyone in the channel.
	open bool
	do   func(ctx context.Context, c *call) (string, error)
	// suggest completes the option that is typed into, if not nil.
	suggest suggestFunc
	// form returns what is to be filled in first, nil if nothing is. A nil form
	// asks for nothing.
	form func(c *call) *form
}

// commandActions are what the bot can do, by command and subcommand.
func commandActions() map[string]action {
	return map[string]action{
		"campaign info":   {everyone: true, do: showCampaign},
		"campaign load":   {do: loadCampaign},
		"campaign switch": {do: switchCampaign, suggest: suggestFromGuild(guilds.SuggestCampaign)},
		"feedback":        {everyone: true, do: keepFeedback},
		"privacy info":    {everyone: true, do: showPrivacy},
		"privacy consent": {everyone: true, do: changeConsent},
		"privacy forget":  {everyone: true, do: forgetUser},
		"session start":   {open: true, do: beginSession},
		"session stop":    {open: true, do: stopSession},
		"session status":  {everyone: true, do: showSessionStatus},
		"session recap":   {everyone: true, do: recapSession},
		"session timing":  {everyone: true, do: showTiming},
		"npc list":        {everyone: true, do: listNPCs},
		"npc mute":        {do: muteOne, suggest: suggestNPCsOrAll},
		"npc unmute":      {do: unmuteOne, suggest: suggestNPCsOrAll},
		"npc muteall":     {do: muteAll},
		"npc unmuteall":   {do: unmuteAll},
		"npc say":         {do: sayAsNPC, suggest: suggestNPCs},
		"npc direct":      {do: directNPC, suggest: suggestNPCsOrAll},
		"npc reveal":      {do: revealSecrets, suggest: suggestNPCs},
		"npc conceal":     {do: concealSecrets, suggest: suggestNPCs},
		"npc listening":   {do: listenNow},
		"npc reload":      {do: reloadNPCs},
		"tier raise":      {do: raiseTier, suggest: suggestNPCsOrAll},
		"tier lower":      {do: lowerTier, suggest: suggestNPCsOrAll},
		"tier cap":        {do: capTier, suggest: suggestNPCsOrAll},
		"tier status":     {do: showTiers},
		"tools list":      {do: listTools},
		"tools calibrate": {do: calibrateTools},
		"tools approve":   {do: approveTool, suggest: suggestFromGuild(guilds.SuggestHeldTool)},
		"roll":            {everyone: true, open: true, do: rollDice},
		"rules":           {everyone: true, do: lookUpRules},
		"ask":             {do: askTable},
		"approve list":    {do: listApprovals},
		"approve yes":     {do: grantApproval, suggest: suggestFromGuild(guilds.SuggestApproval)},
		"approve no":      {do: denyApproval, suggest: suggestFromGuild(guilds.SuggestApproval)},
		"entity add":      {do: addEntity, form: entityForm},
		"entity list":     {do: listEntities},
		"entity import":   {do: importEntities},
		"entity remove":   {do: removeEntity, suggest: suggestFromGuild(guilds.SuggestEntity)},
	}
}

// commandDefinitions are the commands as Discord knows them.
func commandDefinitions() []*discordgo.ApplicationCommand {
	return append(tableCommands(), recordCommands()...)
}

// tableCommands are those about the table: its session, its NPCs, their tools.
func tableCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("session", "The session at the table in this channel",
			subcommand("start", "Begin a session: from now on the NPCs answer in this channel"),
			subcommand("stop", "End the session; what was said is kept"),
			subcommand("status", "Who is at the table, and for how long the session has been running"),
			subcommand("recap", "What was said last, in this session or the one before"),
			subcommand("timing", "Where the time of the last answers went, as a picture"),
		),
		commandGroup("npc", "The NPCs at the table",
			subcommand("list", "Who is at the table"),
			subcommand("mute", "Let an NPC be silent", npcsOption()),
			subcommand("unmute", "Let an NPC speak again", npcsOption()),
			subcommand("muteall", "Let all NPCs be silent"),
			subcommand("unmuteall", "Let all NPCs speak again"),
			subcommand("say", "Speak as an NPC", npcOption(), textOption("text", "What the NPC says", true, 1500)),
			subcommand("direct", "Tell an NPC how to play its next turns, such as: lie about the key",
				npcsOption(), textOption("text", "How to play; without it the NPC plays freely again", false, 1000),
				numberOption("turns", "For how many turns (3 unless said otherwise)", 1, 50)),
			subcommand("reveal", "Let an NPC tell what it keeps secret, for the rest of the session",
				npcOption(), textOption("which", "The number of the secret, or all; without it they are listed", false, 10)),
			subcommand("conceal", "Let an NPC keep its secrets again", npcOption()),
			subcommand("listening", "What the NPCs take that calls none of them; without an option, what they take now", listeningOption()),
			subcommand("reload", "Read the NPC files anew: the table goes on with what is in them now"),
		),
		commandGroup("tier", "How much time NPCs may take to think",
			subcommand("raise", "Let an NPC think longer, with better tools, for a while",
				npcsOption(), tierOption("standard", "deep"),
				numberOption("minutes", "For how many minutes (unless said otherwise, what latency.lease says)", 1, 24*60),
				numberOption("turns", "For how many of its turns (unless said otherwise, what latency.lease_turns says)", 1, 1000)),
			subcommand("lower", "End a raise; the NPC stays fast until /tier cap lets it take longer", npcsOption()),
			subcommand("cap", "Let an NPC never take longer than a tier; deep lifts the cap",
				npcsOption(), tierOption("fast", "standard", "deep")),
			subcommand("status", "The tiers of all NPCs, and how long their answers take"),
		),
		commandGroup("tools", "What NPCs can use while they think",
			subcommand("list", "Every tool, how fast it is, and the tier from which it may be used"),
			subcommand("calibrate", "Measure how fast the tools are now"),
			subcommand("approve", "Let NPCs use a tool that is new or was changed by its server", withSuggestions(textOption("name", "The tool, as server/tool", true, 200))),
		),
	}
}

// recordCommands are those that work without a table too: dice, rules, the world,
// and what is kept.
func recordCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("roll", "Roll dice for everyone to see", textOption("dice", "Such as 2d6+3, d20 or 4d6kh3", true, 200)),
		commandGroup("rules", "Look something up in the rules", textOption("about", "Such as grapple or fireball", true, 200)),
		commandGroup("ask", "What is known of something: who said what, who is involved. Only you see the answer",
			textOption("about", "A name, place or thing, such as Rusty Flagon", true, 200)),
		commandGroup("campaign", "What is played here",
			subcommand("info", "Its name, its rules, and what is going on"),
			subcommand("load", "Keep a campaign file, to play that campaign, too", campaignFileOption()),
			subcommand("switch", "Play another campaign, with a world and a memory of its own",
				withSuggestions(textOption("campaign", "Its name", true, 200))),
		),
		commandGroup("feedback", "Tell whoever runs the bot what is good and what is not; the NPCs do not read it",
			textOption("text", "What you think", true, 1000)),
		commandGroup("privacy", "What the bot keeps of you, and what you can do about it",
			subcommand("info", "What is kept, and where"),
			subcommand("consent", "Say whether the bot hears what you write", heardOption()),
			subcommand("forget", "Delete what you wrote from what the bot keeps, for good"),
		),
		commandGroup("approve", "Calls that wait until a dungeon master agrees",
			subcommand("list", "What waits"),
			subcommand("yes", "Let a call pass, once", withSuggestions(textOption("id", "Its id, as shown by /approve list", true, 64))),
			subcommand("no", "Deny a call", withSuggestions(textOption("id", "Its id, as shown by /approve list", true, 64))),
		),
		commandGroup("entity", "The people, places and things of your world",
			subcommand("add", "Add somebody or something; without a name a form opens",
				textOption("name", "What people call it", false, maxEntityName), kindOption(),
				textOption("description", "One to three sentences", false, maxEntityText), textOption("place", "Where it is: the name of a place", false, maxEntityName)),
			subcommand("import", "Read people, places and things from a campaign file", campaignFileOption()),
			subcommand("list", "Who and what there is", textOption("name", "Only those with this in their name", false, 200)),
			subcommand("remove", "Take somebody or something out of the world for good", withSuggestions(textOption("id", "Its id, as shown by /entity list", true, 64))),
		),
	}
}

// heardOption is whether somebody is heard.
func heardOption() *discordgo.ApplicationCommandOption {
	o := textOption("heard", "Whether you are heard", true, 0) // Discord takes choices or a length
	o.Choices = []*discordgo.ApplicationCommandOptionChoice{
		{Name: "yes: NPCs hear what I write in a session's channel", Value: "yes"},
		{Name: "no: what I write is not heard, and not kept", Value: "no"},
	}
	return o
}

// campaignFileOption is a campaign file.
func campaignFileOption() *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionAttachment, Name: "file", Description: "A campaign file in YAML, 10 MB at most", Required: true,
	}
}

// kindOption is what an entity is.
func kindOption() *discordgo.ApplicationCommandOption {
	o := textOption("kind", "What it is", false, 0) // Discord takes choices or a length
	for _, k := range entityKinds {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: k.name + ": " + k.meaning, Value: k.name})
	}
	return o
}

func commandGroup(name, description string, subs ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	return &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: name, Description: description, Options: subs,
		Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild},
	}
}

func subcommand(name, description string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: description, Options: options,
	}
}

func textOption(name, description string, required bool, most int) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: name, Description: description, Required: required, MaxLength: most,
	}
}

func numberOption(name, description string, least, most float64) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionInteger, Name: name, Description: description, MinValue: &least, MaxValue: most,
	}
}

// npcOption names an NPC at the table, npcsOption perhaps all of them.
func npcOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", "Name of the NPC", true, 200))
}
func npcsOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", "Name of the NPC, or all", true, 200))
}

// withSuggestions asks for suggestions while somebody types into an option.
func withSuggestions(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Autocomplete = true
	return o
}

// listeningOption takes how the NPCs listen.
func listeningOption() *discordgo.ApplicationCommandOption {
	o := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: "how", Description: "How readily they take what calls none of them",
	}
	for _, k := range []struct{ name, value string }{
		{"eager: whatever is said while they are talked with", "eager"},
		{"attentive: what is plausibly said to them", "attentive"},
		{"called_only: nothing", "called_only"},
	} {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: k.name, Value: k.value})
	}
	return o
}

func tierOption(tiers ...string) *discordgo.ApplicationCommandOption {
	meaning := map[string]string{"fast": "fast: quick talk", "standard": "standard: looks things up", "deep": "deep: thinks carefully"}
	o := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: "tier", Description: "How long the NPC may take", Required: true,
	}
	for _, t := range tiers {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: meaning[t], Value: t})
	}
	return o
}
