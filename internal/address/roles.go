package address

import (
	"slices"
	"strings"
)

// roleWords are words for the same role, in both languages. A line may call an NPC by any of them.
var roleWords = [][]string{
	strings.Fields(`innkeeper chef boss barkeep barkeeper bartender landlord landlady publican tavernkeeper host hostess wirt wirtin gastwirt gastwirtin schankwirt schankwirtin barmann herbergsvater`),
	strings.Fields(`sage scholar gelehrter gelehrte gelehrten weiser weise professor`),
	strings.Fields(`baker bäcker bäckerin bäckersfrau`),
	strings.Fields(`captain skipper cap hauptmann kapitän käpten käptn capitano kommandant hauptfrau`),
	strings.Fields(`archivist librarian archivar archivarin bibliothekar bibliothekarin`),
	strings.Fields(`noblewoman noble lady ladyship milady mylady adlige edeldame edelfrau gräfin`),
	strings.Fields(`monk brother friar mönch bruder`),
	strings.Fields(`nun sister nonne schwester`),
	strings.Fields(`priest father priestess cleric priester priesterin pfarrer pater hochwürden`),
	strings.Fields(`king majesty sire könig majestät`),
	strings.Fields(`queen majesty königin majestät`),
	strings.Fields(`prince highness prinz hoheit`),
	strings.Fields(`princess highness prinzessin hoheit`),
	strings.Fields(`chancellor kanzler kanzlerin exzellenz`),
	strings.Fields(`smith blacksmith schmied schmiedin`),
	strings.Fields(`fisherman fisher fischer fischerin angler`),
	strings.Fields(`harbourmaster harbormaster hafenmeister hafenmeisterin`),
	strings.Fields(`quartermaster quartiermeister quartiermeisterin`),
	strings.Fields(`inspector detective inspektor inspektorin kommissar`),
	strings.Fields(`maid chambermaid maidservant zofe magd dienstmädchen kammerzofe stubenmädchen`),
	strings.Fields(`housekeeper haushälterin hausdame`),
	strings.Fields(`butler diener`),
	strings.Fields(`ghost spirit spectre geist gespenst`),
	strings.Fields(`miller müller müllerin`),
	strings.Fields(`farmer bauer bäuerin bauersfrau`),
	strings.Fields(`guard guardsman watchman wache wächter wachmann gardist`),
	strings.Fields(`herbalist healer kräuterfrau kräuterhexe kräuterweib kräuterweiblein heilerin heiler`),
	strings.Fields(`smuggler schmuggler schmugglerin`),
	strings.Fields(`jester fool narr hofnarr`),
	strings.Fields(`mage wizard magician sorcerer magier magierin hofmagier hofmagierin zauberer zauberin hofzauberer`),
	strings.Fields(`falconer falkner falknerin`),
	strings.Fields(`weaponmaster armourer waffenmeister waffenmeisterin`),
	strings.Fields(`mirror spiegel`),
	strings.Fields(`scout ranger späher späherin kundschafter kundschafterin`),
	strings.Fields(`druid druide druidin`),
	strings.Fields(`lord lordship milord`),
	strings.Fields(`merchant trader shopkeeper händler händlerin kaufmann kauffrau krämer krämerin`),
	strings.Fields(`ferryman ferrywoman fährmann fährfrau`),
	strings.Fields(`mayor bürgermeister bürgermeisterin`),
	strings.Fields(`sheriff vogt büttel schulze`),
	strings.Fields(`cook koch köchin`),
	strings.Fields(`hunter huntress jäger jägerin`),
	strings.Fields(`witch hexe`),
	strings.Fields(`knight ritter ritterin`),
	strings.Fields(`doctor physician medicus arzt ärztin doktor`),
	strings.Fields(`midwife hebamme`),
	strings.Fields(`gravedigger totengräber`),
	strings.Fields(`bard minstrel barde bardin spielmann`),
	strings.Fields(`beggar bettler bettlerin`),
	strings.Fields(`carpenter zimmermann tischler schreiner`),
	strings.Fields(`tailor seamstress schneider schneiderin`),
	strings.Fields(`sailor matrose seemann`),
	strings.Fields(`oracle seer orakel seherin seher`),
	strings.Fields(`stablehand groom stallbursche stallmädchen stallknecht`),
	strings.Fields(`dwarf zwerg zwergin`),
	strings.Fields(`thief dieb diebin`),
	strings.Fields(`alchemist apothecary alchemistin apotheker apothekerin`),
	strings.Fields(`coachman kutscher kutscherin`),
	strings.Fields(`gardener gärtner gärtnerin`),
}

// endsRole are words that begin the irrelevant rest of a role.
var endsRole = setOf(`of who which that at in from for with the der die das des im in vom von zu am aus`)

// rolesOf returns the ways to call someone by a role, as folded words.
func rolesOf(role string) [][]string {
	words := wordsOf(role)
	for i, w := range words {
		if i > 0 && endsRole[w] {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 || len(words) > maxWords {
		return nil
	}
	head := words[len(words)-1]
	out := [][]string{words}
	if len(words) > 1 && len(head) > 4 {
		out = append(out, []string{head})
	}
	names := []string{head}
	for _, same := range roleWords {
		if slices.Contains(same, head) {
			for _, w := range same {
				if w != head {
					out = append(out, []string{w})
					names = append(names, w)
				}
			}
		}
	}
	for _, w := range names {
		for _, tail := range [...]string{"lady", "man", "woman", "sir"} {
			out = append(out, []string{w, tail})
		}
	}
	return out
}
