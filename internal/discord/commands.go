package discord

import (
	"context"
	"maps"

	"github.com/MrWong99/glyphoxa/internal/play"
)

// action implements a command or a subcommand.
type action struct {
	// everyone allows every member to use it; otherwise only DMs may.
	everyone bool
	// open shows the answer to everyone in the channel.
	open bool
	do   func(ctx context.Context, c *call) (string, error)
	// suggest completes the option being typed, if not nil.
	suggest suggestFunc
	// form returns the form to fill in first, or nil if none is needed. If the field is nil, there is no
	// form.
	form func(ctx context.Context, c *call) *form
}

// commandActions returns the actions by command and subcommand.
func commandActions() map[string]action {
	all := map[string]action{
		"campaign info":   {everyone: true, do: showCampaign},
		"campaign load":   {do: loadCampaign},
		"campaign switch": {do: switchCampaign, suggest: suggestFromGuild(play.SuggestCampaign)},
		"feedback":        {everyone: true, do: storeFeedback},
		"privacy info":    {everyone: true, do: showPrivacy},
		"privacy consent": {everyone: true, do: changeConsent},
		"privacy forget":  {everyone: true, do: forgetUser},
		"session start":   {open: true, do: beginSession},
		"session stop":    {open: true, do: stopSession},
		"session pause":   {open: true, do: pauseSession},
		"session resume":  {open: true, do: resumeSession},
		"help":            {everyone: true, do: showHelp},
		"session status":  {everyone: true, do: showSessionStatus},
		"session recap":   {everyone: true, do: recapSession},
		"session timing":  {do: showTiming},
		"npc list":        {everyone: true, do: listNPCs},
		"npc mute":        {do: muteOne, suggest: suggestNPCsOrAll},
		"npc unmute":      {do: unmuteOne, suggest: suggestNPCsOrAll},
		"npc muteall":     {do: muteAll},
		"npc unmuteall":   {do: unmuteAll},
		"npc say":         {do: sayAsNPC, suggest: suggestNPCs},
		"npc direct":      {do: directNPC, suggest: suggestNPCsOrAll},
		"npc reveal":      {do: revealSecrets, suggest: suggestNPCs},
		"npc conceal":     {do: concealSecrets, suggest: suggestNPCs},
		"npc why":         {do: explainAnswer, suggest: suggestNPCs},
		"npc listening":   {do: listenNow},
		"npc reload":      {do: reloadNPCs},
		"whisper":         {everyone: true, do: whisperTo, suggest: suggestNPCs},
		"date":            {everyone: true, do: showDate},
		"memory review":   {do: reviewMemory},
		"memory list":     {do: listLearnt},
		"memory accept":   {do: acceptMemory, form: editedEntry},
		"memory reject":   {do: rejectMemory},
		"memory drop":     {do: dropMemory},
		"memory mentions": {do: showMentions},
		"memory erase":    {do: eraseMention},
		"remember":        {do: pinMemory, suggest: suggestNPCsOrAll},
		"tier raise":      {do: raiseTier, suggest: suggestNPCsOrAll},
		"tier lower":      {do: lowerTier, suggest: suggestNPCsOrAll},
		"tier cap":        {do: capTier, suggest: suggestNPCsOrAll},
		"tier status":     {do: showTiers},
		"tools list":      {do: listTools},
		"tools calibrate": {do: calibrateTools},
		"tools approve":   {do: approveTool, suggest: suggestFromGuild(play.SuggestHeldTool)},
		"roll":            {everyone: true, open: true, do: rollDice},
		"rules":           {everyone: true, do: lookUpRules, suggest: suggestFromGuild(play.SuggestRule)},
		"ask":             {do: showKnowledge, suggest: suggestFromGuild(play.SuggestSubject)},
		"approve list":    {do: listApprovals},
		"approve yes":     {do: grantApproval, suggest: suggestFromGuild(play.SuggestApproval)},
		"approve no":      {do: denyApproval, suggest: suggestFromGuild(play.SuggestApproval)},
		"undo list":       {do: listChanges},
		"undo change":     {do: undoChange},
		"entity add":      {do: addEntity, form: entityForm, suggest: suggestFromGuild(play.SuggestPlace)},
		"entity list":     {do: listEntities},
		"entity import":   {do: importEntities},
		"entity remove":   {do: removeEntity, suggest: suggestFromGuild(play.SuggestEntity)},
	}
	maps.Copy(all, voiceActions())
	return all
}
