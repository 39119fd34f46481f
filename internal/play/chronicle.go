package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/retrieve"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm/offline"
)

const (
	// gatheredSessions is how many sessions are gone through at most for what is worth
	// keeping, the newest: those that were cut off before count too.
	gatheredSessions = 5
	// maxGathered bounds how many lines of each.
	maxGathered = 20_000
)

// chronicler is a log whose lines, when they are taken back, take with them what was
// learnt of them.
type chronicler struct {
	memory.SessionLog
	chronicle *world.Chronicle
}

func (l chronicler) Retract(ctx context.Context, session, ref string) (int, error) {
	n, err := l.SessionLog.Retract(ctx, session, ref)
	return n, errors.Join(err, l.chronicle.Retract(ctx, session, ref))
}

// Reword changes a line. What was learnt of the former words is not proposed any more.
func (l chronicler) Reword(ctx context.Context, session, ref, text string) (int, error) {
	n, err := l.SessionLog.Reword(ctx, session, ref, text)
	return n, errors.Join(err, l.chronicle.Retract(ctx, session, ref))
}

// Gather goes through what was said lately for what is worth keeping, and proposes it or
// keeps it, as memory.learn has it. It returns what is new.
func (g *Game) Gather(ctx context.Context) ([]world.Entry, error) {
	if g.Config.Memory.Learn == config.LearnOff {
		return nil, nil
	}
	sessions, err := g.Store.Sessions(ctx, gatheredSessions)
	if err != nil {
		return nil, fmt.Errorf("looking for sessions to go through: %w", err)
	}
	var lines []memory.Line
	for i := len(sessions) - 1; i >= 0; i-- {
		said, err := g.Store.Recent(ctx, sessions[i].ID, maxGathered)
		if err != nil {
			return nil, fmt.Errorf("reading what was said: %w", err)
		}
		lines = append(lines, said...)
	}
	names := namesOf(g)
	return g.Chronicle.Gather(ctx, lines, names, g.Config.Memory.Learn == config.LearnAccept, digestOf(g, names))
}

// namesOf are the names of the NPCs by id.
func namesOf(g *Game) map[string]string {
	names := map[string]string{}
	for _, npc := range g.Cast() {
		names[npc.ID] = npc.Name
	}
	return names
}

// errNothingSaid says that there is no line to be kept in mind.
var errNothingSaid = errors.New("nothing has been said yet that could be kept in mind; say what")

// Pin has an NPC keep a text in mind, or, if npc is empty, all who may know of it: the last
// line of the session, or of the latest one if that is empty, if no text is given.
func (g *Game) Pin(ctx context.Context, session, npc, text string) (world.Entry, error) {
	e := world.Entry{Kind: world.LearntPin, NPC: npc, Text: text, Session: session, At: time.Now()}
	if npc != "" {
		e.Visible = memory.Heard(npc)
	}
	if text != "" {
		return g.Chronicle.Add(ctx, e)
	}
	if session == "" {
		latest, err := g.Store.Sessions(ctx, 1)
		if err != nil {
			return e, err
		}
		if len(latest) == 0 {
			return e, errNothingSaid
		}
		e.Session = latest[0].ID
	}
	last, err := g.Store.Recent(ctx, e.Session, 1)
	if err != nil {
		return e, err
	}
	if len(last) == 0 {
		return e, errNothingSaid
	}
	l := last[0]
	e.Text, e.Lines, e.User, e.Ref, e.At, e.Date = hotctx.Attribution(l)+": "+l.Text, []int64{l.ID}, l.User, l.Ref, l.At, l.Date
	if npc == "" {
		e.Visible = l.Present
	}
	return g.Chronicle.Add(ctx, e)
}

// end ends a session, and goes through what was said in it. What going through it fails at,
// the end of the next one makes up for.
func (s *Session) end(ctx context.Context) error {
	if err := s.game.Store.EndSession(ctx, s.info.ID); err != nil {
		return err // which says of the store what learning would
	}
	if err := s.learn(); err != nil {
		s.game.log.Error("going through a session for what is worth keeping", "session", s.info.ID, "reason", err)
	}
	return nil
}

// digestTime bounds how long a model may take over what was said.
const digestTime = 20 * time.Second

// digestOf returns what has the model go through lines; nil if phrases are looked for. What that
// costs is no session's.
func digestOf(g *Game, names map[string]string) func([]memory.Line) ([]world.Entry, error) {
	if g.Config.Memory.Digest != config.DigestModel {
		return nil
	}
	return func(lines []memory.Line) ([]world.Entry, error) {
		model, scripted, err := providers.Model(g.client, g.Config.Providers.LLM, nil)
		if err != nil {
			return nil, err
		}
		if scripted {
			return nil, errors.New("no language model is configured")
		}
		ctx, cancel := context.WithTimeout(g.life, digestTime)
		defer cancel()
		language := ""
		if len(g.Config.Language) > 0 {
			language = g.Config.Language[0]
		}
		return world.Propose(ctx, model, lines, names, language)
	}
}

// witnessed is how many lines of a session are looked at for a diary, the latest.
const witnessed = 2000

// learnTime bounds going through a session, of which a long one takes seconds on a busy machine.
const learnTime = 3 * closeTime

// learn goes through what was said, and has each NPC write its diary of the session.
func (s *Session) learn() error {
	g := s.game
	if g.Config.Memory.Learn == config.LearnOff {
		return nil
	}
	most := learnTime
	if g.Config.Memory.Digest == config.DigestModel {
		most += digestTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.life), most)
	defer cancel()
	_, err := g.Gather(ctx)
	var names []string
	if g.Campaign != nil {
		for _, e := range g.Campaign.Entities {
			names = append(names, e.Name)
		}
	}
	cast := g.Cast()
	phrases := phrasesOf(cast)
	for _, npc := range cast {
		heard, unread := g.Store.RecentFor(ctx, s.info.ID, npc.ID, witnessed)
		if unread != nil {
			return errors.Join(err, fmt.Errorf("writing the diary of %s: %w", npc.Name, unread))
		}
		err = errors.Join(err, g.Chronicle.WriteDiary(ctx, npc.ID, s.info.ID, heard, names, phrases))
	}
	return err
}

// idleLines and idleIntents are where an NPC's file has lines that tell nothing of what
// happens at the table.
var (
	idleLines   = []string{"greeting", "filler", "answer", "roll", "recall", "unknown", "refusal", "smalltalk", "farewell"}
	idleIntents = []string{
		"greet", "farewell", "thanks", "introduce", "smalltalk", "secret", "memory", "notes_read", "notes_write",
		"roll", "rules", "insult", "threat", "flirt", "yes_no", "meta", "nonsense",
	}
)

// phrasesOf are the lines of the cast, and everybody's, that tell nothing.
func phrasesOf(cast []config.NPC) *world.Phrases {
	p := &world.Phrases{}
	p.Add("", offline.Phrases()...)
	for _, npc := range cast {
		for _, occasion := range idleLines {
			p.Add(npc.ID, npc.Lines[occasion]...)
		}
		for _, t := range npc.Topics {
			if len(t.Words) > 0 || len(t.Intents) == 0 || slices.ContainsFunc(t.Intents, func(i string) bool { return !slices.Contains(idleIntents, i) }) {
				continue
			}
			for _, lines := range t.Lines {
				p.Add(npc.ID, lines...)
			}
		}
	}
	return p
}

// context is where NPCs get from what they know right now.
func (g *Game) context() *hotctx.Source {
	s := hotctx.New(g.Store, world.Graph{World: g.World, Finder: g.Store})
	s.SetMind(g.Chronicle.Between)
	s.SetDiary(g.Chronicle.DiaryInMind)
	return s
}

// searcher searches rules and memory before the model of an NPC is asked.
func (g *Game) searcher() *retrieve.Searcher {
	return &retrieve.Searcher{
		Rules: g.Registry.Rules, SystemOf: g.Config.RulesOf, Log: g.Store, Dates: g.clock, ByWords: !providers.EmbedsHere(g.Config.Providers.Embeddings),
	}
}

// appendProposals adds a notice if something waits for the game master.
func (g *Game) appendProposals(notices []string) []string {
	switch n := len(g.Chronicle.List(false)); n {
	case 0:
		return notices
	case 1:
		return append(notices, "the NPCs could learn something from earlier sessions: /memory shows it")
	default:
		return append(notices, fmt.Sprintf("the NPCs could learn %d things from earlier sessions: /memory shows them", n))
	}
}
