package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
	"github.com/MrWong99/glyphoxa/internal/judge"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Judge decides whom a line is for if [address.Detect] leaves that in doubt. It must be safe for concurrent
// use. *judge.Judge implements it.
type Judge interface {
	Judge(ctx context.Context, q judge.Question) (judge.Verdict, error)
}

const (
	// judgeShare is the divisor of the hard cap that gives the most the judge may cost.
	judgeShare = 10
	// judgeTimeout ends a question that was asked ahead, in case the words do not become final.
	judgeTimeout = 5 * time.Second
	// judgeMaxFailures is after how many questions in a row without a timely verdict the judge is no longer asked,
	// and judgePause for how long.
	judgeMaxFailures = 3
	judgePause       = time.Minute
	// judgeAccount names the account that the judge's questions are charged to.
	judgeAccount = "(judge)"
)

// Outcomes of asking the judge about a line, as in [Ledger.Judge].
const (
	judgedNPC     = "npc"    // it is for an NPC, or for all
	judgedPlayer  = "player" // it is for another player or the DM
	judgedNone    = "nobody" // it is for no one, or about someone
	judgedExpired = "late"   // there was no verdict in time
	judgedFailed  = "failed" // there will be no verdict
	judgedSkipped = "spent"  // it was not asked: too often, too expensive, or after too many failures
)

// judgeClient asks the judge, within limits.
type judgeClient struct {
	judge        Judge         // nil: no judge is asked
	timeout      time.Duration // for a verdict
	maxPerMinute int           // questions within a minute
	meter        *cost.Meter
	requests     []time.Time // questions within the last minute
	totalCost    cost.Sum    // on all questions that have ended
	failures     int         // questions in a row without a verdict in time
	pausedUntil  time.Time   // until when it is not asked
}

// inquiry is a question to the judge about the line of a turn.
type inquiry struct {
	turn    *turn
	account *cost.Account
	cancel  context.CancelCauseFunc // nil until it is asked
	answer  *judgeReport            // nil until there is one
	npcByID map[string]int          // indices in the cast of the NPCs it may name, by id
}

// judgeReport is the report of the judge's answer. It is the last report of a question.
type judgeReport struct {
	inquiry *inquiry
	verdict judge.Verdict
	err     error
}

// judgeOutcome is the ledger's record about the judge.
type judgeOutcome struct {
	outcome  string // one of the judged constants; empty if the line was not in doubt
	verdict  judge.Verdict
	calls    int
	waited   time.Duration   // since the words were known
	accounts []*cost.Account // of the questions
	doubt    *address.Doubt
}

// errAddresseeDecided is the cause with which a question is cancelled whose answer is no longer needed.
var errAddresseeDecided = errors.New("whom the line is for is decided")

// canRequest reports whether the judge may be asked now.
func (j *judgeClient) canRequest(now time.Time) bool {
	j.requests = slices.DeleteFunc(j.requests, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	if now.Before(j.pausedUntil) || len(j.requests) >= j.maxPerMinute || j.meter.Level() >= cost.Cheaper {
		return false
	}
	limit := j.meter.Report().HardCap / judgeShare
	return limit == 0 || j.totalCost.Amount < limit
}

// countFailure counts a question without a timely verdict, and reports whether the judge now pauses.
func (j *judgeClient) countFailure(now time.Time) bool {
	if j.failures++; j.failures < judgeMaxFailures {
		return false
	}
	j.failures, j.pausedUntil = 0, now.Add(judgePause)
	return true
}

// needsJudge reports whether the judge decides about a line.
func (t *Table) needsJudge(d address.Decision) bool {
	return t.judgeClient.judge != nil && d.Doubt != nil
}

// likelyAddressees returns the NPCs that a line is for, or may be for if the judge decides so.
func (t *Table) likelyAddressees(d address.Decision) []int {
	who := d.NPCs
	if len(who) == 0 && t.needsJudge(d) {
		who = d.Doubt.NPCs
	}
	return t.cast.hearing(who)
}

// awaitJudge lets the judge decide whom the line of a turn is for, if that is in doubt and the judge may be
// asked. Meanwhile an answer is prepared, as for a guess. It reports whether the turn waits.
func (t *Table) awaitJudge(tn *turn) bool {
	if tn.record.judged.outcome = ""; !t.needsJudge(tn.addressee.decision) || tn.kind != lineTurn || !t.requestVerdict(tn) {
		return false
	}
	t.awaitVerdict(tn)
	t.prepareDoubted(tn)
	return true
}

// awaitVerdict makes a turn wait for the judge, who may have decided already.
func (t *Table) awaitVerdict(tn *turn) {
	t.turns.moveTo(tn, doubted)
	t.turns.doubted = append(t.turns.doubted, tn)
	if tn.inquiry == nil && !t.requestVerdict(tn) || tn.inquiry.answer != nil {
		t.resolveDoubt(tn, false)
		return
	}
	t.agenda.put(judgeExpired{tn}, t.judgeClient.timeout, judgeExpired{tn})
}

// requestVerdict asks the judge about the line of a turn, and reports whether it may be asked.
func (t *Table) requestVerdict(tn *turn) bool {
	now := time.Now()
	tn.record.judged.doubt = tn.addressee.decision.Doubt
	if !t.judgeClient.canRequest(now) {
		tn.record.judged.outcome = judgedSkipped
		return false
	}
	t.judgeClient.requests = append(t.judgeClient.requests, now)
	q := &inquiry{turn: tn, account: t.o.Cost.Account(judgeAccount), npcByID: map[string]int{}}
	tn.inquiry = q
	tn.record.judged.calls++
	t.turns.working++
	t.effects.add(&judgeWork{q, t.questionOf(tn, q)})
	return true
}

// questionOf returns the question for the judge about a turn.
func (t *Table) questionOf(tn *turn, q *inquiry) judge.Question {
	out := judge.Question{Speaker: nameOf(memory.Line{Speaker: tn.Speaker, DM: tn.Leads}), Text: tn.Text, Players: slices.Clone(t.conversation.players), Leads: t.conversation.leaderName()}
	d := tn.addressee.decision
	for _, i := range t.cast.present() {
		a := t.cast.agents[i]
		named := slices.Contains(d.NPCs, i) || slices.Contains(d.Doubt.NPCs, i)
		if a.NPC.Senses.Deaf || a.NPC.AddressOnly && !named {
			continue
		}
		q.npcByID[a.NPC.ID] = i
		out.NPCs = append(out.NPCs, judge.NPC{ID: a.NPC.ID, Name: a.NPC.Name, Role: a.NPC.Role})
	}
	if d.Doubt.Route == address.RouteContinuation && len(d.Doubt.NPCs) > 0 {
		out.With = t.cast.agents[d.Doubt.NPCs[0]].NPC.ID
	}
	for _, l := range slices.Concat(t.transcript.recent, t.openTurnLines(tn)) {
		if len(l.Present) == 0 || slices.Contains(l.Present, memory.Anyone) { // no whisper, no aside
			out.Lines = append(out.Lines, judge.Line{Speaker: nameOf(l), NPC: l.NPC != "", Text: l.Text})
		}
	}
	return out
}

// openTurnLines returns the lines of turns that have not ended, such as an NPC's current answer, except one
// turn. It leaves out whispers and asides.
func (t *Table) openTurnLines(but *turn) (lines []memory.Line) {
	all := slices.Concat(slices.Collect(maps.Values(t.turns.open)), t.turns.undecided, t.turns.doubted)
	slices.SortFunc(all, func(a, b *turn) int { return cmp.Compare(a.number, b.number) })
	for _, tn := range all {
		if tn != but && tn.kind != whisperTurn && !isAside(tn.Text) {
			lines = append(lines, t.transcript.linesOf(tn, nil)...)
		}
	}
	return lines
}

// judgeWork is the work of asking the judge.
type judgeWork struct {
	inquiry  *inquiry
	question judge.Question
}

// start starts the work, and returns the function that cancels it.
func (w *judgeWork) start(ctx context.Context, t *Table) context.CancelCauseFunc {
	ctx, cancel := context.WithCancelCause(ctx)
	t.work.Go(func() { w.run(ctx, t) })
	return cancel
}

func (w *judgeWork) run(ctx context.Context, t *Table) {
	ctx, stop := context.WithTimeout(cost.WithAccount(ctx, w.inquiry.account), judgeTimeout)
	defer stop()
	v, err := t.o.Judge.Judge(ctx, w.question)
	t.inbox.reports <- report{finding: &judgeReport{w.inquiry, v, err}}
}

// handleJudged handles the judge's answer.
func (t *Table) handleJudged(f *judgeReport) {
	t.turns.working--
	q := f.inquiry
	q.answer = f
	t.judgeClient.totalCost = t.judgeClient.totalCost.Add(q.account.Sum())
	tn := q.turn
	if tn.inquiry != q {
		return // it came too late, or the line has changed
	}
	if f.err == nil {
		t.judgeClient.failures = 0
	} else {
		t.recordJudgeFailure("the model that decides who a line is for failed: " + userfile.OneLine(f.err))
	}
	if tn.phase == doubted {
		t.resolveDoubt(tn, false)
	}
}

// handleJudgeTimeout lets the rules decide about a line whose verdict did not come in time.
func (t *Table) handleJudgeTimeout(tn *turn) {
	if tn.phase != doubted {
		return
	}
	t.recordJudgeFailure(fmt.Sprintf("the model that decides who a line is for takes longer than %s (table.judge_wait)", config.Duration(t.judgeClient.timeout)))
	t.resolveDoubt(tn, true)
}

// recordJudgeFailure records that a verdict did not come in time, and sends a notice when the judge pauses.
func (t *Table) recordJudgeFailure(why string) {
	t.o.Logger.Warn("asking whom a line is for", "reason", why)
	if t.judgeClient.countFailure(time.Now()) {
		t.effects.notify(0, "warning", fmt.Sprintf("%s; for %s, the rules decide without it", why, config.Duration(judgePause)))
	}
}

// prepareDoubted starts the answer to a line in doubt as if the line were for its likely addressee. None of
// it is heard or reported before the judge has decided.
func (t *Table) prepareDoubted(tn *turn) {
	who := t.likelyAddressees(tn.addressee.decision)
	if len(who) == 0 || !t.costAccounts.guessAllowed() {
		return
	}
	a := t.cast.agents[who[0]]
	answers := len(tn.addressee.decision.NPCs) > 0 || t.guessingEnabled() // otherwise it would pay for an answer that is only sometimes needed
	if !answers || t.queue.isBusy(who[0]) || a.Muted || a.Left || a.NPC.Engine == config.EngineS2S {
		return
	}
	tn.plan.started, tn.guesses.voiceAllowed = time.Now(), t.o.Latency.Preemptive == config.PreemptVoice
	t.prepareAnswer(tn, who)
}

// resolveDoubt ends the doubt about a turn: by the verdict if there is one, otherwise by the rules.
func (t *Table) resolveDoubt(tn *turn, late bool) {
	d := tn.addressee.decision
	verdict := t.recordVerdict(tn, late)
	t.removeDoubted(tn)
	if verdict != nil {
		d = *verdict
	}
	if len(d.NPCs) > 0 && t.cast.agents[d.NPCs[0]].Left { // decide again without the NPC that left
		d = t.conversation.decideAddressee(tn.number, tn.Utterance)
	}
	t.o.Logger.Debug("a line in doubt is decided", "turn", tn.number, "judge", tn.record.judged.outcome, "intent", tn.record.judged.verdict.Intent, "doubt", tn.record.judged.doubt.Why, "odds", tn.record.judged.doubt.Odds, "waited", tn.record.judged.waited)
	if len(tn.addressee.decision.NPCs) > 0 && (len(d.NPCs) == 0 || d.NPCs[0] != tn.addressee.decision.NPCs[0]) {
		t.conversation.undoRenewal(tn.addressee.renewal)
	}
	tn.words.knownAt = time.Now()
	if t.preparedFor(tn, d) {
		tn.addressee.decision, tn.addressee.route, tn.addressee.reactingNPC = d, Route(d.Route), -1
		if len(d.NPCs) > 1 {
			tn.addressee.reactingNPC = d.NPCs[1]
		}
		tn.addressee.renewal = t.conversation.recordDecision(tn.number, tn.Speaker, d).After(tn.addressee.renewal)
		t.confirmAttempt(tn)
		return
	}
	t.dropPrepared(tn)
	t.turns.moveTo(tn, arrived)
	t.assignDecision(tn, d)
	if tn.addressee.npc.Name != tn.record.account.NPC() && tn.addressee.agent != nil {
		tn.record.account = nil
	}
	t.beginOrQueue(tn)
}

// recordVerdict records the outcome of asking the judge about a turn, and returns the judge's decision, nil if
// there is none.
func (t *Table) recordVerdict(tn *turn, late bool) *address.Decision {
	q, j := tn.inquiry, &tn.record.judged
	j.waited = time.Since(tn.words.knownAt)
	d := tn.addressee.decision
	switch {
	case q == nil: // the recorded outcome says that it could not be asked
		return nil
	case late || q.answer == nil:
		j.outcome = judgedExpired
		return nil
	case q.answer.err != nil:
		j.outcome = judgedFailed
		return nil
	}
	j.verdict = q.answer.verdict
	switch v := j.verdict; {
	case v.NPC != "":
		npc, known := q.npcByID[v.NPC]
		if !known || t.cast.agents[npc].Left {
			j.outcome = judgedFailed
			return nil
		}
		j.outcome, d = judgedNPC, d.For(npc)
	case v.Everyone:
		j.outcome, d = judgedNPC, d.ForAll(t.conversation.addressedAsAll(tn.Speaker))
	default:
		j.outcome, d = judgedNone, d.ForNoNPC()
		if v.Addressee == judge.Player {
			j.outcome = judgedPlayer
		}
	}
	return &d
}

// preparedFor reports whether the prepared answer of a turn fits a line that is for whom d says.
func (t *Table) preparedFor(tn *turn, d address.Decision) bool {
	return tn.attempt != nil && len(d.NPCs) > 0 && d.NPCs[0] == tn.addressee.index && t.preparedAnswerFits(tn, tn.Utterance)
}

// dropPrepared drops the prepared answer of a turn. Its cost stays with the turn, unless another NPC answers.
func (t *Table) dropPrepared(tn *turn) {
	if tn.attempt == nil {
		return
	}
	t.dropAttempt(tn)
	tn.dropTrace()
	tn.guesses.dropped++
	tn.guesses.droppedAccount = tn.record.account
	tn.plan = turnPlan{}
}

// removeDoubted removes a turn from those that wait for the judge.
func (t *Table) removeDoubted(tn *turn) {
	t.agenda.remove(judgeExpired{tn})
	t.turns.doubted = slices.DeleteFunc(t.turns.doubted, func(o *turn) bool { return o == tn })
	t.dropInquiry(tn)
}

// dropInquiry cancels the question about a turn.
func (t *Table) dropInquiry(tn *turn) {
	q := tn.inquiry
	if q == nil {
		return
	}
	tn.inquiry = nil
	tn.record.judged.accounts = append(tn.record.judged.accounts, q.account)
	t.effects.add(cancelInquiry{q})
}

// cancelDoubts drops all lines in doubt, and returns their turns.
func (t *Table) cancelDoubts() []*turn {
	all := slices.Clone(t.turns.doubted)
	for _, tn := range all {
		t.undoDoubt(tn)
	}
	return all
}

// undoDoubt resets the line of a turn to how it was before the judge was asked.
func (t *Table) undoDoubt(tn *turn) {
	t.removeDoubted(tn)
	t.dropPrepared(tn)
	t.turns.moveTo(tn, arrived)
}

// recordIn records the outcome of asking the judge in a ledger, and returns the cost of the
// questions.
func (j *judgeOutcome) recordIn(l *Ledger) (took cost.Sum) {
	for _, a := range j.accounts {
		took = took.Add(a.Sum())
	}
	l.Judge, l.JudgeIntent, l.JudgeCalls, l.JudgeMS = j.outcome, j.verdict.Intent, j.calls, mcp.RoundedMillis(j.waited)
	if !took.Unpriced {
		l.JudgeCost = took.Amount
	}
	return took
}

// describeAddressing describes why a turn is for its NPC, and what decided that.
func (tn *turn) describeAddressing() string {
	d, j := tn.addressee.decision, &tn.record.judged
	if j.outcome == "" {
		if d.Why == "" {
			return ""
		}
		return fmt.Sprintf("%s (%.2f)", d.Why, d.Confidence)
	}
	var l Ledger
	took := j.recordIn(&l)
	doubt := fmt.Sprintf("in doubt (%.2f): %s; ", j.doubt.Odds, j.doubt.Why)
	if j.outcome != judgedNPC {
		return fmt.Sprintf("%sthe rules decided, because the judge model was %s after %.0f ms: %s", doubt, j.outcome, l.JudgeMS, d.Why)
	}
	return fmt.Sprintf("%sthe judge model decided after %.0f ms: it %s; %s, %s, cost %g", doubt, l.JudgeMS, j.verdict.Intent, plural.Count(j.calls, "call", "calls"), plural.Count(int(took.InputTokens()+took.OutputTokens()), "token", "tokens"), l.JudgeCost.Units())
}
