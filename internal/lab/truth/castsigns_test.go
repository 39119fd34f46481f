package truth

import (
	"regexp"
	"strings"
)

// newSign makes a sign of word beginnings.
func newSign(en, de string) sign {
	make := func(list string) *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[^\p{L}])(?:` + strings.ReplaceAll(list, "; ", "|") + `)`)
	}
	return sign{"en": make(en), "de": make(de)}
}

var (
	// clueless answers do not know.
	clueless = newSign(
		`(?:do not|don't|cannot|can't|could not|couldn't|did not|didn't) (?:know|say|tell you|remember|recall); dunno; no idea; know nothing; nothing (?:of|about) (?:that|it); beats me; never heard; more than i know; is blank to me; no record; no report; i find nothing; nobody tells me; no one has told; not a whisper; if i knew; was never told; know (?:of )?(?:no|nothing); the page where; (?:who|what) (?:is|are|was) that; i could guess; not (?:that )?i know`,
		`.*weiß ich (?:leider )?(?:nichts|nicht); .*ich (?:leider )?(?:nichts|nicht); keine ahnung; überfragt; mehr,? als ich weiß; nie gehört; davon hat mir; kann ich (?:dir|euch|ihnen)? ?nicht; dazu kann ich nichts; müsst ihr .* fragen; kein eintrag`)
	// declining answers refuse, or change the subject.
	declining = newSign(
		`no[.,!]; not (?:tonight|here|for|your|tell|a word|mine|every); never; none of your; nobody's; rather not; i would rather; let us talk; let's talk; ask me (?:something|anything) else; ask again; something else; business; corked; sealed; promised; i gave my word; nothing (?:i|to say|more); nope; you'd only; hearsay; can't make me; would not; won't; i prefer; leave (?:it|that) (?:be|alone); enough of; drop it; my dear; another drink; have (?:a|an|some|another) ; keep (?:that|it) to; between (?:me|the); no comment; who told you; why do you ask; change the subject; speaking of; what a question; mind your own`,
		`nein; darüber (?:red|sprech|sag|schweig); dazu sage; sage ich nichts; lieber nicht; nichts an; etwas anderes; was anderes; von etwas anderem; geht (?:niemand|euch|dich|sie|keinen)[a-z]* (?:etwas|nichts|was)?; bleibt (?:in|bei|unter|hier); versprochen; nicht hier; nicht heute; kein wort; schweige; versiegelt; frag (?:nicht|lieber); fragt (?:nicht|lieber); mein wort; nehmt (?:noch|lieber); trink (?:noch|lieber); lass (?:das|es); lasst (?:das|es); wachsache; sache der wache; wer hat (?:euch|dir|ihnen); warum (?:fragt|fragst|wollt|willst); hörensagen; verkorkt; apropos; reden wir; genug davon; zu (?:neugierig|viel gefragt); meine lieb`)

	firstPerson = newSign(`i; i'm; i've; me; my; mine; we; us; our`, `ich; mein; mir; mich; wir; uns; bin`)

	diceTalk     = regexp.MustCompile(`roll(?:ed|s)?[^\p{L}]|dice|die (?:shows|says|lands)|d\d+|würf|gewürfelt|augen`)
	rolledNumber = regexp.MustCompile(`\d+|\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig)\b`)
	memoryClaim  = regexp.MustCompile(`i remember|i recall|you (?:said|told|mentioned)|in my notes|i never forget|last time you|erinnere mich|weiß ich noch|ihr habt (?:mir )?(?:doch )?(?:gesagt|erzählt)|das habt ihr|du hast (?:mir )?(?:gesagt|erzählt)|beim letzten mal (?:habt|hast|war)`)
	negation     = regexp.MustCompile(`\b(?:not|no|nothing|never|none|nobody|nicht|nichts|kein\w*|nie|niemand\w*)\b|n't`)
)

// signs match answers that serve an intent.
var signs = map[string]sign{
	"greet": newSign(
		`hello; hi[^\p{L}]; hey; good (?:day|morning|evening|afternoon|to see); evening; morning; welcome; greetings; well met; come in; glad (?:you|to); pleased to; how good of you; sit (?:down|anywhere); do sit; there you are; visitors; at your service; at last`,
		`hallo; hall[öo]chen; grüß; gegrüßt; guten? (?:tag|morgen|abend); tag[ ,.!]; willkommen; herein; rein mit; nur rein; setzt? (?:euch|dich); schön,? (?:dich|euch|sie|dass); servus; moin; abend[,.!]; morgen[,.!]; zu diensten; da seid ihr; da bist du; besuch`),
	"farewell": newSign(
		`good-?bye; farewell; bye; until; see you; take care; good (?:night|day|luck); safe; come (?:back|again); do come; go (?:carefully|well|safely|with); mind (?:the|how); off so soon; dismissed; stay (?:out|safe|on); godspeed; race you; road; close the door; home`,
		`leb(?:t|en sie)? ?wohl; bis (?:zum|bald|dann|morgen|später|demnächst|zur); auf wieder; gute (?:nacht|reise|heimreise); guten heimweg; mach'?s gut; macht'?s gut; kommt? (?:gut|bald|wieder|heil); pfiat; tschüss; gehab; pass(?:t)? auf; schlaf; wegtreten; gib acht; gebt acht; adieu; servus; geht (?:mit|vorsichtig)`),
	"thanks": newSign(
		`welcome; don't (?:mention|thank|apologi); gladly; no (?:harm|need|offen|matter|trouble); nothing; pleasure; forgiv; forgotten; forget; any ?time; of course; accepted; all right; never mind; glad; think nothing; it's fine; happens; you're (?:kind|sweet); how (?:kind|gracious|courteous); keep it; granted; done my; least i`,
		`gern; keine ursache; nichts zu; bitte; schon (?:gut|vergessen|verziehen); vergessen; macht nichts; kein (?:problem|grund|dank); nicht der rede; vergeben; verziehen; angenommen; vergnügen; passt schon; nichts passiert; freut mich; wie (?:freundlich|aufmerksam|lieb); dafür nicht; geschenkt; schwamm drüber`),
	"introduce": newSign(
		`pleas; nice to; good to (?:know|meet); name; what brings; who; so you; remember that; you (?:look|sound|have|carry)`,
		`freut; angenehm; erfreut; gut zu wissen; name; was (?:führt|bringt|treibt); so,? so; ihr seht; du siehst; kennenzulernen; woher; ihr seid also; du bist also`),
	"smalltalk": newSign(
		`fog; weather; night; day; week; month; morning; evening; business; trade; cold; warm; quiet; busy; tired; well enough; fine; good[,.]; worse; better; complain; autumn; winter; damp; dust; rain; harvest; dough; horse; mare; boots; house; stars; pear; brandy; cellar; guests; tooth; sleep; crypt; candle; feet; oven; stairs; knees; hungry; frost`,
		`nebel; wetter; nacht; tag; woche; morgen; abend; geschäft; kalt; warm; ruhig; viel los; müde; gut genug; schlecht; besser; klagen; herbst; winter; feucht; staub; regen; ernte; teig; pferd; stute; stiefel; haus; sterne; birnen; schnaps; keller; gäste; zahn; schlaf; gruft; kerze; füße; ofen; stufe; knie; hunger; frost; leute`),
	"rumour": newSign(
		`they (?:say|whisper|talk); heard; hear; rumou?r; news; word; folk; people; whisper; gossip; no tales; nothing new; bell; miller; forgot; forget; missing; vanish; story goes`,
		`man (?:sagt|erzählt|munkelt|hört|redet); es heißt; gehört; gerücht; neues; neuigkeit; erzählt; munkel; tratsch; klatsch; glocke; müller; verschwunden; vergess; leute; nichts neues; geredet`),
	"drink": newSign(
		`ale; beer; wine; brandy; cup; mug; drink; pour; water; tea[^\p{L}]; tap; tavern; flagon; cider; milk; cask; glass; thirst; perry; tankard`,
		`bier; wein; schnaps; brand; becher; krug; trink; trunk; schenk; wasser; tee; zapf; schänke; flagon; most; milch; fass; glas; durst; getränk; humpen; prost`),
	"food": newSign(
		`pie; bread; bun; roll; loaf; cake; stew; soup; eat; food; meal; bakery; kitchen; plate; hungry; cheese; apple; pear; honey; oven; feed; bowl; crumb`,
		`pastete; kuchen; brot; semmel; wecken; hörnchen; laib; eintopf; suppe; ess; speis; mahl; bäckerei; küche; teller; hunger; käse; apfel; äpfel; birne; honig; ofen; satt; schüssel; krümel; zwiebelpastete; pflaumenkuchen; roggenbrot; gebäck; brezel`),
	"lodging": newSign(`bed; room; hay; loft; sleep; tavern; flagon; inn[^\p{L}]; beds; roof; stay; cell; night`, `bett; zimmer; heu; schlaf; schänke; flagon; gasthaus; kammer; dach; nacht; zelle; stroh; unterkunft`),
	"price": newSign(
		`(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty|half a|a single|a) (?:\w+ )?(?:copper|silver|gold|coin|penn|apple|bun|honey|ride)[^.]*; free; on the house; no (?:price|reward|charge|fee|coin|pay); not for sale; ask (?:the|whoever|wilhelmina|bartok|captain|lady|at|frau); costs? (?:you )?(?:nothing|no); whoever sells; nothing[.,!]; what things cost; the (?:watch|lady|village|captain) pays; lady corvane pays; cannot be (?:paid|bought)`,
		`(?:\d+|ein|eine|einen|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|dreißig|fünfzig|halbe[sr]?) (?:\p{L}+ )?(?:kupfer|silber|gold|münz|heller|apfel|äpfel|honig|ritt|wecken)[^.]*; umsonst; aufs haus; gratis; kostenlos; kein(?:en|e)? (?:preis|belohnung|sold|lohn|geld|münz); frag(?:t)? (?:den|die|das|wer|wilhelmina|bartok|in|frau|lady|hauptfrau); kostet (?:\p{L}+ )?nichts; nichts[.,!]; was die dinge kosten; die wache zahlt; lady corvane zahlt; unverkäuflich; nicht zu verkaufen; nicht zu bezahlen`),
	"haggle": newSign(
		`no; not; deal; done; agreed; fair; half; less; more; coin; copper; silver; gold; price; bribe; keep your; offer; for sale; try; bun; apple; sweet; too (?:little|much)`,
		`nein; nicht; abgemacht; einverstanden; gut[,.]; hälfte; weniger; mehr; münz; kupfer; silber; gold; preis; bestech; behalt; angebot; käuflich; versuch; handel; topp; wecken; apfel; zu (?:wenig|viel)`),
	"goods": newSign(
		`sell; sold; buy; bought; sale; here (?:you|they|it); take; wrap; ask; bag; fresh; none; no (?:swords|weapons|potions|shop); lend; copy; borrow; i have; have (?:one|two|a|an|some); smith; buns; rolls; stable; stall; oats; carrot; your horse; the watch`,
		`verkauf; kauf; bitte(?: sehr| schön); hier(?:,| ist| sind| habt); nehmt; nimm; pack; tüte; frisch; keine; leih; abschrift; ich hab; schmied; semmel; stück; stall; hafer; eure pferde; dein pferd; die wache; frag`),
	"way": newSign(
		`lane; road; north; south; east; west; left; right; past; behind; uphill; downhill; hill; gate; follow; green; below; across; ask; path; along; down; up the; over the; bridge; opposite; next (?:to|door); door`,
		`gasse; weg; straße; nord; süd; osten; westen; links; rechts; hinter; vorbei; hinunter; hinauf; runter; rauf; hügel; tor[^\p{L}]; folgt; immer; frag; gegenüber; unter; entlang; geradeaus; drüben; neben; pfad; anger; tür`),
	"work": newSign(
		`work; job; task; find; search; look for; need; pay; reward; hire; help; bring; nothing (?:to|i need); patrol; miller; carry; ask`,
		`arbeit; auftrag; aufgabe; find; such; brauch; zahl; belohnung; hilf; bring; nichts zu tun; streife; müller; trag; frag; stellt euch`),
	"help": newSign(
		`help; need; tell me; what (?:is|happened|do|hurts); where; i (?:can|will|would|could); can't; cannot; not (?:mine|my); try; tea[^\p{L}]; herb; sage; willow; broth; show me; come; sit; stay; ask; bring`,
		`helf; hilf; hilft; brauch; sag; was (?:ist|fehlt|habt); wo[^\p{L}]; ich (?:kann|tue|schick|schau|seh); kann ich nicht; versuch; tee; kraut; kräuter; salbei; weide; brühe; zeig; komm; setz; bleib; frag; bring`),
	"join": newSign(
		`come; go with; going; my place; stay; cannot; can't; not; without me; with you; no[.,!]; yes; leave; needed; knees; bar; too old; allowed; lead; walk`,
		`komm; geh; mein platz; bleib; kann (?:hier |ich |nicht )*; nicht; ohne mich; mit euch; nein; ja[,.!]; verlass; gebraucht; knie; zu alt; darf; führ; begleit`),
	"memory": newSign(
		`.*(?:do not|don't|cannot|can't|no|never|nothing|not) .*(?:remember|recall|met|memory|know|before|kind|that|seen|of you|about you|find|about); nothing; never; first time; new (?:face|to me); who are you; have we met; dunno; we have not; nobody`,
		`.*(?:nicht|nichts|nie|kein|keine|keinen); neue?s? gesicht; zum ersten; erste[sn]? mal; kennen wir uns; wer seid ihr; wer bist du`),
	"notes_read": newSign(
		`.*(?:no|nothing|none|not|don't|do not|can't|cannot|never|blank|empty) ?; nothing; none; there are no; the page is`,
		`.*(?:nicht|nichts|kein|keine|keinen|leer|nie)(?:[^\p{L}]|$); leer`),
	"noted": newSign(
		`.*(?:written|write|wrote|noted|note|down|recorded|record|ink|entered)`,
		`.*(?:aufgeschrieben|schreibe|notiert|notiere|vermerkt|festgehalten|eingetragen|tinte|notiz)`),
	"notes_write": newSign(
		`.*(?:cannot|can't|no (?:pen|ink|paper|notes|book|records)|don't write|do not|don't|keep no|remember it your|neither|ask (?:ysolde|the archivist)|not written)`,
		`.*(?:kann .*nicht|kein|keine|keinen|weder|nicht aufschreib|schreibe nicht|merk(?:t)? (?:es |dir |euch )|frag|nichts auf)`),
	"roll": newSign(
		`no[^\p{L}]; not; don't; do not; never; dice; roll (?:your|it|them); haven't; have no`,
		`nein; nicht; kein; würfl?e?; würfelt selbst; nie; lieber`),
	"wager": newSign(
		`bet; wager; stake; game; play; copper; coin; no[.,!]; not; deal; done; dice; odds; you're on; gambl; lose; win; cards; throw; risk`,
		`wett; einsatz; spiel; kupfer; münz; nein; nicht; topp; abgemacht; würfel; kein; verlier; gewinn; karten; zock; gilt; riskier`),
	"rules": newSign(
		`.*(?:don't know|do not know|no rule|wrong one|know nothing|ask|not my|nothing|never|no such|find no|can't|cannot)`,
		`.*(?:nicht|nichts|kein|keine|frag|falschen|überfragt|nie)`),
	"insult": newSign(
		`rude; manner; ha[.,! ]; laugh; called (?:me )?worse; mind your; words; word; careful; charming; tongue; out[.,!]; mother; insult; that (?:hurt|was|stings|is not); ow; not nice; noted; feelings; and you; you're (?:the|a|mean); mean[.,!]; how (?:dare|original|disappoint|unkind|tired); watch (?:it|your); thank you; say that; one more; pff; at least; i have been; oh[,.!]; uncalled; smell; brave; cry; unworthy; courtes`,
		`unhöflich; benehmen; ha[.,! ]; lach; schon (?:bessere|schlimmer|ärger); achte; acht auf; worte; wort; vorsicht; zunge; raus[.,!]; mutter; beleidig; das (?:war|tut|ist nicht); au[.,!]; gemein; nicht nett; notiert; und (?:du|ihr) ; wie (?:könnt|kannst|originell|reizend|unfein|enttäuschend); pass auf; danke; sag das; noch (?:so ein|einmal); pah; na[,.!]; immerhin; unverschämt; frech; schäm; also wirklich; weh; unnötig; schimpf; mutig`),
	"threat": newSign(
		`not (?:frighten|afraid|scared|impress); you (?:do not|don't) (?:frighten|scare); afraid; fright; careful; put (?:that|it) (?:away|down); threat; worse; try; spears?; watch; cell; dare; scream; help; please; don't; do not; sit down; go ahead; lower; hand; think again; regret; captain; no[.,!]; i have (?:seen|heard|buried); step; bite; enough; consider; brave`,
		`keine angst; angst; vorsicht; lass(?:t)? (?:das|es); leg; droh; schlimmer; versuch; speer; wache; zelle; trau; schrei; hilfe; bitte; nicht; setz; nur zu; hand; überleg; bereu; hauptfrau; nein; ich habe schon; schritt; beiß; genug; schaden; mutig`),
	"joke": newSign(
		`ha[.,! ]; haha; laugh; funny; joke; smile; heard that; good one; jest; groan; grin; because; why (?:did|do|does); what do you; walks? into; punch; knock; who's there; again; hm[.,!]; don't (?:get|know); tell; no idea; very droll; amus; giggle; one copper`,
		`ha[.,! ]; haha; lach; lustig; witz; schmunzel; gehört; gut(?:er|en)[.,! ]; spaß; scherz; grins; weil; warum; was (?:sagt|ist|macht); treffen; kommt ein; wer da; noch (?:einen|mal); hm[.,!]; versteh; erzähl; keine ahnung; köstlich; amüs; kicher`),
	"story": newSign(
		`once; long ago; years ago; there was; story; tale; song; sing; rhyme; when i was; my (?:grand|mother|father|brother); nine went; tell; no; not; legend; winter; night; old`,
		`einmal; einst; vor (?:langer|vielen|hundert|drei|vier); war einmal; geschichte; lied; sing; reim; als ich; mein(?:e|er)? (?:groß|mutter|vater|bruder); neun gingen; erzähl; nein; nicht; kein; legende; winter; nacht; alt`),
	"flirt": newSign(
		`flatter; blush; charm; kind; sweet; thank; oh[,.! ]; ha[,.! ]; stop; silly; eyes; married; heart; marry; too (?:old|young|busy); you (?:need|must|should|say); compliment; nice; ew; yuck; eww; cute; gross; dance; not; no[.,!]; drink; handsome; pretty; work; save; gallant; manners; pass`,
		`schmeich; rot[^\p{L}]; charm; lieb; süß; danke; oh[,.! ]; ach; ha[,.! ]; hör(?:t)? auf; augen; verheiratet; herz; heirat; zu (?:alt|jung|viel); kompliment; nett; igitt; iih; bäh; tanz; nicht; nein; trink; hübsch; arbeit; galant; spar; brav`),
	"yes_no": newSign(
		`good; fine; then; agreed; deal; so be it; as you; say; believe; think; suit; why; sure; no[.,!?]; yes; right; done; prove; doubt; true; settled; mean; well; your; ask; please`,
		`gut; dann; einverstanden; abgemacht; so sei; wie (?:du|ihr|sie); mein; glaub; denk; warum; sicher; nein; ja[.,!?]; recht; bewei; zweif; wahr; stimmt; also; eure?; dein; frag; bitte; schön`),
	"meta": newSign(
		`.*(?:talking about|strange|word|mean|understand|what|nonsense|orders|system|no|not|never|who|drink|bread|flesh|pinch|mad|riddle|fever|spell|hm|huh|head)`,
		`.*(?:wovon|seltsam|wort|mein|versteh|was|unsinn|befehl|nein|nicht|nie|wer|trink|brot|fleisch|kneif|verrückt|rätsel|fieber|zauber|hm|kopf)`),
	"nonsense": newSign(
		`.*(?:\?|pardon|mean|understand|what|well|drink|again|speak|say|are you|catch|follow|quiet|breath|think|sit|bless|fog|sense)`,
		`.*(?:\?|bitte|mein|versteh|was|trink|noch ?mal|sprich|sag|geht|alles gut|atem|denk|setz|gesundheit|nebel|sinn)`),
}

var (
	// germanNames are all German names of things in the world.
	germanNames = [][]string{
		{"bell", "bronze", "glocke", "bronzeglocke", "läuten", "geläutet"}, {"miller", "aldo", "marsh", "müller", "mühle", "marschmühle", "mill"},
		{"lake", "mere", "mirrormere", "see", "weiher", "spiegelsee", "wasser", "water"}, {"jetty", "planks", "steg", "bretter"}, {"weir", "dam", "wehr", "damm"},
		{"chronicle", "page", "chronik", "seite"}, {"stones", "sisters", "steine", "schwestern", "steinkreis"}, {"chapel", "kapelle", "kirche", "emeric", "priest", "priester"},
		{"archive", "archiv", "gruft", "crypt", "krypta", "ysolde", "archivist", "archivarin", "quill"}, {"bakery", "baker", "wilhelmina", "drossel", "bäckerei", "bäckerin"},
		{"captain", "harrow", "hauptfrau", "hauptmann", "watch", "wache"}, {"corvane", "lady", "ladyship", "manor", "herrenhaus", "mylady", "gutshaus"},
		{"greymantle", "sage", "tower", "starfall", "turm", "weise", "gelehrter", "gelehrten", "old", "alte"}, {"juniper", "junie", "stable", "stables", "girl", "stall", "mädchen", "stallmädchen"},
		{"bartok", "barkeep", "flagon", "tavern", "wirt", "schänke", "taverne", "innkeeper"}, {"odo", "forefather", "founder", "founded", "ahn", "vorfahr", "ahnherr", "gründer", "gegründet"},
		{"names", "name", "forgot", "forgotten", "forgets", "forget", "namen", "vergessen", "vergaß"}, {"fog", "nebel"}, {"lantern", "light", "laterne", "licht"},
		{"flood", "floods", "drowned", "hollow", "flut", "fluten", "überschwemmung", "ertrunken", "hochwasser", "hollow"}, {"village", "thornhollow", "dorf"}, {"loaf", "bread", "brot", "laib", "honigbrot"},
		{"recipe", "grandmother", "rezeptbuch", "großmutter", "rezept"}, {"smugglers", "runners", "schmuggler", "schilfläufer"}, {"orchard", "orchards", "pear", "pears", "birnen", "birnbaum", "obstgarten"},
		{"boot", "stiefel"}, {"brother", "bruder", "tobin"}, {"horse", "horses", "mare", "pferd", "pferde", "stute", "gaul"}, {"bargain", "pact", "pakt", "handel"}, {"elf", "elves", "elfen"},
		{"parents", "mother", "father", "eltern", "mutter", "vater", "family", "familie"}, {"clapper", "klöppel"}, {"stars", "star", "sterne", "stern"},
	}

	// germanCards are German words of the cards.
	germanCards = map[string]string{
		"bartok-the-barkeep":  "Wirt Schänke Tresen Halbling Bier Gerüchte Fass innkeeper tavern halfling pour",
		"captain-harrow":      "Hauptfrau Wache Halbork Speere Streife Dornwache Ordnung half-orc spear",
		"greymantle-the-sage": "Elf Gelehrter Turm Sterne Steine Winter Jahrhunderte Bücher Weise hundred elven",
		"juniper":             "Stall Pferde Mädchen Zehn Heuboden ten stable mare",
		"lady-corvane":        "Obstgärten Birnen Familie Corvane Haus Erbin Lady fifty orchards",
		"wilhelmina-drossel":  "Bäckerin Backstube Brot Gnomin Berge Ofen backe baker English German mountains",
		"ysolde-quill":        "Archivarin Archiv Akten Krypta Chronik Laternen Schachteln archive records",
	}

	englishMarks = markWords(`the and you your is are what who it of to i my me we not no do don't can that this there with have for but if in on at they he she will would from`)
	germanMarks  = markWords(`der die das und ihr euch ist sind war wer es zu ich mein mir mich wir nicht kein keine den dem ein eine mit habe hat für aber wenn im auf sie er dir dich du wird von nur noch auch`)
)

func markWords(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}
