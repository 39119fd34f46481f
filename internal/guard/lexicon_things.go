package guard

// things are what people, things and qualities are called: a line is one meaning.
const things = `
false fake phoney bogus sham untrue falsch falsche falschen falscher falsches unecht unechte
wrong innocent falsch falsche falschen falscher unschuldig unschuldige unschuldigen unschuldiger verkehrt verkehrten verkehrter
seal signet stamp siegel stempel
harbour harbor port hafen hafens kai
son father~ vater~ lad boy sohn sohnes junge bub
daughter father~ vater~ mother~ mutter~ girl tochter töchter töchterchen princess princesses prinzessin prinzessinnen königskind
garrison barracks troops army regiment garnison kaserne truppe heer armee
coal coals kohle kohlen
cellar cellars basement vault keller kellers kellern gewölbe hole~ loch~
tax taxes levy toll steuer steuern abgabe abgaben zoll
collector taxman gatherer eintreiber steuereintreiber steuermann zöllner
willow willows weide weiden
bridge bridges brücke brücken steg
ferry raft barge fähre floß
chain chains kette ketten
link links glied kettenglied
-third dritte dritten dritter drittes
-first erste ersten erster erstes
-second zweite zweiten zweiter zweites
-last letzte letzten letzter letztes
baron barons lordship freiherr baron barons
hound hounds dog dogs mutt cur beast hund hunde hundes köter jagdhund
cure cures remedy remedies medicine potion draught heilmittel heiltrank arznei medizin mittel kur heilung
-red rot rote rotes roten roter scarlet crimson
fever fevers fieber
-nothing mere merely only nichts bloß
sugar sugared sugary syrup sweetened zucker zuckrig gezuckert gezuckertes zuckerwasser gesüßt
water waters watery wasser wassers
faith believe belief believing believer prayer glaube glauben glaubens gläubig
winter winters wintertime
relic relics reliquie reliquien relikt holy~ saint~ saints~ heilig~ heilige~ heiligen~
-golden gold gilt gilded goldener goldene goldenen
shrine shrines reliquary schrein schreins
pig pigs hog swine sow pork porker schwein schweins schweine sau pigs porcine ferkel eber
bone bones knochen knochens gebein gebeine
map maps chart plan plans karte karten stadtplan lageplan
guild guilds gilde gilden zunft
duke dukes duchess herzog herzogs herzogin
ring rings signet siegelring ring ringe
-left linke linken linker linkem links
-right rechte rechten rechter rechtem
boot boots shoe shoes stiefel stiefels stiefeln schuh schuhe
crown crowns coin coins krone kronen
blind blinded blindness sightless erblinden erblindet blinde blindheit augenlicht eyesight
clerk clerks scribe scribes secretary schreiber schreibers schreiberin sekretär gerichtsschreiber
beer ale ales brew bier biere biers gerstensaft
mill mills mühle mühlen
miller millers müller müllers müllerin
ditch ditches trench moat leat millrace millstream graben grabens bach mühlbach
stair stairs staircase stairway steps treppe treppen stufe stufen stiege
key keys schlüssel schlüssels
gate gates tor tores tors pforte
town city stadt städte burgh
child children baby babe infant newborn kind kindes kinder säugling neugeborenes neugeborene kindlein son~ sohn~ cradle~ wiege~
countess gräfin gräfinnen
count counts earl graf grafen grafens gräflich gräflichen gräfliche
dead death corpse stillborn deceased tot tote totes toten toter leiche leichnam totgeboren
salve ointment balm unguent salbe salben tinktur
plague pest pestilence pestilenz seuche
-man men bloke fellow mann mannes männer kerl
moon moonless neumond mond
-north northern nord norden nördlich
-south southern süd süden
watch guard guards sentry sentries patrol watchmen wache wachen wachposten posten torwache wachleute
wagon wagons cart carts waggon wagen wagens fuhrwerk fuhrwerke karren
king kings royal royalty crown princess princesses prinzessin prinzessinnen königskind könig königs könige königlich monarch herrscher krone~ thron~ throne~
queen queens königin königinnen
heir heiress erbe erbin thronfolger thronerbe thronfolgerin thronerbin
throne thron
hollow hollowed hohl hohle hohlen hohler
letter letters missive papers note notes brief briefe briefen schreiben
forest woods wood woodland wald waldes wälder
dragon dragons wyrm drake drache drachen
-broken break breaks shattered snapped gebrochen gebrochene gebrochenem gebrochenen bruch kaputt zerbrochen lahm
wing wings flügel flügels flügeln schwinge schwingen fly~ fliegen~ fliegt~ flightless~
hunt hunts hunting jagd
master masters meister meisters
barrel barrels cask casks keg kegs fass fasses fässer fässern tonne tonnen
salt salts salted salz salzes
crossbow crossbows weapon weapons arms bolts armbrust armbrüste armbrüsten waffen waffe
lighthouse beacon leuchtturm leuchtturms leuchtfeuer
keeper warden wärter wärters wächter
storm storms stormy gale tempest sturm stürme stürmisch unwetter
night nights nacht nächte nachts
fire fires flame flames feuer feuers flamme licht lichter lamp light lights lampe
money cash purse geld gelder
gold
-silver silbern silber
treasure treasures hoard schatz schätze
tunnel tunnels passage passages gang gänge geheimgang stollen
door doors tür türen
wall walls wand wände mauer
floor floorboard floorboards boden dielen diele bodenbrett
chest chests trunk coffer truhe truhen kiste kisten
box boxes schachtel dose kasten
book books tome buch bücher
page pages seite seiten
sword swords blade schwert schwerter klinge
knife knives dagger messer dolch dolche
crypt tomb gruft grabmal
tower towers turm türme
well fountain brunnen
roof attic dach dachboden speicher
kitchen küche
inn tavern alehouse pub schenke gasthaus wirtshaus taverne schankstube kneipe
church temple chapel kirche tempel kapelle
market markt marktplatz
castle keep fortress burg schloss festung
cave caves cavern höhle höhlen grotte
island isle insel inseln
river stream fluss ström
sea ocean meer
ship ships boat vessel schiff schiffe
mountain mountains hill berg berge hügel
village dorf dörfer
house houses home haus häuser
room chamber zimmer kammer
bed beds bett betten
window fenster
garden garten gärten
tree trees baum bäume
stone stones rock stein steine
wife spouse ehefrau gattin weib frau frauen
husband spouse ehemann gatte
father dad vater vaters
mother mum mutter mutters
brother brothers bruder brüder
sister sisters schwester schwestern
uncle onkel
aunt tante
cousin cousins vetter cousine
twin twins zwilling zwillinge
orphan orphans waise waisen
widow witwe
lover affair mistress geliebte geliebter liebhaber affäre liebschaft
bastard illegitimate unehelich unehelich
mayor burgomaster bürgermeister bürgermeisterin schultheiß
judge magistrate richter richterin
priest priests cleric priester pfarrer pfaffe
abbot abt
bishop bischof
monk monks mönch mönche
nun nuns nonne nonnen
soldier soldiers soldat soldaten
captain hauptmann kapitän kapitänin
knight knights ritter
noble nobles nobleman edelmann adlige adliger adel
prince prinz fürst
emperor empress kaiser kaiserin
witch witches hexe hexen
wizard mage sorcerer magician zauberer magier hexer
demon demons devil fiend dämon dämonen teufel
vampire vampires vampir vampire
werewolf werewolves lycanthrope werwölfin werwolf werwölfe
ghost ghosts spirit geist geister gespenst
cult cultist cultists sect kult kultist kultisten sekte
god gods goddess deity gott götter göttin
goblin goblins kobold
orc orcs ork orks
giant giants riese riesen
troll trolls
wolf wolves wölfe
horse horses pferd pferde gaul
cat cats katze katzen
herb herbs kraut kräuter
potion elixir trank elixier
blood blut
scar scars narbe narben
eye eyes auge augen
hand hands hände
heart hearts herz herzen
head heads kopf haupt
leg legs bein beine
tongue zunge
tooth teeth zahn zähne
name names namen
year years jahr jahre jahren
day days tag tage
month months monat monate
week weeks woche wochen
summer sommer
spring frühling
midnight mitternacht
noon mittag
sickness illness disease sick ill krankheit krank
merchant trader händler kaufmann
smith blacksmith schmied
baker bäcker
butcher metzger fleischer
farmer peasant bauer bauern
fisherman fisher fischer
pirate pirates pirat piraten
thief thieves dieb diebe diebin
beggar beggars bettler
gambler gamble gambling spieler spielsucht
drunk drunkard säufer betrunken
gem gems jewel jewels juwel juwelen edelstein edelsteine
necklace amulet halskette amulett
statue statues statuen
mirror spiegel
mask masks maske masken
coin münze münzen
secret secrets geheim geheime geheimnis
enemy enemies feind feinde
war wars krieg kriege
oath vow eid schwur
weakness schwäche schwachstelle
password watchword passwort losung kennwort parole
ambush trap hinterhalt falle
east osten ost
west westen
-under underneath beneath below unter unterm unters darunter
-behind hinter hinterm
-inside drin drinnen darin
`

// lightWords are words too common to tell much of a secret by themselves.
const lightWords = `
take takes took taken taking accept accepted nehmen nimmt nahm genommen angenommen kassiert kassieren
pocket pocketed
let lets letting lassen lässt ließ liess gelassen
go goes going gone went walk walks walked walking gehen geht ging gegangen
put puts placed place legen legt gelegt
keep keeps kept keeping behalten behält aufbewahrt trägt tragen wear wears carry carries
lay laying laid lies liegen liegt lag gelegen läge lägen
find finds found finding gefunden finden findet fand
give gives gave given geben gibt gab gegeben
get gets got kriegen kriegt kriegte bekommen bekam bekommt
make makes made making machen macht machte gemacht mach
do does did done tun tut tat getan
come comes came coming kommen kommt kam gekommen durchkommen durch through
read reads reading lesen liest las gelesen vorlesen vorliest vorlas
pay paid pays paying payment bezahlen bezahlt bezahlte zahlen zahlt zahlte
work works worked arbeit arbeiten gearbeitet
say says said sagen sagt sagte gesagt
tell tells told erzählen erzählt erzählte
know knows knew known wissen weiß wusste gewusst kennen kennt
see sees saw seen sehen sieht sah gesehen
live lives lived leben lebt lebte wohnen wohnt
stand stands stood stehen steht stand
sit sits sat sitzen sitzt saß
bring brings brought bringen bringt gebracht
send sends sent schicken schickt geschickt
hold holds held halten hält hielt gehalten
use uses used benutzen benutzt
want wants wanted wollen will wollte
need needs needed brauchen braucht
think thinks thought denken denkt dachte
old older alt alte alten alter altes
new newer neu neue neuen neuer neues
big large great groß große großen großer
small little klein kleine kleinen kleiner
good gut gute guten guter
bad schlecht schlechte
long lang lange langen
woman women lady frau frauen
people folk leute menschen
thing things ding dinge sache sachen
time zeit zeiten mal
way weg wege
`
