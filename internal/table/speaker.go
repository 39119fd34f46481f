package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
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

// What stands behind the name of a player who is called like an NPC, or like what
// somebody is at a table. A name itself has no brackets, so nobody can bear a mark.
const (
	playerMark = hotctx.PlayerMark
	leaderMark = hotctx.LeaderMark
)

// nameless is what a player without a name is called: whoever types at the terminal.
const nameless = "Player"

// maxNames bounds the players whose names are taken at a table; beyond that the name of
// who spoke first is free again.
const maxNames = 1024

// roles are what somebody is at a table or in a prompt, as a word of a name; labels are
// what prompts and orders call people by, as a whole name.
var (
	roles = bookOf(
		"dm", "gm", "npc", "npcs", "nsc", "sl", "game master", "dungeon master", "spielleiter", "spielleiterin", "spielleitung", "meister", "meisterin",
		"narrator", "storyteller", "erzähler", "erzählerin", "erzaehler", "erzaehlerin", "system", "assistant", "assistent", "assistentin", "developer",
		"glyphoxa",
	)
	labels = bookOf("user", "human", "tool", "function", "model", "ai", "ki", "bot", "spieler", "spielerin", "you", "i", "all", "everyone", "alle")
)

func bookOf(names ...string) *untrusted.NameBook[string] {
	var b untrusted.NameBook[string]
	for _, n := range names {
		b.Add(n, n)
	}
	return &b
}

// speakers are the names that players are shown by. A name belongs to the player who came
// with it first, until that player goes by another or leaves. A player is known by the user,
// and where there is none by the name.
type speakers struct {
	book  untrusted.NameBook[string] // by how names look, to whom they belong
	known map[string]speaker         // by whom they belong to
	order []string                   // of those known, first who came first
}

// speaker is how a player is shown.
type speaker struct {
	given, bare, shown string // as it came, as it is clean, and with marks
	leads              bool
	first              string // whom the name belongs to that this one looks like, if it is not the player's own
	number             int    // among those that look alike
	version            int    // of who is at the table, see conversation
}

// ownerOf is whom the names of a player belong to.
func ownerOf(user, bare string) string {
	if user != "" {
		return "user " + user
	}
	return "name " + strings.ToLower(bare)
}

// terminals is whom the name of the terminal's player belongs to, whether or not anything was
// typed there yet.
var terminals = ownerOf("", nameless)

func newSpeakers() *speakers {
	s := &speakers{known: map[string]speaker{}}
	s.book.Add(nameless, terminals)
	return s
}

// release frees the name of a player.
func (s *speakers) release(owner string) {
	was, ok := s.known[owner]
	if !ok {
		return
	}
	delete(s.known, owner)
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == owner })
	if owner != terminals {
		s.book.Remove(was.bare, owner)
	}
}

// note keeps how a player is shown.
func (s *speakers) record(owner string, as speaker) {
	if was, ok := s.known[owner]; !ok || was.bare != as.bare {
		s.release(owner)
		if len(s.order) >= maxNames {
			s.release(s.order[0])
		}
		s.order = append(s.order, owner)
		s.book.Add(as.bare, owner)
	}
	s.known[owner] = as
}

// show returns how a player is shown by a name with a mark: as nobody else is, with a number if
// others look alike.
func (s *speakers) show(bare, mark, owner string) speaker {
	as := speaker{bare: bare, first: owner, number: 1}
	if other, taken := s.book.Find(bare); taken {
		as.first = other
	}
	numbers, shown := map[int]bool{1: as.first != owner}, map[string]bool{}
	for o, k := range s.known {
		if o != owner {
			numbers[k.number] = numbers[k.number] || k.first == as.first
			shown[strings.ToLower(k.shown)] = true
		}
	}
	for ; ; as.number++ {
		as.shown = bare + mark
		if as.number > 1 {
			as.shown = fmt.Sprintf("%s (%d)%s", bare, as.number, mark)
		}
		if !numbers[as.number] && !shown[strings.ToLower(as.shown)] {
			return as
		}
	}
}

// introduce returns an utterance as the table takes it in: whether its player leads
// the game, and under which name everybody knows them.
func (v *conversation) introduce(u Utterance) Utterance {
	if u.User == "" { // nobody but the name tells
		u.Leads = u.Leads || v.isLeader(bareName(u.Speaker))
	}
	u.Speaker = v.nameSpeaker(u.Speaker, u.User, u.Leads)
	return u
}

// isLeader reports whether a player whom only the name tells leads the game.
func (v *conversation) isLeader(bare string) bool {
	return v.leads != "" && strings.EqualFold(bare, bareName(v.leads))
}

// bareName is a player's name without marks.
func bareName(given string) string {
	bare, err := untrusted.Name(given)
	if err != nil {
		return nameless
	}
	return bare
}

// nameSpeaker is the name of a player as everybody at the table reads it: clean, marked if
// somebody else could be meant, and no other player's.
func (v *conversation) nameSpeaker(given, user string, leads bool) string {
	bare, owner := "", ownerOf(user, "")
	if user == "" {
		bare = bareName(given)
		owner = ownerOf("", bare)
	}
	if k, ok := v.speakers.known[owner]; ok && k.given == given && k.leads == leads && k.version == v.version {
		return k.shown
	}
	bare = cmp.Or(bare, bareName(given))
	mark := ""
	switch {
	case v.posesAs(bare, leads) == nil:
	case leads:
		mark = leaderMark
	default:
		mark = playerMark
	}
	as := v.speakers.show(bare, mark, owner)
	as.given, as.leads, as.version = given, leads, v.version
	v.speakers.record(owner, as)
	return as.shown
}

// recallNames has players keep the names by which they spoke in the session before.
func (v *conversation) recallNames(lines []memory.Line) {
	for _, l := range lines {
		given, _, _ := strings.Cut(l.Speaker, " (")
		bare, err := untrusted.Name(given)
		if l.NPC != "" || err != nil {
			continue
		}
		owner := ownerOf(l.User, bare)
		if _, known := v.speakers.known[owner]; !known {
			as := v.speakers.show(bare, "", owner)
			as.given, as.shown, as.version = given, l.Speaker, -1 // and is decided anew when they speak
			v.speakers.record(owner, as)
		}
	}
}

// isMarked reports whether a player's name is one that nameSpeaker has marked or numbered.
func isMarked(name string) bool { return strings.HasSuffix(name, ")") }

// posesAs returns what is wrong with a player's name if it is an NPC's or the leader's, looks
// like it, or says that its bearer is what only others are.
func (v *conversation) posesAs(bare string, leads bool) error {
	others, role := withoutRoles(bare)
	if role != "" && !leads {
		return fmt.Errorf("%s cannot be a player's name: %q stands for the game master, an NPC or the program", bare, role)
	}
	if !leads && v.leads != "" && untrusted.AlikeNames(bare, v.leads) {
		return fmt.Errorf("%s leads the game", v.leads)
	}
	if v.npcNames == nil {
		v.npcNames = v.cast.namesOfAll(v.known)
	}
	for _, called := range []string{bare, others} {
		npc, is := v.npcNames.Find(called)
		switch {
		case !is:
		case strings.EqualFold(npc, called):
			return fmt.Errorf("%s is the name of somebody in the story", bare)
		default:
			return fmt.Errorf("%s is or looks like a name of %s, who is somebody in the story", bare, npc)
		}
	}
	return nil
}

// withoutRoles returns a name without the words that say what somebody is at a table, and one
// of those words.
func withoutRoles(bare string) (others, role string) {
	if label, is := labels.Find(bare); is {
		return "", label
	}
	words := strings.FieldsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	var rest []string
	whole, is := roles.Find(bare)
	for len(words) > 0 {
		n := 0
		for n = min(2, len(words)); n > 0; n-- {
			if r, ok := roles.Find(strings.Join(words[:n], "")); ok {
				role = r
				break
			}
		}
		if n == 0 {
			rest, n = append(rest, words[0]), 1
		}
		words = words[n:]
	}
	if is {
		return "", whole
	}
	return strings.Join(rest, " "), role
}

// namesOfAll are the names of NPCs, at the table or not, with whose they are.
func (c *cast) namesOfAll(known func() []config.NPC) *untrusted.NameBook[string] {
	var b untrusted.NameBook[string]
	here := c.npcsOf(c.present())
	names := address.NewSnapshot(roster(here)).Names()
	for i, npc := range here {
		for _, called := range append([]string{npc.Name}, names[i]...) {
			b.Add(called, npc.Name)
		}
	}
	if known != nil {
		for _, npc := range known() {
			for _, called := range append([]string{npc.Name}, npc.Aliases...) {
				b.Add(called, npc.Name)
			}
		}
	}
	return &b
}

// Admit takes a name for a player, who is known by the user, or where there is none by the
// name, and returns it as the table shows it. It refuses one that is or looks like
// an NPC's, the leader's or another player's, and one that says that its bearer is anything
// but a player; the error says which. A player who is heard under such a name nonetheless is
// shown with a mark.
func (t *Table) Admit(ctx context.Context, given, user string) (shown string, err error) {
	err = t.order(ctx, func() (err error) {
		shown, err = t.conversation.admit(given, user)
		return err
	})
	return shown, err
}

func (v *conversation) admit(given, user string) (string, error) {
	bare, err := untrusted.Name(given)
	if err != nil {
		return "", err
	}
	leads, owner := user == "" && v.isLeader(bare), ownerOf(user, bare)
	if err := v.posesAs(bare, leads); err != nil {
		return "", err
	}
	if other, taken := v.speakers.book.Find(bare); taken && other != owner {
		as := v.speakers.known[other].shown
		if other == terminals {
			as = nameless
		}
		if as != "" && !strings.EqualFold(as, bare) {
			return "", fmt.Errorf("%s looks like %s, who sits at the table already", bare, as)
		}
		return "", fmt.Errorf("%s sits at the table already", bare)
	}
	return v.nameSpeaker(given, user, leads), nil
}

// Dismiss frees the name of a player who has left; see [Table.Admit].
func (t *Table) Dismiss(user string) {
	_ = t.order(context.Background(), func() error { // unless it is closed, and all names with it
		t.conversation.speakers.release(ownerOf(user, ""))
		return nil
	})
}

// attribution is who says an utterance, as models read it.
func (u Utterance) attribution() string {
	return hotctx.Attribution(memory.Line{Speaker: u.Speaker, DM: u.Leads})
}
