package address

// Subjects are what people in a scene talk about. A line that is on the subject of what
// the NPC has just said is likelier to it, and one on the subject of what another player
// has just said is likelier to that player.
const (
	drinks topic = 1 << (iota + firstSubject)
	foods
	money
	sleeping
	ways
	kinship
	looks
	times
	weather
	boats
	animals
	fights
	hurts
	deaths
	houses
	lights
	clothes
	letters
	spells
	sounds
	colours
	bodies
	crafts
	places
	ranks
	feelings
	laws
	faith
	waters
	vessels
	plants
)

// firstSubject is the bit of the first subject, and allSubjects are all of them.
const (
	firstSubject       = 33
	allSubjects  topic = ^(topic(1)<<firstSubject - 1)
)

var englishSubjects = []telling{
	{drinks, `ale beer wine mead cider rum brandy whisky whiskey spirits grog drink* drank drunk tankard* mug mugs cup cups pint pints tea stout lager barrel* keg kegs brew* sip thirst* tap bottle* gin cocoa broth flagon* glass tipple`},
	{foods, `food eat eats ate eaten eating meal* supper dinner lunch breakfast bread loaf loaves cheese stew soup meat beef pork mutton ham sausage* bacon egg eggs fish* pie pies cake* pastry pastries bun buns roll apple* pear pears onion* turnip* potato* carrot* cabbage* bean beans salt butter honey jam flour dough bake* baking cook* oven
		spice* hungry hunger taste* porridge oats nuts herring* eel eels oyster* biscuit* feast* kitchen spoon* plate*`},
	{money, `coin coins gold silver copper coppers crown crowns penny pennies purse* pay pays paid payment price* cost costs cheap* expensive worth sell sells sold buy buys bought debt* owe owes owed fee fees bargain* haggl* tax taxes toll bribe* reward* rich poor profit wage* deposit fortune* money bet bets wager* change tip rent deal afford* trade*`},
	{sleeping, `bed beds sleep* slept room rooms bunk* pillow* blanket* dream* nightmare* wake woke awake tired inn lodging* stay nap snor* mattress* sheet rest bedroll*`},
	{ways, `road* path paths way ways north south east west left right mile miles league* far near close bridge* crossing cross* travel* journey* route* map maps trail* pass ford walk* ride rode riding coach* cart carts wagon* lead leads direction* follow* distance track tracks footprint* lost guide* climb* stairs steps ladder* tunnel* back return* leave* gone went reach*`},
	{kinship, `mother* father* brother* sister* son sons daughter* wife husband* child* baby uncle* aunt aunts cousin* nephew* niece* family widow* married marry* wedding* bride* groom parents grand* twin twins orphan* born lad lass boy girl kids kin`},
	{looks, `tall short fat thin beard* hair scar scars limp* old young ugly pretty beautiful handsome big small eyes eye face faces looked looks wore wearing coat cloak* hood hat tattoo* bald wrinkl* description describe* stranger* smell* smelt voice`},
	{times, `day days night nights morning* evening* noon midnight dawn dusk hour hours minute* week* month* year years today tonight tomorrow yesterday soon late early often ago since until before after winter* summer* spring* autumn* harvest* sunrise sunset moon* when how_long long ever always never last once twice every time times monday* friday* sunday*`},
	{weather, `rain* storm* snow* wind winds windy fog foggy mist* cold hot warm sun sunny cloud* thunder* lightning ice frozen freez* frost* sky skies hail weather* wet dry tide tides wave waves`},
	{boats, `boat* ship ships sail sails sailing sailed sailor* mast* deck* captain* crew* harbour* harbor* dock* quay* pier port ports anchor* oar oars row rowing rowed helm* rudder* reef* shore* coast* island* sea seas lighthouse* net nets cargo hold hull rigging gangway* voyage* wreck* sink* sank sunk knot knots rope ropes ferry* aboard overboard jetty raft`},
	{animals, `horse* mare mares foal* pony mule* donkey* dog dogs hound* cat cats rat rats mouse mice bird* crow crows raven* owl owls hawk* falcon* pig pigs sow cow cows goat* sheep lamb* chicken* hen hens rooster* goose geese duck ducks wolf wolves bear bears fox foxes snake* spider* bee bees fly flies bat bats beast* creature* monster* dragon* feed feeds fed stable* saddle* hoof hooves tail fur feather* swan* deer stag hare rabbit* whale* shark* gull* toad* frog* worm*`},
	{fights, `sword* blade* dagger* knife knives axe axes hammer* bow bows arrow* spear* shield* armour* armor* mail fight* fought battle* war wars attack* kill* weapon* enemy enemies soldier* army stab* duel* defend* train* strike* raid* bandit* ambush* shot shoot* gun guns pistol* fist* punch*`},
	{hurts, `wound* hurt* pain* ache* bleed* blood* bled broke broken bone bones cut cuts bruis* burn* sick* ill illness fever* cough* poison* heal* medicine* potion* herb herbs salve* bandage* doctor* cure* plague* infect* stitch* swollen scar limp* dizzy tooth teeth itch* breath*`},
	{deaths, `dead death* die dies died dying murder* corpse* body bodies grave* bury buried coffin* ghost* haunt* funeral* drown* hang hanged hanging strangl* killer* victim* stole stolen steal* thief thieves rob robbed robber* smuggl* crime* missing vanish* disappear* kidnap* witness* alibi* suspect* clue* evidence* guilty innocent`},
	{houses, `door* gate* window* key keys lock locks locked unlock* wall walls roof* cellar* attic* floor* stair* hall halls house houses castle* tower* room* kitchen* corridor* passage* chimney* table* chair* bench* shelf shelves cupboard* mirror* curtain* carpet* furniture corner* inside outside upstairs downstairs open opens opened shut closed knock* bell bells bedroom* desk drawer*`},
	{lights, `light* lamp* lantern* torch* candle* fire fires flame* burn* burnt smoke* ash ashes coal* spark* dark* shadow* glow* bright* oil wick* match matches hearth* forge* ember* shine* shining`},
	{clothes, `cloak* coat coats hat hats boot boots shoe shoes glove* shirt* dress* sock socks trouser* breeches belt* hood* scarf* shawl* ring rings necklace* jewel* gem gems brooch* button* sleeve* pocket* wool silk leather* cloth* sew* stitch* wear* wore mask* wig bonnet* knit*`},
	{letters, `letter* book books page pages write* wrote writing written read reads reading ink quill* paper* parchment* scroll* note notes seal seals sealed sign signs signed signature* name names named word words list lists ledger* map maps diary* archive* library* catalogue* handwriting* message* poem* verse* language* translate* spell* story stories chapter* index`},
	{spells, `magic* spell* curse* cursed wizard* witch* sorcer* enchant* charm* ritual* rune runes potion* amulet* talisman* portal* demon* devil* spirit* ghost* fairy fairies fey vision* prophe* omen* dream* hex star stars orb crystal* wand wands staff summon* vanish* invisible* glow* hum hums humming`},
	{sounds, `hear hears heard sound* noise* song songs sing sings sang singing music* fiddle* drum* lute* flute* whistle* bell bells voice* scream* shout* whisper* laugh* cry cries cried crying weep* knock* creak* hum hums hummed silence* quiet loud speak* spoke talk* said tune* dance* danced growl* bark barks barked`},
	{colours, `red blue green yellow black white brown grey gray purple violet orange pink golden silver* colour* color* pale dark* bluish reddish`},
	{bodies, `hand hands arm arms leg legs foot feet head heads eye eyes ear ears nose mouth tongue* finger* thumb* toe toes knee knees back shoulder* neck throat* belly stomach* heart* skin hair beard* face tooth teeth bone bones blood chest`},
	{crafts, `work* job jobs tool tools hammer* nail nails saw saws forge* anvil* smith* mend mended repair* fix fixed build* built make* made craft* carve* wood wooden iron steel* stone* brick* leather* rope* wheel* mill mills grind* grain* plough* field* apprentice* master* trade* shop shops carpenter* tailor* finish* sharpen* blunt quench* temper*`},
	{places, `town* village* city cities forest* wood woods mountain* hill hills valley* river* lake* swamp* marsh* cave* mine mines ruin* tower* castle* temple* market* square* street* alley* tavern* inn inns field* farm farms mill bridge* border* kingdom* land lands here there place places camp camps shrine* crypt* tomb* graveyard* garden* well cliff* beach*`},
	{ranks, `king* queen* prince* princess* lord* lady ladies duke duchess* count countess* baron* knight* captain* guard guards watch sergeant* soldier* mayor* sheriff* inspector* constable* servant* maid maids butler* cook merchant* farmer* miller* smith* priest* monk* bishop* wizard* sage* beggar* thief council* court* master* mistress* boss chief* owner* guest* noble*`},
	{feelings, `afraid fear* scared angry anger happy sad sorry glad love* loved hate* hated trust* lonely alone worried worry* hope* proud shame* ashamed brave* coward* mad crazy nice kind cruel jealous* miss misses missed like likes liked cry tears smile* laugh* friend* enemy* forgive* promise* swear swore lie lied lying truth honest*`},
	{laws, `law laws prison* jail* cell cells arrest* guard* judge* trial* hang* rope punish* sentence* chain* iron irons shackle* free freed release* escape* pardon* permit* permission* allowed forbid* forbidden rule rules order* orders oath* swear sworn crime* fine fines curfew* confess*`},
	{faith, `god gods goddess* temple* church* chapel* pray* prayer* priest* monk* nun nuns bless* holy saint* sin sins altar* shrine* candle* devil* angel* heaven* hell soul souls faith* believe* sermon* abbey* monaster* vow vows brother* miracle*`},
	{waters, `water* river* well wells lake* stream* pond* sea* tide* wave* flood* drown* swim* swam rain* bucket* pump* wash* wet deep shallow* bridge* ford spring* fountain* bath* drip* leak* dive* diving`},
	{vessels, `box boxes chest* bag bags sack sacks pack packs barrel* crate* basket* pot pots jar jars bottle* bucket* pouch* purse* case cases trunk* parcel* package* satchel* cage* cart* cask*`},
	{plants, `flower* rose roses tree trees leaf leaves root roots herb herbs berry berries juniper mushroom* grass* moss seed seeds garden* grow* grew wood woods oak birch* willow* nettle* thorn* apple* weed weeds hay straw corn wheat* barley* ivy lily lilies`},
}

var germanSubjects = []telling{
	{drinks, `bier biere wein weins met rum grog schnaps schnäps* trink* trank getrunken krug krüge becher humpen fass fässer tee durst* glas gläser saft most korn brand flasche* zapf* gebraut* brau* schluck* saufen gesoffen besoffen betrunken* milch schoppen runde ausgeben helles dunkles helle dunkle`},
	{foods, `essen esst iss isst gegessen mahl* speise* frühstück* abendbrot abendessen mittag* brot brote brötchen käse suppe* eintopf* fleisch* schinken speck wurst würste wurscht ei eier fisch* hering* kuchen* torte* pastete* apfel äpfel birne* zwiebel* rübe* kartoffel* kohl bohnen salz butter honig marmelade mehl teig back backen gebacken bäck*
		koch* gekocht ofen gewürz* hunger* hungrig* schmeck* geschmeckt brei grütze nüsse braten gebraten küche* löffel* teller* knödel klöße schnecke* brezel* plätzchen krapfen* lebkuchen*`},
	{money, `geld gold silber kupfer* münze* taler heller groschen pfennig* gulden kreuzer krone kronen beutel zahl zahle zahlen zahlt bezahl* preis* kosten kostet teuer* billig* wert verkauf* kauf* gekauft schuld schulden schuldet gebühr* handel* feilsch* steuer* zoll bestech* belohn* reich arm gewinn* lohn anzahl* pfand miete wette* wetten rechnung* ausgeben sold spende* zinsen sparen trinkgeld leisten`},
	{sleeping, `bett betten schlaf* schläft geschlafen zimmer kammer* kissen decke decken traum träum* geträumt albtraum* alptraum* wach wache aufgewacht geweckt müde unterkunft übernacht* schnarch* matratze* lager herberge* gasthaus gasthof stroh`},
	{ways, `weg wege weges straße* pfad* nord* süd* osten westen links rechts meile* weit nah nahe brücke* überquer* reise* reist gereist route* karte karten fährte* spur spuren furt geh gehen geht gegangen lauf* gelaufen reit* ritt geritten kutsche* karren wagen richtung* folg* entfern* verirrt führ* führt treppe* stufe stufen leiter tunnel* gang gänge zurück hin rüber hinüber umweg* abkürzung* schritte*`},
	{kinship, `mutter* vater* bruder* brüder* schwester* sohn söhne tochter töchter frau mann gatte* gattin ehemann ehefrau kind kinder* baby onkel* tante* vetter cousin* neffe* nichte* familie* witwe* verheirat* heirat* hochzeit* braut bräutigam eltern groß* oma opa zwilling* waise* geboren bub junge mädchen enkel* schwager* schwieger* verwandt*`},
	{looks, `groß klein dick dünn bart haare haar narbe* hinkt hinkte gehinkt alt jung hässlich* hübsch* schön* augen auge gesicht* aussah sah aussieht trug getragen mantel umhang kapuze* hut tätowier* glatze* falten beschreib* fremde* fremder riecht roch stimme* gestalt mager`},
	{times, `tag tage tagen nacht nächte nachts morgen* abend* mittag* mitternacht* dämmer* stunde* minute* woche* monat* jahr jahre jahren heute gestern vorgestern übermorgen bald spät* früh* oft seit bis vor nach winter* sommer* frühling* herbst* ernte* sonnenaufgang* sonnenuntergang* mond* wann wie_lang wie_lange lange immer nie letzte letztes letzten einmal zweimal jeden zeit zeiten montag* dienstag* freitag* sonntag*`},
	{weather, `regen* regnet sturm* schnee* schneit wind winde windig nebel* kalt kälte heiß warm wärme sonne* wolke* donner* blitz* eis gefror* frost* himmel hagel* wetter* nass trocken flut ebbe welle* saukalt gewitter*`},
	{boats, `boot* boote schiff* segel* gesegelt matrose* mast* deck käpten* kapitän* mannschaft* hafen* kai anker* ruder* rudern gerudert steuer* riff* ufer* küste* insel* meer see leuchtturm* netz* fracht* ladung* rumpf takel* planke* fahrt* wrack* sink* gesunken sank knoten tau taue seil seile fähre* bord lotse* steg* kiel pumpe* lecks leck kajüte* koje* wanten smutje kombüse* nordkai südkai`},
	{animals, `pferd* stute* fohlen gaul esel maultier* hund hunde köter katze* kater ratte* maus mäuse vogel* vögel krähe* rabe raben eule* habicht* falke* falken schwein* sau kuh kühe rind* ziege* bock schaf* lamm huhn hühner henne hahn gans gänse ente enten wolf wölfe bär bären fuchs schlange* spinne* biene* fliege* fledermaus* tier tiere vieh* bestie* monster* ungeheuer* drache* fütter* stall ställe sattel* huf hufe schwanz fell feder federn schwan hirsch* hase* kaninchen* wal hai möwe* kröte* frosch* wurm würmer schnecke* motte*`},
	{fights, `schwert* klinge* dolch* messer axt äxte beil hammer bogen pfeil* speer* schild* rüstung* kampf* kämpf* gekämpft schlacht* krieg* angriff* angreif* tötet getötet umbring* waffe* feind* soldat* heer armee* stech* gestochen duell* verteidig* trainier* üben schlag* überfall* überfallen bandit* räuber* hinterhalt* schuss schieß* geschossen kanone* faust fäuste`},
	{hurts, `wunde* verletz* schmerz* weh blut* geblutet gebrochen knochen schnitt* verbrannt krank* fieber* husten hustet gift* vergift* heil* medizin* trank tränke kraut kräuter* salbe* verband verbinde* arzt pest seuche* entzünd* genäht geschwoll* hink* schwindel* zahn zähne juckt atem atmen bauchweh kopfweh`},
	{deaths, `tot tote toten tod todes stirb* starb gestorben mord* mörder* leiche* leichnam* grab gräber begrab* beerdig* bestatt* sarg särge geist geister spuk* spukt ertrunken ertrink* gehängt erhängt erwürgt opfer gestohlen stehl* stiehlt dieb* geklaut klau* räuber* ausgeraubt schmuggel* schmuggl* verbrech* verschwund* verschwind* entführ* zeuge* alibi* verdächtig* beweis* schuldig* unschuldig* umgebracht`},
	{houses, `tür* tor tore fenster* schlüssel* schloss schlösser abgeschlossen verschlossen aufschließ* wand wände mauer* dach dächer keller* dachboden* boden treppe* saal halle* haus häuser burg turm türme zimmer* küche* gang flur kamin* tisch* stuhl* stühle bank bänke regal* schrank schränke spiegel* vorhang* teppich* möbel* ecke* drinnen draußen oben unten offen auf zu klopf* glocke* sessel* truhe* schublade* stube* luke`},
	{lights, `licht* lampe* laterne* fackel* kerze* feuer* flamme* brenn* brennt verbrannt rauch* asche* kohle* funke* dunkel* schatten* leucht* hell helle öl docht* zündholz* herd* schmiede* glut* schein* scheint finster*`},
	{clothes, `umhang umhänge mantel mäntel hut hüte stiefel* schuh schuhe handschuh* hemd* kleid* socke* hose hosen gürtel* kapuze* schal* tuch ring ringe kette ketten schmuck* juwel* edelstein* brosche* knopf knöpfe ärmel* tasche* taschen wolle seide* leder* stoff* näh* genäht gestrickt strick* trag* trägt maske* perücke* haube* schürze* kutte*`},
	{letters, `brief* buch bücher* seite* schreib* schrieb geschrieben lies liest lesen gelesen vorlesen tinte* feder* papier* pergament* schriftrolle* rolle notiz* zettel* siegel* zeichen* unterschr* unterschrift* name namen namens wort worte wörter liste* karte karten tagebuch* archiv* bibliothek* verzeichnis* handschrift* nachricht* gedicht* vers verse sprache* übersetz* geschichte* kapitel* band bände stammbuch* urkunde* inschrift*`},
	{spells, `magie* magisch* zauber* zauberei fluch* flüche verflucht* hexe* hexer* verzaubert* ritual* rune runen trank tränke amulett* talisman* portal* dämon* teufel* geist geister fee feen vision* prophezei* omen traum* stern sterne kugel kristall* stab beschwör* unsichtbar* leuchte* summt summen bann bannt`},
	{sounds, `hör* hört gehört geräusch* laut lärm lied lieder sing* singt gesungen musik* geige* fiedel* trommel* laute flöte* pfeif* pfiff gepfiffen glocke* stimme* schrei* schrie geschrien flüster* geflüstert lach* gelacht wein* geweint heul* klopf* knarr* stille* still ruhig red* redet geredet sprach gesprochen tanz* getanzt knurr* bell* chor gemurmelt murmel* tickt`},
	{colours, `rot rote roten roter blau* grün* gelb* schwarz* weiß weiße weißen braun* grau* lila violett* orange rosa golden* silbern* farbe* farben bleich* blass* bunt*`},
	{bodies, `hand hände arm arme bein beine fuß füße kopf köpfe auge augen ohr ohren nase nasen mund zunge* finger* daumen zeh zehen knie rücken schulter* hals kehle* bauch magen herz haut haar haare bart gesicht* zahn zähne knochen blut brust hintern`},
	{crafts, `arbeit* werkzeug* hammer nagel nägel säge* schmied* geschmiedet amboss* reparier* flick* bau bauen baut gebaut mach* gemacht handwerk* schnitz* holz* eisen stahl* stein steine ziegel* leder* seil rad räder mühle* mahl* gemahlen korn getreide* pflug* acker feld felder lehrling* meister* laden werkstatt* zimmermann* schneider* schreiner* fertig schärf* stumpf scharf härten gehärtet`},
	{places, `stadt städte* dorf dörfer* wald wälder* berg berge bergen hügel* tal fluss* see sumpf* moor höhle* mine* ruine* turm* burg* tempel* markt* platz plätze gasse* taverne* schenke* feld* hof höfe mühle* brücke* grenze* reich land hier dort da drüben ort orte lager schrein* gruft* grab* friedhof* garten* brunnen* klippe* strand*`},
	{ranks, `könig* königin* prinz* fürst* graf gräfin* herzog* baron* ritter* hauptmann* wache wachen wächter* gardist* feldwebel* gefreiter soldat* bürgermeister* vogt* büttel* diener* zofe* magd mägde knecht* koch köchin händler* bauer* bäuerin* müller* schmied* priester* mönch* bischof* zauberer* magier* gelehrt* bettler* dieb* rat hofstaat* hof herr herren herrin* chef* wirt wirtin* gast gäste adlig* edle*`},
	{feelings, `angst ängst* fürcht* wütend* wut zorn* froh glücklich* traurig* leid lieb* liebt geliebt hass* hasst trau* vertrau* einsam* allein* sorge* sorgen hoff* stolz* scham schäm* mutig* feige* feigling* verrückt* nett* böse* grausam* eifersüchtig* vermiss* mag mögt gern träne* lächel* freund* verzeih* versprech* versprochen schwör* geschworen lüg* gelogen wahrheit* ehrlich*`},
	{laws, `gesetz* gefängnis* kerker* zelle* verhaft* festgenommen wache richter* gericht* prozess* strang häng* strafe* bestraf* urteil* kette* ketten frei freilass* flieh* geflohen flucht begnadig* erlaub* erlaubnis* erlaubt verbiet* verboten regel befehl* eid schwör* verbrech* bußgeld* sperrstunde* gesteh* geständnis*`},
	{faith, `gott götter* göttin* tempel* kirche* kapelle* bet bete beten betet gebet* priester* pfarrer* mönch* nonne* segen* gesegnet heilig* sünde* altar* schrein* kerze* teufel* engel himmel* hölle* seele* glaube* predigt* kloster* gelübde* beicht* gebeichtet wunder* buße`},
	{waters, `wasser* fluss* brunnen* see bach teich* meer* flut* welle* ertrink* ertrunken schwimm* geschwommen regen* eimer* pump* gepumpt wasch* nass tief tiefe flach brücke* furt quelle* bad baden tropf* leck tauch* getaucht strömung*`},
	{vessels, `kiste* truhe* tasche* sack säcke rucksack* beutel* fass fässer korb körbe topf töpfe krug krüge flasche* eimer* kasten kästchen koffer* paket* päckchen käfig* karren* dose* schachtel* bündel*`},
	{plants, `blume* rose rosen baum bäume* blatt blätter* wurzel* kraut kräuter* beere* wacholder* pilz* gras moos samen garten* wachs* gewachsen holz eiche* birke* weide* linde* brennnessel* dorn* apfel* unkraut heu stroh korn weizen* gerste* efeu lilie* kamille* salbei minze*`},
}
