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
	// gatheredSessions is how many sessions are searched for things worth remembering, from the newest, because
	// earlier ones may have been cut off before they were searched.
	gatheredSessions = 5
	// maxGathered bounds how many lines of each session are searched.
	maxGathered = 20_000
)

// chronicler is a log that also takes back the entries learnt from retracted lines.
type chronicler struct {
	memory.SessionLog
	chronicle *world.Chronicle
}

func (l chronicler) Retract(ctx context.Context, session, ref string) (int, error) {
	n, err := l.SessionLog.Retract(ctx, session, ref)
	return n, errors.Join(err, l.chronicle.Retract(ctx, session, ref))
}

// Reword changes a line, and takes back the entries learnt from its former words.
func (l chronicler) Reword(ctx context.Context, session, ref, text string) (int, error) {
	n, err := l.SessionLog.Reword(ctx, session, ref, text)
	return n, errors.Join(err, l.chronicle.Retract(ctx, session, ref))
}

// Gather searches the last sessions for things worth remembering, and proposes or stores them as memory.learn
// says. It returns the new entries.
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

// namesOf returns the names of the NPCs by id.
func namesOf(g *Game) map[string]string {
	names := map[string]string{}
	for _, npc := range g.Cast() {
		names[npc.ID] = npc.Name
	}
	return names
}

// errNothingSaid means that there is no line to pin.
var errNothingSaid = errors.New("nothing has been said yet that could be remembered; write what to remember")

// Pin makes an NPC remember a text. If npc is empty, all who may know the text remember it. If text is empty,
// it pins the last line of the session, or of the latest session if session is empty.
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

// end ends a session and searches it for things worth remembering. If the search fails, the end of the next
// session repeats it.
func (s *Session) end(ctx context.Context) error {
	if err := s.game.Store.EndSession(ctx, s.info.ID); err != nil {
		return err // learning would report the same error of the store
	}
	if err := s.learn(); err != nil {
		s.game.log.Error("going through a session for what is worth keeping", "session", s.info.ID, "reason", err)
	}
	return nil
}

// digestTime bounds how long a model may take to search the lines.
const digestTime = 20 * time.Second

// digestOf returns the function by which a model searches lines, or nil if they are searched for phrases
// instead. No session is charged for it.
func digestOf(g *Game, names map[string]string) func([]memory.Line) ([]world.Entry, error) {
	if g.Config.Memory.Digest != config.DigestModel {
		return nil
	}
	return func(lines []memory.Line) ([]world.Entry, error) {
		model, scripted, err := providers.Model(g.client, g.Config.Providers.LLM, providers.Reports{})
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

// witnessed is how many of a session's last lines are read for a diary.
const witnessed = 2000

// learnTime bounds the search of a session. A long one takes seconds on a busy machine.
const learnTime = 3 * closeTime

// learn searches the session for things worth remembering, and writes each NPC's diary of it.
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

// idleLines and idleIntents name the occasions for which an NPC's file has lines that say nothing about the
// events at the table.
var (
	idleLines   = []string{"greeting", "filler", "answer", "roll", "recall", "unknown", "refusal", "smalltalk", "farewell"}
	idleIntents = []string{
		"greet", "farewell", "thanks", "introduce", "smalltalk", "secret", "memory", "notes_read", "notes_write",
		"roll", "rules", "insult", "threat", "flirt", "yes_no", "meta", "nonsense",
	}
)

// phrasesOf returns the lines of the cast, and the common ones, that say nothing about the events at the
// table.
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

// context returns the source of what NPCs know right now.
func (g *Game) context() *hotctx.Source {
	s := hotctx.New(g.Store, world.Graph{World: g.World, Finder: g.Store})
	s.SetMind(g.Chronicle.Between)
	s.SetDiary(g.Chronicle.RecentDiary)
	return s
}

// searcher searches rules and memory before the model of an NPC is asked.
func (g *Game) searcher() *retrieve.Searcher {
	return &retrieve.Searcher{
		Rules: g.Registry.Rules, SystemOf: g.Config.RulesOf, Log: g.Store, Dates: g.clock, ByWords: !providers.EmbedsHere(g.Config.Providers.Embeddings),
	}
}

// appendProposals adds a notice if proposals wait for the game master.
func (g *Game) appendProposals(notices []string) []string {
	switch n := len(g.Chronicle.List(false)); n {
	case 0:
		return notices
	case 1:
		return append(notices, "the NPCs could learn something from earlier sessions; /memory shows it")
	default:
		return append(notices, fmt.Sprintf("the NPCs could learn %d things from earlier sessions; /memory shows them", n))
	}
}
