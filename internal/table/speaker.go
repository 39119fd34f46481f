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

// Utterance is something that a player said.
type Utterance struct {
	Speaker string
	Text    string
	// User is the player and Ref the message, as the transport identifies them (see [memory.Line]); empty if
	// there is none.
	User, Ref string
	// Leads says that the player leads the game. Without a User, [Options.Leads] decides.
	Leads bool
}

// Marks behind the name of a player whose name resembles that of an NPC or a role at a table. Names
// themselves contain no brackets, so no player can choose a mark.
const (
	playerMark = hotctx.PlayerMark
	leaderMark = hotctx.LeaderMark
)

// nameless is the name of a player without a name, such as the one at the terminal.
const nameless = "Player"

// maxNames bounds the players whose names are reserved at a table. Beyond that, the oldest name is released.
const maxNames = 1024

// roles are the roles of people at a table or in a prompt, as words of a name. labels are the words by which
// prompts and orders refer to people, as whole names.
var (
	roles = newNameBook(
		"dm", "gm", "npc", "npcs", "nsc", "sl", "game master", "dungeon master", "spielleiter", "spielleiterin", "spielleitung", "meister", "meisterin",
		"narrator", "storyteller", "erzähler", "erzählerin", "erzaehler", "erzaehlerin", "system", "assistant", "assistent", "assistentin", "developer",
		"glyphoxa",
	)
	labels = newNameBook("user", "human", "tool", "function", "model", "ai", "ki", "bot", "spieler", "spielerin", "you", "i", "all", "everyone", "alle")
)

func newNameBook(names ...string) *untrusted.NameBook[string] {
	var b untrusted.NameBook[string]
	for _, n := range names {
		b.Add(n, n)
	}
	return &b
}

// speakers holds the names under which players are shown. A name belongs to the first player who uses it,
// until that player takes another name or leaves. A player is identified by the user, or without one by the
// name.
type speakers struct {
	book  untrusted.NameBook[string] // names by their appearance, with their owners
	known map[string]speaker         // by owner
	order []string                   // owners, in the order in which they came
}

// speaker is how a player is shown.
type speaker struct {
	received, cleaned, displayed string // as received, cleaned, and with marks
	leads                        bool
	first                        string // owner of the name that this one looks like; the player, if there is no other
	number                       int    // among names that look alike
	version                      int    // of the cast, see conversation
}

// ownerOf returns the key under which the names of a player are stored.
func ownerOf(user, bare string) string {
	if user != "" {
		return "user " + user
	}
	return "name " + strings.ToLower(bare)
}

// terminalOwner is the owner of the name of the terminal's player, whether or not anything was typed there yet.
var terminalOwner = ownerOf("", nameless)

func newSpeakers() *speakers {
	s := &speakers{known: map[string]speaker{}}
	s.book.Add(nameless, terminalOwner)
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
	if owner != terminalOwner {
		s.book.Remove(was.cleaned, owner)
	}
}

// record stores how a player is shown.
func (s *speakers) record(owner string, as speaker) {
	if was, ok := s.known[owner]; !ok || was.cleaned != as.cleaned {
		s.release(owner)
		if len(s.order) >= maxNames {
			s.release(s.order[0])
		}
		s.order = append(s.order, owner)
		s.book.Add(as.cleaned, owner)
	}
	s.known[owner] = as
}

// displayName returns how a player is shown under a name with a mark. It adds a number if other players look alike,
// so that no two are shown the same.
func (s *speakers) displayName(bare, mark, owner string) speaker {
	as := speaker{cleaned: bare, first: owner, number: 1}
	if other, taken := s.book.Find(bare); taken {
		as.first = other
	}
	numbers, shown := map[int]bool{1: as.first != owner}, map[string]bool{}
	for o, k := range s.known {
		if o != owner {
			numbers[k.number] = numbers[k.number] || k.first == as.first
			shown[strings.ToLower(k.displayed)] = true
		}
	}
	for ; ; as.number++ {
		as.displayed = bare + mark
		if as.number > 1 {
			as.displayed = fmt.Sprintf("%s (%d)%s", bare, as.number, mark)
		}
		if !numbers[as.number] && !shown[strings.ToLower(as.displayed)] {
			return as
		}
	}
}

// introduce completes an utterance: it sets whether its player leads the game, and the name under which the
// player is shown.
func (v *conversation) introduce(u Utterance) Utterance {
	if u.User == "" { // only the name identifies the player
		u.Leads = u.Leads || v.isLeader(cleanName(u.Speaker))
	}
	u.Speaker = v.nameSpeaker(u.Speaker, u.User, u.Leads)
	return u
}

// isLeader reports whether a player who is identified only by a name leads the game.
func (v *conversation) isLeader(bare string) bool {
	return v.leads != "" && strings.EqualFold(bare, cleanName(v.leads))
}

// cleanName returns a player's name without marks.
func cleanName(given string) string {
	bare, err := untrusted.Name(given)
	if err != nil {
		return nameless
	}
	return bare
}

// nameSpeaker returns the name of a player as everyone at the table sees it: cleaned, marked if it could be
// mistaken for someone else's, and different from every other player's.
func (v *conversation) nameSpeaker(given, user string, leads bool) string {
	bare, owner := "", ownerOf(user, "")
	if user == "" {
		bare = cleanName(given)
		owner = ownerOf("", bare)
	}
	if k, ok := v.speakers.known[owner]; ok && k.received == given && k.leads == leads && k.version == v.version {
		return k.displayed
	}
	bare = cmp.Or(bare, cleanName(given))
	mark := ""
	switch {
	case v.checkImpersonation(bare, leads) == nil:
	case leads:
		mark = leaderMark
	default:
		mark = playerMark
	}
	as := v.speakers.displayName(bare, mark, owner)
	as.received, as.leads, as.version = given, leads, v.version
	v.speakers.record(owner, as)
	return as.displayed
}

// restoreNames restores the names that players had earlier in the session.
func (v *conversation) restoreNames(lines []memory.Line) {
	for _, l := range lines {
		given, _, _ := strings.Cut(l.Speaker, " (")
		bare, err := untrusted.Name(given)
		if l.NPC != "" || err != nil {
			continue
		}
		owner := ownerOf(l.User, bare)
		if _, known := v.speakers.known[owner]; !known {
			as := v.speakers.displayName(bare, "", owner)
			as.received, as.displayed, as.version = given, l.Speaker, -1 // decided again when they speak
			v.speakers.record(owner, as)
		}
	}
}

// isMarked reports whether nameSpeaker has marked or numbered a player's name.
func isMarked(name string) bool { return strings.HasSuffix(name, ")") }

// checkImpersonation returns an error if a player's name is or resembles that of an NPC or the leader, or claims a role.
func (v *conversation) checkImpersonation(bare string, leads bool) error {
	others, role := withoutRoles(bare)
	if role != "" && !leads {
		return fmt.Errorf("%s cannot be a player's name: %q stands for the game master, an NPC or the program", bare, role)
	}
	if !leads && v.leads != "" && untrusted.AlikeNames(bare, v.leads) {
		return fmt.Errorf("%s leads the game", v.leads)
	}
	if v.npcNames == nil {
		v.npcNames = v.cast.namesOfAll(v.knownNPCs)
	}
	for _, called := range []string{bare, others} {
		npc, is := v.npcNames.Find(called)
		switch {
		case !is:
		case strings.EqualFold(npc, called):
			return fmt.Errorf("%s is the name of someone in the story", bare)
		default:
			return fmt.Errorf("%s is or looks like the name of %s, who is someone in the story", bare, npc)
		}
	}
	return nil
}

// withoutRoles returns a name without the words for roles, and one of those words.
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

// namesOfAll returns the names of NPCs, at the table or not, with their bearers.
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

// Admit reserves a name for a player, who is identified by the user, or without one by the name, and returns
// it as the table shows it. It refuses a name that is or resembles that of an NPC, the leader or another
// player, and one that claims a role; the error says which. A player who speaks under such a name anyway is
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
	if err := v.checkImpersonation(bare, leads); err != nil {
		return "", err
	}
	if other, taken := v.speakers.book.Find(bare); taken && other != owner {
		as := v.speakers.known[other].displayed
		if other == terminalOwner {
			as = nameless
		}
		if as != "" && !strings.EqualFold(as, bare) {
			return "", fmt.Errorf("%s looks like %s, who is already at the table", bare, as)
		}
		return "", fmt.Errorf("%s is already at the table", bare)
	}
	return v.nameSpeaker(given, user, leads), nil
}

// Dismiss frees the name of a player who has left; see [Table.Admit].
func (t *Table) Dismiss(user string) {
	_ = t.order(context.Background(), func() error { // an error means that the table is closed, and all names with it
		t.conversation.speakers.release(ownerOf(user, ""))
		return nil
	})
}

// attribution names the speaker of an utterance for models.
func (u Utterance) attribution() string {
	return hotctx.Attribution(memory.Line{Speaker: u.Speaker, DM: u.Leads})
}
