package ruleslookup

// What the search weighs, chosen on questions of which a fifth of what is asked was left out of
// the book, together with the open questions: what only one half of them gained by was left.
const (
	// saturation bounds what repeating a word is worth.
	saturation float32 = 1.7

	// titleBonus is what a name found inside the query adds, per unit of its
	// words' rarity; wholeTitle is the share of it that does not depend on how much of
	// the query the name is.
	titleBonus float32 = 0.42
	wholeTitle float32 = 0.2
	// aliasTitle is the share of it that another name of a rule is worth.
	aliasTitle float32 = 0.3

	// soundBonus is what a name that is heard in the query adds, per letter of its key, and
	// unsureSound how many times that where a word is in it of which nothing is known.
	soundBonus  float32 = 0.8
	unsureSound float32 = 2
	// longSound is how much more a name counts that sounds the same, for each letter that its
	// key has more than [shortestSound].
	longSound float32 = 0.1

	// phraseBonus is what a phrase adds that a rule is asked for by, the more the more of
	// it and of the question are the same.
	phraseBonus float32 = 0.2
	// phraseCommon is how often a word occurs in phrases before that matters.
	phraseCommon float32 = 1
	// unknownWord is what a word of a question counts for that is in no phrase.
	unknownWord float32 = 30

	// likeBonus is what a rule gains that is about the same in other words, per unit of
	// cosine above leastLike. Only those count that have the share candidate of the best
	// score by words.
	likeBonus float32 = 25
	leastLike float32 = 0.35
	candidate float32 = 0.4

	// kindBonus is how much it counts which kind of rule a question is after by its words,
	// and rareWord how often a word must be seen for its kind to be half believed. A kind
	// that is less likely than unlikeliest, in logarithms, counts as that.
	kindBonus   float32 = 0.025
	rareWord    float32 = 3
	unlikeliest float32 = 12

	// categoryBonus multiplies the score of a rule whose category the query names ("the
	// light spell"), headBonus that for a category in the first words of a longer query.
	categoryBonus float32 = 1.25
	headBonus     float32 = 1.6

	// spokenBonus is what a rule gains that is all the question asks for, eachCondition
	// what it gains for each condition more; ruleInstead multiplies the score of rules
	// where things are asked for.
	spokenBonus   float32 = 14
	eachCondition float32 = 3
	ruleInstead   float32 = 0.6

	// How much of what another word is worth counts.
	translated   float32 = 1    // the German word for it
	inflected    float32 = 0.95 // the same German word in another form
	synonymous   float32 = 0.8  // another word for it
	phraseWeight float32 = 0.45 // several words for it
	partOf       float32 = 0.75 // part of a compound
)

// fields holds each field's weight and how much its length matters (0 to 1).
var fields = [fieldCount]struct{ weight, length float64 }{
	fieldName:    {4, 0.3},
	fieldAliases: {1.5, 0.45},
	fieldTags:    {1.5, 0.2},
	fieldSummary: {2.5, 0.5},
	fieldText:    {0.8, 0.8},
	fieldAsked:   {2.1, 0.2},
	fieldGerman:  {2, 0.4},
}
