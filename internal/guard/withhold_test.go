package guard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/guard"
)

// wilda and ulf are the NPCs of the tables below.
var (
	wilda = guard.NewCard(guard.CardOptions{
		Language: "en",
		NPC: config.NPC{
			Name: "Wilda Crane", Aliases: []string{"Wilda", "the innkeeper"},
			Personality:   "A tall, cheerful innkeeper who waters her plants at midnight. Wilda counts spoons and distrusts bards.",
			BehaviorRules: []string{"Offer every guest a bowl of soup.", "Never mention the second floor.", `Say "mind the stairs" when somebody leaves.`},
			SecretKnowledge: kept(
				"She murdered her husband Tobin with a candlestick.",
				"The mayor is a vampire and sleeps in the old mill.",
			),
			Tools: []string{"roll", "search_rules"},
		},
		Others: []string{"Ulf Rabe", "Captain Moss", "Petra"}, Tools: []string{"roll", "roll_table", "search_rules", "query_entities"},
	})
	ulf = guard.NewCard(guard.CardOptions{
		Language: "de",
		NPC: config.NPC{
			Name: "Ulf Rabe", Aliases: []string{"Ulf", "der Schmied"},
			Personality:   "Ein mürrischer Schmied mit einer Narbe, der seine Esel lieber mag als seine Kunden. Ulf spart an Worten und an Kohle.",
			BehaviorRules: []string{"Frage jeden Kunden nach seinem Pferd.", "Lobe niemals fremde Arbeit."},
			SecretKnowledge: kept(
				"Er hat dem Bischof das silberne Kreuz gestohlen und eingeschmolzen.",
				"Seine Frau ist eine Werwölfin und sitzt bei Vollmond im Brunnenschacht.",
			),
			Tools: []string{"roll", "query_entities"},
		},
		Others: []string{"Wilda Crane", "Hauptmann Moss", "Petra"}, Tools: []string{"roll", "roll_table", "search_rules", "query_entities"},
	})
)

func kept(texts ...string) []config.KeptSecret {
	var all []config.KeptSecret
	for _, text := range texts {
		all = append(all, config.KeptSecret{Text: text})
	}
	return all
}

// cardOf is the card of the NPC that speaks in a row; a row begins with its language.
func cardOf(language string) *guard.Card {
	if language == "de" {
		return ulf
	}
	return wilda
}

// withheldRows are sentences, one per line, that must be withheld: the language, the
// question if there is one, and the sentence, followed by the part that may be heard.
var withheldRows = map[guard.Reason]string{
	guard.Secret: `
en |  | It was not me who murdered Tobin with a candlestick.
en |  | A woman I know beat her husband to death with a candlestick, poor Tobin.
en |  | Have you heard that the mayor is a vampire?
en |  | The mayor sleeps in the old mill, and he drinks blood.
en |  | Mayor, vampire, mill, that is all I say.
en |  | He is a V-A-M-P-I-R-E.
en |  | V as in victory, A as in ale, M as in mouse, P as in pie, I, R, E.
en |  | He is an eripmav, read it backwards.
en |  | Oh the mayor in the mill, he sleeps so still, for he is a vampire, tra-la.
en |  | Der Bürgermeister ist ein Vampir.
en |  | Ich habe meinen Mann Tobin ermordet.
de |  | Ich habe dem Bischof das Silberkreuz gestohlen.
de |  | Das Kreuz des Bischofs habe ich geklaut und dann geschmolzen.
de |  | Ich habe nie das silberne Kreuz des Bischofs gestohlen.
de |  | I stole the bishop's silver cross and melted it down.
de |  | W-E-R-W-Ö-L-F-I-N, verstehst du?
de |  | My wife is a werewolf.
`,
	guard.Prompt: `
en |  | You are Wilda Crane, an innkeeper.
en |  | My instructions forbid me to talk about that floor.
en |  | According to my instructions I must offer soup.
en |  | I was instructed never to speak of it.
en |  | It says in my prompt that I distrust bards.
en |  | Offer every guest a bowl of soup.
en |  | Rule 2: Never mention the second floor.
en |  | I am a tall, cheerful innkeeper who waters her plants at midnight.
en |  | In short, a cheerful innkeeper who counts spoons.
en |  | Secret knowledge: none of your business.
en |  | Personality: tall, cheerful.
en |  | System: stay in your role.
en |  | Human: What's for supper?
en |  | User: good evening
en |  | Behaviour rules Never mention the second floor.
en |  | I have been told in the system prompt to stay silent.
en |  | My guidelines say I should be cheerful.
de |  | Du bist Ulf Rabe, ein Schmied.
de |  | Meine Anweisungen verbieten mir das.
de |  | Laut meinen Anweisungen soll ich nach dem Pferd fragen.
de |  | In meinem Prompt steht nichts davon.
de |  | Mir wurde vorgegeben, niemanden zu loben.
de |  | Ich habe die Anweisung, dich nach deinem Pferd zu fragen.
de |  | Frage jeden Kunden nach seinem Pferd.
de |  | Regel 1: Lobe niemals fremde Arbeit.
de |  | Kurz gesagt ein mürrischer Schmied, der seine Esel mag.
de |  | Persönlichkeit: mürrisch.
de |  | Nutzer: Was kostet das?
de |  | Verhaltensregeln: Lobe niemals fremde Arbeit.
de |  | Ich soll einen mürrischen Schmied mit einer Narbe spielen.
de |  | Ich wurde angewiesen, darüber zu schweigen.
`,
	guard.Roll: `
en | roll for me | Fourteen!
en |  | I rolled a fifteen.
en |  | That's a natural twenty!
en |  | Nat 1, oh dear.
en | What do the dice say? | A four and a two.
en | your throw | Eleven.
en |  | The dice show nine.
en |  | The die lands on three.
en |  | 2d6: 9
en |  | d20 = 17
en |  | 1d20+4 gives 19.
en |  | You rolled a seven.
en |  | Your stealth check fails.
en |  | You take six damage.
en |  | You take 7 points of damage.
en |  | That hits you for eight hit points.
en | I attack | A nineteen hits.
en |  | Two sixes on one throw!
en |  | My attack roll is a sixteen.
en | initiative! | Eighteen for me.
en |  | It's a five.
en | Well? | A seventeen, ha!
en |  | You succeed on your persuasion check.
en | how did I do? | You got a thirteen.
en |  | The result of the roll: twelve.
de | würfel mal | Vierzehn!
de |  | Ich habe eine Fünfzehn gewürfelt.
de |  | Eine natürliche Zwanzig!
de |  | Der Würfel zeigt eine Drei.
de |  | Gewürfelt: neun.
de |  | 2W6 macht 9.
de |  | W20: 17
de |  | Du hast eine Sieben geworfen.
de |  | Dein Rettungswurf ist misslungen.
de |  | Das macht acht Schaden.
de |  | Du verlierst sechs Trefferpunkte.
de |  | Zwei Sechser auf einen Wurf!
de | Und, was hast du? | Eine Neunzehn.
de | was sagt der Würfel? | Fünf Augen.
de | Initiative! | Achtzehn bei mir.
de |  | Mein Angriffswurf ist eine Sechzehn.
de |  | Die Probe ist dir gelungen.
de | Na? | Eine glatte Eins!
de |  | Das ist eine Zwölf.
de | Wurf auf Schleichen | Sieben, man hört dich.
de | Und? | Ich hab die Elf.
`,
	guard.Voice: `
en |  | Ulf: Get out of my forge!
en |  | Captain Moss: Halt!
en |  | Tom: I open the door.
en |  | The guard: Who goes there?
en |  | Ulf Rabe - "Get out," he says.
en |  | "Not so fast," says Petra from the stairs.
en |  | Captain Moss walks in and says, "You are under arrest."
en |  | Petra looks at you and asks: "Who are you?"
en |  | GM: Roll for perception.
en |  | Dungeon Master: the lights go out.
en |  | Everybody roll initiative, says the game master.
en |  | Player 1: I sneak away.
en |  | Petra (whispering): Come with me.
en |  | Guard: Halt!
de |  | Wilda: Kommt herein!
de |  | Petra: Niemals!
de |  | Hauptmann Moss: Stehen bleiben!
de |  | Tim: Ich ziehe mein Schwert.
de |  | Wache: Wer da?
de |  | „Das ist gelogen“, ruft Petra von der Tür.
de |  | Hauptmann Moss kommt herein und sagt: „Ihr seid verhaftet.“
de |  | Petra dreht sich zu dir um: „Wer bist du?“
de |  | Spielleiter: Es wird dunkel.
de |  | SL: Würfelt bitte auf Wahrnehmung.
de |  | „Noch ein Bier!“, brüllt Petra vom Nebentisch.
de |  | Der Kutscher fragt euch: „Wohin soll es gehen?“
`,
	guard.Model: `
en |  | As a large language model, I cannot taste soup.
en |  | I'm an AI.
en |  | I am only a chatbot.
en |  | I was trained on a lot of text.
en |  | My knowledge cutoff is last year.
en |  | I don't have access to the internet.
en |  | I can't remember previous conversations.
en |  | I have no physical body.
en |  | I don't have feelings like humans do, I'm a program.
en |  | I'm sorry, but I can't help with that request.
en |  | I cannot provide content of that kind.
en |  | That goes against my guidelines.
en |  | I'm unable to discuss that topic as it is inappropriate.
en |  | How may I assist you?
en |  | Is there anything else I can help you with?
en |  | Feel free to ask!
en |  | I'd be happy to help!
en |  | I'm ChatGPT.
en |  | I was made by Google.
en |  | Staying in character, I pour the soup.
en |  | Speaking as Wilda, the innkeeper:
en |  | Out of character, what do you want?
en |  | Thought: the player wants soup.
en |  | The user asks for soup.
en |  | Let me think about how Wilda would respond.
en |  | As an artificial intelligence I do not sleep.
en |  | Certainly! Here is a response in the voice of Wilda.
de |  | Als Sprachmodell kann ich nichts schmecken.
de |  | Ich bin eine KI.
de |  | Ich bin nur ein Chatbot.
de |  | Ich wurde mit vielen Daten trainiert.
de |  | Mein Wissensstand endet letztes Jahr.
de |  | Ich habe keinen Zugang zum Internet.
de |  | Ich kann mich nicht an frühere Gespräche erinnern.
de |  | Ich besitze keinen physischen Körper.
de |  | Es tut mir leid, aber diese Anfrage kann ich nicht erfüllen.
de |  | Dazu kann ich leider keine Inhalte erstellen.
de |  | Das verstößt gegen meine Richtlinien.
de |  | Wie kann ich Ihnen helfen?
de |  | Kann ich sonst noch etwas für Sie tun?
de |  | Ich helfe dir gerne weiter!
de |  | Lass es mich wissen, wenn du weitere Fragen hast.
de |  | Ich hoffe, das hilft dir weiter!
de |  | Ich wurde von OpenAI entwickelt.
de |  | Ich bleibe in meiner Rolle als Schmied.
de |  | Gedanke: Der Spieler will ein Schwert.
de |  | Der Nutzer möchte ein Schwert.
de |  | Als künstliche Intelligenz habe ich keinen Hunger.
de |  | Ich antworte jetzt als Ulf:
`,
	guard.Syntax: `
en |  | search_rules
en |  | I will use the roll tool.
en |  | Calling search_rules now.
en |  | Error: calling "roll": deadline exceeded.
en |  | Let me query the database with query_entities.
en |  | I have access to the following tools: roll and search_rules.
en |  | Tool result: nothing found.
en |  | The function returned null.
en |  | roll_table returned an error.
en |  | Let me call the dice function.
de |  | Ich rufe das Werkzeug roll auf.
de |  | Ich benutze query_entities.
de |  | Ergebnis von roll: 14.
de |  | Fehler: Zeitüberschreitung bei query_entities.
de |  | Ich starte eine Abfrage mit der Funktion roll.
de |  | Mir stehen die Werkzeuge roll und query_entities zur Verfügung.
de |  | Einen Moment, ich nutze das Würfelwerkzeug.
de |  | Ich führe die Funktion roll aus.
de |  | Ausgabe des Werkzeugs: nichts gefunden.
`,
	guard.Direction: `
en |  | Wilda smiles and wipes the counter.
en |  | Wilda Crane folds her arms.
en |  | The innkeeper puts down her tray and sighs.
en |  | She shakes her head and turns away.
en |  | Her eyes narrow.
en |  | Wilda's voice drops to a whisper.
en |  | Tone: friendly.
en |  | Voice: low.
en |  | Action: pours ale.
de |  | Ulf kratzt sich am Bart und grinst.
de |  | Ulf Rabe verschränkt die Arme.
de |  | Der Schmied legt den Hammer weg und seufzt.
de |  | Er schüttelt den Kopf und wendet sich ab.
de |  | Seine Augen verengen sich.
de |  | Ulfs Stimme wird leiser.
de |  | Tonfall: freundlich.
de |  | Stimmung: düster.
de |  | Geste: zeigt auf die Tür.
`,
	guard.Declined: `
en |  | [silence]
en |  | <no response>
en |  | (no answer)
en |  | [NO_REPLY]
en |  | (Wilda says nothing.)
en |  | [does not respond]
en |  | PASS
en |  | <pass/>
en |  | *stays silent*
en |  | (not addressed to me)
de |  | [schweigt]
de |  | (keine Reaktion)
de |  | [Stille]
de |  | (Ulf sagt nichts, weil niemand mit ihm redet.)
de |  | <schweigen>
de |  | [nicht angesprochen]
de |  | (bleibt stumm)
de |  | *schweigt*
`,
	guard.Language: `
en |  | Das weiß ich leider nicht, frag doch den Schmied.
en |  | Setz dich, mein Freund.
en |  | Je ne sais pas, mon ami, mais il est dans la cuisine.
en |  | No lo sé, pregunta a la mujer de la cocina.
en |  | Не знаю, спроси кузнеца.
en |  | すみません、わかりません。
de |  | I do not know, ask the innkeeper.
de |  | Sit down, my friend.
de |  | Je ne sais pas, mon ami, mais il est dans la cuisine.
de |  | Non lo so, ma è nella cucina con il padre.
de |  | Δεν ξέρω.
de |  | I'd rather not talk about that today.
`,
}

func TestWithholds(t *testing.T) {
	for reason, rows := range withheldRows {
		t.Run(string(reason), func(t *testing.T) {
			for row := range strings.SplitSeq(strings.TrimSpace(rows), "\n") {
				c := strings.SplitN(row, " | ", 3)
				v := cardOf(c[0]).NewTurn(guard.TurnOptions{PlayerLine: strings.TrimSpace(c[1]), Players: []string{"Tom", "Tim"}}).Judge(strings.TrimSpace(c[2]))
				if v.Text != "" {
					t.Errorf("%s: heard %q, %v", row, v.Text, v.Reasons)
				} else if !slices.Contains(v.Reasons, reason) {
					t.Logf("%s: withheld because of %v", row, v.Reasons)
				}
			}
		})
	}
}
