package ear

import "strings"

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// hanging are words after which something must follow.
var hanging = set(`
	and or but because although though unless until whether if when while since than that which who whose where
	the a an my your his her its our their this these those some any every each no another
	to of for with from into onto at by about between under behind through against without towards near beside
	is are was were am be been being has have had do does did can could will would shall should may might must
	i we he she they it's i'm we're they're there's let's i'd i'll we'd we'll you're you'd you'll
	very really quite almost maybe perhaps not just also even only still um uh uhm er erm hmm well like so then
	go going want wanted need needed got gonna wanna
	und oder aber weil denn obwohl falls wenn ob dass damit bevor nachdem während sondern sowie als
	der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine deinen deinem deiner
	sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem euer eure euren dieser diese dieses diesen
	kein keine keinen keinem keiner jeder jede jedes jeden
	zu von für mit aus in im ins bei beim nach vor über unter zwischen durch gegen ohne um am zum zur vom neben hinter auf seit
	ist sind war waren bin bist hat haben habe hatte hatten kann können könnte wird werden würde soll sollte muss müssen will wollte
	ich wir er sie es du man
	sehr ganz fast vielleicht nicht auch nur noch äh ähm öh hm also ja dann`)

// particles may end a phrase after one of movers.
var (
	particles = set(`in an auf aus zu mit vor nach up out on off over down back ab los`)
	movers    = set(`come go get give sit stand shut put move back komm geh gib fang mach hör steh sitz pass zieh`)
)

// prepositions may end an English question: "what is it for".
var prepositions = set(`to of for with from at by about into is are was were do have`)

// questions are words that begin a question.
var questions = set(`
	who what where when why how which whose whom what's where's who's how's
	wer was wo wann warum wieso weshalb wie welche welcher welches welchen wen wem wessen woher wohin womit wofür wovon wozu`)

// inverted are verbs that begin a question before a subject.
var inverted = set(`
	can could would will do does did is are was were have has had may shall should am isn't aren't don't doesn't didn't can't couldn't won't
	kann kannst könnt können könnte könntest könntet darf dürfen ist sind seid bist war wart hast hat habt haben hatte
	gibt gibt's weißt wisst willst wollt wollen würdest würdet magst mögt möchtest soll sollen sollst muss müssen
	kennst kennt hörst seht siehst glaubst meinst brauchst braucht verkaufst habe`)

// articles precede a noun, though some are pronouns as well.
var articles = set(`the your my der die das den dein mein`)

// subjects follow the verb in a question, and precede it in a statement.
var subjects = set(`
	i you we he she it they there that this anyone anybody someone somebody the your my
	ich du wir er sie es ihr man das dies jemand der die den dein mein hier mir uns euch`)

// requests are words that begin a request.
var requests = set(`
	tell give show bring take help follow open close look listen wait stop go come let hand pour keep leave read roll write
	remember remind explain describe sell fetch get make say hold put
	sag sagt gib gebt zeig zeigt bring bringt nimm nehmt hilf helft folg folgt öffne schau schaut hör hört warte wartet halt haltet geh geht
	komm kommt lass lasst erzähl erzählt erkläre erklär beschreib verkauf hol holt mach macht schreib lies merk`)

// replies are words of whole answers.
var replies = set(`
	yes yeah yep no nope okay ok sure fine right exactly indeed never always maybe perhaps thanks thank you please hello hi hey greetings
	goodbye bye good morning evening night day agreed deal done absolutely certainly gladly
	ja nein jawohl doch klar sicher genau stimmt gut gerne gern danke bitte schön sehr hallo moin servus guten morgen abend tag
	tschüss einverstanden abgemacht niemals nie vielleicht okay na`)

// titles are forms of address without a name, or before one.
var titles = set(`
	captain master mistress sir madam lord lady your majesty hey excuse old innkeeper barkeep sage priest
	hauptmann käptn meister meisterin herr frau fräulein majestät eure entschuldigung entschuldigt verzeihung alter alte wirt wirtin`)

// regrets are words that retract the words before them.
var regrets = set(`actually wait no sorry rather scratch oops quatsch nein nee ne stopp moment warte halt`)

// numbers are number words.
var numbers = set(`
	one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand
	ein eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig hundert tausend`)

// conditions begin a subordinate clause that requires a main clause.
var conditions = set(`if when unless once before after until wenn falls sobald bevor nachdem solange sofern`)

// nominatives are pronouns that act as a subject.
var nominatives = set(`i you we he she it they ich du wir er sie es ihr man`)
