package terminal

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/table"
)

func (p *console) runOrder(ctx context.Context, text string) (quit bool, err error) {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	t := p.session.Table
	order, rest := plainOrder(strings.ToLower(word), rest)
	if standsAlone(order) && rest != "" {
		return false, fmt.Errorf("%s takes nothing after it; remove %q, or start with a name to speak", word, rest)
	}
	var said string
	switch order {
	case "/raise":
		said, err = p.raiseTier(ctx, rest)
	case "/lower":
		said, err = p.lowerTier(ctx, rest)
	case "/mute", "/unmute":
		if rest == "" {
			return false, fmt.Errorf("usage: %s NPC, or %s all", word, word)
		}
		said, err = t.Mute(ctx, rest, order == "/mute")
	case "/say", "/whisper", "/flüstern", "/fluestern":
		return false, p.speakWith(ctx, order, rest)
	case "/direct":
		said, err = p.directNPC(ctx, rest)
	case "/reveal":
		said, err = p.revealSecrets(ctx, rest)
	case "/conceal":
		if rest == "" {
			return false, errors.New("usage: /conceal NPC")
		}
		said, err = t.Conceal(ctx, rest)
	case "/unsay", "/again":
		said, err = t.RetractAnswer(ctx, table.RetractionRequest{NPC: rest, Leads: true, Again: order == "/again"})
	case "/approve", "/undo", "/memory", "/remember", "/date", "/datum", "/guests":
		said, err = p.runWorldOrder(ctx, order, rest)
	case "/listening":
		said, err = p.listenNow(ctx, rest)
	case "/tools":
		return false, p.showTools(ctx)
	case "/listen":
		said = strings.Join(p.captures.describeSeats(), "\n")
	case "/ledger":
		return false, p.showLedger(ctx)
	case "/why", "/cost":
		said, err = p.account(ctx, order, rest)
	case "/reload":
		said, err = p.reloadNPCs(ctx)
	case "/quit", "/exit":
		return true, nil
	case "/help", "/timing":
		said, err = p.explain(order, strings.ToLower(rest))
	default:
		return false, noSuchOrder(word)
	}
	if err == nil && said != "" {
		for line := range strings.Lines(said) {
			p.screen.showNotice("info", strings.TrimRight(line, "\n"))
		}
	}
	return false, err
}

// account explains an answer, or shows the cost of the session.
func (p *console) account(ctx context.Context, order, npc string) (string, error) {
	if order == "/cost" {
		return strings.Join(p.session.Cost().Lines(), "\n"), nil
	}
	b, err := table.Why(ctx, p.session.Table, npc)
	if err != nil {
		return "", err
	}
	return strings.Join(b.Lines(), "\n"), nil
}

// reloadNPCs reloads the NPC files and describes the changes.
func (p *console) reloadNPCs(ctx context.Context) (string, error) {
	changed, err := p.session.Reload(ctx)
	return changed.String(), err
}

// plainOrder converts an order from its Discord form, which begins with "/npc".
func plainOrder(order, rest string) (plain, arguments string) {
	about, how, _ := strings.Cut(rest, " ")
	if order == "/npc" && strings.EqualFold(about, "listening") {
		return "/listening", strings.TrimSpace(how)
	}
	return order, rest
}

// cutLastWord splits the last word off s.
func cutLastWord(s string) (rest, last string) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", s
	}
	return strings.TrimSpace(s[:i]), s[i+1:]
}

func (p *console) raiseTier(ctx context.Context, args string) (string, error) {
	const usage = "usage: /raise NPC standard|deep [DURATION] [N turns], such as /raise Bartok deep 5m or /raise Bartok deep 3 turns"
	var d time.Duration
	turns, args, err := cutLeaseTurns(args)
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, usage)
	}
	rest, last := cutLastWord(args)
	given := last
	if minutes, err := strconv.Atoi(last); err == nil {
		last = fmt.Sprintf("%dm", minutes) // a number without unit is minutes
	}
	if parsed, err := time.ParseDuration(last); err == nil {
		if parsed <= 0 {
			return "", fmt.Errorf("the duration %s must be longer than zero; %s", given, usage)
		}
		d, args = parsed, rest
		rest, last = cutLastWord(args)
	}
	to, err := mcp.ParseTier(last)
	if err != nil || rest == "" {
		return "", errors.New(usage)
	}
	return p.session.Table.Raise(ctx, rest, to, d, turns)
}

// cutLeaseTurns splits "3 turns" off the end of args. turns is 0 without it.
func cutLeaseTurns(args string) (turns int, rest string, err error) {
	before, unit := cutLastWord(args)
	if unit = strings.ToLower(unit); unit != "turns" && unit != "turn" {
		return 0, args, nil
	}
	rest, count := cutLastWord(before)
	if turns, err = strconv.Atoi(count); err != nil || turns < 1 {
		return 0, "", fmt.Errorf("%q is not a number of turns", count)
	}
	return turns, rest, nil
}

func (p *console) lowerTier(ctx context.Context, args string) (string, error) {
	if args == "" {
		return "", errors.New("usage: /lower NPC [fast|standard], such as /lower Bartok")
	}
	if rest, last := cutLastWord(args); rest != "" {
		if to, err := mcp.ParseTier(last); err == nil {
			return p.session.Table.Lower(ctx, rest, to)
		}
	}
	return p.session.Table.Lower(ctx, args, mcp.BudgetFast)
}

// sayAsNPC makes an NPC say a text.
func (p *console) sayAsNPC(ctx context.Context, args string) error {
	const usage = "usage: /say NPC text, such as /say Bartok Last orders, please"
	return splitAddressee(args, usage, false, func(npc, text string) error {
		p.screen.expectTurn()
		err := p.session.Table.Say(ctx, npc, text)
		if err != nil {
			p.screen.unexpectTurn()
		}
		return err
	})
}

// speakWith makes an NPC say a text, or whispers to it.
func (p *console) speakWith(ctx context.Context, order, args string) error {
	if order == "/say" {
		return p.sayAsNPC(ctx, args)
	}
	return p.whisperTo(ctx, args)
}

// dateNow shows or sets the date in the world.
func (p *console) dateNow(ctx context.Context, to string) (string, error) {
	date := p.game.Date()
	if to != "" {
		var err error
		if date, err = p.game.SetDate(ctx, to); err != nil {
			return "", err
		}
	}
	if date == "" {
		return "the date has not been set yet; set it with /date DATE", nil
	}
	return "it is " + date, nil
}

// whisperTo whispers to one NPC.
func (p *console) whisperTo(ctx context.Context, args string) error {
	const usage = "usage: /whisper NPC text, such as /whisper Bartok Who is the man by the door?"
	return splitAddressee(args, usage, false, func(npc, text string) error {
		u, err := p.utteranceOf(ctx, text)
		if err != nil {
			return err
		}
		p.screen.expectTurn()
		_, err = p.session.Table.Whisper(ctx, npc, u)
		if err != nil {
			p.screen.unexpectTurn()
		}
		return err
	})
}

// directNPC directs how an NPC plays its next turns.
func (p *console) directNPC(ctx context.Context, args string) (said string, err error) {
	const usage = "usage: /direct NPC [text], such as /direct Bartok lie about the key; without a text the NPC plays freely again"
	err = splitAddressee(args, usage, true, func(npc, text string) (err error) {
		said, err = p.session.Table.Direct(ctx, npc, text, 0)
		return err
	})
	return said, err
}

// revealSecrets allows an NPC to tell its secrets.
func (p *console) revealSecrets(ctx context.Context, args string) (said string, err error) {
	const usage = "usage: /reveal NPC [number|all], such as /reveal Bartok 2; without a number the secrets are listed"
	err = splitAddressee(args, usage, true, func(npc, which string) (err error) {
		said, err = p.session.Table.Reveal(ctx, npc, which)
		return err
	})
	return said, err
}

// listenNow shows or changes when the NPCs answer.
func (p *console) listenNow(ctx context.Context, name string) (string, error) {
	t := p.session.Table
	if name == "" {
		how, err := t.Listening(ctx)
		return "the NPCs " + how.Describe(), err
	}
	how, err := address.ParseListening(name)
	if err != nil {
		return "", err
	}
	return t.Listen(ctx, how)
}

// splitAddressee splits args into an NPC and a text, and calls do with the longest leading words that do
// accepts as a name. If alone is true, the text may be missing.
func splitAddressee(args, usage string, alone bool, do func(npc, text string) error) error {
	words := strings.Fields(args)
	most := len(words) - 1
	if alone {
		most = len(words)
	}
	if most < 1 {
		return errors.New(usage)
	}
	var last error
	for n := min(most, 6); n > 0; n-- {
		text := strings.TrimSpace(args)
		for _, w := range words[:n] {
			text = strings.TrimSpace(strings.TrimPrefix(text, w))
		}
		if last = do(strings.TrimRight(strings.Join(words[:n], " "), ":,"), text); last == nil {
			return nil
		}
	}
	return last
}

// showLedger shows the last turns and the recent latency of their stages.
func (p *console) showLedger(ctx context.Context) error {
	for _, l := range p.screen.recentLedgers() {
		p.screen.showNotice("info", l)
	}
	all, err := p.session.Table.Stages(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		line := fmt.Sprintf("%s, P50/P95 of %s: first sound %s", s.Tier, plural.Count(s.Turns, "turn", "turns"), spans(s.FirstSoundP50, s.FirstSoundP95))
		for _, st := range s.Stages {
			line += fmt.Sprintf(", %s %s", st.Stage, spans(st.P50, st.P95))
		}
		p.screen.showNotice("info", line)
	}
	return nil
}

func spans(p50, p95 time.Duration) string {
	return mcp.MillisText(mcp.RoundedMillis(p50)) + "/" + mcp.MillisText(mcp.RoundedMillis(p95))
}

// showTools shows when the NPCs answer, and the tools each may use now.
func (p *console) showTools(ctx context.Context) error {
	status, err := p.session.Table.Status(ctx)
	if err != nil {
		return err
	}
	said, err := p.listenNow(ctx, "")
	if err != nil {
		return err
	}
	p.screen.showNotice("info", said)
	for _, s := range status {
		line := fmt.Sprintf("%s: %s, up to %s", s.Name, s.Tier, s.Ceiling)
		if s.Lease != nil {
			line += fmt.Sprintf(" (raised for %s or %s)", time.Until(s.Lease.Until).Round(time.Second), plural.Count(s.Lease.Turns, "turn", "turns"))
		}
		if s.Muted {
			line += ", muted"
		}
		if s.Directive != "" {
			line += fmt.Sprintf(", your direction for %s: %s", plural.Count(s.DirectiveTurns, "answer", "answers"), s.Directive)
		}
		if s.Revealed > 0 {
			line += ", may tell " + plural.Count(s.Revealed, "secret", "secrets")
		}
		if s.Withheld > 0 {
			line += ", stopped from saying something " + plural.Count(s.Withheld, "time", "times")
		}
		line += "; tools: "
		var fits []string
		for _, t := range p.game.Registry.Host.Tools(s.Ceiling) {
			for _, allowed := range s.Tools {
				if allowed == t.Definition.Name {
					fits = append(fits, fmt.Sprintf("%s (%s)", allowed, t.Tier))
				}
			}
		}
		if len(fits) == 0 {
			fits = []string{"none"}
		}
		p.screen.showNotice("info", line+strings.Join(fits, ", "))
	}
	return nil
}
