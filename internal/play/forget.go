package play

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// ForgetUser deletes a user's lines from a game: at the running table (nil if there is none), in memory, in
// the entries learnt from them and in the audit log. It deletes the user's own words and id, and does not
// change other users' text, because players choose their names. It continues after errors, so that as little
// as possible is left, and returns how many lines it deleted.
//
// It also returns where others mention the user, for the game master to review. names are further names of
// the user that the transport has verified; the names in the user's lines are known.
func ForgetUser(ctx context.Context, g *Game, running *table.Table, ref string, progress func(memory.Forgetting), names ...string) (m Mentions, lines int, err error) {
	var errs []error
	if running != nil {
		if err := running.Forget(ctx, ref); !errors.Is(err, table.ErrClosed) { // a closed table has written all its lines to the log
			errs = append(errs, err)
		}
	}
	g.Registry.Governance.Policy.Withdraw(ref)
	m = FindMentions(ctx, g.Store, ref, names...) // before the user's lines, which it compares with, are deleted
	m.Campaign = g.Config.Campaign.Name
	lines, err = g.forgetUser(ctx, ref, progress)
	_, unsaid := g.Registry.Governance.Audit.Forget(ctx, ref)
	return m, lines, errors.Join(append(errs, err, unsaid)...)
}

// forgetUser deletes a user's data from the store. If ctx ends first, the rest is deleted in the background,
// and the error is nil. progress may be nil.
func (g *Game) forgetUser(ctx context.Context, ref string, progress func(memory.Forgetting)) (int, error) {
	noted := RecordForgotten(ForgottenUsersFile(g.Config), ref)
	learnt := g.Chronicle.Forget(ctx, ref)
	n, err := g.Store.ForgetUser(ctx, ref, progress)
	err = errors.Join(noted, learnt, err)
	if g.onlooker != nil {
		g.onlooker.Forgot(g)
	}
	if ctx.Err() != nil && g.life.Err() == nil {
		g.work.Go(g.finishForgetting)
		return n, nil
	}
	return n, err
}

// ForgetLearnt deletes the entries learnt from a user in a campaign that is not open.
func ForgetLearnt(ctx context.Context, store world.ChronicleStore, ref string) error {
	c, err := world.OpenChronicle(ctx, store, nil)
	if err != nil {
		return err
	}
	return c.Forget(ctx, ref)
}

// errNoSuchLine means that no line has the given number.
var errNoSuchLine = errors.New("there is no such line; /memory mentions shows the numbers once")

// EraseLine deletes any speaker's line by its number, with the entries learnt from it. playing is the
// running session, whose NPCs must forget the line too; nil if there is none. It returns the line.
func (g *Game) EraseLine(ctx context.Context, playing *Session, id int64) (memory.Line, error) {
	l, err := g.Store.Line(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		return l, errNoSuchLine
	}
	if err != nil {
		return l, err
	}
	if playing != nil && l.Session == playing.ID() {
		if l.NPC != "" {
			_, err = playing.Table.RetractAnswer(ctx, table.RetractionRequest{Turn: l.Turn, Leads: true})
		} else {
			err = playing.Table.Retract(ctx, l.Ref)
		}
		if err != nil && !errors.Is(err, table.ErrNotRetractable) && !errors.Is(err, table.ErrClosed) {
			return l, err
		}
	}
	if err := g.Store.DeleteLine(ctx, id); err != nil && !errors.Is(err, memory.ErrNotFound) {
		return l, err
	}
	return l, g.Chronicle.RetractLine(ctx, id)
}

// errNoSuchNote means that no note has the given number.
var errNoSuchNote = errors.New("there is no such note; /memory mentions shows the numbers once")

// EraseNote deletes a note that a tool has stored, by its number, and returns its text. Facts of a campaign
// are changed in the campaign's file instead.
func (g *Game) EraseNote(ctx context.Context, id int64) (text string, err error) {
	found := errors.New("found")
	err = g.Store.Dump(ctx, func(r memory.Record) error {
		if r.Kind == "fact" && r.Values[0] == id && r.Values[1] == noteSource {
			text, _ = r.Values[2].(string)
			return found
		}
		return nil
	})
	switch {
	case err == nil:
		return "", errNoSuchNote
	case text == "":
		return "", err
	}
	return text, g.Store.Unremember(ctx, noteSource, text)
}

// finishForgetting deletes the rest of users' data whose deletion was interrupted.
func (g *Game) finishForgetting() {
	if _, err := g.Store.ResumeForgetting(g.life); err != nil && g.life.Err() == nil {
		g.log.Error("forgetting who was to be forgotten before", "reason", err)
	}
}
