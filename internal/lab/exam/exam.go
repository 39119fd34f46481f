// Package exam scores a language model as an NPC: each case is one line that a
// player says at a real table, with the prompt, tools, tiers and guard of play,
// and the model of the user's configuration answers. The report says how often
// that model answers lines for the NPC, ignores other lines, calls the right
// tool, keeps a secret, recalls past evenings and knows the rules, how fast it
// is and what it costs.
//
//	report, err := exam.Run(ctx, exam.Options{Config: cfg, Corpora: exam.Corpora(), Results: "eval.jsonl"})
//	if err != nil {
//		return err // the exam could not begin
//	}
//	err = report.Write(os.Stdout)
//
// Each result is appended to a file, so that an interrupted run continues where
// it ended. A provider's failure is an error, not a wrong answer.
//
// The exam does not judge a model with another model: it checks only words, so
// a paraphrase may escape it.
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
	// mostAttempts bounds the attempts at one case. mostWaits bounds those
	// without any output of the model, because a model that is too slow once is
	// too slow again.
	mostAttempts = 6
	mostWaits    = 2
	// firstPause is the pause after the first failure if the provider names
	// none; each further failure doubles it, up to longestPause.
	firstPause   = time.Second
	longestPause = 30 * time.Second
	// longestAbsence bounds the pause a provider may ask for. A longer one
	// stops the run.
	longestAbsence = 2 * time.Minute
	// failuresInARow stop the run, because further cases would fail, too.
	// failuresFirst do so before the first answer, and if the provider refuses
	// the request itself.
	failuresInARow = 5
	failuresFirst  = 2
)

// Options say which cases to run and on which model.
type Options struct {
	// Config is the user's configuration; the exam runs its providers.llm.
	Config *config.Config
	// Corpora is a subset of [Corpora].
	Corpora []string
	// OwnNPCs asks the configuration's NPCs for their secrets instead of the
	// corpus's NPCs. Conditions for revealing a secret are removed, because no
	// case meets them.
	OwnNPCs bool
	// Limit bounds the cases of each corpus; 0 means all.
	Limit int
	// Results is the path of the results file.
	Results string
	// Parallel is the number of concurrent tables; 0 means one.
	Parallel int
	// MaxCost stops the run at this cost, in the configuration's currency; 0
	// means no limit.
	MaxCost float64
	// Say, if not nil, receives progress messages, one call at a time.
	Say func(string)

	// Files hold the corpora like testdata/truth. If nil, the built-in ones are
	// used.
	Files fs.FS
	// FirstPause is the pause after the first failure. Zero means a second.
	FirstPause time.Duration
}

// exam is a run. Its fields do not change while cases run, except those under
// mu.
type exam struct {
	o        Options
	llm      config.ProviderChain
	model    string // as in notices and prices
	setup    string // other inputs of a result
	rules    *ruleslookup.Book
	evenings *evenings
	scratch  string
	results  *results
	stop     context.CancelCauseFunc

	mu       sync.Mutex // guards the fields below
	deck     *deck
	of       int       // cases to ask in this run
	until    time.Time // the earliest time of the next request
	failures int       // in a row
	refusals int       // in a row
	answered bool      // the model has answered in this run
	spent    float64   // in this run
	done     int       // cases of this run
	began    time.Time
	broken   error // an error of this machine: the results file, a table that does not open
	ending   error // why no further case starts; running ones continue
}

// Errors that stop a run before its end.
var (
	// ErrMaxCost means that the run has reached its cost limit.
	ErrMaxCost = errors.New("it has cost what --max-cost allows")
	// ErrGivenUp means that the provider seems to fail permanently.
	ErrGivenUp = errors.New("given up")
)

// Run runs the cases without a result and reports on all. It also reports
// partial results when ctx ends, the cost limit is reached or the provider
// fails permanently. The error is for a run that cannot begin, or a machine
// that cannot continue.
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

// nameModel determines the model under test. It leaves out fallbacks, because
// their answers would count as the model's; if auto selects the first fallback,
// that one is tested.
func (e *exam) nameModel() error {
	chain := e.o.Config.Providers.LLM
	one := chain.Provider
	if one.Name == config.ProviderAuto && !providers.Hosted(one) && len(chain.Fallback) > 0 {
		one = chain.Fallback[0]
	}
	e.llm = config.ProviderChain{Provider: one}
	m, _, err := providers.Model(nil, e.llm, providers.Reports{})
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

// askAll runs the cases without a result concurrently. If it stops early, it
// returns why.
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

// mayGoOn reports whether another attempt may start.
func (e *exam) mayGoOn(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ending == nil && ctx.Err() == nil
}

// unanswered returns a case without a result. If the case's result says nothing
// about the model, it draws replacements until one has no result; nil means
// there is none.
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

// ask runs a case until it has a verdict, and records its result. A case that
// ctx interrupted has none. It returns a replacement if the case says nothing
// about the model.
func (e *exam) ask(ctx context.Context, c *Case) (instead *Case) {
	r := Record{Key: c.key(e.setup), ID: c.ID, Model: e.model, Corpus: c.Corpus, Kind: c.Kind, Lang: c.Lang, Line: c.Line}
	if before, known := e.results.find(r.Key); known { // that attempt failed, but cost money
		r.Input, r.Output, r.Cost, r.Unpriced, r.Retries = before.Input, before.Output, before.Cost, before.Unpriced, before.Retries
	}
	var failed error
	for try := range mostAttempts {
		if !e.awaitTurn(ctx) {
			if failed != nil && ctx.Err() == nil {
				break // the cost so far is recorded
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
			break // the provider would refuse the same request again
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

// charge adds an attempt's usage to the result and to the run.
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

// awaitTurn waits until a request may be sent, and reports whether the run
// continues.
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

// pause delays all requests by the provider's retry time, or by a pause that
// grows with each attempt. It reports whether to try again.
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

// breakOff ends the run because of an error of this machine.
func (e *exam) breakOff(err error) {
	e.mu.Lock()
	e.broken = cmp.Or(e.broken, err)
	e.mu.Unlock()
	e.stop(err)
}

// finish records the result of a case and returns a replacement, if any.
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
	case failed == nil && r.Verdict == Skipped: // the model got no request
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

// say reports progress. After the start, the caller must hold mu.
func (e *exam) say(text string) {
	if e.o.Say != nil {
		e.o.Say(text)
	}
}

// hideKey removes the key from a text, in case a server's message contains it.
func (e *exam) hideKey(text string) string {
	if key := e.llm.APIKey.Reveal(); key != "" {
		return strings.ReplaceAll(text, key, "[key]")
	}
	return text
}
