package address

import "math/bits"

// aboutIt is what a line tells by itself, and where it is said.
var aboutIt = []evidence{
	{"rules", "it is about rules or dice", func(f *facts) bool { return f.has(aboutRules) }},
	{"rules sure", "it is about rules or dice", func(f *facts) bool { return f.has(rulesSure) }},
	{"more rules", "it is about rules or dice", func(f *facts) bool { return f.n(aboutRules) > 1 }},
	{"evening", "it is out of character", func(f *facts) bool { return f.has(aboutEvening) }},
	{"more evening", "it is out of character", func(f *facts) bool { return f.n(aboutEvening) > 1 }},
	{"declares", "it declares what the speaker does", func(f *facts) bool { return f.declares }},
	{"awe", "it is a mere exclamation", func(f *facts) bool { return f.onlyAwe }},
	{"awe asked", "it answers what the NPC asked", func(f *facts) bool { return f.onlyAwe && f.fresh && f.said.asks }},
	{"only filling", "it is a mere exclamation", func(f *facts) bool { return f.onlyFill && !f.said.asks }},
	{"only filling fresh", "it is a mere exclamation", func(f *facts) bool { return f.onlyFill && !f.said.asks && f.fresh }},
	{"lead awe", "it is an exclamation", func(f *facts) bool { return f.startsOn&marvel != 0 && !f.onlyAwe }},
	{"planning", "the players plan among themselves", func(f *facts) bool { return f.has(planning) }},
	{"more planning", "the players plan among themselves", func(f *facts) bool { return f.n(planning) > 1 }},
	{"noticing", "it asks whoever leads the game", func(f *facts) bool { return f.has(noticing) && f.asks }},
	{"requesting", "it asks something of the NPC", func(f *facts) bool { return f.has(requesting) }},
	{"courtesy", "it is said with courtesy", func(f *facts) bool { return f.has(courtesy) }},
	{"unknown", "it calls somebody who is not at the table", func(f *facts) bool { return f.unknown }},
	{"outsiders", "it is to somebody who is not at the table", func(f *facts) bool { return f.has(outsiders) }},
	{"crew", "it is to the players", func(f *facts) bool { return f.has(crew) }},
	{"number", "it tells a number", func(f *facts) bool { return f.onlyNum }},
	{"number game", "it tells a number", func(f *facts) bool {
		return f.onlyNum && f.st.Before.Known && f.st.Before.Gist.Game && !f.fresh
	}},
	{"number asked", "it answers what the NPC asked", func(f *facts) bool { return f.onlyNum && f.fresh }},
	{"number wanted", "it answers how many", func(f *facts) bool { return f.onlyNum && f.fresh && (f.said.many || f.said.asks) }},
	{"third asks", "it speaks about somebody", func(f *facts) bool { return f.has(third) && f.asks }},
	{"quoting", "it quotes somebody", func(f *facts) bool { return f.has(quoting) }},
	{"quotes", "it quotes somebody", func(f *facts) bool { return f.u.quotes && f.words > 3 }},
	{"judging", "it judges somebody", func(f *facts) bool { return f.has(judging) }},
	{"linking join", "somebody else asks on", func(f *facts) bool { return f.startsOn&linking != 0 && f.asks && !f.own && !f.fresh }},
	{"yours", "it says “you”", func(f *facts) bool { return f.has(yours) }},
	{"yours fresh", "it says “you” to the NPC that has just spoken", func(f *facts) bool { return f.has(yours) && f.fresh }},
	{"formal", "it says “Sie” or “Ihr”", func(f *facts) bool { return f.formal }},
	{"wonder", "it thinks aloud", func(f *facts) bool { return f.has(wonder) }},
	{"stopping", "it breaks in", func(f *facts) bool { return f.startsOn&stopping != 0 }},
	{"asks", "it asks something", func(f *facts) bool { return f.asks }},
	{"asks lull", "it asks something", func(f *facts) bool { return f.asks && f.quiet > lull }},
	{"player", "it is about a player", func(f *facts) bool { return f.player }},
	{"named", "said about the NPC, not to it", func(f *facts) bool { return f.spoken == 2 }},
	{"other", "it is about another NPC", func(f *facts) bool { return f.other }},
	{"shared", "it takes up a word of the NPC's", func(f *facts) bool { return f.said.shared > 0 }},
	{"short", "it is short", func(f *facts) bool { return f.words <= 3 }},
	{"short talk", "it is a short answer to another player", func(f *facts) bool { return f.words <= 4 && f.inTalk }},
	{"long", "it is long", func(f *facts) bool { return f.words > 12 }},
	{"modern", "it is out of character", func(f *facts) bool { return f.has(modern) }},
	{"mechanics", "it is about rules or dice", func(f *facts) bool { return f.has(mechanics) }},
	{"answers own question", "it answers what the NPC asked", func(f *facts) bool { return f.self && f.fresh && f.said.asks }},
	{"self", "the speaker speaks of themselves", func(f *facts) bool { return f.self }},
	{"self asks", "the speaker asks for themselves", func(f *facts) bool { return f.self && f.asks }},
	{"self talk", "the speaker speaks of themselves", func(f *facts) bool { return f.self && f.inTalk }},
	{"us asks", "it says “us”", func(f *facts) bool { return f.us && f.asks }},
	{"orders", "it tells somebody to do something", func(f *facts) bool { return f.orders }},
	{"orders own", "it tells the NPC to do something", func(f *facts) bool { return f.orders && (f.own || f.fresh) }},
	{"orders talk", "it tells another player to do something", func(f *facts) bool { return f.orders && f.inTalk }},
	{"one word fresh", "it is a word", func(f *facts) bool { return f.words == 1 && f.fresh && !f.said.asks }},
	{"few words", "it is short", func(f *facts) bool { return f.words > 3 && f.words <= 6 }},
	{"no subject", "it is about nothing in particular", func(f *facts) bool { return f.subjects == 0 }},
	{"some subjects", "it is about things of the scene", func(f *facts) bool { return bits.OnesCount64(uint64(f.subjects)) > 2 }},
	{"third fresh", "it speaks about somebody", func(f *facts) bool { return f.has(third) && f.fresh }},
	{"takes up", "it takes up what the NPC said", func(f *facts) bool { return f.fresh && f.startsOn&linking != 0 && !f.asks && f.words <= 5 }},
	{"asks surely", "it asks something", func(f *facts) bool { return f.asks && f.marked }},
	{"says surely", "it asks nothing", func(f *facts) bool { return !f.asks && f.pointed }},
	{"lordly", "it says “Ihr” or “Sie”", func(f *facts) bool { return f.lordly }},
	{"small ihr", "it says “ihr” to the others", func(f *facts) bool { return f.ihr && f.cased && !f.lordly }},
	{"formal, not lordly", "it says “ihr” to the others", func(f *facts) bool { return f.formal && f.cased && !f.lordly }},
	{"du to a lord", "it says “du”, and the NPC is spoken to as “Ihr”", func(f *facts) bool { return f.du && f.st.Lordly && f.st.Last.NPC == f.p }},
	{"du to others", "it says “du”", func(f *facts) bool { return f.du && !(f.st.Lordly && f.st.Last.NPC == f.p) }},
	{"laughs", "the speaker laughs", func(f *facts) bool { return f.laughing }},
	{"forbids", "it tells another player what not to do", func(f *facts) bool { return forbids[f.begins] }},
	{"begins with we", "it says “we”", func(f *facts) bool { return f.begins == "we" || f.begins == "wir" }},
	{"begins with you", "it says “you”", func(f *facts) bool {
		return f.begins == "you" || f.begins == "du" || f.begins == "you're" || f.begins == "you've"
	}},
	{"begins with how", "it asks how", func(f *facts) bool { return f.begins == "how" || f.begins == "wie" || f.begins == "how's" }},
	{"begins with where", "it asks where", func(f *facts) bool {
		return f.begins == "where" || f.begins == "wo" || f.begins == "woher" || f.begins == "wohin" || f.begins == "where's"
	}},
}

var (
	forbids  = setOf(`don't nobody niemand bloß nicht keiner`)
	pronouns = setOf(`he she they he's she's they're he'd she'd er sie der die`)
)
