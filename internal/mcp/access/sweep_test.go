package access

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
)

func testMeter(calls int, window time.Duration, l config.Limits) *meter {
	m := newMeter(l)
	m.rules = []*rule{{name: "slow", kind: config.RuleRateLimit, calls: calls, window: window}}
	return &m
}

func TestMeterForgetsTheIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := testMeter(3, time.Minute, config.Limits{})
		for hour := range 10 {
			for i := range 2000 {
				who := caller{kind: client, name: fmt.Sprintf("client-%d-%d", hour, i)}
				if no := m.chargeCall(who, "roll", token|mark); no != nil {
					t.Fatalf("client %d of hour %d: %v", i, hour, no)
				}
			}
			time.Sleep(time.Hour)
		}
		if len(m.marks) > 4000 || m.markCount > 4000 || len(m.buckets) > 4000 {
			t.Errorf("remembers %d limits, %d marks, %d clients; want what one hour left at most twice", len(m.marks), m.markCount, len(m.buckets))
		}
	})
}

func TestMeterRefusesWhatItCannotRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := testMeter(maxMarks, time.Minute, config.Limits{})
		bart := caller{kind: npc, name: "npc:bart"}
		admitted := 0
		for m.chargeCall(bart, "roll", mark) == nil {
			if admitted++; admitted > maxMarks {
				t.Fatalf("admitted more than %d calls", maxMarks)
			}
		}
		if m.markCount > maxMarks {
			t.Errorf("remembers %d marks, want at most %d", m.markCount, maxMarks)
		}
		if no := m.chargeCall(caller{kind: npc, name: "npc:mira"}, "roll", mark); no == nil || no.Code != mcp.CodeCapacityExceeded {
			t.Errorf("take = %v, want capacity_exceeded", no)
		}
		time.Sleep(time.Minute)
		if no := m.chargeCall(bart, "roll", mark); no != nil {
			t.Errorf("after the window: %v, want nil", no)
		}
		if m.markCount != 1 {
			t.Errorf("remembers %d marks, want 1", m.markCount)
		}
	})
}

func TestMeterRefusesCrowds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(config.Limits{Burst: 2, PerSecond: 1})
		admitted := 0
		for i := range 2 * maxBuckets {
			if m.chargeCall(caller{kind: client, name: fmt.Sprint(i)}, "roll", token) == nil {
				admitted++
			}
		}
		if admitted != maxBuckets || len(m.buckets) != maxBuckets {
			t.Errorf("admitted %d new clients and remembers %d, want %d", admitted, len(m.buckets), maxBuckets)
		}
		if no := m.chargeCall(caller{kind: client, name: "0"}, "roll", token); no != nil {
			t.Errorf("a known client: %v, want nil", no)
		}
		time.Sleep(2 * time.Second)
		if no := m.chargeCall(caller{kind: client, name: "new"}, "roll", token); no != nil {
			t.Errorf("once all are idle: %v, want nil", no)
		}
	})
}

func TestMarksGiveMemoryBack(t *testing.T) {
	k := &marks{}
	for i := range int64(10_000) {
		k.at = append(k.at, i)
	}
	if got := k.forget(9_990); got != 9_991 {
		t.Errorf("forgot %d, want 9991", got)
	}
	if got := len(k.at) - k.first; got != 9 || cap(k.at) > 64 {
		t.Errorf("%d marks in room for %d, want 9 in little", got, cap(k.at))
	}
}
