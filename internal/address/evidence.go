package address

import "time"

// evidence is what speaks for or against a line being for the NPC that is talked
// with, and how much.
type evidence struct {
	name   string
	why    string // in words for people who ask
	weight float64
	holds  func(f *facts) bool
}

// weigh adds up what holds. It returns the sum, which is for the NPC above zero, and
// what spoke loudest for that side.
func (f *facts) weigh() (sum float64, why string) {
	var held [len(weights)]bool
	for i := range weights {
		if held[i] = weights[i].holds(f); held[i] {
			sum += weights[i].weight
		}
	}
	loudest := 0.0
	why = "the conversation goes on"
	if sum <= 0 {
		why = "nothing shows that it is to the NPC"
	}
	for i := range weights {
		w := weights[i].weight
		if sum <= 0 {
			w = -w
		}
		if held[i] && weights[i].why != "" && w > loudest {
			loudest, why = w, weights[i].why
		}
	}
	return sum, why
}

const (
	lull     = 5 * time.Second
	longLull = 8 * time.Second
)

// weights are fitted to the dev lines of testdata/truth/address, by logistic regression.
var weights = [...]evidence{
	{"bias", "", 0.6, func(*facts) bool { return true }},

	// What happened before.
	{"asked me", "it answers what the NPC asked", 0.7, func(f *facts) bool { return f.fresh && f.said.asks && f.toMe }},
	{"asked other", "it answers what the NPC asked", 0.7, func(f *facts) bool { return f.fresh && f.said.asks && !f.toMe }},
	{"told me", "the NPC has just spoken to the speaker", 1.0, func(f *facts) bool { return f.fresh && !f.said.asks && f.toMe }},
	{"told other", "the NPC has just spoken to somebody else", -0.3, func(f *facts) bool { return f.fresh && !f.said.asks && !f.toMe }},
	{"told all asks", "it asks the NPC that has just spoken", -0.1, func(f *facts) bool { return f.fresh && !f.toMe && f.asks && !f.said.asks }},
	{"told all shared", "it takes up a word of the NPC's", -0.5, func(f *facts) bool { return f.fresh && !f.toMe && f.shared > 0 }},
	{"told everyone", "the NPC has just spoken to everyone", -0.1, func(f *facts) bool { return f.fresh && f.st.LastTo == "" }},
	{"asked everyone", "it answers what the NPC asked everyone", 0.5, func(f *facts) bool { return f.said.asks && f.st.LastTo == "" && f.words <= 6 && !f.asks }},
	{"asked all", "it answers what the NPC asked", 0.5, func(f *facts) bool { return f.fresh && f.said.asks && f.said.all }},
	{"was asked", "it answers what the NPC asked", -0.7, func(f *facts) bool { return !f.fresh && f.said.asks && f.st.Asides < 3 }},
	{"going on", "the speaker goes on with the NPC", -0.1, func(f *facts) bool { return !f.fresh && f.mineNPC }},
	{"own", "the speaker is talking with the NPC", 1.3, func(f *facts) bool { return f.own }},
	{"own after talk", "the speaker has been talking with the others", -0.4, func(f *facts) bool { return f.own && f.mineTalk && !f.fresh }},
	{"stranger after talk", "the players talk among themselves", -1.4, func(f *facts) bool { return !f.own && !f.fresh }},
	{"mine was talk", "the speaker has been talking with the others", -0.3, func(f *facts) bool { return f.mineTalk && f.st.Mine.Ago < 15*time.Second }},
	{"one aside", "the players talk among themselves", 0.0, func(f *facts) bool { return f.st.Asides >= 1 }},
	{"more asides", "the players talk among themselves", -0.2, func(f *facts) bool { return f.st.Asides >= 2 }},
	{"lull own", "the speaker comes back to the NPC", 1.1, func(f *facts) bool { return f.quiet > lull && f.own && f.st.Asides > 0 }},
	{"long lull own", "the speaker comes back to the NPC", 0.7, func(f *facts) bool { return f.quiet > longLull && f.own && f.st.Asides > 0 }},
	{"lull other", "somebody else turns to the NPC", 1.1, func(f *facts) bool { return f.quiet > lull && !f.own }},
	{"long lull other", "somebody else turns to the NPC", 0.9, func(f *facts) bool { return f.quiet > longLull && !f.own }},
	{"between asked", "it answers another player", -0.5, func(f *facts) bool { return f.inTalk && f.st.Before.Asks }},
	{"between game", "the players talk of the game", 0.2, func(f *facts) bool { return f.inTalk && f.st.Before.Aside == AsideGame }},
	{"between players", "it answers another player", 0.2, func(f *facts) bool { return f.inTalk && f.st.Before.Aside == AsideToPlayer }},
	{"talk", "the players talk among themselves", -0.2, func(f *facts) bool { return f.inTalk }},
	{"remark other", "somebody else remarks on what the NPC said", -0.2, func(f *facts) bool { return f.fresh && !f.toMe && !f.said.asks && !f.asks }},
	{"quick reply", "it answers another player", -0.8, func(f *facts) bool { return f.own && f.inTalk && f.quiet < 2500*time.Millisecond && !f.asks }},
	{"quick question", "it answers another player", 0.3, func(f *facts) bool { return f.own && f.inTalk && f.quiet < 2500*time.Millisecond && f.asks }},
	{"asked by player", "it answers another player", 0.4, func(f *facts) bool { return f.own && f.inTalk && f.st.Before.Asks }},
	{"barged", "it breaks in on the NPC without asking it", -0.8, func(f *facts) bool { return f.st.Barged && !f.breaksInToAsk() }},
	{"barged asks", "it breaks in and asks", 0.7, func(f *facts) bool { return f.st.Barged && f.breaksInToAsk() }},

	// What the line is about.
	{"rules", "it is about rules or dice", -1.9, func(f *facts) bool { return f.has(aboutRules) }},
	{"rules sure", "it is about rules or dice", -3.1, func(f *facts) bool { return f.has(rulesSure) }},
	{"more rules", "it is about rules or dice", -1.7, func(f *facts) bool { return f.n(aboutRules) > 1 }},
	{"evening", "it is out of character", -3.0, func(f *facts) bool { return f.has(aboutEvening) }},
	{"more evening", "it is out of character", -1.6, func(f *facts) bool { return f.n(aboutEvening) > 1 }},
	{"declares", "it declares what the speaker does", -2.3, func(f *facts) bool { return f.declares }},
	{"declares fresh", "it declares what the speaker does", 0.1, func(f *facts) bool { return f.declares && f.fresh && f.said.asks && f.toMe }},
	{"awe", "it is a mere exclamation", -4.4, func(f *facts) bool { return f.onlyAwe }},
	{"awe asked", "it answers what the NPC asked", -0.3, func(f *facts) bool { return f.onlyAwe && f.fresh && f.said.asks }},
	{"only filling", "it is a mere exclamation", -2.1, func(f *facts) bool { return f.onlyFill && !f.said.asks }},
	{"only filling fresh", "it is a mere exclamation", -0.6, func(f *facts) bool { return f.onlyFill && !f.said.asks && f.fresh }},
	{"lead awe", "it is an exclamation", -0.6, func(f *facts) bool { return f.startsOn&marvel != 0 && !f.onlyAwe }},
	{"planning", "the players plan among themselves", -2.1, func(f *facts) bool { return f.has(planning) }},
	{"more planning", "the players plan among themselves", -0.7, func(f *facts) bool { return f.n(planning) > 1 }},
	{"noticing", "it asks whoever leads the game", -1.3, func(f *facts) bool { return f.has(noticing) && f.asks }},
	{"requesting", "it asks something of the NPC", 1.5, func(f *facts) bool { return f.has(requesting) }},
	{"asking you", "it asks the NPC", -0.2, func(f *facts) bool { return f.has(askingYou) && f.asks }},
	{"asking you own", "it asks the NPC", -0.1, func(f *facts) bool { return f.has(askingYou) && f.asks && (f.own || f.fresh) }},
	{"more requesting", "it asks something of the NPC", 0.0, func(f *facts) bool { return f.n(requesting) > 1 }},
	{"courtesy", "it is said with courtesy", 1.0, func(f *facts) bool { return f.has(courtesy) }},
	{"unknown", "it calls somebody who is not at the table", -0.8, func(f *facts) bool { return f.unknown }},
	{"stranger", "it calls somebody who is not at the table", -3.0, func(f *facts) bool { return f.stranger }},
	{"outsiders", "it is to somebody who is not at the table", -3.4, func(f *facts) bool { return f.has(outsiders) }},
	{"crew", "it is to the players", -2.1, func(f *facts) bool { return f.has(crew) }},
	{"number", "it tells a number", -0.4, func(f *facts) bool { return f.onlyNum }},
	{"number game", "it tells a number", -2.6, func(f *facts) bool {
		return f.onlyNum && f.st.Before.Known && f.st.Before.Aside == AsideGame && !f.fresh
	}},
	{"number asked", "it answers what the NPC asked", 0.1, func(f *facts) bool { return f.onlyNum && f.fresh }},
	{"number wanted", "it answers how many", 0.1, func(f *facts) bool { return f.onlyNum && f.fresh && (f.said.many || f.said.asks) }},
	{"third lead", "it speaks about somebody", 0, func(f *facts) bool { return f.startsOn&third != 0 }},
	{"third", "it speaks about somebody", -0.5, func(f *facts) bool { return f.has(third) && !f.asks }},
	{"third asks", "it speaks about somebody", 0.1, func(f *facts) bool { return f.has(third) && f.asks }},
	{"replying", "it answers what the NPC asked", 0.3, func(f *facts) bool { return f.lead&replying != 0 && f.fresh && f.said.asks }},
	{"replying talk", "it answers another player", -0.6, func(f *facts) bool { return f.lead&replying != 0 && f.inTalk }},
	{"quoting", "it quotes somebody", -1.5, func(f *facts) bool { return f.has(quoting) }},
	{"quotes", "it quotes somebody", -0.4, func(f *facts) bool { return f.u.quotes && f.words > 3 }},
	{"judging", "it judges somebody", -1.5, func(f *facts) bool { return f.has(judging) }},
	{"linking asks", "it asks on", 0.4, func(f *facts) bool { return f.startsOn&linking != 0 && f.asks }},
	{"linking join", "somebody else asks on", 0.1, func(f *facts) bool { return f.startsOn&linking != 0 && f.asks && !f.own && !f.fresh }},
	{"linking asks own", "it asks on", 0.1, func(f *facts) bool { return f.startsOn&linking != 0 && f.asks && f.own }},
	{"yours", "it says “you”", -0.6, func(f *facts) bool { return f.has(yours) }},
	{"yours fresh", "it says “you” to the NPC that has just spoken", 0.6, func(f *facts) bool { return f.has(yours) && f.fresh }},
	{"yours talk", "the players talk among themselves", 0.0, func(f *facts) bool { return f.has(yours) && f.inTalk }},
	{"formal", "it says “Sie” or “Ihr”", 1.3, func(f *facts) bool { return f.formal }},
	{"wonder", "it thinks aloud", 0.4, func(f *facts) bool { return f.has(wonder) }},
	{"self past", "it tells what the speaker did", -0.1, func(f *facts) bool { return f.selfPast }},
	{"stopping", "it breaks in", 0.7, func(f *facts) bool { return f.startsOn&stopping != 0 }},
	{"we", "it says “we”", 0.1, func(f *facts) bool { return f.we }},
	{"we own", "it says “we”", 0.7, func(f *facts) bool { return f.we && f.own }},
	{"asks", "it asks something", 0.6, func(f *facts) bool { return f.asks }},
	{"asks own", "the speaker asks on", 0.5, func(f *facts) bool { return f.asks && f.own }},
	{"asks fresh", "it asks the NPC that has just spoken", -0.6, func(f *facts) bool { return f.asks && f.fresh }},
	{"asks lull", "it asks something", 0.7, func(f *facts) bool { return f.asks && f.quiet > lull }},
	{"player", "it is about a player", -1.1, func(f *facts) bool { return f.player }},
	{"named", "said about the NPC, not to it", -1.9, func(f *facts) bool { return f.spoken == 2 }},
	{"by role", "said about the NPC, not to it", -0.9, func(f *facts) bool { return f.spoken == 1 }},
	{"other", "it is about another NPC", -1.3, func(f *facts) bool { return f.other }},
	{"other asks", "it asks about another NPC", 0.0, func(f *facts) bool { return f.other && f.asks && (f.own || f.fresh) }},
	{"shared", "it takes up a word of the NPC's", 0.8, func(f *facts) bool { return f.shared > 0 }},
	{"shared fresh", "it takes up a word of the NPC's", -0.2, func(f *facts) bool { return f.shared > 0 && f.fresh }},
	{"more shared", "it takes up words of the NPC's", 0.4, func(f *facts) bool { return f.shared > 1 }},
	{"short", "it is short", 0.5, func(f *facts) bool { return f.words <= 3 }},
	{"short asked", "it is a short answer to what the NPC asked", 0.6, func(f *facts) bool { return f.words <= 4 && f.fresh && f.said.asks }},
	{"short talk", "it is a short answer to another player", -0.7, func(f *facts) bool { return f.words <= 4 && f.inTalk }},
	{"long", "it is long", -0.1, func(f *facts) bool { return f.words > 12 }},
	{"room", "it asks the whole room", -0.2, func(f *facts) bool { return f.has(roomWide) }},
}
