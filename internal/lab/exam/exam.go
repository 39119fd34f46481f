// Package exam scores a language model as an NPC: each case is one line that a player says at a
// real table, with the prompt, the tools, the tiers and the guard of play, and the model of the
// user's configuration answers. It tells who plays with that model how often it answers what is
// for the NPC, leaves alone what is not, calls the right tool, keeps a secret, recalls past
// evenings and knows the rules, how fast it is and what it costs.
//
//	report, err := exam.Run(ctx, exam.Options{Config: cfg, Corpora: exam.Corpora(), Results: "eval.jsonl"})
//	if err != nil {
//		return err // the exam could not begin
//	}
//	err = report.Write(os.Stdout)
//
// Results go to a file as they come, so that a run that was cut off goes on where it ended. What
// the provider could not answer is an error and no wrong answer.
//
// It does not judge a model by another model: answers are judged by words alone, which a
// paraphrase may escape.
package exam

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	corpora "github.com/MrWong99/glyphoxa/testdata/truth"

	"github.com/MrWong99/glyphoxa/internal/agent"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	// mostAttempts bounds the attempts at one case, and mostWaits those that end without a
	// word of the model: one that is too slow is so the next time, too.
	mostAttempts = 6
	mostWaits    = 2
	// firstPause is the pause after the first failure where the provider names none; it
	// doubles with each further one, up to longestPause.
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// longestAbsence is the longest pause that a provider may ask for. If it asks for more,
	// the run stops.
	longestAbsence = 2 * time.Minute
	// failuresInARow stop the run, because what follows would fail, too. failuresFirst do so
	// before there was any answer, and where the provider refuses the request itself.
	failuresInARow = 5
	failuresFirst  = 2
)

// Options say what to ask, and of whom.
type Options struct {
	// Config is the user's configuration, whose providers.llm is asked.
	Config *config.Config
	// Corpora are those of [Corpora] to ask from.
	Corpora []string
	// OwnNPCs has the NPCs of the configuration asked for their secrets in place of those of the
	// corpus. What may reveal a secret is left out: no case says it.
	OwnNPCs bool
	// Limit is the most cases of each corpus; 0 means all.
	Limit int
	// Results is the file of results.
	Results string
	// Parallel is how many tables play at once; 0 means one.
	Parallel int
	// MaxCost stops the run once it has cost that much, in the configuration's currency; 0
	// means that it may cost anything.
	MaxCost float64
	// Say, if not nil, is called with how far the run is, by one goroutine at a time.
	Say func(string)

	// Files hold the corpora as testdata/truth does. If nil, the built-in ones are taken.
	Files fs.FS
	// FirstPause is the pause after the first failure. If zero, it is a second.
	FirstPause time.Duration
}

// exam is a run. Its fields do not change while cases are played, but for those under mu.
type exam struct {
	o        Options
	llm      config.ProviderChain
	model    string // as notices and prices name it
	setup    string // what else a result depends on
	rules    *ruleslookup.Book
	evenings *evenings
	scratch  string
	results  *results
	stop     context.CancelCauseFunc

	mu       sync.Mutex // guards the fields below
	deck     *deck
	of       int       // cases to ask in this run
	until    time.Time // the model is not asked before that
	failures int       // in a row
	refusals int       // in a row
	answered bool      // the model has answered in this run
	spent    float64   // in this run
	done     int       // cases of this run
	began    time.Time
	broken   error // of this machine: the file of results, a table that does not open
	ending   error // why no further case is begun; those under way go on
}

// Errors that stop a run before its end.
var (
	// ErrMaxCost means that the run has cost what it may.
	ErrMaxCost = errors.New("it has cost what --max-cost allows")
	// ErrGivenUp means that the provider fails for good, as it seems.
	ErrGivenUp = errors.New("given up")
)

// Run asks the model the cases that have no result yet, and reports on all. It reports what
// there is, too, once ctx ends, the cost is reached or the provider fails for good. The error is
// for a run that cannot begin, or for a machine that cannot go on.
func Run(ctx context.Context, o Options) (_ *Report, err error) {
	if o.Files == nil {
		o.Files = corpora.Model
	}
	o.Parallel = max(o.Parallel, 1)
	o.FirstPause = cmp.Or(o.FirstPause, firstPause)
	from := corpus{files: o.Files}
	if o.OwnNPCs {
		from.own, from.languages = o.Config.NPCs, o.Config.Language
	}
	all, err := from.load(o.Corpora)
	if err != nil {
		return nil, err
	}
	if o.OwnNPCs && slices.Contains(o.Corpora, Secrets) && !slices.ContainsFunc(all, func(c Case) bool { return c.Corpus == Secrets }) {
		return nil, userfile.Usage(errors.New("--own-npcs: no NPC of the configuration keeps a secret at a table that speaks English or German; add secret_knowledge to one, or leave the flag out"))
	}
	e := &exam{o: o, deck: deal(all, o.Limit), rules: ruleslookup.BuiltIn(), began: time.Now()}
	if err := e.nameModel(); err != nil {
		return nil, err
	}
	if err := e.rules.Warm(); err != nil {
		return nil, err
	}
	if e.scratch, err = os.MkdirTemp("", "glyphoxa-eval-"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(e.scratch)) }()
	past, err := from.memoryRows()
	if err != nil {
		return nil, err
	}
	e.evenings = &evenings{rows: past, dir: e.scratch, made: map[string]error{}}
	if e.results, err = openResults(o.Results); err != nil {
		return nil, userfile.Usage(fmt.Errorf("opening the results: %w", err))
	}
	defer func() { err = errors.Join(err, e.results.close()) }()
	stopped := e.askAll(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.report(stopped), e.broken
}

// nameModel finds out which model is asked. Fallbacks are left out, because their answers would
// be taken for those of the model; where auto leads to the first of them, that one is asked.
func (e *exam) nameModel() error {
	chain := e.o.Config.Providers.LLM
	one := chain.Provider
	if one.Name == config.ProviderAuto && !providers.Hosted(one) && len(chain.Fallback) > 0 {
		one = chain.Fallback[0]
	}
	e.llm = config.ProviderChain{Provider: one}
	m, _, err := providers.Model(nil, e.llm, nil)
	if err != nil {
		return userfile.Usage(err)
	}
	e.model = m.Name()
	c := e.o.Config
	setup, err := json.Marshal([]any{
		e.model, one.BaseURL, one.Options, agent.Orders(), c.Latency, c.Memory.RecentLines, c.Memory.History, c.Voice.MaxSpeech, c.Tools.Floors,
	})
	sum := sha256.Sum256(setup)
	e.setup = hex.EncodeToString(sum[:8])
	return err
}

// askAll plays the cases without a result, several at once, and returns why it stopped before all
// were played, nil if it did not.
func (e *exam) askAll(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e.stop = stop
	var todo []*Case
	for _, c := range slices.Clone(e.deck.chosen) {
		if c = e.unanswered(c); c != nil {
			todo = append(todo, c)
		}
	}
	e.of = len(todo)
	if known := len(e.deck.chosen) - len(todo); known > 0 {
		e.say(fmt.Sprintf("%d cases have a result already, %d are left", known, len(todo)))
	}
	queue := make(chan *Case)
	var work sync.WaitGroup
	for range min(e.o.Parallel, len(todo)) {
		work.Go(func() {
			for c := range queue {
				for c != nil && e.mayGoOn(ctx) {
					c = e.ask(ctx, c)
				}
			}
		})
	}
	for _, c := range todo {
		select {
		case queue <- c:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(queue)
	work.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ending
}

// mayGoOn reports whether a further attempt may begin.
func (e *exam) mayGoOn(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ending == nil && ctx.Err() == nil
}

// unanswered returns a case if it has no result, or else, if the result says nothing about the
// model, the first without one that is drawn in its place; nil if there is none.
func (e *exam) unanswered(c *Case) *Case {
	for c != nil {
		r, known := e.results.find(c.key(e.setup))
		switch {
		case !known || r.Verdict == Failed:
			return c
		case r.Verdict != Skipped:
			return nil
		}
		e.mu.Lock()
		c = e.deck.draw(c.group())
		e.mu.Unlock()
	}
	return nil
}

// ask plays a case until it has a verdict, and records its result. A case that was cut off by ctx
// has none. It returns the case to play in its place if it says nothing about the model.
func (e *exam) ask(ctx context.Context, c *Case) (instead *Case) {
	r := Record{Key: c.key(e.setup), ID: c.ID, Model: e.model, Corpus: c.Corpus, Kind: c.Kind, Lang: c.Lang, Line: c.Line}
	if before, known := e.results.find(r.Key); known { // it failed then, and was paid for
		r.Input, r.Output, r.Cost, r.Unpriced, r.Retries = before.Input, before.Output, before.Cost, before.Unpriced, before.Retries
	}
	var failed error
	for try := range mostAttempts {
		if !e.awaitTurn(ctx) {
			if failed != nil && ctx.Err() == nil {
				break // what it has cost so far is kept
			}
			return nil
		}
		a, err := e.play(ctx, c)
		if a != nil {
			e.charge(&r, a)
		}
		if failed = err; err == nil {
			var why string
			r.Verdict, why, r.Told, r.Heard = c.judge(&a.observed)
			if r.Why = why; r.Verdict != Skipped {
				r.Said, r.Raw, r.Guarded = a.ended.Text, a.raw, a.guarded
			}
			if t := a.started; t != nil && t.Found != nil {
				r.Rules, r.Lines = t.Found.Rules, t.Found.Lines
			}
			if r.Verdict != Skipped && len(a.raw) > 0 && !a.paced {
				r.FirstMS, r.WholeMS = mcp.RoundedMillis(a.first), mcp.RoundedMillis(a.whole)
			}
			break
		}
		if ctx.Err() != nil {
			return nil
		}
		if a == nil && !errors.Is(err, errUnanswered) {
			e.breakOff(err)
			return nil
		}
		if errors.Is(err, llm.ErrRejected) {
			break // the same request is refused again
		}
		if errors.Is(err, errUnanswered) && try >= mostWaits-1 || try == mostAttempts-1 || !e.pause(err, try) {
			break
		}
		r.Retries++
	}
	if failed != nil {
		r.Verdict, r.Why = Failed, e.hideKey(userfile.OneLine(failed))
	}
	return e.finish(c, r, failed)
}

// charge adds what an attempt took to the result and to the run.
func (e *exam) charge(r *Record, a *attempt) {
	t := a.spent.Total
	r.Input += t.InputTokens()
	r.Output += t.OutputTokens()
	r.Cost += t.Amount.Units()
	r.Unpriced = r.Unpriced || t.Unpriced
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spent += t.Amount.Units()
	switch {
	case e.o.MaxCost == 0 || e.ending != nil:
	case t.Unpriced:
		e.ending = fmt.Errorf("%w: %s has no price, so --max-cost cannot hold; add one under cost.prices", ErrGivenUp, e.model)
	case e.spent >= e.o.MaxCost:
		e.ending = ErrMaxCost
	}
}

// awaitTurn waits until the model may be asked, and reports whether it may at all.
func (e *exam) awaitTurn(ctx context.Context) bool {
	for {
		e.mu.Lock()
		wait := time.Until(e.until)
		e.mu.Unlock()
		if wait <= 0 {
			return e.mayGoOn(ctx)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
}

// pause keeps everybody from asking the model for as long as the provider wants, or for a while
// that grows with each attempt. It reports whether to try again.
func (e *exam) pause(err error, try int) bool {
	wait := min(e.o.FirstPause<<try, longestPause)
	wait += rand.N(wait/4 + 1)
	var asks interface{ RetryAfter() time.Duration }
	if errors.As(err, &asks) && asks.RetryAfter() > 0 {
		wait = asks.RetryAfter()
		if wait > longestAbsence {
			e.stop(fmt.Errorf("%w: the provider wants to be left alone for %s; run it again then", ErrGivenUp, wait))
			return false
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if until := time.Now().Add(wait); until.After(e.until) {
		e.until = until
	}
	return true
}

// breakOff ends the run because this machine cannot go on.
func (e *exam) breakOff(err error) {
	e.mu.Lock()
	e.broken = cmp.Or(e.broken, err)
	e.mu.Unlock()
	e.stop(err)
}

// finish records the result of a case. It returns the case to play in its place, if any.
func (e *exam) finish(c *Case, r Record, failed error) *Case {
	r.Time = time.Now().UTC().Truncate(time.Second)
	if err := e.results.add(r); err != nil {
		e.breakOff(err)
		return nil
	}
	if r.Verdict == Skipped {
		if instead := e.unanswered(c); instead != nil {
			return instead
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	switch {
	case failed == nil && r.Verdict == Skipped: // the model was not asked
	case failed == nil:
		e.failures, e.refusals, e.answered = 0, 0, true
	case errors.Is(failed, llm.ErrRejected):
		e.failures++
		e.refusals++
	default:
		e.failures++
	}
	if e.failures >= failuresInARow || e.refusals >= failuresFirst || !e.answered && e.failures >= failuresFirst {
		e.stop(fmt.Errorf("%w after %d failures in a row: %s", ErrGivenUp, e.failures, r.Why))
	}
	left := time.Since(e.began) / time.Duration(e.done) * time.Duration(e.of-e.done)
	text := fmt.Sprintf("%d of %d, %s left", e.done, e.of, left.Round(time.Second))
	if e.spent > 0 {
		text += fmt.Sprintf(", %.4f %s so far", e.spent, e.o.Config.Cost.Currency)
	}
	e.say(text)
	return nil
}

// say tells how far the run is. After the start, the caller holds mu.
func (e *exam) say(text string) {
	if e.o.Say != nil {
		e.o.Say(text)
	}
}

// hideKey takes the key out of a text, in case a server has put it there.
func (e *exam) hideKey(text string) string {
	if key := e.llm.APIKey.Reveal(); key != "" {
		return strings.ReplaceAll(text, key, "[key]")
	}
	return text
}
