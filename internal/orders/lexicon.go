package orders

// class is the set of roles that a word, or a phrase, can have in an order.
type class uint64

// The classes. filler has no meaning and may be anywhere in an order. A word without a class is never part of
// one.
const (
	filler   class = 1 << iota
	pleading       // please, for a moment: said only to the person who receives the order
	urging         // now
	again
	asking   // could, can: the person asked may be an NPC
	causing  // have, let, tell: the person after it is to do something
	making   // make: the person is to be so
	wanting  // should, shall
	allowing // may, can
	leaving  // German "lassen" after the verb
	being    // be, stay
	is       // is, are
	setting  // set, put, bring
	turning  // turn, switch
	going    // goes
	to       // to, on, auf: before a target state
	on
	off
	up
	down
	not
	more
	less
	muting   // mute, stumm: words that only the program knows
	lifting  // lift the mute
	unmuting // unmute
	quiet    // quiet, still: a state
	hushing  // hush, schweig: an action
	stopping
	talking
	speaking // speak, talk: what someone may do again
	utterance
	holding
	mouth
	shutting
	voice
	giving
	resuming
	starting
	pausing
	thinking
	answering
	carefully
	pondering // take your time: an order to think by itself
	time
	faster
	slowly // so long: negated, an order to be quick
	raising
	lowering
	tier
	step
	number
	degree // more thoughtful
	ending
	session
	over
	parting // that's it for tonight: ends a session without naming it
	freezing
	all
	uttering
	ourselves
	loud
	hearing // hört … auf
	telling // in the words of a story: "schweigt"
)

// vocabulary lists the words of each class, in English and German, as patterns for [expand].
var vocabulary = []struct {
	of    class
	words string
}{
	{filler, `please now okay ok so alright right well just hey then back um uh uhm er erm hmm hm mm ah oh yeah yes thanks thank and kindly quickly immediately simply like whoa wow boah tja erstmal erst mal
		bitte jetzt also kurz nun dann zurück einfach doch ähm äh öhm öh mh ach ja danke und sofort endlich ganz gefälligst eben gerne gern na naja gut great perfect cool super schön schon wohl halt bisschen
		a an the that this his her their its him them he she they it you your yourself me us der die das den dem des er sie es ihn ihm ihnen dir dich du ihr euch sich seine ihre seinen ihren sein mir uns dass
		of for from in at with into onto by about von bei für im vom zum zur darüber drüber mit dazu dabei
		little bit while moment minute minutes second sec sometime really very even moment moments momentchen augenblick sekunde sekunden minute minuten weile sehr richtig etwas wenig noch ein eine einen einmal
		hell heck fuck fucking bloody damn damned goddamn freaking verdammt verdammte verdammten zum teufel verflixt herrgott jesus god mensch mann man folks guys people gang leute freunde zusammen miteinander
		tonight totally completely temporarily entirely altogether gonna gotta wanna anyway then there these those ones own self himself herself themselves itself yourselves honestly seriously sure fine lovely amazing brilliant folks'
		vorerst vorläufig zunächst derweil solange inzwischen kurzzeitig bitteschön dankeschön dankschön heute mein meinem meiner deren dessen denen diese dieser diesen jene selbst selber ruhig ordentlich komplett ganze ganzen völlig überhaupt jedenfalls okay klar los ran
		good kind dear sorry wait moment listen actually warte wartet entschuldigung sorry verzeihung lieber gleich some
		glyphoxa computer bot gell gelle jetz yep yup nope vielleicht genau zwar eh halt gä ned maybe perhaps schnell flott just terribly only awfully grad grade nämlich ständig dauernd lange genug program system aber da viel from here much far buddy mate dude bro pal mister lads alter digga kumpel oida freundchen bub bursche mädel spezl
		old poor alte alter alten guter gute liebe lieben guten unser unsere unseren our my mein meine meinen`},
	{filler, `(for|) (a|the) (little|) (moment|minute|while|bit|second|sec|time being|rest of the scene)|for now|for me|for us|real quick|over there|(hang|hold) on|one (moment|second|sec)|you know|i mean|i guess|i think|i'd say|i would say|if you (would|will|please|don't mind|could)|as well|a bit|a little|okay then
		|so (kind|good|nice) (and|as to|to)|be (so|) (kind|good|nice|a dear|a sweetheart|a star) (and|as to|enough to|)|do me a (favour|favor) (and|)|at once|right away|right now|all right|(thank you|thanks) (so much|very much|a lot|all|everyone|everybody|guys|folks)|thank you|thanks|that is|that's|from now on|any more|anymore|let's see|let me see|what's (his|her|their) name
		|remember to|go ahead and|make sure (that|)|i want (you|) to|i'd like (you|) to|i would like (you|) to|(i|we) need (you|) to|let's|lets|let us|let me|can i have|could i have|can i get|could i get|may i ask|i ask|i'm asking|i'm gonna need|i'm going to need|(until|till) (i|we) (say|tell you|tell him|tell her) (so|otherwise|)|(until|till) (later|further notice)|for (this|the|the rest of the|the whole) (scene|fight|chapter|evening)|out of (you|him|her|them)|this one|game master|(from here|from now|from this point|from there) (on|onwards|out|)|as of now|(about|with|for|on|in) (your|his|her|their|the) (next|) (answer|reply|response|line)|before (he|she|they|you) (gives|give|gave) (his|her|their|your|an|any) (next|) (answer|reply|response)|in the next scene|(bei|vor|für) (der|seiner|ihrer|deiner|die|seine|ihre|deine) (nächsten|nächste|) antwort|in der (nächsten|) szene|save (everything|it all|it|all|the game)|alles (abspeichern|speichern|sichern)|speicher alles|speichere alles|going forward|for the (time being|moment|rest|whole thing|next scene|next while|next bit|next part|time)|where were we|(ab|von) (hier|jetzt|nun|da) an|und zwar|sagen wir|(mal|) (ganz|) ehrlich|be (a|) dear and|is my guest|before (you|he|she|they) (answers|answer|speaks|speak|replies|reply)|when (you|he|she) (answers|answer)|and that's (it|that)|come on|good (boy|girl)|for god's sake|for the love of god|do it|that's (fine|good|okay|it)|with you|up there
		|für (einen|den|) (kleinen|) (moment|augenblick)|für (eine|) (minute|weile|sekunde)|(einen|eine|) (kleinen|kleine|) (moment|augenblick|sekunde|minute)|auf der stelle|ab (jetzt|sofort)|ein (bisschen|bissel|bisserl|wenig|bissl)|(sei|seid|seien sie|wären sie) (bitte|) so (gut|lieb|nett|freundlich) (und|)|tu (mir|uns) (mal|) (den|einen) gefallen (und|)|wärst du so (gut|lieb|nett|freundlich) (und|)|wie (heißt|hieß) (er|sie) (noch|) (gleich|)|das ist|ich (mein|meine)|von mir aus|wenn's geht|wenn es geht|wenn ich bitten darf|hör mal|hört mal|ich (würde|würd) sagen|(würde|würd) ich sagen|ich glaube|ich glaub|mach mal|macht mal|tut mal|ich bitte (um|)|ich bitte euch|darf ich (um|)|um|(ich|wir) (hätte|hätten|hätt) (gern|gerne|)|(ich|wir) (möchte|möchten|will|wollen|brauche|brauch|brauchen)|schau dass|sorg dafür|sorge dafür|bis auf weiteres|für (diese|die) szene|bis ich (mich melde|bescheid sage|bescheid geb)|bis ich was (anderes|) sage|bevor (er|sie|du|ihr) (antwortet|antwortest|redet|spricht|was sagt)|lass uns|lasst uns|so gut sein|zu viel|vielen dank|danke (schön|sehr|euch|euch allen|dir|ihnen|allen|alle)|komm|kommt|ab mit|mal wieder|zum kuckuck|in gottes namen|um himmels willen`},
	{pleading, `please|bitte|kindly|mal|gefälligst|kurz|erstmal|einmal|thank you|thanks|danke|thank|for (a|the) (little|) (moment|minute|while|bit|second|sec|time being)|for now|für (einen|den) moment`},
	{urging, `now|right now|jetzt|sofort|endlich`},
	{again, `again|wieder|back`},
	{asking | filler, `would you mind|do you mind|could you mind|how about|would it be possible to|is it possible to|wären sie so (gut|lieb|nett|freundlich) (und|)|(could|can|would|will) (you|we|someone|somebody|anyone|i)|könntest du|kannst du|würdest du|magst du|tätst du|tätest du|hättest du|möchtest du|willst du|wärst du|can we|could we|may we|shall we|willst du|(könnten|können|wollen) wir|(könnt|könntet|würdet) ihr|(könnte|kann) (jemand|man|ich)|hätte ich|hätt ich|möge|(could|would)|(könnte|könnten|würde|würden|könntest|kannst|würdest)|(könnten|würden) sie`},
	{asking | filler, `(i'd|i would|we'd|we would) (be|) (very|really|so|) (grateful|appreciate it|appreciate|love it|happy|thankful|obliged|prefer it|like it|glad) if|if (you'd|you would|you could|we could) (be|) (so|) (kind|nice|good|) (as to|and|enough to|)|(is there|are there|) any (way|chance) (that|) (you|we|i|somebody|someone|of|) (could|can|might|)
		|i (was|am) wondering (if|whether)|i'm wondering (if|whether)|(i was|) wondering (if|whether)|i wonder (if|whether)|(do you think|i think|maybe|perhaps) (you|we|i) (could|can|might|should|ought to)|would it be (okay|ok|alright|all right|fine|possible|cool|too much) (if|to|) (we|you|i|)|is it (okay|ok|alright|all right|fine|possible) (if|to|) (we|you|i|)|(it would|it'd) be (nice|great|lovely|good|best|better|helpful|cool|super|wonderful|brilliant) (if|to|)|might (we|i|you)|i'd (really|rather|much rather|much prefer|prefer|love|) (like|love|prefer|) (it if|to|for|)
		|(wäre|wär) es (vielleicht|eventuell|) (möglich|okay|ok|in ordnung|denkbar|machbar|drin) (dass|wenn|)|(wär's|wärs) (möglich|okay|ok|drin) (dass|wenn|)|(es|das|) (wäre|wär) (es|) (super|toll|nett|schön|lieb|klasse|gut|prima|besser|fein) (wenn|)|(ich|mir) (wäre|wär|würd|würde) (es|) (dir|euch|ihnen|sehr|) (dankbar|froh|lieb|recht|lieber|freuen|begrüßen) wenn|(ginge|ging|geht|ließe) (es|das|sich) (dass|wenn|)|ich fände es (gut|schön|besser|nett|toll) wenn|(meinst du|meint ihr|glaubst du|denkst du) (du|wir|ihr) (könntest|könnten|könntet)|(ich|wir) (hätte|hätten|hätt) (gern|gerne|lieber)|(ich|wir) (würde|würden) (gern|gerne|lieber|bitten)|darf ich (bitten|)|dürfte ich|dürften wir|ob (du|wir|ihr|man)`},
	{causing | filler, `let|have|having|letting|getting|get|ask|tell|see to it|lass|lasst|lasse|lassen wir|lässt|lässt du|sag|sagt|sage`},
	{making | filler, `make|makes|mach|mache|macht|machen|machst`},
	{time | filler, `time to`},
	{wanting | filler, `should|must|shall|has to|have to|needs to|need to|needs|soll|sollen|sollte|sollten|muss|müssen|möge|mögen|sollst|sollt|to|zu|i want|i need|i'd like|i would like|we need|want|wants`},
	{allowing | filler, `may|can|allowed to|good to|clear to|gets to|get to|allowed|free to|permitted to|darf|dürfen|darfst|dürft|kann|können|kannst|könnt|could|könnte|könnten`},
	{leaving | filler, `lassen`},
	{being | filler, `be|to be|stay|sit|keep|remain|fall|being|keeping|sei|seid|seien|bleib|bleibe|bleibt|bleiben|sein|werden|wird|go`},
	{is, `wäre|wär|wären|werde|is|are|ist|sind|are now|you're|you are|he's|she's|they're|bist`},
	{setting, `moved|turned|switched|bumped|dialled|dialed|brought|taken|gesetzt|gestellt|genommen|gebracht|geschaltet|set|setting|put|putting|move|moving|bring|bringing|take|taking|change|run|leave|have|get|dial|crank|bump|push|kick|return|reset|place|stick|pop|switch|turn|geh|leg|lege|setz|setze|setzt|setzen|stell|stelle|stellt|stellen|bring|bringen|nimm|nehmt|nehmen|pack|hol|hole|schieb|schick|fahr|fahre|zieh|schraub|regel|regle|lauf|laufen|gehen|hätte|mach|mache|macht|machen|machst|stellst|setzt|setzst|nimmst|gibst|bringst|legst|hebst|schickst|gib|gebt|mal auf|wechsel|wechsle|ändere|need|needs`},
	{turning, `turn|turning|switch|switching|cut|shut|schalt|schalte|schaltet|schalten|dreh|drehe|dreht|drehen|stell|stelle|stellst|stellen|mach|mache|machst|machen|knips|schaltest|schaltst|drehst`},
	{going, `go|goes|come|comes|komm|geht|gehen|going`},
	{to, `to|on|onto|into|at|in|auf|zu|aufs|zur|is on|ins`},
	{on, `on|in|an|ein|dabei|dazu|online`},
	{off, `off|aus|ab|weg|runter von|away|kill`},
	{up, `up|higher|hoch|rauf|herauf|hinauf|höher|nach oben|upwards|an|upstairs`},
	{down, `down|lower|runter|herunter|hinunter|herab|tiefer|niedriger|nach unten|downwards|ab`},
	{not, `not|no|don't|do not|never|nicht|kein|keine|keinen|nichts|nix|stop|quit|ohne`},
	{more, `more|another|one more|a single|further|anything|else|further|mehr|weiter|noch|weiteres|einziges|nur|einzigen|else|weiteren`},
	{less, `less|weniger|nicht so viel|not so much`},
	{muting, `muted|silenced|stummgeschaltet|mute|mutes|muting|muten|mut|stumm|lautlos|stummschalten|stummstellen|silent mode|muzzle|redeverbot|maulkorb|stumm (schalten|stellen|machen|setzen)|stumm zu schalten|ruhigstellen|ruhigzustellen|ruhig (stellen|zu stellen)|stumm (gestellt|geschaltet)`},
	{lifting, `lift|remove|undo|end|drop|release|heb|hebe|hebt|aufheben|beende|beenden|nimm|raus|aufhören|zurücknehmen|rausnehmen`},
	{unmuting, `unmute|unmuting|unsilence|unpause|un mute|entstummen|entstumme|entmuten|entmute|freischalten|freizuschalten|unmuten`},
	{muting, `stummschaltung|stummheit`},
	{quiet, `quiet|silent|still|mum|zipped|quieter|quietly|ruhig|leise|stad|staad|mucksmäuschenstill|ruhiger|schweigsam|leiser`},
	{hushing, `from (talking|speaking|chattering|saying (anything|any more))|hush|zip|zip zip|shush|shh|shhh|sh|psst|pst|silence|silencing|quieten|quiet|pipe down|simmer down|zip it|zip your lip|zip your lips|zip it up|button it|button your lip|clam up|quiet down|hush up|shut up|shut it|shut your (mouth|trap|face|gob|pie hole|hole|yap)|put a sock in it|put a cork in it|stick a sock in it|knock it off|cut it out|give it a rest|give us some quiet|give me (some|a moment of|a minute of|) (quiet|silence|peace)|bite your tongue|keep it (down|zipped|shut)|hold it|can it|cork it|rest your voice|stand by|stay out of it|be done
		|ruhe|ruh|ruhe im karton|stille|stillschweigen|schweig|schweige|schweigt|schweigen|zu schweigen|verstumm|verstumme|verstummt|verstummen|klappe|schnauze|sendepause|funkstille|ruhepause|gib ruhe|gebt ruhe|ruhe geben|halt still|haltet still|stillhalten|haltet euch still|die luft an|luft anhalten|halt die luft an|sich zurückhalten|halt dich zurück|haltet euch zurück|zurückhalten|pssst|schsch`},
	{pausing, `pause|pausing|pausieren|timeout|pausiere|pausiert|sendepause`},
	{freezing, `freeze|freezing|einfrieren|halt|stopp|stop|anhalten|stoppen|halten an|cut`},
	{stopping, `stop|stopping|quit|cease|stopp|stoppt|aufhören|hör auf|hört auf|höre auf|hören auf|auf zu hören|hör mal auf|hört mal auf|hört jetzt auf|hört bitte auf|hört auf damit|enough|done|schluss|genug|reicht|that'll do|schluss jetzt|aufhör`},
	{stopping, `enough|genug|schluss|reicht|es reicht|das reicht|that's enough|that is enough|that will do|that'll do|had enough`},
	{talking, `talking|speaking|chattering|babbling|yapping|rambling|chatting|chatter|talk|speech|blabbing|jabbering|waffling|gabbing|noise|(zu|mit dem|mit|das|dem|) (reden|sprechen|gerede|quatschen|labern|plappern|gequatsche|gelaber|quasseln|gequassel|schwatzen|plaudern|schwätzen|geschwätz)|geredet|gequatscht|gesprochen|gelabert|damit`},
	{speaking, `speak|talk|chime in|join in|have a say|have the floor|talk now|be heard|speaking|talking|answer|reden|sprechen|mitreden|mitsprechen|weiterreden|weitersprechen|loslegen|antworten|quatschen|plaudern|mitspielen|mitmachen|was sagen|etwas sagen|den mund aufmachen|open (his|her|their|your) mouth`},
	{utterance, `lines|talk|chatter|word|words|peep|sound|wort|mucks|ton|laut|pieps|silbe|syllable|red|rede|redet|reden|sprich|sprecht|sprechen|hear|hören`},
	{uttering, `say|speak|utter|sag|sage|sagt|sagen`},
	{hearing, `hör|hört|höre|hören`},
	{0, `weiter so|back off|say no more|say when|sag nichts|sagt nichts`},
	{holding, `hold|shut|keep|halt|halte|haltet|halten|hält|hältst|zu|zumachen|zuhalten`},
	{mouth, `mouth|tongue|trap|gob|lips|face|mund|klappe|rand|schnabel|maul|schnauze|fresse|goschn|gosche|goschen|babbel|sabbel|mäuler`},
	{shutting, `shut`},
	{voice, `voice|voices|microphone|mic|mike|sound|audio|volume|stimme|stimmen|ton|mikro|mikrofon|sound|saft`},
	{giving, `give|hand|restore|gib|gebt|geben|bring|has|have|hat|habt|haben|kriegt|bekommt|hast|return|get|gets`},
	{unmuting, `einschalten|anschalten|laut (schalten|stellen|machen)|wieder (frei|laut)|frei schalten`},
	{loud, `laut|hörbar|frei|audible`},
	{resuming, `go again|run again|laufen lassen|laufenlassen|continue|continue (talking|speaking)|resume|proceed|go on|go on (talking|speaking)|carry on|carrying on|carry on (talking|speaking)|keep (going|talking|speaking)|move on|off you go|as you were|start talking|(pick|picks) (it|) up where (you|he|she|they|we) left off|where (you|he|she|they|we) left off|go ahead|go for it|pick it up where you left off|where you left off|back to it|you're back on|back in|play on|and action
		|weiter|weiter geht's|weiter gehts|weiter im text|es geht weiter|geht weiter|geht's weiter|weitermachen|weiterreden|weitersprechen|weiterspielen|fortfahren|fortsetzen|mach weiter|macht weiter|machen (wir|) weiter|machen sie weiter|red weiter|rede weiter|redet weiter|sprich weiter|sprecht weiter|sprechen weiter|reden weiter|fahr fort|fahre fort|fahrt fort|fahren fort|spielt weiter|weitermacht|weiterredet|weiterspricht|legt (wieder|) los|loslegen|los geht's|es kann weitergehen|kann weitergehen|weitergehen`},
	{starting, `start|begin|anfangen`},
	{thinking, `think|thinking|ponder|consider|reflect|thought|denk|denke|denkt|denken|nach|nachdenken|nachzudenken|nachdenkt|überleg|überlege|überlegt|überlegen|zu überlegen|zu denken|grübeln|reply|answer|respond|answers|brain|work`},
	{answering, `answer|answers|reply|respond|react|talk|be|speak|think|work|antworte|antwortet|antworten|reagier|reagiere|reagieren|reagiert|denk|denken|denkt|überlegen|nachdenken|überleg|reden`},
	{carefully, `carefully|hard|deeply|thoroughly|properly|longer|harder|deeper|slowly|long|more|over|through|twice|long and hard|well|more (carefully|deeply|thoroughly|slowly)|before you (answer|speak|reply)|some thought|some serious thought|serious thought|genau|gründlich|gründlicher|sorgfältig|sorgfältiger|scharf|lang|lange|länger|tief|tiefer|intensiv|intensiver|ruhe|in ruhe|besser|genauer|gut|mehr|ordentlich|nochmal|zweimal|ausführlich|a good think|proper think`},
	{pondering, `(take|use) (your|his|her|some|more|some more|all the|plenty of|a little more|as much) time (as you need|you need|you like|)|(take|use) (your|) time to (think|answer|reply)|(nimm|lass) dir (ruhig|mehr|etwas mehr|die|alle|) zeit|(nehmt|lasst) euch (ruhig|mehr|) zeit|take as long as you need|take all the time you need|no rush|don't rush (it|your answer|the answer|)|be more (thoughtful|thorough)|use your (brain|head)|streng dein hirn an`},
	{time, `time|zeit|bedenkzeit|thinking time|thought|denkzeit`},
	{giving, `nimmt|nehmen|lässt|allow|grant|gönn|gönne|lassen|lass|let|take`},
	{faster, `faster|quicker|snappier|quickly|speedier|short|shorter|schneller|flotter|zügiger|kürzer|weniger|less|weniger lange|fixer|rascher`},
	{slowly, `so long|that long|so hard|that hard|so much|that much|too long|so deeply|so lange|so gründlich|so viel|so lang|so tief|zu lange`},
	{faster, `speed up|hurry up|step on it|speed (it|things) up|beeil dich|gib gas|gas geben|mach (mal|) hinne`},
	{raising, `raised|bumped up|raise|raising|upgrade|increase|hochstufen|höherstufen|heraufstufen|raufstufen|hochsetzen|raufsetzen|hochschrauben|hochdrehen|anheben|heb|hebe|heraufsetzen|hochschalten|hochzustufen|boost|stufe hoch|stuf hoch|bump up|dial up|crank up|stufe rauf|aufdrehen|hochfahren`},
	{lowering, `lowered|dropped|zurückzunehmen|zurücknehmen|lower|lowering|downgrade|reduce|drop|decrease|runterstufen|herunterstufen|zurückstufen|herabstufen|abstufen|tieferstufen|runtersetzen|herabsetzen|herunternehmen|runterschalten|herunterschalten|senk|senke|senken|absenken|runterdrehen|runterfahren|dial down|bump down|knock down|stufe runter|stuf runter|stuf ab|stuf zurück`},
	{raising | lowering, `stufe|stuf|stufen|schalt|schalte|schalten`},
	{step, `tier|level|notch|step|stufe|gang|stufen|thinking|mode|modus`},
	{number, `one|a|two|1|eine|um eine|ein|einen|eins|um eins`},
	{tier, `fast|quick|quickest|fastest|schnell|flink|schnelle|schnellen|flott|schnellste|standard|normal|normale|normalen|default|careful|sorgfältig|sorgfältige|sorgfältigen|überlegt|deep|deepest|thoughtful|thorough|tief|tiefe|tiefen|tiefste|gründlich|gründliche|gründlichen|nachdenklich|gründlichste`},
	{degree, `smarter|more thoughtful|more thorough|more careful|cleverer|klüger|schlauer|gründlicher|sorgfältiger|thoughtful|careful|thorough|quick`},
	{ending, `end|ending|stop|close|closing|finish|finishing|conclude|terminate|wrap up|wrapping up|wrap|close out|close down|finish up|shut down|shut it down|quit|kill|leave|bring|stopping|log|over and out|to an end|to a close|out|up|close up|finish off|end it|beende|beendet|beenden|zu beenden|stopp|schließ|schließe|schließt|schließen|abschließen|zumachen|abbrechen|zu ende bringen|mach zu|mach dicht|dichtmachen|mach|macht|machen|zu|dicht|schluss|ende|feierabend|aus|ausmachen|abschalten|enden|ab|call`},
	{ending, `for (today|tonight|this evening|the night|the day)|here|für heute|heute|hier|today's|tonight's|heutige|die heutige|diese|unsere|today|tonight`},
	{ourselves, `we can|we will|we'll|we|wir|i|ich würde|ich möchte|ich will`},
	{session, `session|sessions|sitzung|the session|die sitzung|die session|spielsitzung|recording|aufnahme`},
	{over, `over|ended|closed|finished|done|at an end|beendet|ende|zu ende|geschlossen|vorbei|aus|end|fertig|rum`},
	{is, `we're|we are|are we|sind wir|wir sind`},
	{parting, `(that's|that is|that was|that'll be|that will be|) (it|all|a wrap|us|us done) (from me|folks|everyone|) for (tonight|today|this evening)|that's a wrap|call it (a night|a day)|(we're|we are|i'm|that's us) (done|finished) for (tonight|today|the night|the day)|(wrap|finish|call|leave|end) (it|things|) (up|) (for|) (tonight|today)|(stop|end|finish|leave it) (here|there) for (tonight|today)|wrap (it|things|) up|end (the|our|this) (game|evening|game night)|close it up for (tonight|today)
		|(schluss|feierabend|ende|aus) (für|) heute|das (war's|wars|war es) (dann|) (für|) (heute|heute abend)|(wir machen|machen wir|mach|macht) (jetzt|) (für|) heute (schluss|feierabend|zu)|(wir machen|machen wir|mach|macht) (schluss|feierabend) (für|) heute|(für|) heute (schluss|feierabend) machen|(wir hören|hören wir) (für|) heute auf|(für|) heute (aufhören|schluss|ist schluss)|(wir sind|sind wir) (für|) heute (fertig|durch)|(beende|beenden wir) (das spiel|den abend|den spielabend|die runde)|(das spiel|den abend|den spielabend|die runde) beenden|(es|) reicht für heute|(lass|lasst) uns aufhören für heute|aufhören für heute|wir hören auf für heute`},
	{all, `all|everybody|everyone|npcs|npc|nscs|nsc|characters|figuren|charaktere|alle|allen|ihr alle|euch alle|you all|all of you|the lot of you|you lot|lot|every|each|allesamt|alle zusammen|alle miteinander|sämtliche|meine|both|the rest|whole|cast|bunch`},
	{telling, `schweigt|schweigen|verstummt|verstummen|verstumme|bleibt|macht|machen|redet|reden|spricht|sprechen|sagt|hört|hören|hört auf|hören auf|denkt|überlegt|antwortet|fahren|hält|halten|geht|goes|mutes|wird|werden|antworten|läuft|kommt`},
}
