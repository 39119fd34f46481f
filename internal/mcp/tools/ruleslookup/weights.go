package ruleslookup

// The weights of the search. They were tuned on a set of questions, where about a fifth ask for something
// not in the book, and on the open questions. Changes that improved only one half of the questions were
// rejected.
const (
	// saturation limits how much repetition of a word adds.
	saturation float32 = 1.7

	// titleBonus is the score for a name found inside the query, per unit of the rarity of its words.
	// wholeTitle is the share of that score that does not depend on how much of the query the name covers.
	titleBonus float32 = 0.42
	wholeTitle float32 = 0.2
	// aliasTitle is the share of that score for an alias.
	aliasTitle float32 = 0.3

	// soundBonus is the score for a name recognised by sound, per letter of its key. unsureSound is the
	// factor for a name that includes an unknown word.
	soundBonus  float32 = 0.8
	unsureSound float32 = 2
	// longSound is the additional factor for an exact match by sound, per letter of the key beyond
	// [shortestSound].
	longSound float32 = 0.1

	// phraseBonus is the score for a phrase with which players ask for a rule. It increases with the share of
	// the phrase and of the question that match.
	phraseBonus float32 = 0.2
	// phraseCommon is how often a word can occur in phrases before its frequency matters.
	phraseCommon float32 = 1
	// unknownWord is the weight of a word of the question that is in no phrase.
	unknownWord float32 = 30

	// likeBonus is the score for similarity in meaning, per unit of cosine above leastLike. It applies only
	// to rules that have at least the share candidate of the best word score.
	likeBonus float32 = 25
	leastLike float32 = 0.35
	candidate float32 = 0.4

	// kindBonus is the weight of the kind of rule that the words of a question suggest. rareWord is how often
	// a word must occur for its evidence to count half. Log-likelihoods below unlikeliest are raised to it.
	kindBonus   float32 = 0.025
	rareWord    float32 = 3
	unlikeliest float32 = 12

	// categoryBonus is the factor for a rule whose category the query names ("the light spell"). headBonus is
	// the factor for a category in the first words of a longer query.
	categoryBonus float32 = 1.25
	headBonus     float32 = 1.6

	// spokenBonus is the score for a rule that meets everything the question asks for, and eachCondition the
	// score for each further condition. ruleInstead is the factor for rules if the question asks for things.
	spokenBonus   float32 = 14
	eachCondition float32 = 3
	ruleInstead   float32 = 0.6

	// The share of a word's score that counts for another word with the same meaning.
	translated   float32 = 1    // German translation
	inflected    float32 = 0.95 // another form of the same German word
	synonymous   float32 = 0.8  // synonym
	phraseWeight float32 = 0.45 // phrase for it
	partOf       float32 = 0.75 // part of a compound
)

// fields holds each field's weight, and how much the length of the field matters (0 to 1).
var fields = [fieldCount]struct{ weight, length float64 }{
	fieldName:    {4, 0.3},
	fieldAliases: {1.5, 0.45},
	fieldTags:    {1.5, 0.2},
	fieldSummary: {2.5, 0.5},
	fieldText:    {0.8, 0.8},
	fieldAsked:   {2.1, 0.2},
	fieldGerman:  {2, 0.4},
}
