package table

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Utterance is something a player said.
type Utterance struct {
	Speaker string
	Text    string
	// User is who spoke and Ref the message it was written in, as the transport
	// knows them (see [memory.Line]); empty where there is none.
	User, Ref string
	// Leads says that it was said by who leads the game. Where there is no User,
	// [Options.Leads] tells.
	Leads bool
}

// maxSpeaker bounds the name of a player, in characters, so that it fits with a mark
// wherever a model is told who speaks.
const maxSpeaker = 50

// What stands behind the name of a player who is called like an NPC, or like what
// somebody is at a table. A name itself has no brackets, so nobody can bear a mark.
const (
	playerMark = " (player)"
	leaderMark = " (DM)"
)

// roles are what somebody is at a table, or in a prompt.
var roles = []string{
	"dm", "gm", "npc", "npcs", "nsc", "sl", "game master", "gamemaster", "dungeon master", "dungeonmaster", "spielleiter", "spielleiterin", "spielleitung",
	"system", "assistant", "developer",
}

// introduce returns an utterance as the table takes it in: whether its player leads
// the game, and under which name everybody knows them.
func (v *conversation) introduce(u Utterance) Utterance {
	if u.User == "" { // nobody but the name tells
		u.Leads = u.Leads || v.leads != "" && strings.EqualFold(u.Speaker, v.leads)
	}
	u.Speaker = v.nameSpeaker(u.Speaker, u.Leads)
	return u
}

// nameSpeaker is the name of a player as everybody at the table reads it: one line
// without brackets and colons, marked if somebody else could be meant.
func (v *conversation) nameSpeaker(name string, leads bool) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Ps, unicode.Pe) || strings.ContainsRune("<>:：︓﹕∶꞉ː", r) {
			return ' '
		}
		return r
	}, name)
	bare = untrusted.Line(bare, maxSpeaker)
	switch {
	case bare == "" && name != "":
		return "Player"
	case !v.posesAs(bare, leads):
		return bare
	case leads:
		return bare + leaderMark
	}
	return bare + playerMark
}

// isMarked reports whether a player's name is one that nameSpeaker has marked.
func isMarked(name string) bool { return strings.HasSuffix(name, ")") }

// posesAs reports whether a player's name is an NPC's, or says that its bearer is what
// only others are.
func (v *conversation) posesAs(name string, leads bool) bool {
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	text := " " + strings.Join(words, " ") + " "
	claims := slices.Contains(roles, strings.Join(words, ""))
	for _, r := range roles {
		if strings.Contains(text, " "+r+" ") {
			text, claims = strings.ReplaceAll(text, " "+r+" ", " "), true
		}
	}
	if claims && !leads {
		return true
	}
	if v.npcNames == nil {
		v.npcNames = address.NewSnapshot(roster(v.cast.npcsOf(v.cast.present())))
	}
	_, is := v.npcNames.Named(text)
	return is
}

// attribution is who says an utterance, as models read it.
func (u Utterance) attribution() string {
	return hotctx.Attribution(memory.Line{Speaker: u.Speaker, DM: u.Leads})
}
