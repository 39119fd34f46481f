package discord

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// action is what a command or a subcommand does.
type action struct {
	// everyone may do it; else it takes a DM.
	everyone bool
	// open shows the answer to everyone in the channel.
	open bool
	do   func(ctx context.Context, c *call) (string, error)
	// suggest completes the option that is typed into, if not nil.
	suggest finder
	// form returns what is to be filled in first, nil if nothing is. A nil form
	// asks for nothing.
	form func(c *call) *form
}

// actions are what the bot can do, by command and subcommand.
func (b *Bot) actions() map[string]action {
	return map[string]action{
		"campaign info":   {everyone: true, do: b.campaignInfo},
		"campaign load":   {do: b.campaignLoad},
		"campaign switch": {do: b.campaignSwitch, suggest: b.office(SuggestCampaign)},
		"feedback":        {everyone: true, do: b.feedback},
		"privacy info":    {everyone: true, do: b.privacyInfo},
		"privacy consent": {everyone: true, do: b.privacyConsent},
		"privacy forget":  {everyone: true, do: b.privacyForget},
		"session start":   {open: true, do: b.startSession},
		"session stop":    {open: true, do: b.stopSession},
		"session status":  {everyone: true, do: b.sessionStatus},
		"session recap":   {everyone: true, do: b.sessionRecap},
		"session timing":  {everyone: true, do: b.sessionTiming},
		"npc list":        {everyone: true, do: npcList},
		"npc mute":        {do: npcMute, suggest: npcsOrAll},
		"npc unmute":      {do: npcUnmute, suggest: npcsOrAll},
		"npc muteall":     {do: npcMuteAll},
		"npc unmuteall":   {do: npcUnmuteAll},
		"npc say":         {do: npcSay, suggest: npcs},
		"npc direct":      {do: npcDirect, suggest: npcsOrAll},
		"npc reload":      {do: npcReload},
		"tier raise":      {do: tierRaise, suggest: npcsOrAll},
		"tier lower":      {do: tierLower, suggest: npcsOrAll},
		"tier cap":        {do: tierCap, suggest: npcsOrAll},
		"tier status":     {do: tierStatus},
		"tools list":      {do: b.toolsList},
		"tools calibrate": {do: b.toolsCalibrate},
		"tools approve":   {do: b.toolsApprove, suggest: b.office(SuggestHeldTool)},
		"roll":            {everyone: true, open: true, do: b.roll},
		"rules":           {everyone: true, do: b.rules},
		"ask":             {do: b.ask},
		"approve list":    {do: b.approveList},
		"approve yes":     {do: b.approveYes, suggest: b.office(SuggestApproval)},
		"approve no":      {do: b.approveNo, suggest: b.office(SuggestApproval)},
		"entity add":      {do: b.entityAdd, form: entityForm},
		"entity list":     {do: b.entityList},
		"entity import":   {do: b.entityImport},
		"entity remove":   {do: b.entityRemove, suggest: b.office(SuggestEntity)},
	}
}

// definitions are the commands as Discord knows them.
func definitions() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		group("session", "The session at the table in this channel",
			sub("start", "Begin a session: from now on the NPCs answer in this channel"),
			sub("stop", "End the session; what was said is kept"),
			sub("status", "Who is at the table, and for how long the session has been running"),
			sub("recap", "What was said last, in this session or the one before"),
			sub("timing", "Where the time of the last answers went, as a picture"),
		),
		group("npc", "The NPCs at the table",
			sub("list", "Who is at the table"),
			sub("mute", "Let an NPC be silent", npcsOption()),
			sub("unmute", "Let an NPC speak again", npcsOption()),
			sub("muteall", "Let all NPCs be silent"),
			sub("unmuteall", "Let all NPCs speak again"),
			sub("say", "Speak as an NPC", npcOption(), text("text", "What the NPC says", true, 1500)),
			sub("direct", "Tell an NPC how to play its next turns, such as: lie about the key",
				npcsOption(), text("text", "How to play; without it the NPC plays freely again", false, 1000),
				number("turns", "For how many turns (3 unless said otherwise)", 1, 50)),
			sub("reload", "Read the NPC files anew: the table goes on with what is in them now"),
		),
		group("tier", "How much time NPCs may take to think",
			sub("raise", "Let an NPC think longer, with better tools, for a while",
				npcsOption(), tierOption("standard", "deep"),
				number("minutes", "For how many minutes (unless said otherwise, what latency.lease says)", 1, 24*60),
				number("turns", "For how many of its turns (unless said otherwise, what latency.lease_turns says)", 1, 1000)),
			sub("lower", "End a raise; the NPC stays fast until /tier cap lets it take longer", npcsOption()),
			sub("cap", "Let an NPC never take longer than a tier; deep lifts the cap",
				npcsOption(), tierOption("fast", "standard", "deep")),
			sub("status", "The tiers of all NPCs, and how long their answers take"),
		),
		group("tools", "What NPCs can use while they think",
			sub("list", "Every tool, how fast it is, and the tier from which it may be used"),
			sub("calibrate", "Measure how fast the tools are now"),
			sub("approve", "Let NPCs use a tool that is new or was changed by its server", completed(text("name", "The tool, as server/tool", true, 200))),
		),
		group("roll", "Roll dice for everyone to see", text("dice", "Such as 2d6+3, d20 or 4d6kh3", true, 200)),
		group("rules", "Look something up in the rules", text("about", "Such as grapple or fireball", true, 200)),
		group("ask", "What is known of something: who said what, who is involved. Only you see the answer",
			text("about", "A name, place or thing, such as Rusty Flagon", true, 200)),
		group("campaign", "What is played here",
			sub("info", "Its name, its rules, and what is going on"),
			sub("load", "Keep a campaign file, to play that campaign, too", fileOption()),
			sub("switch", "Play another campaign, with a world and a memory of its own",
				completed(text("campaign", "Its name", true, 200))),
		),
		group("feedback", "Tell whoever runs the bot what is good and what is not; the NPCs do not read it",
			text("text", "What you think", true, 1000)),
		group("privacy", "What the bot keeps of you, and what you can do about it",
			sub("info", "What is kept, and where"),
			sub("consent", "Say whether the bot hears what you write", heardOption()),
			sub("forget", "Delete what you wrote from what the bot keeps, for good"),
		),
		group("approve", "Calls that wait until a dungeon master agrees",
			sub("list", "What waits"),
			sub("yes", "Let a call pass, once", completed(text("id", "Its id, as shown by /approve list", true, 64))),
			sub("no", "Deny a call", completed(text("id", "Its id, as shown by /approve list", true, 64))),
		),
		group("entity", "The people, places and things of your world",
			sub("add", "Add somebody or something; without a name a form opens",
				text("name", "What people call it", false, maxEntityName), kindOption(),
				text("description", "One to three sentences", false, maxEntityText), text("place", "Where it is: the name of a place", false, maxEntityName)),
			sub("import", "Read people, places and things from a campaign file", fileOption()),
			sub("list", "Who and what there is", text("name", "Only those with this in their name", false, 200)),
			sub("remove", "Take somebody or something out of the world for good", completed(text("id", "Its id, as shown by /entity list", true, 64))),
		),
	}
}

// heardOption is whether somebody is heard.
func heardOption() *discordgo.ApplicationCommandOption {
	o := text("heard", "Whether you are heard", true, 0) // Discord takes choices or a length
	o.Choices = []*discordgo.ApplicationCommandOptionChoice{
		{Name: "yes: NPCs hear what I write in a session's channel", Value: "yes"},
		{Name: "no: what I write is not heard, and not kept", Value: "no"},
	}
	return o
}

// fileOption is a campaign file.
func fileOption() *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionAttachment, Name: "file", Description: "A campaign file in YAML, 10 MB at most", Required: true,
	}
}

// kindOption is what an entity is.
func kindOption() *discordgo.ApplicationCommandOption {
	o := text("kind", "What it is", false, 0) // Discord takes choices or a length
	for _, k := range kinds {
		o.Choices = append(o.Choices, &discordgo.ApplicationCommandOptionChoice{Name: k.name + ": " + k.meaning, Value: k.name})
	}
	return o
}

func group(name, description string, subs ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	return &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: name, Description: description, Options: subs,
		Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild},
	}
}

func sub(name, description string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: description, Options: options,
	}
}

func text(name, description string, required bool, most int) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: name, Description: description, Required: required, MaxLength: most,
	}
}

func number(name, description string, least, most float64) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionInteger, Name: name, Description: description, MinValue: &least, MaxValue: most,
	}
}

// npcOption names an NPC at the table, npcsOption perhaps all of them.
func npcOption() *discordgo.ApplicationCommandOption {
	return completed(text("npc", "Name of the NPC", true, 200))
}
func npcsOption() *discordgo.ApplicationCommandOption {
	return completed(text("npc", "Name of the NPC, or all", true, 200))
}

// completed asks for suggestions while somebody types into an option.
func completed(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Autocomplete = true
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
