package address

import (
	"slices"
	"strings"
)

// corrected handles a correction and finds whom it ends with: "not you, Bartok. Greymantle, you tell us". It
// reports whether the utterance is a correction that names someone.
func (u *utterance) corrected(st *State) bool {
	if !u.traces() {
		return false
	}
	meant, found := match{}, false
	var not []int
	you := false // "you" means a player
	for i := 0; i < len(u.tokens); i++ {
		if u.tokens[i].quoted {
			continue
		}
		m, ok := u.exact(i, len(u.tokens))
		if !ok {
			continue
		}
		i = m.last
		switch {
		case m.owned || m.last+1 < len(u.tokens) && !u.tokens[m.last].closes && u.tellsOf(m.last+1) || u.tokens[max(m.first-1, 0)].text == "ask" && !u.denied(m) || m.form.common && !u.setOff(m):
		case u.denied(m):
			if m.form.npc != player && !slices.Contains(not, m.form.npc) {
				not = append(not, m.form.npc)
			}
		case m.form.npc == player:
			you, found = true, false
		default:
			meant, found, you = m, true, false
		}
	}
	if !found && !you {
		return false
	}
	before := st.Mine
	if before.Known && before.NPC >= 0 && (!found || before.NPC != meant.form.npc) && !slices.Contains(not, before.NPC) {
		not = append(not, before.NPC)
	}
	u.notFor = not
	if you {
		u.toPlayer = true
		return true
	}
	u.called, u.confidence, u.why = []int{meant.form.npc}, 0.9, "a correction that ends with it"
	return true
}

// traces reports whether the utterance takes back a call.
func (u *utterance) traces() bool {
	for i := range u.tokens {
		for n := 1; n <= 4 && i+n <= len(u.tokens); n++ {
			words := make([]string, n)
			for k := range words {
				words[k] = u.tokens[i+k].text
			}
			if takesBack[strings.Join(words, "_")] {
				return true
			}
		}
	}
	return false
}

// takesBack are phrases that take back a call, with their words joined by "_".
var takesBack = setOf(`hold_that_thought not_you not_him not_her i_meant i_mean i_didn't_mean wrong_person never_mind nevermind scratch_that forget_her forget_him forget_it actually_no was_meant_for meant_for i'm_asking i_asked i_wasn't_asking i_was_talking_to i_was_asking i'm_talking_to let_me_ask or_no no_wait wait_no no_sorry sorry_not sorry_no other_one wrong_one i'd_rather_hear i_want_to_hear_it_from hear_it_from answer_that suit_yourself talking_to_you talking_to
	nicht_du nicht_dich nicht_euch nein_nicht quatsch_nicht falsche_adresse falsche_person falscher dich_mein mein_ich meine_ich meinte_ich ich_meine ich_mein ich_meinte ich_meint dich_frag frag_ich frage_ich von_klara lieber_von lieber_vom will's_vom will_es_vom vom_käpten_hören wissen_von eigentlich_von lasst_den lass_den lass_die lasst_die vergiss vergesst egal halt_quatsch ach_quatsch quatsch spart's_euch wisst_ihr_was weißt_du_was hast_recht war_an war_für galt wollt_ich_eigentlich wollte_ich_eigentlich wollt_ich_jetzt moment_nicht stopp_nicht halt_nein nein_halt ich_red_mit ich_rede_mit mit_dir_red mit_dir_rede`)

// setOff reports whether a name is between punctuation marks.
func (u *utterance) setOff(m match) bool {
	return u.tokens[m.first].opens && u.tokens[m.last].closes
}

// denied reports whether a name is one that was not meant: "not you, Bartok", "forget her", "nicht die
// Trude", "wait, Raven, no".
func (u *utterance) denied(m match) bool {
	i := m.first
	for i > 0 && (u.tokens[i-1].class&honorific != 0 && u.tokens[i-1].class&article == 0 || theWord[u.tokens[i-1].text]) {
		i--
	}
	if m.last+1 < len(u.tokens) && !u.tokens[m.last].closes && i > 1 && u.tokens[i-1].class&you != 0 && u.turnsTo(m.last+1, false) {
		return false // "not you Fenn can you …"
	}
	if i > 0 && denies[u.tokens[i-1].text] {
		return true
	}
	if i > 1 && u.tokens[i-1].stop != '.' && (u.tokens[i-1].class&you != 0 || u.tokens[i-1].text == "mean") && denies[u.tokens[i-2].text] {
		return true
	}
	if i > 0 && apologies[u.tokens[i-1].text] && m.last+1 < len(u.tokens) {
		return true
	}
	next := m.last + 1
	return next < len(u.tokens) && (u.tokens[next].text == "no" || u.tokens[next].text == "nein" || u.tokens[next].text == "nee") && next+1 < len(u.tokens)
}

var (
	denies    = setOf(`not nicht forget vergiss vergesst lasst lass didn't wasn't statt instead nee kein`)
	theWord   = setOf(`the der die das den dem`)
	apologies = setOf(`sorry verzeiht verzeihung entschuldige entschuldigt pardon`)
)
