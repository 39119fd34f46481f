package speech

import "strings"

// gestures are words by which narrators describe what someone does besides speaking.
var gestures = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(Gestures()) {
		set[w] = true
	}
	return set
}()

// Gestures returns the English and German words that begin stage directions, such as "smiles", "kratzt" or
// "sigh", separated by white space.
func Gestures() string { return strings.Join(stageVerbs, " ") + gestureWords }

// stageVerbs indicate a stage direction anywhere, as in "Well, *sighs* if you insist." Verbs that are also
// emphasised in speech are excluded.
var stageVerbs = []string{
	"smiles", "sighs", "laughs", "grins", "nods", "chuckles", "coughs", "pauses", "leans", "whispers", "growls", "winks",
	"shrugs", "frowns", "bows", "gasps", "groans", "grunts", "snorts", "scowls", "smirks", "sniffs", "glances", "gestures",
	"mutters", "mumbles", "murmurs", "yawns", "blinks", "beams", "cackles", "chortles", "squints", "giggles", "sneers",
	"smiling", "sighing", "laughing", "grinning", "nodding", "chuckling", "whispering", "shrugging", "frowning", "clears",
	"lächelt", "seufzt", "lacht", "grinst", "nickt", "kichert", "hustet", "räuspert", "flüstert", "knurrt", "zwinkert",
	"runzelt", "verbeugt", "zuckt", "schnaubt", "stöhnt", "murmelt", "brummt", "gähnt", "blinzelt", "schmunzelt",
	"lächelnd", "seufzend", "lachend", "grinsend", "nickend", "flüsternd",
}

const gestureWords = `
looks turns wipes points raises lifts lowers shakes taps crosses folds narrows rolls rubs scratches strokes hammers
rows steps walks moves reaches grabs picks puts sets slams spits stares gazes watches waves leads pours stands sits
kneels rises hesitates stops hums sings whistles snaps claps pats hugs kisses pushes pulls drops hands offers gives
holds opens closes shuts stirs sips drinks eats swallows breathes stiffens tenses relaxes softens straightens rummages
searches flips tilts cocks bares grits clenches trembles shivers blushes pales weeps cries sobs begins starts
continues returns enters leaves approaches settles shifts slides tugs twirls wags scratching schaut blickt sieht dreht
wischt zeigt hebt senkt schüttelt tippt verschränkt reibt kratzt streicht hämmert rudert geht tritt greift nimmt legt
stellt setzt spuckt starrt winkt gießt schenkt steht sitzt kniet zögert summt singt pfeift klatscht klopft umarmt
schiebt zieht lässt reicht gibt hält öffnet schließt rührt trinkt isst schluckt atmet strafft wühlt sucht neigt ballt
zittert errötet weint schluchzt beginnt kehrt betritt verlässt nähert lehnt beugt stimmt zupft tastet stemmt springt
rückt schlägt wirft fährt mustert deutet breitet faltet streckt verzieht verdreht rollt fegt poliert blättert schnippt
horcht lauscht stützt richtet wendet krault tätschelt putzt wringt spielt bleibt hisses howls grumbles huffs puffs
pants wheezes gulps swears stammers stutters trails snickers titters guffaws purrs chirps croaks burps hiccups sneezes
wrinkles furrows purses licks wets cracks knocks thumps bangs clangs drums fidgets paces limps shuffles hobbles
stumbles strides marches climbs jumps leaps hops spins dances bends crouches ducks hides peers peeks studies examines
inspects weighs counts checks tests polishes sharpens mops sweeps ladles tastes chews lights blows extinguishes writes
scribbles reads dips rings strums plucks tunes bites tears ties unties wraps unwraps packs unpacks tosses catches
throws swings hauls drags carries fetches brings refills empties scoops sprinkles grinds crushes stuffs adjusts
tightens loosens nudges pokes jabs prods elbows embraces salutes curtsies prays blesses motions beckons indicates
verneigt nippt kaut schmatzt rülpst niest schnieft fletscht knirscht pustet bläst zündet löscht schreibt kritzelt
liest klimpert summend fiedelt trommelt stampft humpelt schlurft stolpert schreitet klettert hüpft tanzt bückt duckt
späht prüft untersucht wiegt zählt schärft mahlt zerstößt stopft knotet bindet wickelt packt fängt schwingt zerrt
schleppt trägt holt bringt füllt leert streut streift stupst pikst salutiert knickst betet bekreuzigt segnet bedeutet
räumt klappert schmeißt knallt kommt wackelt hinkt pocht schaudert grübelt überlegt grummelt raunt faucht jault
schnurrt krächzt stottert schweigt hickst prustet gluckst japst keucht ächzt jauchzt johlt feixt strahlt schielt linst
glotzt gafft humming pacing wiping shaking leaning pouring turning holding raising crossing hammering winking bowing
lowering sigh cough ahem gasp groan chuckle giggle snort sniff sniffle hic hiccup clang clank thud bang creak knock
laugh smile grin nod shrug wink bow frown whisper pause yawn growl grunt wince winces sneer smirk sob wheeze gulp burp
belch sneeze hum whistle seufz hust räusper kicher lach schnauf hicks klirr knarz stöhn gähn brumm grummel klopf
schluck schnief schmatz zwinker nick schulterzuck augenroll knurr grunz rülps würg schluchz freu
`
