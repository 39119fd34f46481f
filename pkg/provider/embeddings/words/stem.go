package words

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
)

// Stem returns the stem of a folded word, in German or else in English.
func Stem(word string, inGerman bool) string {
	env := snowballstem.NewEnv(word)
	if inGerman {
		german.Stem(env)
	} else {
		english.Stem(env)
	}
	return env.Current()
}

// German reports whether folded words are German rather than English, judging by their function words.
func German(all []string) bool {
	balance := 0
	for _, w := range all {
		_, de := onlyGerman[w]
		_, en := onlyEnglish[w]
		switch {
		case de && !en:
			balance++
		case en && !de:
			balance--
		}
	}
	return balance > 0
}

// onlyGerman and onlyEnglish are read-only. They omit words that exist in both languages.
var (
	onlyGerman = set(`der die das den dem des ein eine einen einem einer und oder aber ich mich mir mein meine du dich dir dein er ihn ihm sein
ihr wir uns unser sie es sich ist bin bist sind waren wird werden habe hast haben hatte kann nicht kein keine auf aus bei mit nach von vom
zu zum zur im wie wer wo wann warum wieso welche welcher welches wem wen wessen auch noch nur schon mal ja nein doch da dann wenn weil dass
hier dort uber unter vor fur gegen ohne durch`)
	onlyEnglish = set(`the a an and or but i me my mine you your yours he him his she her it its we us our they them their is are was were be been
has have had do does did not no to of on at by for from with about what who whom whose which where when why how this that these those there
here if then as than`)
)
