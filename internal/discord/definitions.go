package discord

import (
	"slices"

	"github.com/bwmarrin/discordgo"
)

// dmCommands are the commands that players cannot use. Players see what they may know with /session status.
var dmCommands = []string{"npc", "tier", "tools", "ask", "campaign", "approve", "undo", "entity", "captions", "voice", "memory", "remember"}

// commandDefinitions returns the commands to register at Discord. If everyone who manages the server is a DM,
// the DM commands are hidden from the others. Discord cannot hide commands by role, so with DM roles everyone
// sees all commands unless the server's owner hides them under its integrations.
func commandDefinitions(dms dmRoles) []*discordgo.ApplicationCommand {
	all := append(tableCommands(), recordCommands()...)
	if len(dms) > 0 {
		return all
	}
	for _, c := range all {
		if manage := int64(discordgo.PermissionManageGuild); slices.Contains(dmCommands, c.Name) {
			c.DefaultMemberPermissions = &manage
		}
	}
	return all
}

// tableCommands are the commands for the table: its session, NPCs and tools.
func tableCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("session", CmdSession,
			subcommand("start", CmdSessionStart, voiceOption()),
			subcommand("join", CmdSessionJoin, voiceOption()),
			subcommand("leave", CmdSessionLeave),
			subcommand("stop", CmdSessionStop),
			subcommand("pause", CmdSessionPause),
			subcommand("resume", CmdSessionResume),
			subcommand("status", CmdSessionStatus),
			subcommand("recap", CmdSessionRecap),
			subcommand("timing", CmdSessionTiming),
		),
		captionsCommand(),
		voiceCommand(),
		commandGroup("npc", CmdNPC,
			subcommand("list", CmdNPCList),
			subcommand("mute", CmdNPCMute, npcsOption()),
			subcommand("unmute", CmdNPCUnmute, npcsOption()),
			subcommand("muteall", CmdNPCMuteAll),
			subcommand("unmuteall", CmdNPCUnmuteAll),
			subcommand("say", CmdNPCSay, npcOption(), textOption("text", OptSayText, true, 1500)),
			subcommand("direct", CmdNPCDirect,
				npcsOption(), textOption("text", OptDirectText, false, 1000), numberOption("turns", OptDirectTurns, 1, 50)),
			subcommand("reveal", CmdNPCReveal, npcOption(), textOption("which", OptWhichSecret, false, 10)),
			subcommand("conceal", CmdNPCConceal, npcOption()),
			subcommand("why", CmdNPCWhy, npcOption()),
			subcommand("listening", CmdNPCListening, listeningOption()),
			subcommand("reload", CmdNPCReload),
		),
		inGermanToo(commandGroup("whisper", CmdWhisper, npcOption(), textOption("text", OptWhisper, true, 1500)), "flüstern"),
		commandGroup("date", CmdDate, textOption("to", OptDate, false, 100)),
		commandGroup("memory", CmdMemory,
			subcommand("review", CmdMemoryReview),
			subcommand("list", CmdMemoryList),
			subcommand("accept", CmdMemoryAccept, entryOption(), textOption("text", OptLearntText, false, maxLearnt)),
			subcommand("reject", CmdMemoryReject, entryOption()),
			subcommand("drop", CmdMemoryDrop, entryOption()),
			subcommand("mentions", CmdMemoryMentions),
			subcommand("erase", CmdMemoryErase, mentionOption(), erasedOption()),
		),
		commandGroup("remember", CmdRemember,
			textOption("text", OptPinText, false, maxLearnt), withSuggestions(textOption("npc", OptPinNPC, false, 200))),
		commandGroup("tier", CmdTier,
			subcommand("raise", CmdTierRaise,
				npcsOption(), tierOption("standard", "deep"),
				numberOption("minutes", OptRaiseMinutes, 1, 24*60), numberOption("turns", OptRaiseTurns, 1, 1000)),
			subcommand("lower", CmdTierLower, npcsOption()),
			subcommand("cap", CmdTierCap, npcsOption(), tierOption("fast", "standard", "deep")),
			subcommand("status", CmdTierStatus),
		),
		commandGroup("tools", CmdTools,
			subcommand("list", CmdToolsList),
			subcommand("calibrate", CmdToolsCalibrate),
			subcommand("approve", CmdToolsApprove, withSuggestions(textOption("name", OptToolName, true, 200))),
		),
	}
}

// recordCommands are the commands that also work without a table: dice, rules, the world, and stored data.
func recordCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("help", CmdHelp),
		commandGroup("roll", CmdRoll, textOption("dice", OptDice, true, 200), privateOption()),
		commandGroup("rules", CmdRules, withSuggestions(textOption("about", OptRulesAbout, true, 200))),
		commandGroup("ask", CmdAsk, withSuggestions(textOption("about", OptAskAbout, true, 200))),
		commandGroup("campaign", CmdCampaign,
			subcommand("info", CmdCampaignInfo),
			subcommand("load", CmdCampaignLoad, campaignFileOption()),
			subcommand("switch", CmdCampaignSwitch, withSuggestions(textOption("campaign", OptCampaign, true, 200))),
		),
		commandGroup("feedback", CmdFeedback, textOption("text", OptFeedback, true, 1000)),
		commandGroup("privacy", CmdPrivacy,
			subcommand("info", CmdPrivacyInfo),
			subcommand("consent", CmdPrivacyConsent, heardOption()),
			subcommand("code", CmdPrivacyCode),
			subcommand("forget", CmdPrivacyForget),
		),
		commandGroup("approve", CmdApprove,
			subcommand("list", CmdApproveList),
			subcommand("yes", CmdApproveYes, withSuggestions(textOption("id", OptApprovalID, true, 64))),
			subcommand("no", CmdApproveNo, withSuggestions(textOption("id", OptApprovalID, true, 64))),
		),
		commandGroup("undo", CmdUndo,
			subcommand("list", CmdUndoList),
			subcommand("change", CmdUndoChange, numberOption("number", OptChange, 1, 1<<53-1)),
		),
		commandGroup("entity", CmdEntity,
			subcommand("add", CmdEntityAdd,
				textOption("name", OptEntityName, false, maxEntityName), kindOption(),
				textOption("description", OptEntityText, false, maxEntityText), withSuggestions(textOption("place", OptEntityPlace, false, maxEntityName))),
			subcommand("import", CmdEntityImport, campaignFileOption()),
			subcommand("list", CmdEntityList, textOption("name", OptEntityFilter, false, 200)),
			subcommand("remove", CmdEntityRemove, withSuggestions(textOption("id", OptEntityRemoved, true, 64))),
		),
	}
}

// heardOption selects whether the user may be heard.
func heardOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("heard", OptHeard, true, 0), choice(ChoiceHeardYes, "yes"), choice(ChoiceHeardNo, "no"))
}

// privateOption shows a roll only to the user and DMs.
func privateOption() *discordgo.ApplicationCommandOption {
	return optionOf(discordgo.ApplicationCommandOptionBoolean, privateName, OptPrivateRoll)
}

// campaignFileOption takes a campaign file.
func campaignFileOption() *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionAttachment, "file", OptCampaignFile)
	o.Required = true
	return o
}

// kindOption selects an entity's kind.
func kindOption() *discordgo.ApplicationCommandOption {
	o := textOption("kind", OptEntityKind, false, 0)
	for _, k := range entityKinds {
		o.Choices = append(o.Choices, choice(k.meaning, k.name))
	}
	return o
}

// npcOption names one NPC at the table, npcsOption one or all.
func npcOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", OptNPC, true, 200))
}
func npcsOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", OptNPCs, true, 200))
}

// listeningOption selects when NPCs answer.
func listeningOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("how", OptListening, false, 0),
		choice(ChoiceEager, "eager"), choice(ChoiceAttentive, "attentive"), choice(ChoiceCalledOnly, "called_only"))
}

// tierOption selects one of tiers.
func tierOption(tiers ...string) *discordgo.ApplicationCommandOption {
	meaning := map[string]Text{"fast": ChoiceFast, "standard": ChoiceStandard, "deep": ChoiceDeep}
	o := textOption("tier", OptTier, true, 0)
	for _, t := range tiers {
		o.Choices = append(o.Choices, choice(meaning[t], t))
	}
	return o
}

// translations returns a text in the languages other than the default, English.
func translations(t Text) map[discordgo.Locale]string {
	return map[discordgo.Locale]string{discordgo.German: t.In(German)}
}

func commandGroup(name string, does Text, subs ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	others := translations(does)
	return &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: name, Description: does.In(English), DescriptionLocalizations: &others, Options: subs,
		Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild},
	}
}

// inGermanToo gives a command a German name. Users can type either name.
func inGermanToo(c *discordgo.ApplicationCommand, name string) *discordgo.ApplicationCommand {
	c.NameLocalizations = &map[discordgo.Locale]string{discordgo.German: name}
	return c
}

// entryOption takes the number of a learnt or proposed entry.
func entryOption() *discordgo.ApplicationCommandOption {
	o := numberOption("number", OptLearntNumber, 1, 1<<53-1)
	o.Required = true
	return o
}

// mentionOption takes the number of a line or note that mentions someone.
func mentionOption() *discordgo.ApplicationCommandOption {
	o := numberOption("number", OptMentionNumber, 1, 1<<53-1)
	o.Required = true
	return o
}

// erasedOption selects whether the number is a line's or a note's.
func erasedOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("what", OptErased, false, 0), choice(ChoiceLine, "line"), choice(ChoiceNote, "note"))
}

func optionOf(kind discordgo.ApplicationCommandOptionType, name string, is Text) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: kind, Name: name, Description: is.In(English), DescriptionLocalizations: translations(is)}
}

func subcommand(name string, does Text, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionSubCommand, name, does)
	o.Options = options
	return o
}

// textOption takes a text of at most that many characters; 0 means no limit and is required for options with
// choices.
func textOption(name string, is Text, required bool, most int) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionString, name, is)
	o.Required, o.MaxLength = required, most
	return o
}

func numberOption(name string, is Text, least, most float64) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionInteger, name, is)
	o.MinValue, o.MaxValue = &least, most
	return o
}

// withSuggestions enables autocompletion for an option.
func withSuggestions(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Autocomplete = true
	return o
}

// withChoices restricts an option to choices.
func withChoices(o *discordgo.ApplicationCommandOption, all ...*discordgo.ApplicationCommandOptionChoice) *discordgo.ApplicationCommandOption {
	o.Choices = all
	return o
}

func choice(is Text, value string) *discordgo.ApplicationCommandOptionChoice {
	return &discordgo.ApplicationCommandOptionChoice{Name: is.In(English), NameLocalizations: translations(is), Value: value}
}
