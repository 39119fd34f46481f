package address

import "strings"

// class is the set of roles that a word can have in an utterance.
type class uint32

const (
	opener    class = 1 << iota // may precede a name that is called: "hey", "na"
	hail                        // an opener after which a name is always a call: "hey"
	honorific                   // belongs to a name: "master", "dear", "lieber"
	title                       // names its bearer only as a form of address: "captain"
	article                     // makes a name a common noun: "a rose"
	about                       // follows a name in a sentence about its bearer
	you                         // addresses someone
	question                    // begins a question
	asking                      // a question word that is not a verb: "what"
	crowd                       // calls everyone: "folks", "zusammen"
	tail                        // may precede a name at the end of a clause: "thanks Bart"
	trailer                     // may follow a name that is called: "my friend", "bitte"
	joins                       // joins names: "and"
	common                      // an everyday word that is never a misheard name
	sound                       // not a word: "mhm"
	queries                     // a sound that asks if a question mark follows: "huh?"
	noise                       // a transcriber's note on a sound: "laughter"
	subject                     // the speaker: "I", "wir"
	says                        // verbs with which a speaker addresses someone: "ask", "gehe"
	onTheWay                    // may be between the speaker and the name: "over", "to", "dem"
	part                        // a word in names that alone names no one: "the", "von"
)

// lexicon maps the words of a language to their classes.
type lexicon map[string]class

// with is a class and its words, separated by white space.
type with struct {
	class class
	words string
}

func newLexicon(lists []with) lexicon {
	l := lexicon{}
	for _, list := range lists {
		for _, word := range strings.Fields(list.words) {
			l[word] |= list.class
		}
	}
	return l
}

// lexicaOf returns the lexica of the languages, and whether German is among them.
func lexicaOf(languages []string) (ls []lexicon, hasGerman bool) {
	if len(languages) == 0 {
		languages = []string{"en", "de"}
	}
	var hasEnglish bool
	for _, l := range languages {
		base, _, _ := strings.Cut(strings.ToLower(l), "-")
		switch {
		case base == "en" && !hasEnglish:
			hasEnglish = true
			ls = append(ls, english)
		case base == "de" && !hasGerman:
			hasGerman = true
			ls = append(ls, german)
		}
	}
	return ls, hasGerman
}

// class returns the classes of a word in the languages of the table.
func (s *Snapshot) class(word string) class {
	var c class
	for _, l := range s.lexica {
		c |= l[word]
	}
	return c
}

// The lists were compiled by hand. Words that are irrelevant to the decision are in none of them, or in
// common.
var (
	english = newLexicon([]with{
		{hail, `hey hi hello ahoy yo oi psst evening morning afternoon greetings`},
		{opener, `hey hi hello yo oi psst shh oh ah ok okay so well and now please dear good thanks thank you yes no nope yeah yep but
			morning evening afternoon night excuse me sorry listen look wait stop come on there right sure
			greetings welcome hail ahoy aye um uh hmm er alright then just also too um`},
		{honorific, `master mistress mister mr mrs miss sir lady lord madam dame brother sister father mother captain
			king queen prince princess doctor good old young dear my our fair noble great wise`},
		{title, `captain lady lord sir master mistress king queen prince princess father mother brother sister doctor
			sergeant major general commander ladyship lordship majesty highness baron baroness duke duchess count countess priest priestess`},
		{article, `a an the this that these those some any every no his her their its my your our each another`},
		{part, `the of and a an old young von`},
		{about, `is was isn't wasn't has hasn't had says said does doesn't did didn't would could might may must should
			seems seemed knows knew wants wanted told asked and or went came gave took got left thinks thought looks
			looked himself herself again yesterday will won't can't cannot keeps kept made makes
			lied lies stole ran walked sat stood spoke died`},
		{you, `you your yours you're you've you'd you'll y'all yourself yourselves thee thou thy ye`},
		{question, `who what where when why how which whose is are was were do does did can could has have will would
			whats whos wheres hows whens whys`},
		{asking, `what where when why how which whose whats wheres whens whys hows what's where's how's`},
		{crowd, `everyone everybody folks gentlemen ladies friends people all guys lads comrades`},
		{tail, `there please you me us now then again today here so too right ok okay thanks hey hi hello oh yes no
			morning evening night well sure aye sorry alright up listen goodbye bye welcome dear yeah indeed it`},
		{trailer, `please friend mate dear buddy darling love pal my old good sir`},
		{joins, `and or`},
		{sound, `hm mhm mh mm m hmhm uh uhuh uhhuh huh um umm er erm ah ahh aha oh ooh o eh ugh argh pf pff pft psh phew hmph hmpf
			tsk uhm mhmm ha heh`},
		{queries, `huh eh hm what`},
		{noise, `laughter laughs laughing laugh coughs coughing cough sighs sigh sighing silence music applause noise
			inaudible background blank audio blank_audio breathing sneezes clears throat speaking`},
		{subject, `i i'd i'll we we'd we'll`},
		{says, `ask tell turn walk go head talk speak whisper shout say nod wave address approach greet thank call yell beckon look glance smile
			face`},
		{onTheWay, `like want need to would will just then now over up and at the quietly with back towards toward both
			slowly quickly good directly out`},
		{common, `about above across after against all almost alone along already although always an another any anyone anything
			are arm arms army around arrow ask away axe back bad bag bar bard barely bark barrel barter bath beard bear
			beat bed beer before behind below best better between big bird bit black blade blood blue board body boat bone
			book both bottle bow box boy bread break bring broken build burn but button buy by cake call camp can careful
			carry cart castle cat cave chance change charge chart check church city clear clearly close cloak coin cold
			come could count course court cover crazy cut damn dance danger dark day dead deal death deep definitely did
			die different dinner do dog done door down dragon dragons draw dream drink drop each early earth easy eat
			either else empty enemy enough even ever every exactly except eye face fact fair faith fall far fast father
			fear few fight find fine finch fire first fish five fly follow food foot for forest forget four free fresh
			friday from front full fun game gate get girl give glad go god gold gone got grand grass grave gray great
			greater grey green ground group guard guards guess half hall hand happy hard hardly have head hear heart heat
			heavy hell help her here hide high hill him his hit hold hole home honestly hope horse hot hour house how huge
			human hunter hurry hurt ice idea if ill in indeed inn inside instead interesting into iron it just keep key
			kill kind king knife know land large last late later laugh law lead leave left leg less let letter life light
			like line listen little live long look lord lose lost lot loud love luck lucky mad magic make man many map
			marker market master matter may maybe me mean meat meet men mercy middle might milk mill mind mine mirror
			mistake monday monster month moon more morning most mother mountain mouth move much must my name near nearly
			neck need never new next nice night nine nobody none nonsense nor north not nothing now of off oh old on once
			one only open or order other our out over pack paper part party pass past path pay people perfect perhaps
			piece place plan play plenty point poor potion power present pretty probably pull push put quick quickly quiet
			quill quite rain ran rat rather read ready real really red remember rest return rich ride right ring river
			road rock roll room rope rose round run rush sad safe sage said same save say school sea second secret see
			seems sell send set seven shadow shall share sharp she ship shit shoot shop short should shout show shut sick
			side silence silver simple since sing sit six skin sky sleep slow slowly small smell smoke snow so soft some
			someone something soon sorry sort soul sound south speak spell spirit stand star start stay steal step still
			stone stop store storm story strange street strong stuff such suddenly sun sunday sure surely sword table
			take talk tea tell ten than that the their them then there these they thing think this those three through
			throw time tired to today together told tomorrow tonight too tower town trap treasure tree true trust truth
			try turn two ugly uncle under understood until up us use usually very wait wake walk wall want war warm watch
			water way we weapon weather week well were west wet what whatever when where which white who why wife wild
			will wind wine winter wise with without wizard woman wood word work world worse worst would wow wrong year write written writing message stable voice color colour mark number list name names player level damage attack
			armor armour shield saving throw roll rolls initiative check perception stealth spell slot bonus action reaction
			yes yesterday yet young agreed anyway actually basically obviously seriously literally apparently luckily
			sadly finally later sometimes somehow meanwhile first second third cheers hello hey hi mister thanks no yeah
			brother sister uncle aunt man boys girls mayor doctor okay alright i've i'm i'll we've we're we'll you've don't doesn't didn't isn't wasn't aren't can't couldn't wouldn't won't
			haven't hasn't that's it's there's what's let's gonna wanna gotta got getting going doing being having making taking looking saying thinking feels felt seen done been gone made took
			came knew heard thought brought bought caught held kept left lost meant paid said sent sold stood stuck tried used weird creepy funny guys dude lol kinda sorta both another everybody everything
			nothing anything someone somebody somewhere anywhere nowhere always never usually once twice thing things stuff way ways time times day days`},
	})

	german = newLexicon([]with{
		{hail, `hey hallo he heda moin servus abend grüß`},
		{opener, `hallo he hey und also na bitte danke ja nein doch guten gute guter tag morgen abend nacht ach oh ah moin
			servus grüß dich euch gott du ihr sie sag sagt mal hör hört komm schon so nun gut entschuldigung
			verzeihung verzeiht willkommen heda jawohl tja äh ähm öhm jetzt aber los schau warte halt stopp nur`},
		{honorific, `herr herrn frau fräulein meister meisterin lieber liebe liebster liebste guter gute werter werte alter
			alte edler edle mein meine unser unsere junger junge hauptmann schwester bruder vater mutter doktor könig
			königin verehrter verehrte ehrwürdiger ehrwürdige weiser großer`},
		{title, `herr frau meister meisterin hauptmann kapitän schwester bruder vater mutter doktor könig königin prinz
			prinzessin priester priesterin kommandant majestät hoheit durchlaucht käpten käptn kapitän kanzler graf gräfin fürst fürstin baron baronin`},
		{article, `nem nen ner ne der die das den dem des ein eine einen einem einer eines kein keine keinen dieser diese dieses diesen mein
			meine meinen meinem meiner dein deine deinen sein seine seinen ihr ihre ihren unser unsere unseren jeder
			jeden langen langer grauer grauen vom zum zur beim im am`},
		{part, `der die das den dem von vom und zu zum zur alte alter alten junge junger`},
		{about, `ist war wäre hat hatte sagt sagte wird würde kann konnte will wollte weiß wusste und oder der die das dem den
			soll sollte muss musste mag darf lügt geht ging kommt kam gibt gab steht stand sitzt saß macht machte
			scheint wirkt sieht meint meinte glaubt kennt kannte heißt wohnt lebt schläft trinkt verkauft bleibt
			erzählt erzählte nimmt nahm ließ lässt braucht hasst liebt selbst nicht auch verschwand redet`},
		{you, `du dir dich dein deine deinen deinem deiner deines ihr euch euer eure euren eurem eurer ihnen`},
		{question, `wer was wo wann warum wieso weshalb wie woher wohin welcher welche welches wen wem wessen ist sind hat
			haben kann können weiß gibt`},
		{asking, `wo wann warum wieso weshalb wie woher wohin welcher welche welches`},
		{crowd, `alle leute zusammen allerseits freunde herrschaften männer kameraden gefährten jungs mädels herren damen`},
		{tail, `bitte danke du dich dir euch mal jetzt denn doch hier dann heute schon morgen abend tag hallo ja nein moin
			servus nacht noch na so gut ihr also leb wohl mir uns`},
		{trailer, `bitte mein meine freund freundin liebe lieber alter alte guter gute freundchen schatz`},
		{joins, `und oder`},
		{sound, `hm mhm mh äh ähm öhm öh hä aha ah ach oh oha ohje uff puh pf hmpf hmhm naja ä ö ha`},
		{queries, `hä hm`},
		{noise, `gelächter lacht lachen lachend hustet husten seufzt seufzen stille musik applaus räuspert sich räuspern
			geräusch geräusche rauschen unverständlich niest`},
		{subject, `ich wir`},
		{says, `frage fragen frag gehe geh gehen wende wenden spreche sprechen rede reden rufe rufen flüstere flüstern sage
			sagen schaue schauen winke winken danke danken grüße nicke möchte möchten nähere`},
		{onTheWay, `mich mir uns an am zu zum zur bei mit den dem der die direkt mal dann nun jetzt und leise zurück rüber
			hinüber gern gerne noch einmal kurz`},
		{common, `aber acht alle allein alles als also alt am andere anders angst arm auch auf auge aus bald bär baum
			beide bein bereit berg besser besten bestimmt bier bild bis bisschen blatt blut boden bogen brauche bring brot
			brücke buch da dabei dafür dahin damals damit danach dann darf darum das dass dein den denn der deshalb dick
			die dieb diese dieser doch dolch dorf dort drache drei drossel drüben dunkel durch dumm ein einfach eins
			endlich ende er erde erst essen etwas euer falke fall falls falsch fast feind feuer finger finster fisch
			fleisch flucht fluss folgt frage frau frei freund früh fünf für ganz garten geduld gefahr gegen geh gehen geht
			geist geld genau genug gern gerne geschichte gestern gewiss gib glaube gleich glück gold gott grab grau grob
			groß gut haare halb halt hand hart hätte haus heilig heiß helm her herr herz heute hey hier hilfe himmel hin
			hinten hinter hoch hör hose hund ich idee ihr immer in ist ja jahr jawohl jeder jemand jetzt jung kalt kampf
			kannst karte kasse katze kein keine kerl kind klar klein kommt könig kopf köhler krank kraut krieg kurz lang
			langsam lass lauf laut leben leer leicht leider leise leute licht lieb liebe los luft macht magie mal man mann
			mantel markt mauer mehr mein meine meinst messer mich milch mir mit mond moment morgen müde mund musik muss
			mut nach nacht nah name natürlich nebel nehmen nein neu neun nicht nichts nie niemals nix niemand nimm noch nord
			nun nur oben oder offen oft ohne ort otter pech pferd plan platz plötzlich quatsch rad rat rauch raus recht
			rechts rede regen reich rein reiter ring ritter rose rosen rot ruhe ruhig rund sag sage sagt satt schade
			schatten schatz schau schiff schild schlaf schlecht schloss schnee schnell schon schön schwarz schwer schwert
			schwester sechs see sehr sei seid seit seite selbst sicher sie sieben sieh silber sofort soll sondern sonne
			sonst spät stadt stark statt stein stern still stimmt stopp straße suche süd tag tanz tee teil teuer tief tier
			tisch tod toll tor tot traum treppe trotzdem tür turm über übrigens uhr um und unten unter verdammt
			versprochen viel vielleicht vier vogel voll vom von vor vorn vorsicht waffe wahr wald wand wann warm warte
			wartet warum was wasser weg weil wein weiß weiter welche welt wem wenig wenn wer werk wetter wichtig wie
			wieder wild will wind winter wir wirklich wirt wo woche wohin wohl wolf wort wunde wunder wunderbar würfel
			wurst wut zahl zehn zeit zelt zu zug zum zurück zusammen zwei zwerg schaden angriff rüstung stufe zauber probe bonus aktion reaktion wahrnehmung ernsthaft ehrlich eigentlich jedenfalls
			ehrlichgesagt offenbar angeblich zuerst zuletzt schließlich außerdem hab habe hast habt hätt hätte hätten wär wären wärst würd würde würden könnt könnte
			konnte konnten wollt wollte wollten sollt sollte muss musst musste darf durfte kriegt kriegen steht stehen liegt liegen sitzt sitzen geh gehst mach machst machen nimm nimmt
			nehm nehme sagen gesagt sehen seh gesehen hören gehört wissen gewusst glauben denk denke denkst find finde findest finden fragt fragen gefragt kam kommen gekommen waren war
			gewesen bin bist wird werden worden bleib bleibt bleiben lass lassen zeig zeigt gib geben gegeben stell stellt leg legt setz setzt hol holt bringt bringen trag trägt heut
			gerade grade eben schonmal nochmal irgendwas irgendwer irgendwie irgendwo manchmal immerhin sowieso trotzdem deswegen dazu davon darauf drauf drin rein runter rauf rüber
			unser unsere eure deine meine seine ihre beiden beide einige mehrere paar ganze ganzen nächste nächsten letzte letzten erste ersten zweite dritte neue neuen alte alten gute guten
			schlechte große großen kleine kleinen lange kurze gruselig komisch lustig seltsam merkwürdig toll super krass geil mist egal okay jo joa`},
	})
)
