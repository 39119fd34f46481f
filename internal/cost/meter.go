package cost

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Level is how a session may go on, by what it has cost.
type Level uint8

// Levels, each dearer than the one before. A session never goes back to one.
const (
	// Within: below every cap.
	Within Level = iota
	// Noticed: the soft cap is passed, and people are told.
	Noticed
	// Cheaper: the hard cap is reached, and NPCs answer through the cheaper engine.
	Cheaper
	// LinesOnly: NPCs answer with their stock phrases, without a model.
	LinesOnly
)

func (l Level) String() string {
	return [...]string{"within", "soft_cap", "cheaper", "lines"}[min(l, LinesOnly)]
}

// Options say what a [Meter] knows of money. The zero value counts and prices
// nothing.
type Options struct {
	// Currency is what amounts are in, such as "USD".
	Currency string
	Prices   []Price
	// SoftCap and HardCap are for the whole session. If zero, there is none.
	SoftCap, HardCap Amount
	// HasCheaper says that some NPC speaks through an engine dearer than the cheaper
	// one: then the hard cap leads there first, and [LinesOnly] comes a tenth of the
	// cap later. Without one the hard cap is where the lines begin.
	HasCheaper bool
	// Charged, if not nil, is told of everything that is charged. It is safe for
	// concurrent use and does not wait.
	Charged func(provider string, u Usage, a Amount)
}

// Meter is what a session has taken so far. It is safe for concurrent use.
type Meter struct {
	o Options

	mu    sync.Mutex // guards the fields below
	rows  map[row]*Sum
	spent Amount
}

type row struct{ npc, provider string }

// Sum is what was taken, and what that cost.
type Sum struct {
	Usage
	Amount Amount
	// Unpriced says that the amount is not all: some of it has no price.
	Unpriced bool
}

// Add returns what s and t are together.
func (s Sum) Add(t Sum) Sum {
	return Sum{s.Usage.add(t.Usage), addCapped(s.Amount, t.Amount), s.Unpriced || t.Unpriced}
}

// NewMeter returns a meter at zero.
func NewMeter(o Options) *Meter { return &Meter{o: o, rows: map[row]*Sum{}} }

// Account returns a new account of an NPC's, or of what is nobody's if npc is empty,
// such as hearing. A nil meter has nil accounts, which count nothing.
func (m *Meter) Account(npc string) *Account {
	if m == nil {
		return nil
	}
	return &Account{meter: m, npc: npc}
}

// Account charges a part of a session, such as a turn, and with it the session. It
// is safe for concurrent use, and may be charged at any time, also when what it
// stands for is over: the session is charged then, too.
type Account struct {
	meter *Meter
	npc   string
	sum   Sum // guarded by meter.mu
}

// NPC returns whose account it is, empty if it is nobody's. A nil account is nobody's.
func (a *Account) NPC() string {
	if a == nil {
		return ""
	}
	return a.npc
}

// Charge notes what was taken of a provider. The names of providers are those of the
// configuration, so there are only so many.
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

// Sum returns what was charged to the account.
func (a *Account) Sum() Sum {
	if a == nil {
		return Sum{}
	}
	a.meter.mu.Lock()
	defer a.meter.mu.Unlock()
	return a.sum
}

// Level returns how the session may go on. A nil meter is always [Within].
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

// linesCap is where the lines begin for those who had a cheaper engine first.
func (o *Options) linesCap() Amount { return addCapped(o.HardCap, o.HardCap/10) }

// Uncounted names the providers that have no price, where there is a cap that they
// do not count towards.
func (m *Meter) Uncounted() []string {
	if m == nil || m.o.SoftCap == 0 && m.o.HardCap == 0 {
		return nil
	}
	return m.Report().Unpriced()
}

// Entry is one line of a [Report].
type Entry struct {
	// Name is an NPC's or a provider's; of an NPC's it is empty for what is nobody's.
	Name string
	Sum
}

// Report is an account of a session. The entries by NPC have the same sum as those
// by provider.
type Report struct {
	Currency         string
	Total            Sum
	SoftCap, HardCap Amount // 0 if there is none
	Level            Level
	NPCs, Providers  []Entry // by name
}

// Report returns the account so far. That of a nil meter is empty.
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

// WithAccount returns a context whose work is charged to an account.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// AccountOf returns the account that a context's work is charged to, nil if there is
// none.
func AccountOf(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}
