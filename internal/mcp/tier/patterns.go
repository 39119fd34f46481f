package tier

// deepPatterns select DEEP and standardPatterns STANDARD. They express the default phrases in other words.
// "a|b" is either word, "~" up to six words that only colour or address, "^" the same plus articles and
// amounts, and "…" any words of the sentence except negations.
var deepPatterns = []string{
	"think|ponder|reflect|reason|meditate ~ carefully|hard|harder|deeply|thoroughly|twice",
	"consider|weigh ~ carefully|thoroughly",
	"think|mull ~ it|this|things|everything ~ over",
	"think ^ it|this|that|thing|things|everything ^ through",
	"take ~ your ~ time",
	"take|think ^ time|long ^ you ~ need|want|like|require",
	"take ^ moment|minute|while to think|reflect|consider|ponder",
	"give ~ it|this|that ^ thought",
	"rack ~ your ~ brain|brains",
	"search|look|browse ^ online|internet|web",
	"tell|give ~ me|us ^ everything",
	"tell ~ me|us ^ all ~ you ~ know|remember",
	"draw|paint|sketch ^ picture|image|portrait|illustration",
	"draw|paint|sketch ~ me|us … picture|image|portrait|illustration",
	"make|create|generate ^ picture|image|portrait|illustration",

	"denk|denke|denkt|denken ~ gut|genau|sorgfältig|sorgsam|gründlich|scharf|lang|lange|intensiv|ordentlich|ruhig|Ruhe|tief|angestrengt|gewissenhaft ~ nach",
	"du|ihr|Sie|bitte … gut|genau|sorgfältig|sorgsam|gründlich|scharf|lang|lange|intensiv|ordentlich|ruhig|Ruhe|tief|angestrengt|gewissenhaft ~ nachdenken|nachdenkst|überlegen",
	"überleg|überlege|überlegt|überlegen ~ gut|genau|sorgfältig|sorgsam|gründlich|scharf|lang|lange|intensiv|ordentlich|ruhig|Ruhe|tief|angestrengt|gewissenhaft",
	"lass|lasst|lassen|nimm|nehmt|nehmen ~ dir|euch|sich ^ Zeit",
	"lass|lasst|lassen ^ Kopf gehen",
	"such|suche|sucht|schau|schaue|schaut|suchen|schauen ^ im ~ Internet|Netz|Web",
	"such|suche|sucht|suchen ^ online",
	"erzähl|erzähle|erzählt|erzählen|sag|sage|sagt|berichte ~ mir|uns ~ alles",
	"mal|male|malt|malst|zeichne|zeichnet|zeichnest|skizziere|skizzier|erzeuge|erstelle|generiere|generier ~ mir|uns|ihm|ihr … Bild|Bildchen|Zeichnung|Gemälde|Porträt|Skizze",
	"malst|malt|zeichnest|zeichnet|skizzierst|machst|erstellst du|ihr ~ mir|uns|ihm|ihr … Bild|Bildchen|Zeichnung|Gemälde|Porträt|Skizze",
	"mach|macht ~ mir|uns ^ Bild|Zeichnung|Skizze",
	"male|zeichne|zeichnet|skizziere|skizzier|erzeuge|erstelle|generiere|generier ^ Bild|Bildchen|Zeichnung|Gemälde|Porträt|Skizze",
	"kannst|könntest|würdest|magst|könnt|könntet|würdet|können|könnten … Bild|Bildchen|Zeichnung|Gemälde|Porträt|Skizze … malen|zeichnen|skizzieren|erzeugen|erstellen|generieren|anfertigen",
}

var standardPatterns = []string{
	"what|who|whom|where|when|why|which|how|did … yesterday",
	"what|who|whom|where|when|why|which|how … told|said|promised|mentioned|agreed|swore|sworn",
	"what|who|whom|where|when|why|which|how did … tell|say|promise|mention|swear|agree|decide|meet|last",
	"when|where ~ was|were|have|had … last|met|seen",
	"did|has|have|had ~ anybody|anyone|somebody|someone|nobody|he|she|they|you|I|we … tell|told|say|said|mention|mentioned|promise|promised|swear|sworn",
	"what|who|whom|where|when|why|which|how|did … ago",
	"what|who|whom|where|when|why|which|did … last night|evening|week|month|year|winter|spring|summer|autumn|fall",
	"you ~ forgotten",
	"you ~ still ~ know",
	"weißt|wisst|wissen ~ du|ihr|Sie ~ noch",
	"was|wer|wem|wen|wo|wann|wie|warum|welche|welcher|welchen|welches … gestern|vorgestern|neulich|damals|Woche",
	"was|wer|wem|wen|wo|wann|wie|warum|wovon|worüber|welche|welcher|welchen|welches … gesagt|erzählt|versprochen|erwähnt|geschworen|vereinbart|abgemacht|ausgemacht",
	"hat|haben|hast|habt ~ jemand|irgendwer|irgendjemand|niemand|du|ihr|Sie|er|wir|ich … gesagt|erzählt|versprochen|erwähnt|geschworen",
	"was|wer|wem|wen|wo|wann|wie|warum|welche|welcher|welchen|welches … vor … Tagen|Tag|Wochen|Monat|Monaten|Jahr|Jahren|Nächten|Abenden",
	"wann|wo … zuletzt|getroffen|begegnet|kennengelernt",
	"wann … letzten|letzte|letztes mal",
	"hast|habt|haben ~ du|ihr|Sie … vergessen",
}

// fillers colour a request or address a listener without changing the request.
const fillers = `very really so extra quite more most real long and just please about it this that things now once again
 for me us then first everything over on well properly good sweet own bloody damn absolutely simply already up still
 mal bitte doch noch einmal nochmal ganz sehr wirklich richtig so dir euch sich uns mir es das sie darüber drüber davon
 jetzt nun also schon erst besonders gut in aller ruhe ruhig nur gerne gern einfach eigentlich denn etwa dazu hierüber
 möglichst schön lange und t`

// articles are articles and amounts, and words that occur with them.
const articles = `a an the thing all as much whatever any some many your little bit few serious careful plenty of quick new nice
 small big beautiful simple what can possibly ein eine einen das die den dem der im alle viel so soviel genug mehr etwas
 wie durch schnell neues schönes kleines großes nach für mich`

// negations must not occur in any gap.
const negations = `not no never without cannot nicht nie niemals kein keine keinen keiner keinem ohne`

// subjects before the first word turn a request into a statement.
const subjects = `i we they he she people who ich wir er man wer`

// modals may occur between a subject and the first word.
const modals = `will shall would should must may might can could have had need ought want to am are is going gonna
 ll d ve m werde werden muss müssen sollte sollten will wollen kann können möchte just better really`
