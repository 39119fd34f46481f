package orders

import "github.com/MrWong99/glyphoxa/internal/mcp"

// frame is one way to give an order: words of certain classes, in any order, and otherwise only filler.
type frame struct {
	kind Kind
	// has are the classes that each need a word. may are classes that are also allowed.
	has []class
	may class
	// plain means that only the program is addressed in these words, so they are an order in any context.
	plain bool
	// alone means that the order is about no one, or everyone.
	alone bool
	// ours means that it must name NPCs by a word that no one in a story uses.
	ours bool
	// single means that it must be about one NPC.
	single bool
	// made means that the desired state follows the NPC.
	made bool
	// behind means that a word of its first class follows the NPC.
	behind bool
	// freed means that the order is also valid for an NPC that is not silenced.
	freed bool
	// tier is the tier of Raise and Lower if no word names one.
	tier mcp.BudgetTier
}

// moving are the classes of words that move someone or something.
const moving = setting | turning | going | to | being | is | up | down | step | making | giving

// verbs are the classes of words that may have a particle.
const verbs = moving&^(to|being|is|up|down|step) | raising | lowering | talking | speaking | ending

// silence are the classes of words that tell someone to be silent.
const silence = hushing | stopping | freezing | quiet | pausing

// frames are all ways to give an order. The first that fits is used.
var frames = []frame{
	// Orders in words that are said only to the program.
	{kind: Resume, has: []class{muting, lifting}, may: moving | off, plain: true},
	{kind: Resume, has: []class{muting, off}, may: moving, plain: true},
	{kind: Resume, has: []class{muting, not, more}, may: moving, plain: true},
	{kind: Resume, has: []class{unmuting}, may: moving | voice | on, plain: true, freed: true},
	{kind: Resume, has: []class{loud, setting}, may: moving | turning, plain: true, freed: true},
	{kind: Resume, has: []class{loud, turning}, may: moving, plain: true, freed: true},
	{kind: Quiet, has: []class{muting}, may: moving | on, plain: true},
	{kind: Quiet, has: []class{voice, off}, may: moving | turning, plain: true},
	{kind: Quiet, has: []class{turning, off}, may: moving, plain: true},
	{kind: Quiet, has: []class{off}},
	{kind: Resume, has: []class{voice, on}, may: moving | giving, plain: true},
	{kind: Resume, has: []class{turning, on, again}, may: moving, plain: true},
	{kind: Resume, has: []class{turning, on}, may: moving},
	{kind: Resume, has: []class{voice, giving}, may: moving},
	{kind: Resume, has: []class{utterance, giving}, may: again},

	// Orders about tiers.
	{kind: Raise, has: []class{tier, to}, may: moving | raising | lowering | thinking | answering | number | more, plain: true},
	{kind: Raise, has: []class{tier, setting}, behind: true, may: moving | raising | lowering | thinking | answering | more, plain: true},
	{kind: Raise, has: []class{tier, raising}, may: moving | thinking | more, plain: true},
	{kind: Raise, has: []class{tier, making}, made: true},
	{kind: Raise, has: []class{tier, step}, plain: true},
	{kind: Raise, has: []class{step, more, giving}, may: number, tier: mcp.BudgetDeep},
	{kind: Raise, has: []class{degree, making}, made: true, tier: mcp.BudgetDeep},
	{kind: Raise, has: []class{step, up}, may: moving | raising | number | more, plain: true, tier: mcp.BudgetDeep},
	{kind: Lower, has: []class{step, down}, may: moving | lowering | number | more, plain: true, tier: mcp.BudgetFast},
	{kind: Raise, has: []class{raising, up}, may: step | number, tier: mcp.BudgetDeep},
	{kind: Lower, has: []class{lowering, down}, may: step | number, tier: mcp.BudgetFast},
	{kind: Raise, has: []class{raising}, may: step | number | to, tier: mcp.BudgetDeep},
	{kind: Lower, has: []class{lowering}, may: step | number | to, tier: mcp.BudgetFast},
	{kind: Lower, has: []class{not, thinking, slowly}, tier: mcp.BudgetFast},
	{kind: Lower, has: []class{less, time, giving}, may: thinking, tier: mcp.BudgetFast},
	{kind: Lower, has: []class{faster, answering}, may: thinking | making | being, tier: mcp.BudgetFast},
	{kind: Lower, has: []class{faster, thinking}, may: making, tier: mcp.BudgetFast},
	{kind: Lower, has: []class{faster, making}, may: making, made: true, tier: mcp.BudgetFast},
	{kind: Raise, has: []class{time, more, giving}, may: thinking | carefully, tier: mcp.BudgetDeep},
	{kind: Think, has: []class{pondering}, may: thinking},
	{kind: Think, has: []class{thinking, carefully}, may: more | time | being},
	{kind: Think, has: []class{answering, carefully}, may: more},

	// Orders about the session.
	{kind: EndSession, has: []class{session, over}, may: is | ourselves | ending, plain: true, alone: true},
	{kind: EndSession, has: []class{session, ending}, may: is | ourselves | down | parting | over | off, plain: true, alone: true},
	{kind: EndSession, has: []class{parting}, may: ending | over, alone: true},

	// Orders to be silent, and to resume.
	{kind: Quiet, has: []class{shutting, up}},
	{kind: Quiet, has: []class{holding, mouth}, may: shutting | more},
	{kind: Quiet, has: []class{hushing}, may: silence | being | up | down | giving | making | more},
	{kind: Quiet, has: []class{hushing, not, utterance}},
	{kind: Quiet, has: []class{quiet}, may: silence | being | making | setting},
	{kind: Quiet, has: []class{quiet, is}, may: being},
	{kind: Quiet, has: []class{not, talking}, may: more | being | all},
	{kind: Quiet, has: []class{not, utterance}, may: more | talking | uttering | ourselves},
	{kind: Quiet, has: []class{not, more, uttering}},
	{kind: Quiet, has: []class{not, more}, single: true},
	{kind: Quiet, has: []class{stopping, talking}, may: not | more | is},
	{kind: Quiet, has: []class{hearing, to, talking}},
	{kind: Quiet, has: []class{stopping}, may: freezing | utterance},
	{kind: Quiet, has: []class{pausing}, may: making | setting | giving, single: true},
	{kind: Quiet, has: []class{freezing}, ours: true, may: stopping},
	{kind: Resume, has: []class{allowing, speaking, again}, may: is | on, plain: true},
	{kind: Resume, has: []class{allowing, resuming}, may: is},
	{kind: Resume, has: []class{allowing, speaking}, may: is},
	{kind: Resume, has: []class{causing, speaking}, may: again},
	{kind: Resume, has: []class{speaking, leaving}, may: again},
	{kind: Resume, has: []class{speaking, wanting}, may: again | is},
	{kind: Resume, has: []class{speaking, starting}, may: again},
	{kind: Resume, has: []class{allowing, again}},
	{kind: Resume, has: []class{speaking, again}},
	{kind: Resume, has: []class{on, again}, may: moving},
	{kind: Resume, has: []class{resuming}, may: again | being | making | talking},
}

// tierWords are the words for each tier.
var tierWords = map[mcp.BudgetTier]map[string]bool{
	mcp.BudgetFast:     wordSet("fast quick quickest fastest schnell flink schnelle schnellen flott schnellste"),
	mcp.BudgetStandard: wordSet("standard normal normale normalen default careful sorgfältig sorgfältige sorgfältigen überlegt"),
	mcp.BudgetDeep:     wordSet("deep deepest thoughtful thorough tief tiefe tiefen tiefste gründlich gründliche gründlichen nachdenklich gründlichste"),
}
