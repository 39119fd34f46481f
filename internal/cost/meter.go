package cost

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Level is how a session may continue, depending on its cost.
type Level uint8

// Levels, in order of cost. A session never returns to a lower one.
const (
	// Within: below every cap.
	Within Level = iota
	// Noticed: the soft cap is exceeded, and a notice is sent.
	Noticed
	// Cheaper: the hard cap is reached, and NPCs answer through the cheaper engine.
	Cheaper
	// LinesOnly: NPCs answer with their stock phrases, without a model.
	LinesOnly
)

func (l Level) String() string {
	return [...]string{"within", "soft_cap", "cheaper", "lines"}[min(l, LinesOnly)]
}

// Options configure a [Meter]. With the zero value, it counts but prices nothing.
type Options struct {
	// Currency is the currency of amounts, such as "USD".
	Currency string
	Prices   []Price
	// SoftCap and HardCap apply to the whole session. Zero means no cap.
	SoftCap, HardCap Amount
	// HasCheaper reports that some NPC uses a dearer engine than the cheaper one. Then the hard cap leads to
	// [Cheaper], and [LinesOnly] follows a tenth of the cap later. Otherwise the hard cap leads to
	// [LinesOnly].
	HasCheaper bool
	// Charged, if not nil, is called for each charge. It must be safe for concurrent use and must not block.
	Charged func(provider string, u Usage, a Amount)
}

// Meter records the use and cost of a session. It is safe for concurrent use.
type Meter struct {
	o Options

	mu    sync.Mutex // guards the fields below
	rows  map[row]*Sum
	spent Amount
}

type row struct{ npc, provider string }

// Sum is a use and its cost.
type Sum struct {
	Usage
	Amount Amount
	// Unpriced reports that the amount is incomplete because some of the use has no price.
	Unpriced bool
}

// Add returns the sum of s and t.
func (s Sum) Add(t Sum) Sum {
	return Sum{s.Usage.add(t.Usage), addCapped(s.Amount, t.Amount), s.Unpriced || t.Unpriced}
}

// NewMeter returns a meter at zero.
func NewMeter(o Options) *Meter { return &Meter{o: o, rows: map[row]*Sum{}} }

// Account returns a new account of an NPC, or of no NPC if npc is empty, for example for speech recognition.
// A nil meter returns nil accounts, which count nothing.
func (m *Meter) Account(npc string) *Account {
	if m == nil {
		return nil
	}
	return &Account{meter: m, npc: npc}
}

// Account charges a part of a session, such as a turn, and the session with it. It is safe for concurrent
// use. It can be charged at any time, even after the turn has ended; the session is then charged as well.
type Account struct {
	meter *Meter
	npc   string
	sum   Sum // guarded by meter.mu
}

// NPC returns the account's NPC, "" if there is none or the account is nil.
func (a *Account) NPC() string {
	if a == nil {
		return ""
	}
	return a.npc
}

// Charge records a use of a provider. Provider names come from the configuration, so their number is bounded.
func (a *Account) Charge(provider string, u Usage) {
	if a == nil {
		return
	}
	u = u.clamped()
	if u == (Usage{}) {
		return
	}
	m := a.meter
	amount, known := find(m.o.Prices, provider).charge(u)
	one := Sum{u, amount, !known}
	m.mu.Lock()
	at := row{a.npc, provider}
	if m.rows[at] == nil {
		m.rows[at] = &Sum{}
	}
	*m.rows[at] = m.rows[at].Add(one)
	a.sum = a.sum.Add(one)
	m.spent = addCapped(m.spent, amount)
	m.mu.Unlock()
	if m.o.Charged != nil {
		m.o.Charged(provider, u, amount)
	}
}

// Sum returns the account's charges.
func (a *Account) Sum() Sum {
	if a == nil {
		return Sum{}
	}
	a.meter.mu.Lock()
	defer a.meter.mu.Unlock()
	return a.sum
}

// Level returns the session's level. A nil meter is always [Within].
func (m *Meter) Level() Level {
	if m == nil {
		return Within
	}
	m.mu.Lock()
	spent := m.spent
	m.mu.Unlock()
	return m.o.level(spent)
}

func (o *Options) level(spent Amount) Level {
	switch hard := o.HardCap; {
	case hard > 0 && spent >= hard && (!o.HasCheaper || spent >= o.linesCap()):
		return LinesOnly
	case hard > 0 && spent >= hard:
		return Cheaper
	case o.SoftCap > 0 && spent >= o.SoftCap:
		return Noticed
	}
	return Within
}

// linesCap returns the cost at which [LinesOnly] begins after [Cheaper].
func (o *Options) linesCap() Amount { return addCapped(o.HardCap, o.HardCap/10) }

// Uncounted returns the providers without a price if there is a cap, because they do not count towards it.
func (m *Meter) Uncounted() []string {
	if m == nil || m.o.SoftCap == 0 && m.o.HardCap == 0 {
		return nil
	}
	return m.Report().Unpriced()
}

// Entry is a line of a [Report].
type Entry struct {
	// Name is an NPC or a provider; "" among the NPCs means no NPC.
	Name string
	Sum
}

// Report is a session's account. Its entries by NPC have the same sum as those by provider.
type Report struct {
	Currency         string
	Total            Sum
	SoftCap, HardCap Amount // 0 means none
	Level            Level
	NPCs, Providers  []Entry // by name
}

// Report returns the account so far. A nil meter's is empty.
func (m *Meter) Report() Report {
	if m == nil {
		return Report{}
	}
	r := Report{Currency: m.o.Currency, SoftCap: m.o.SoftCap, HardCap: m.o.HardCap}
	npcs, providers := map[string]Sum{}, map[string]Sum{}
	m.mu.Lock()
	for at, s := range m.rows {
		npcs[at.npc] = npcs[at.npc].Add(*s)
		providers[at.provider] = providers[at.provider].Add(*s)
		r.Total = r.Total.Add(*s)
	}
	m.mu.Unlock()
	r.Level = m.o.level(r.Total.Amount)
	r.NPCs, r.Providers = entries(npcs), entries(providers)
	return r
}

func entries(sums map[string]Sum) []Entry {
	var all []Entry
	for name, s := range sums {
		all = append(all, Entry{name, s})
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

type contextKey struct{}

// WithAccount returns a context that charges its work to an account.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// AccountOf returns the account of a context, or nil.
func AccountOf(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}
