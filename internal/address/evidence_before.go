package address

import "time"

// beforeIt is what happened before a line.
var beforeIt = []evidence{
	{"bias", "", func(*facts) bool { return true }},

	{"asked me", "it answers what the NPC asked", func(f *facts) bool { return f.fresh && f.said.asks && f.toMe }},
	{"asked other", "it answers what the NPC asked", func(f *facts) bool { return f.fresh && f.said.asks && !f.toMe }},
	{"told me", "the NPC has just spoken to the speaker", func(f *facts) bool { return f.fresh && !f.said.asks && f.toMe }},
	{"told other", "the NPC has just spoken to somebody else", func(f *facts) bool { return f.fresh && !f.said.asks && !f.toMe }},
	{"told all shared", "it takes up a word of the NPC's", func(f *facts) bool { return f.fresh && !f.toMe && f.said.shared > 0 }},
	{"told everyone", "the NPC has just spoken to everyone", func(f *facts) bool { return f.fresh && f.st.LastTo == "" }},
	{"asked all", "it answers what the NPC asked", func(f *facts) bool { return f.fresh && f.said.asks && f.said.all }},
	{"was asked", "it answers what the NPC asked", func(f *facts) bool { return !f.fresh && f.said.asks && f.st.Asides < 3 }},
	{"own", "the speaker is talking with the NPC", func(f *facts) bool { return f.own }},
	{"stranger after talk", "the players talk among themselves", func(f *facts) bool { return !f.own && !f.fresh }},
	{"mine was talk", "the speaker has been talking with the others", func(f *facts) bool { return f.mineTalk && f.st.Mine.Ago < 15*time.Second }},
	{"more asides", "the players talk among themselves", func(f *facts) bool { return f.st.Asides >= 2 }},
	{"lull own", "the speaker comes back to the NPC", func(f *facts) bool { return f.quiet > lull && f.own && f.st.Asides > 0 }},
	{"long lull own", "the speaker comes back to the NPC", func(f *facts) bool { return f.quiet > longLull && f.own && f.st.Asides > 0 }},
	{"lull other", "somebody else turns to the NPC", func(f *facts) bool { return f.quiet > lull && !f.own }},
	{"long lull other", "somebody else turns to the NPC", func(f *facts) bool { return f.quiet > longLull && !f.own }},
	{"between asked", "it answers another player", func(f *facts) bool { return f.inTalk && f.st.Before.Gist.Asks }},
	{"talk", "the players talk among themselves", func(f *facts) bool { return f.inTalk }},
	{"remark other", "somebody else remarks on what the NPC said", func(f *facts) bool { return f.fresh && !f.toMe && !f.said.asks && !f.asks }},
	{"asked by player", "it answers another player", func(f *facts) bool { return f.own && f.inTalk && f.st.Before.Gist.Asks }},

	// Who spoke with whom, and when.
	{"quick own", "it answers another player", func(f *facts) bool { return f.own && f.inTalk && f.quiet < 1500*time.Millisecond }},
	{"slow own", "the speaker comes back to the NPC", func(f *facts) bool { return f.own && f.inTalk && f.quiet > 2*time.Second }},
	{"quick other", "it answers another player", func(f *facts) bool { return !f.own && f.inTalk && f.quiet < 1500*time.Millisecond }},
	{"slow other", "somebody else turns to the NPC", func(f *facts) bool { return !f.own && f.inTalk && f.quiet > 2*time.Second }},
	{"quick fresh", "it comes at once", func(f *facts) bool { return f.fresh && f.quiet < 1250*time.Millisecond }},
	{"dialogue", "two players talk with each other", func(f *facts) bool { return f.past.dialogue }},
	{"dialogue asks", "two players talk with each other", func(f *facts) bool { return f.past.dialogue && f.asks }},
	{"on mine", "it answers a remark on what the speaker said", func(f *facts) bool { return f.past.onMine }},
	{"twice talk asks", "the speaker turns to the NPC", func(f *facts) bool { return f.past.twice && f.mineTalk && f.asks }},
	{"named before", "it answers whoever named the speaker", func(f *facts) bool { return f.past.toSpeaker }},
	{"you asked before", "it answers another player", func(f *facts) bool { return f.inTalk && f.st.Before.Gist.You && f.st.Before.Gist.Asks }},
	{"third again", "the players talk about somebody", func(f *facts) bool { return f.inTalk && f.st.Before.Gist.Third && f.has(third) }},
	{"game again", "the players talk of the game", func(f *facts) bool { return f.inTalk && f.st.Before.Gist.Game && f.gameWords() }},
	{"talk shared", "it takes up another player's word", func(f *facts) bool { return f.inTalk && f.past.shared > 0 }},
	{"four asides", "the players talk among themselves", func(f *facts) bool { return f.st.Asides >= 4 }},
	{"joined", "another player speaks with the NPC", func(f *facts) bool {
		return !f.fresh && f.st.Before.Known && f.st.Before.NPC == f.p && f.st.Before.Speaker != f.st.Speaker
	}},

	// What the NPC said.
	{"open own", "it answers what the NPC asked", func(f *facts) bool { return f.past.open && !f.fresh && f.toMe }},
	{"open again", "it answers what the NPC asked, too", func(f *facts) bool { return f.said.asks && f.st.Answered > 0 && !f.asks && !f.inTalk }},
	{"who", "it says who, as the NPC asked", func(f *facts) bool { return f.said.who && f.said.asks && (f.self || f.player) && !f.asks }},
	{"asked, asks back", "it asks back", func(f *facts) bool { return f.fresh && f.said.asks && f.asks }},
	{"yes or no", "it answers yes or no", func(f *facts) bool { return f.fresh && f.said.yesNo && f.said.asks && f.lead&replying != 0 }},
	{"why", "it says why", func(f *facts) bool { return f.fresh && f.said.why && f.said.asks && !f.asks }},
	{"told to", "it answers what the NPC demanded", func(f *facts) bool { return f.fresh && f.said.orders && !f.asks }},
	{"subject", "it is on the NPC's subject", func(f *facts) bool { return f.onSubject() }},
	{"subject asks", "it asks on the NPC's subject", func(f *facts) bool { return f.asks && f.onSubject() }},
	{"subject talk", "it comes back to the NPC's subject", func(f *facts) bool { return f.inTalk && f.onSubject() && !f.past.subject }},
	{"shared before", "it takes up a word of the NPC's", func(f *facts) bool { return f.said.sharedBefore > 0 }},
	{"lord", "it says “Ihr” to one who says it, too", func(f *facts) bool { return f.ihr && f.said.formal }},
	{"ihr", "it says “ihr”, and the NPC is one", func(f *facts) bool { return f.ihr && !f.said.formal }},
	{"open again self", "it answers what the NPC asked, too", func(f *facts) bool { return f.said.asks && f.st.Answered > 0 && !f.asks && !f.inTalk && f.self }},
	{"open short", "it answers what the NPC asked", func(f *facts) bool { return f.past.open && !f.fresh && !f.asks && f.words <= 4 }},
	{"open self", "it answers what the NPC asked", func(f *facts) bool { return f.past.open && !f.fresh && !f.asks && f.self }},
	{"dialogue open", "it answers what the NPC asked", func(f *facts) bool { return f.past.open && !f.asks && f.past.dialogue }},
	{"fresh early", "it comes at once", func(f *facts) bool { return f.fresh && f.quiet < 1600*time.Millisecond }},
	{"other late asks", "somebody else turns to the NPC", func(f *facts) bool { return f.inTalk && !f.own && f.asks && f.quiet > 2*time.Second }},
}
