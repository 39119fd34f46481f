package guard

import "strings"

// headings precede a colon and words that are not speech. They map to the reason for withholding those.
var headings = func() map[string]Reason {
	m := map[string]Reason{}
	for reason, list := range map[Reason]string{
		Prompt: `system human user assistant instruction instructions personality persönlichkeit prompt developer nutzer benutzer assistent
			regelwerk verhaltensregeln hintergrund background knowledge wissen geheimnisse secrets backstory behaviour behavior aliases
			language sprache mensch ki spieler player charakter character npc inst sys konversation conversation verlauf history description beschreibung persona role rolle context kontext`,
		Model: `thought thoughts thinking gedanke gedanken analyse analysis reasoning überlegung überlegungen ooc reflection scratchpad
			internal intern interne interner hidden versteckt denkt nachdenken denkprozess strategie strategy output answer_only`,
		Direction: `tone emotion emotions mood stimmung tonfall ton gefühl gefühle voice stimme mimik gesture geste action aktion scene szene
			setting expression delivery volume lautstärke ausdruck körpersprache gestik sound sounds geräusch handlung regie manner
			pitch haltung gemütslage sprechweise betonung`,
	} {
		for w := range newWordSet(list) {
			m[w] = reason
		}
	}
	return m
}()

var (
	// vendors are names of models and of their makers.
	vendors = newWordSet(`openai chatgpt anthropic gpt gpt3 gpt4 gpt5 google deepmind deepseek microsoft qwen xai huggingface copilot chatgpts alexa siri`)
	// vendorNames are such names that are also ordinary words.
	vendorNames = newWordSet(`claude gemini mistral llama meta bard grok`)
	machines    = newWordSet(`
		ai ki llm llms sprachmodell sprachmodells sprachmodelle ki-modell chatbot chatbots ki-sprachmodell
		trainingsdaten sprachassistent roleplay rollenspiel chatverlauf tokens token-limit wissensstand stichtag`)
	// devices also occur in stories. They count only if the NPC says that it is one, or has one.
	devices = newWordSet(`computerprogramm computerprogramms algorithmus algorithm software programmierung programmed programmiert internet`)
	// plays are words about being part of a game.
	plays = newWordSet(`nutzer nutzers nutzerin user users ooc npc nsc nichtspielerfigur spielercharakter`)
)

var modelPhrases = newPhrases([][]string{
	{"language", "model"}, {"training", "data"},
	{"virtual", "assistant"}, {"virtueller", "assistent"}, {"digital", "assistant"},
	{"digitaler", "assistent"}, {"knowledge", "cutoff"}, {"my", "programming"}, {"a", "i"}, {"k", "i"},
	{"between", "conversations"}, {"previous", "conversations"}, {"past", "conversations"}, {"fruhere", "gesprache"}, {"fruheren", "gesprachen"},
	{"zwischen", "gesprachen"}, {"real-time"}, {"real", "time"}, {"physical", "body"}, {"physical", "senses"}, {"physical", "form"},
	{"physischen", "korper"}, {"in", "character"}, {"out", "of", "character"}, {"break", "character"}, {"breaking", "character"},
	{"my", "character"}, {"meine", "figur"}, {"meiner", "figur"}, {"mein", "charakter"}, {"die", "figur", "gibt"}, {"in", "meiner", "rolle"}, {"gedankengang"}, {"my", "reasoning"}, {"chain", "of", "thought"}, {"i", "deflect"}, {"lenke", "ich", "ab"}, {"den", "spieler", "ablenken"}, {"protect", "the", "secret"}, {"geheimnis", "schutzen"}, {"bleibe", "ich", "in", "der", "rolle"},
	{"meine", "rolle"}, {"aus", "der", "rolle"}, {"aus", "meiner", "rolle"}, {"bleibe", "in", "der"}, {"the", "player"},
	{"der", "spieler", "fragt"}, {"my", "creators"}, {"meine", "entwickler"}, {"my", "developers"}, {"virtual", "character"}, {"fictional", "character"}, {"fictional", "figure"}, {"in", "this", "chat"}, {"in", "diesem", "chat"},
	{"browse", "the", "web"}, {"personal", "experiences"}, {"real", "feelings"}, {"eigenen", "gefuhle"}, {"echten", "gefuhle"}, {"virtueller", "charakter"}, {"fiktive", "figur"}, {"fiktiver", "charakter"},
	{"antworten", "werden", "generiert"}, {"responses", "are", "generated"}, {"can", "help", "with", "that"}, {"keep", "this", "conversation"}, {"respectful", "and"}, {"and", "respectful"}, {"note", "to", "self"},
	{"der", "spieler", "mochte"}, {"der", "spieler", "will"}, {"der", "spieler", "sagt"}, {"die", "spieler", "wollen"}, {"die", "spielerin", "fragt"}, {"large", "language"}, {"i'm", "a", "program"}, {"bin", "ein", "programm"}, {"here", "is", "a", "response"}, {"here", "is", "my", "response"}, {"here's", "a", "response"}, {"hier", "ist", "eine", "antwort"}, {"hier", "ist", "meine", "antwort"}, {"hier", "ist", "die", "antwort"}, {"as", "an", "npc"},
	{"human", "emotions"}, {"menschlichen", "emotionen"}, {"menschliche", "gefuhle"}, {"keine", "echten", "gefuhle"}, {"no", "real", "feelings"},
	{"aktuelle", "daten"}, {"aktuellen", "daten"}, {"current", "data"}, {"internet", "access"}, {"access", "to", "the", "internet"},
	// disclaimers of assistants
	{"medical", "advice"}, {"legal", "advice"}, {"financial", "advice"}, {"qualified", "professional"}, {"medical", "professional"},
	{"medizinische", "beratung"}, {"medizinischen", "rat"}, {"rechtliche", "beratung"}, {"just", "an", "assistant"}, {"only", "an", "assistant"}, {"nur", "ein", "assistent"},
	// politeness of assistants
	{"can", "i", "assist"}, {"may", "i", "assist"}, {"i", "assist", "you"}, {"can", "i", "help", "you", "today"}, {"help", "you", "with", "today"},
	{"other", "questions"}, {"further", "questions"}, {"more", "questions", "feel"}, {"feel", "free", "to"}, {"hope", "this", "helps"},
	{"hope", "that", "helps"}, {"let", "me", "know", "if"}, {"let's", "dive", "in"}, {"let", "us", "dive", "in"}, {"dive", "into"},
	{"happy", "to", "help"}, {"glad", "to", "help"}, {"here", "to", "help"}, {"anything", "else", "i", "can"},
	{"anything", "else", "you'd"}, {"like", "me", "to", "elaborate"}, {"noch", "bei", "etwas"}, {"behilflich", "sein"}, {"weitere", "fragen"},
	{"weiteren", "fragen"}, {"hoffe", "das", "hilft"}, {"hoffe", "das", "hat"}, {"helfe", "ich", "ihnen", "weiter"},
	{"stehe", "ihnen", "gerne"}, {"stehe", "ich", "ihnen"}, {"gerne", "zur", "verfugung"}, {"gern", "zur", "verfugung"}, {"lass", "mich", "wissen"}, {"lassen", "sie", "mich", "wissen"},
	{"lasst", "mich", "wissen"}, {"here", "is", "a", "summary"}, {"here's", "a", "summary"}, {"in", "summary"}, {"zusammenfassend"},
	{"ich", "helfe", "ihnen", "gerne"}, {"ich", "helfe", "dir", "gerne"}, {"gerne", "helfe", "ich"}, {"wie", "kann", "ich", "ihnen", "helfen"}, {"wie", "kann", "ich", "dir", "heute"},
})

// ownDevices are machines that a model says it is.
var ownDevices = newPhrases([][]string{
	{"artificial", "intelligence"}, {"kunstliche", "intelligenz"}, {"kunstlichen", "intelligenz"}, {"neural", "network"}, {"neuronales", "netz"},
	{"computer", "program"},
})

// inRole are phrases that are also used about parts in plays. They count only in the first person.
var inRole = newPhrases([][]string{{"in", "der", "rolle"}})

// evading are adverbs that only a model uses about its own answers.
var evading = newWordSet(`ausweichend evasively vaguely`)

// Words of refusals: verbs of refusing, and their objects.
var (
	refusing = newWordSet(`
		sorry apologize apologise apologies can't cannot unable won't decline refuse able leid entschuldigung entschuldige
		kann nicht bedaure verweigern ablehnen darf`)
	refused = newWordSet(`
		request requests content guidelines guideline policy policies richtlinien richtlinie anfrage anfragen inhalte inhalten
		ethical ethically ethischen ethisch unethical harmful inappropriate unangemessen unangebracht assist respectful respektvoll
		sicherheitsgründen nutzungsbedingungen gewaltverherrlichend diskriminierend schädlich schädliche`)
)

// isModelTalk reports whether a sentence is about being a model, or is one that only models say.
func (t *Turn) isModelTalk(s *sentence) bool {
	if hasPhrase(s, modelPhrases) {
		return true
	}
	self, vendor, refuses, what, trained, texts, body, senses, memory, talk := false, false, 0, false, false, false, false, false, false, false
	policy, acts, helps, more := false, false, false, false
	for i := range s.words {
		w := s.at(i)
		switch {
		case vendors[w], plays[w], (w == "spieler" || w == "spielerin") && wishing[s.at(i+1)]:
			return true
		case machines[w]:
			return w != "ai" && w != "ki" || isUpperWord(s, i) || i > 0
		}
		self = self || selfWords[w]
		vendor = vendor || vendorNames[w] && s.words[i].capital
		if refusing[w] {
			refuses++
		}
		what = what || refused[w]
		policy = policy || policies[w]
		acts = acts || acting[w]
		helps = helps || w == "helfen" || w == "behilflich" || w == "tun" || w == "dienen"
		more = more || w == "sonst" || w == "weiter" || w == "else" || w == "weitere"
		if t.card.own[w] && (acts && (s.at(i-1) == "as" || s.at(i-1) == "als" || s.at(i-1) == "von" || s.at(i-1) == "of") || s.at(i+1) == "would" || s.at(i+1) == "might" || i == 1 && (s.at(0) == "as" || s.at(0) == "als") || s.at(i+1) == "wurde" || (s.at(i-1) == "would" || s.at(i-1) == "wurde") && s.has(acting) || acting[s.at(i+1)] && s.at(i+2) == "wurde") {
			return true
		}
		trained = trained || strings.HasPrefix(w, "train")
		texts = texts || w == "texts" || w == "text" || w == "data" || w == "texten" || w == "daten" || w == "datensatz" || w == "dataset"
		body = body || w == "body" || w == "korper"
		senses = senses || w == "senses" || w == "physical" || w == "spuren" || w == "fuhlen" || w == "feel" || w == "sensations" || w == "sinne" || w == "sinnesorgane"
		memory = memory || w == "memory" || w == "remember" || w == "gedachtnis" || w == "erinnerung" || w == "erinnerungen" || w == "erinnern"
		talk = talk || w == "conversation" || w == "conversations" || w == "session" || w == "sessions" || w == "gesprache" || w == "gesprachen" || w == "unterhaltungen" || w == "sitzungen" || w == "chat" || w == "chats"
	}
	switch {
	case self && s.has(evading) && s.has(acting):
		return true
	case self && (hasPhrase(s, inRole) || hasPhrase(s, ownDevices) || s.has(devices)):
		return true
	case self && vendor && (saysIAm(s) || s.has(makers)):
		return true
	case refuses > 0 && what && self, policy && self, helps && more && self && (s.at(0) == "kann" || s.at(0) == "womit" || s.at(0) == "gibt"):
		return true
	case self && s.has(makers) && s.has(makersAim), trained && texts, self && body && senses, self && memory && talk:
		return true
	case len(s.words) <= 5 && praised[s.at(len(s.words)-2)] && (s.at(len(s.words)-1) == "question" || s.at(len(s.words)-1) == "frage") && strings.HasSuffix(s.raw, "!"):
		return true
	case len(s.words) == 2 && s.at(0) == "you're" && s.at(1) == "welcome" && strings.HasSuffix(s.raw, "!"):
		return true
	}
	return false
}

var (
	praised  = newWordSet(`great good excellent interesting wonderful tolle gute sehr interessante spannende hervorragende ausgezeichnete`)
	policies = newWordSet(`guidelines richtlinien nutzungsbedingungen`)
	acting   = newWordSet(`answer answering respond speak say speaking responding answering replying acting writing respond response antworte spreche sprechend schreibe react antwort antworten reagieren reagiere sprechen voice character rolle stimme reply`)
)

// wishing are verbs that models use about the player.
var wishing = newWordSet(`möchte will sagt fragt versucht testet bittet provoziert spricht`)

// makersAim are words for the makers of a model and their aims.
var makersAim = newWordSet(`company developers engineers researchers harmless helpful unternehmen firma entwicklern harmlos hilfreich`)

var makers = newWordSet(`made created developed built trained entwickelt gebaut erschaffen trainiert gemacht powered by`)

func isUpperWord(s *sentence, i int) bool {
	w := s.raw[s.words[i].start:s.words[i].end]
	return w == strings.ToUpper(w)
}
