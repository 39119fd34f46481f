package words

import "strings"

// Stop reports whether a folded word is so common in English or German that it says nothing about a text's
// topic.
func Stop(word string) bool {
	_, ok := stopWords[word]
	return ok
}

// stopWords is read-only.
var stopWords = set(stopEnglish, stopGerman)

// stopEnglish and stopGerman list function words in folded form. Single letters are the remains of "don't"
// and "Bartok's".
const (
	stopEnglish = `a an the this that these those and or but nor so if then else than as of at by for from in into
on onto to up out off over under with without about after before again further once here there where when why how
all any both each few more most other some such no not only own same too very just also now
i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs
who whom whose which what is am are was were be been being do does did done doing have has had having
will would shall should can could may might must let s t d m ll re ve don didn doesn isn wasn`

	stopGerman = `der die das den dem des ein eine einen einem einer eines kein keine keinen und oder aber denn doch
sondern wenn dann als wie so auch nur noch schon sehr mal ja nein nicht ich mich mir mein meine du dich dir dein deine
er ihn ihm sein seine sie ihr ihre ihnen es wir uns unser unsere euch euer man sich dieser diese dieses diesen diesem
jener jene jenes wer was wen wem wessen wo wann warum wieso welche welcher welches ist bin bist sind seid war waren
wird werden wurde wurden worden hat habe hast haben hatte hatten kann kannst konnen konnte muss mussen soll sollen
will wollen darf durfen in im an am auf aus bei beim bis durch fur gegen mit nach ohne seit uber um unter von vom vor
zu zum zur zwischen da dort hier her hin ab`
)

func set(lists ...string) map[string]struct{} {
	m := make(map[string]struct{}, 400)
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			m[w] = struct{}{}
		}
	}
	return m
}
