package discord

import (
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/wording"
)

// dmCommands are the commands that players have no use for. What a player may know of
// them /session status tells, too.
var dmCommands = []string{"npc", "tier", "tools", "ask", "campaign", "approve", "undo", "entity", "captions", "voice", "memory", "remember"}

// commandDefinitions are the commands as Discord knows them. Where everybody who may
// manage the server is a DM, those for DMs alone are hidden from the rest. Roles that
// make a DM cannot be named to Discord, so there everybody sees all: who runs the
// server hides them under its integrations.
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

// tableCommands are those about the table: its session, its NPCs, their tools.
func tableCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("session", wording.CmdSession,
			subcommand("start", wording.CmdSessionStart, voiceOption()),
			subcommand("join", wording.CmdSessionJoin, voiceOption()),
			subcommand("leave", wording.CmdSessionLeave),
			subcommand("stop", wording.CmdSessionStop),
			subcommand("pause", wording.CmdSessionPause),
			subcommand("resume", wording.CmdSessionResume),
			subcommand("status", wording.CmdSessionStatus),
			subcommand("recap", wording.CmdSessionRecap),
			subcommand("timing", wording.CmdSessionTiming),
		),
		captionsCommand(),
		voiceCommand(),
		commandGroup("npc", wording.CmdNPC,
			subcommand("list", wording.CmdNPCList),
			subcommand("mute", wording.CmdNPCMute, npcsOption()),
			subcommand("unmute", wording.CmdNPCUnmute, npcsOption()),
			subcommand("muteall", wording.CmdNPCMuteAll),
			subcommand("unmuteall", wording.CmdNPCUnmuteAll),
			subcommand("say", wording.CmdNPCSay, npcOption(), textOption("text", wording.OptSayText, true, 1500)),
			subcommand("direct", wording.CmdNPCDirect,
				npcsOption(), textOption("text", wording.OptDirectText, false, 1000), numberOption("turns", wording.OptDirectTurns, 1, 50)),
			subcommand("reveal", wording.CmdNPCReveal, npcOption(), textOption("which", wording.OptWhichSecret, false, 10)),
			subcommand("conceal", wording.CmdNPCConceal, npcOption()),
			subcommand("why", wording.CmdNPCWhy, npcOption()),
			subcommand("listening", wording.CmdNPCListening, listeningOption()),
			subcommand("reload", wording.CmdNPCReload),
		),
		inGermanToo(commandGroup("whisper", wording.CmdWhisper, npcOption(), textOption("text", wording.OptWhisper, true, 1500)), "flüstern"),
		commandGroup("date", wording.CmdDate, textOption("to", wording.OptDate, false, 100)),
		commandGroup("memory", wording.CmdMemory,
			subcommand("review", wording.CmdMemoryReview),
			subcommand("list", wording.CmdMemoryList),
			subcommand("accept", wording.CmdMemoryAccept, entryOption(), textOption("text", wording.OptLearntText, false, maxLearnt)),
			subcommand("reject", wording.CmdMemoryReject, entryOption()),
			subcommand("drop", wording.CmdMemoryDrop, entryOption()),
			subcommand("mentions", wording.CmdMemoryMentions),
			subcommand("erase", wording.CmdMemoryErase, mentionOption(), erasedOption()),
		),
		commandGroup("remember", wording.CmdRemember,
			textOption("text", wording.OptPinText, false, maxLearnt), withSuggestions(textOption("npc", wording.OptPinNPC, false, 200))),
		commandGroup("tier", wording.CmdTier,
			subcommand("raise", wording.CmdTierRaise,
				npcsOption(), tierOption("standard", "deep"),
				numberOption("minutes", wording.OptRaiseMinutes, 1, 24*60), numberOption("turns", wording.OptRaiseTurns, 1, 1000)),
			subcommand("lower", wording.CmdTierLower, npcsOption()),
			subcommand("cap", wording.CmdTierCap, npcsOption(), tierOption("fast", "standard", "deep")),
			subcommand("status", wording.CmdTierStatus),
		),
		commandGroup("tools", wording.CmdTools,
			subcommand("list", wording.CmdToolsList),
			subcommand("calibrate", wording.CmdToolsCalibrate),
			subcommand("approve", wording.CmdToolsApprove, withSuggestions(textOption("name", wording.OptToolName, true, 200))),
		),
	}
}

// recordCommands are those that work without a table too: dice, rules, the world,
// and what is kept.
func recordCommands() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		commandGroup("help", wording.CmdHelp),
		commandGroup("roll", wording.CmdRoll, textOption("dice", wording.OptDice, true, 200), privateOption()),
		commandGroup("rules", wording.CmdRules, withSuggestions(textOption("about", wording.OptRulesAbout, true, 200))),
		commandGroup("ask", wording.CmdAsk, withSuggestions(textOption("about", wording.OptAskAbout, true, 200))),
		commandGroup("campaign", wording.CmdCampaign,
			subcommand("info", wording.CmdCampaignInfo),
			subcommand("load", wording.CmdCampaignLoad, campaignFileOption()),
			subcommand("switch", wording.CmdCampaignSwitch, withSuggestions(textOption("campaign", wording.OptCampaign, true, 200))),
		),
		commandGroup("feedback", wording.CmdFeedback, textOption("text", wording.OptFeedback, true, 1000)),
		commandGroup("privacy", wording.CmdPrivacy,
			subcommand("info", wording.CmdPrivacyInfo),
			subcommand("consent", wording.CmdPrivacyConsent, heardOption()),
			subcommand("code", wording.CmdPrivacyCode),
			subcommand("forget", wording.CmdPrivacyForget),
		),
		commandGroup("approve", wording.CmdApprove,
			subcommand("list", wording.CmdApproveList),
			subcommand("yes", wording.CmdApproveYes, withSuggestions(textOption("id", wording.OptApprovalID, true, 64))),
			subcommand("no", wording.CmdApproveNo, withSuggestions(textOption("id", wording.OptApprovalID, true, 64))),
		),
		commandGroup("undo", wording.CmdUndo,
			subcommand("list", wording.CmdUndoList),
			subcommand("change", wording.CmdUndoChange, numberOption("number", wording.OptChange, 1, 1<<53-1)),
		),
		commandGroup("entity", wording.CmdEntity,
			subcommand("add", wording.CmdEntityAdd,
				textOption("name", wording.OptEntityName, false, maxEntityName), kindOption(),
				textOption("description", wording.OptEntityText, false, maxEntityText), withSuggestions(textOption("place", wording.OptEntityPlace, false, maxEntityName))),
			subcommand("import", wording.CmdEntityImport, campaignFileOption()),
			subcommand("list", wording.CmdEntityList, textOption("name", wording.OptEntityFilter, false, 200)),
			subcommand("remove", wording.CmdEntityRemove, withSuggestions(textOption("id", wording.OptEntityRemoved, true, 64))),
		),
	}
}

// heardOption is whether somebody is heard.
func heardOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("heard", wording.OptHeard, true, 0), choice(wording.ChoiceHeardYes, "yes"), choice(wording.ChoiceHeardNo, "no"))
}

// privateOption is whether a roll is for who rolls, and for DMs, alone.
func privateOption() *discordgo.ApplicationCommandOption {
	return optionOf(discordgo.ApplicationCommandOptionBoolean, privateName, wording.OptPrivateRoll)
}

// campaignFileOption is a campaign file.
func campaignFileOption() *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionAttachment, "file", wording.OptCampaignFile)
	o.Required = true
	return o
}

// kindOption is what an entity is.
func kindOption() *discordgo.ApplicationCommandOption {
	o := textOption("kind", wording.OptEntityKind, false, 0)
	for _, k := range entityKinds {
		o.Choices = append(o.Choices, choice(k.meaning, k.name))
	}
	return o
}

// npcOption names an NPC at the table, npcsOption perhaps all of them.
func npcOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", wording.OptNPC, true, 200))
}
func npcsOption() *discordgo.ApplicationCommandOption {
	return withSuggestions(textOption("npc", wording.OptNPCs, true, 200))
}

// listeningOption takes how the NPCs listen.
func listeningOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("how", wording.OptListening, false, 0),
		choice(wording.ChoiceEager, "eager"), choice(wording.ChoiceAttentive, "attentive"), choice(wording.ChoiceCalledOnly, "called_only"))
}

// tierOption takes one of some tiers.
func tierOption(tiers ...string) *discordgo.ApplicationCommandOption {
	meaning := map[string]wording.Text{"fast": wording.ChoiceFast, "standard": wording.ChoiceStandard, "deep": wording.ChoiceDeep}
	o := textOption("tier", wording.OptTier, true, 0)
	for _, t := range tiers {
		o.Choices = append(o.Choices, choice(meaning[t], t))
	}
	return o
}

// translations are a text in the languages that are not the one everybody sees without.
func translations(t wording.Text) map[discordgo.Locale]string {
	return map[discordgo.Locale]string{discordgo.German: t.In(wording.German)}
}

func commandGroup(name string, does wording.Text, subs ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
	others := translations(does)
	return &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: name, Description: does.In(wording.English), DescriptionLocalizations: &others, Options: subs,
		Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild},
	}
}

// inGermanToo has a command be called otherwise in German: who types the other name finds it
// as well.
func inGermanToo(c *discordgo.ApplicationCommand, name string) *discordgo.ApplicationCommand {
	c.NameLocalizations = &map[discordgo.Locale]string{discordgo.German: name}
	return c
}

// entryOption is the number of what was learnt, or is proposed.
func entryOption() *discordgo.ApplicationCommandOption {
	o := numberOption("number", wording.OptLearntNumber, 1, 1<<53-1)
	o.Required = true
	return o
}

// mentionOption is the number of a line or a note that mentions somebody.
func mentionOption() *discordgo.ApplicationCommandOption {
	o := numberOption("number", wording.OptMentionNumber, 1, 1<<53-1)
	o.Required = true
	return o
}

// erasedOption is what the number is of.
func erasedOption() *discordgo.ApplicationCommandOption {
	return withChoices(textOption("what", wording.OptErased, false, 0), choice(wording.ChoiceLine, "line"), choice(wording.ChoiceNote, "note"))
}

func optionOf(kind discordgo.ApplicationCommandOptionType, name string, is wording.Text) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: kind, Name: name, Description: is.In(wording.English), DescriptionLocalizations: translations(is)}
}

func subcommand(name string, does wording.Text, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionSubCommand, name, does)
	o.Options = options
	return o
}

// textOption is a text of at most so many characters; 0, which what has choices needs, is no bound.
func textOption(name string, is wording.Text, required bool, most int) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionString, name, is)
	o.Required, o.MaxLength = required, most
	return o
}

func numberOption(name string, is wording.Text, least, most float64) *discordgo.ApplicationCommandOption {
	o := optionOf(discordgo.ApplicationCommandOptionInteger, name, is)
	o.MinValue, o.MaxValue = &least, most
	return o
}

// withSuggestions asks for suggestions while somebody types into an option.
func withSuggestions(o *discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
	o.Autocomplete = true
	return o
}

// withChoices lets nothing be given but one of them.
func withChoices(o *discordgo.ApplicationCommandOption, all ...*discordgo.ApplicationCommandOptionChoice) *discordgo.ApplicationCommandOption {
	o.Choices = all
	return o
}

func choice(is wording.Text, value string) *discordgo.ApplicationCommandOptionChoice {
	return &discordgo.ApplicationCommandOptionChoice{Name: is.In(wording.English), NameLocalizations: translations(is), Value: value}
}
