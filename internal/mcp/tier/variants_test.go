package tier_test

import (
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
)

// TestSelectByMeaning checks variants of the default phrases, and similar text that
// requests no tier.
func TestSelectByMeaning(t *testing.T) {
	for want, texts := range map[mcp.BudgetTier][]string{
		mcp.BudgetDeep: {
			"think very carefully", "Think long and hard about this", "Please think about it very carefully, old man.",
			"Could you think really hard for me?", "Now think it all through once more", "think this thing through properly",
			"Ponder it thoroughly", "Reflect on that deeply", "I want you to think twice", "Consider this very carefully",
			"Think about that for as long as you want", "mull it over", "please think this over carefully",
			"take all the time you need", "Take as much time as you need.", "take as long as you like", "Just take your sweet time",
			"Take whatever time you need, friend", "Please take a moment to think", "Give it some serious thought", "rack your brains!",
			"search for it on the web", "Look it up online", "Could you browse the internet for that?",
			"Tell us absolutely everything", "Tell me all that you know about the crypt", "please tell me simply everything",
			"You should think about it very carefully", "You must consider this carefully", "Will you think it over?", "I want you to think it over",
			"malst du mir ein Bild?", "Zeichnet ihr uns eine Skizze?",
			"draw me a picture of the castle", "Can you paint us a beautiful portrait?", "sketch a quick picture of him",
			"Create an image of the dragon", "make me a small picture, please",

			"Denk sorgfältig nach", "Denk bitte ganz genau nach!", "Denkt noch einmal in aller Ruhe darüber nach", "Denken Sie sehr gründlich nach",
			"denk doch mal scharf nach", "Denke lange und gut nach", "Kannst du bitte einmal ganz genau nachdenken?", "Ihr solltet gut nachdenken",
			"Überleg es dir gut", "Überlegt euch das ganz genau", "Überlegen Sie sich das bitte gründlich", "Überleg mal in Ruhe",
			"Ueberleg es dir noch einmal gut", "U\u0308berleg dir das sorgfa\u0308ltig",
			"Lass dir ruhig alle Zeit der Welt", "Nimm dir so viel Zeit, wie du brauchst", "Nehmt euch die Zeit", "Lassen Sie sich ruhig Zeit",
			"Lass es dir noch mal durch den Kopf gehen", "mal mir ein Bild", "Mal uns bitte ein schönes Bild von der Burg", "Zeichne mir schnell eine Skizze",
			"Kannst du mir ein Bild malen?", "Könntest du uns ein Porträt vom König zeichnen?", "Erstelle ein neues Bild",
			"Such das bitte mal im Internet", "Schau doch mal im Netz nach", "Mach uns ein Bild", "Kannst du uns bitte eine Skizze anfertigen?", "Erzähl uns bitte alles über ihn", "Sag mir einfach alles",
		},
		mcp.BudgetStandard: {
			"weißt du noch, was gestern war?", "Wisst ihr eigentlich noch, wie er hieß?", "Was haben wir gestern gemacht?", "Wer kam neulich zu Besuch?", "Was war nochmal letzte Woche?",
			"Hast du das Versprechen vergessen?", "what did we do yesterday?", "Who came here yesterday, again?", "Have you already forgotten?",
			"Don't you still know his name?",
			"Bartok, what did I tell you three days ago?", "What did we promise the woman whose son drowned?", "When did we last meet?",
			"Did anybody mention the black barge yesterday?", "Who said that the mill burned?", "What have I promised you, Mira?", "Whom did Ada swear it to?",
			"When have you seen her last?", "What was stolen two weeks ago?", "Who came to the inn last night?", "Has anyone told you about the toll?", "Where did we agree to meet?",
			"Was habe ich dir vor drei Tagen gesagt?", "Wem haben wir das Boot versprochen?", "Wann haben wir uns zuletzt getroffen?", "Hat jemand den Schlüssel erwähnt?",
			"Wovon hat der Müller erzählt?", "Wer war vor zwei Wochen hier?", "Was haben wir vorgestern gegessen?", "Wann warst du das letzte Mal in der Stadt?",
		},
		mcp.BudgetFast: {
			"I think it's hard to open", "I think very carefully about my coin", "We think hard about it every day", "He thinks carefully",
			"think of a number", "What do you think?", "Don't think about it very carefully", "You need not think so hard",
			"Mira, I will think about it carefully", "Mira, I should consider this carefully", "Mira, I must think very carefully now",
			"We should think about it carefully", "I have to think it over", "We need to think this through", "I'll think it over",
			"He will think very hard about it", "I would consider it carefully", "I am going to think it over", "They must weigh it carefully",
			"I want to draw a small picture", "We could search for it on the web", "I'd rather not think it over", "I can draw you a nice picture",
			"listen carefully", "Put it down carefully and think", "It will take some time", "How long does it take?",
			"How much time do you need?", "They take all the time they need", "No need to take all the time you need", "Take the horse, you need it",
			"Take this sword. You like it.", "I draw my sword", "Draw your sword and picture this", "We draw closer to the picture",
			"It makes no sense, the picture is gone", "I make pictures", "Everything is fine, tell her", "All you know is fighting",
			"I was here yesterday", "What do you say?", "When do we meet?", "I told him three days ago", "We promised it", "What a night!", "I saw her last week", "Say it!",
			"Tell me a joke", "He said what he thought", "Did you sleep well?", "How long will it last?", "Where do you last out a storm?", "thinking hard is not his thing", "Take a look over there", "I hardly think so", "Take it. You want it, you need it.",
			"look at the web on the wall", "Give it to me without a thought", "give me that mug",

			"Ich denke, das ist gut. Danach gehen wir.", "Ich denke gut darüber nach", "Denk nicht lange nach", "Überleg nicht lange",
			"Ich überlege mir das gut", "Wir überlegen genau", "Denk an den guten Wein nach Mitternacht", "Geh gut nach Hause",
			"Gut, nach dem Essen", "Lass dir keine Zeit", "Wir lassen uns Zeit", "Ich nehme mir die Zeit", "Hast du Zeit?", "Lass mich in Ruhe",
			"Das Bild hängt schief", "Ein Bild hat er gemalt", "Male nicht den Teufel an die Wand", "Kannst du mir kein Bild malen",
			"Gestern hat es geregnet", "Ich habe es dir vor drei Tagen gesagt", "Was machst du in drei Tagen?", "Wir haben es versprochen", "Wann treffen wir uns?", "Was sagst du?", "Du weißt noch gar nichts", "Sag mir, ist alles gut?", "Alles gut bei dir?", "Ich suche dich im Netz der Spinne",
			"Such das Netz im Wasser", "Mach dir ein Bild davon", "Lass das Bild hängen und nimm dir Brot", "Mal sehen, ob mir das Bild gefällt",
			"Das Internet gibt es hier nicht", "Ruhe, denk ich, ist gut nach der Arbeit", "Schau mal her", "Noch ein Bier!",
		},
	} {
		for _, text := range texts {
			if got := warm().Decide(text, 0); got.Tier != want {
				t.Errorf("Decide(%q) = %v (%s), want %v", text, got.Tier, got.Reason, want)
			}
		}
	}
}
