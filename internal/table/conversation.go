package table

import (
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/engine"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

// maxPlayers bounds the players whose names a table knows. Further names are ignored.
const maxPlayers = 64

// conversation knows who is at the table and who talked with whom, from which it decides whom a line is for.
type conversation struct {
	cast        *cast
	languages   []string
	window      time.Duration
	listening   address.Listening
	leads       string                      // the player who leads the game
	snapshot    *address.Snapshot           // nil after a change of the players, the NPCs or who is muted
	npcNames    *untrusted.NameBook[string] // names of the NPCs only, with their bearers; nil after a change of the cast
	knownNPCs   func() []config.NPC         // see Options.Known
	characters  func() []string             // see Options.Characters
	speakers    *speakers
	present     []int // the snapshot's NPCs, as indices of the cast
	players     []string
	talk        address.Talk     // NPCs as indices of the cast
	version     int              // of the cast
	namesExcept map[int][]string // for each NPC, the names of all others; filled on demand
}

func newConversation(c *cast, o Options) *conversation {
	v := &conversation{
		cast: c, languages: o.Languages, window: time.Duration(o.Latency.Continuation), listening: o.Listening, leads: o.Leads, knownNPCs: o.Known, characters: o.Characters, speakers: newSpeakers(), namesExcept: map[int][]string{},
	}
	if v.window == 0 {
		v.window = -1 // no conversation at all
	}
	return v
}

// decideAddressee decides whom an utterance is for. line is the number of its turn, or 0 if it has none yet.
func (v *conversation) decideAddressee(line int64, u Utterance) address.Decision {
	v.addPlayer(u.Speaker)
	v.refreshSnapshot()
	st := v.talk.State(time.Now(), line, u.Speaker, v.snapshotIndex)
	st.Leads = u.Leads
	d := address.Detect(v.snapshot, st, u.Text)
	v.convertToCast(d.NPCs)
	v.convertToCast(d.NotFor)
	if d.Doubt != nil {
		v.convertToCast(d.Doubt.NPCs)
	}
	return d
}

// addressedAsAll returns the NPCs that answer when a player calls all of them.
func (v *conversation) addressedAsAll(player string) []int {
	v.refreshSnapshot()
	who := v.snapshot.Company(v.talk.State(time.Now(), 0, player, v.snapshotIndex))
	v.convertToCast(who)
	return who
}

// decideOverSpeech is decideAddressee for an utterance that is said while an NPC says words to a player.
func (v *conversation) decideOverSpeech(line int64, u Utterance, npc int, player, words string) address.Decision {
	v.addPlayer(u.Speaker)
	v.refreshSnapshot()
	now := time.Now()
	st := v.talk.While(now, npc, player, words).State(now, line, u.Speaker, v.snapshotIndex)
	st.Leads = u.Leads
	d := address.Detect(v.snapshot, st, u.Text)
	v.convertToCast(d.NPCs)
	v.convertToCast(d.NotFor)
	return d
}

// classifyReply returns how an utterance responds to an NPC that is speaking, and whether it answers a question
// in the NPC's words.
func (v *conversation) classifyReply(text, saying string) (how address.Uptake, answers bool) {
	v.refreshSnapshot()
	return address.ClassifyUptake(v.snapshot, text, saying), strings.Contains(saying, "?") && address.IsAnswer(text)
}

// isLeaderName reports whether speaker is the name under which the player who leads the game is shown.
func (v *conversation) isLeaderName(speaker string) bool {
	leader := v.leaderName()
	return leader != "" && strings.EqualFold(speaker, leader)
}

// addPlayer learns the name of a player, so that a line that calls this name is not taken to be for an NPC.
func (v *conversation) addPlayer(speaker string) {
	if !isMarked(speaker) && !slices.Contains(v.players, speaker) && len(v.players) < maxPlayers { // a line that calls an NPC's name is for the NPC
		v.players = append(v.players, speaker)
		v.snapshot = nil
	}
}

// convertToCast converts indices of the snapshot to indices of the cast, in place.
func (v *conversation) convertToCast(npcs []int) {
	for i, npc := range npcs {
		npcs[i] = v.present[npc]
	}
}

// leaderName returns the name under which the player who leads the game is shown; empty if it is unknown.
func (v *conversation) leaderName() string {
	if v.leads == "" {
		return ""
	}
	bare := cleanName(v.leads)
	if v.checkImpersonation(bare, true) != nil {
		return bare + leaderMark
	}
	return bare
}

// snapshotIndex returns the index in the snapshot of an NPC of the cast, or -1 if it has left.
func (v *conversation) snapshotIndex(npc int) int { return slices.Index(v.present, npc) }

// refreshSnapshot updates snapshot and present to the players and NPCs at the table.
func (v *conversation) refreshSnapshot() {
	if v.snapshot != nil {
		return
	}
	v.present = v.cast.present()
	r := roster(v.cast.npcsOf(v.present))
	for i, npc := range v.present {
		r.NPCs[i].Muted = v.cast.agents[npc].Muted
	}
	r.Players, r.Languages, r.Window, r.Listening, r.Leads = v.players, v.languages, v.window, v.listening, v.leaderName()
	if v.characters != nil {
		r.Players = append(slices.Clip(r.Players), v.characters()...)
	}
	if r.Leads != "" && !isMarked(r.Leads) && !slices.Contains(r.Players, r.Leads) {
		r.Players = append(slices.Clip(r.Players), r.Leads)
	}
	v.snapshot = address.NewSnapshot(r)
}

// castChanged discards the snapshot and everything else that depends on the cast, so that it is built again.
func (v *conversation) castChanged() {
	v.snapshot, v.npcNames = nil, nil
	v.version++
	clear(v.namesExcept)
}

// recordDecision records whom the player's line in turn number line is for. It returns what that has changed
// in the conversation.
func (v *conversation) recordDecision(line int64, speaker string, d address.Decision) address.Renewal {
	return v.talk.RecordDecision(time.Now(), line, speaker, d)
}

// recordWords records that an NPC said something just now to a player, or to everyone if player is empty.
func (v *conversation) recordWords(npc int, player, words string) {
	v.talk.RecordWords(time.Now(), npc, player, words)
}

// recordReaction records that an NPC reacted to another.
func (v *conversation) recordReaction(npc int) { v.talk.RecordReaction(npc) }

// undoRenewal undoes the change by a line that its NPC declined.
func (v *conversation) undoRenewal(r address.Renewal) { v.talk.UndoRenewal(r) }

// setListening sets how readily the NPCs answer lines that call none of them, and reports whether that is a change.
func (v *conversation) setListening(how address.Listening) bool {
	if v.listening == how {
		return false
	}
	v.listening = how
	v.castChanged()
	return true
}

// recordInterruption records that a player interrupted an NPC.
func (v *conversation) recordInterruption(npc int) { v.talk.RecordInterruption(npc) }

// isBackChannel reports whether an utterance is only a sound such as "mhm".
func (v *conversation) isBackChannel(text string) bool {
	v.refreshSnapshot()
	return address.Detect(v.snapshot, address.State{}, text).BackChannel
}

// backgroundOf returns the texts against which the answer to a turn is checked.
func (v *conversation) backgroundOf(tn *turn) engine.Background {
	b := engine.Background{
		Cast: v.version, OtherNames: v.otherNames(tn.addressee.index), Players: v.players[:len(v.players):len(v.players)],
		PlayerLine: tn.Text, Recent: tn.addressee.agent.RecentSentences(), RevealedSecrets: tn.addressee.agent.Revealed(), Rules: len(tn.plan.found.Rules) > 0, Found: tn.addressee.agent.Findings(), Edits: tn.addressee.agent.Edits(), Turn: tn.number,
	}
	if tn.kind == repeatTurn {
		b.Recent = append(slices.Concat(tn.again.rejected...), b.Recent...)
	}
	if tn.leader != nil {
		b.IsReaction = true
		b.PlayerLine += " " + tn.leader.attempt.text()
	}
	return b
}

// otherNames returns the names and aliases of all NPCs at the table except one. The slice is never changed.
func (v *conversation) otherNames(npc int) []string {
	names, known := v.namesExcept[npc]
	if known {
		return names
	}
	for _, i := range v.cast.present() {
		if i != npc {
			names = append(names, v.cast.agents[i].Names()...)
		}
	}
	v.namesExcept[npc] = names
	return names
}

// likelyAddressee returns the NPC that a player who has just begun to speak is likely to talk to: the only
// NPC, or the one in conversation with the player. It returns -1 if there is none, or if the NPCs answer only
// when called.
func (v *conversation) likelyAddressee(player string) int {
	v.refreshSnapshot()
	if len(v.present) == 1 && v.listening != address.CalledOnly {
		return v.present[0]
	}
	st := v.talk.State(time.Now(), 0, player, v.snapshotIndex)
	if st.Barged || v.listening == address.CalledOnly {
		return -1
	}
	for _, p := range []address.Partner{st.Own, st.Last} {
		if p.Known && p.Ago <= v.window {
			return v.present[p.NPC]
		}
	}
	return -1
}
