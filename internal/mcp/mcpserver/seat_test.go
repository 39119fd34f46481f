package mcpserver

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestListNewsIsToldOnceHoweverLate shows that it depends on no clock who is
// told that its list has changed: the SDK's notification comes when the machine
// has time for it.
func TestListNewsIsToldOnceHoweverLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAudience()
		for _, viewer := range []string{"bart", "mira"} {
			a.viewers.Store(viewer, new(atomic.Int64))
		}
		take := func(viewer string) *seat {
			session := &sdk.ServerSession{}
			a.enter(session, viewer)
			at, _ := a.seat(session)
			return at
		}
		bart, mira := take("bart"), take("mira")
		a.listChanged("bart")
		late := take("bart")
		time.Sleep(time.Hour)
		for _, row := range []struct {
			name string
			at   *seat
			want bool
		}{
			{name: "who sees the change", at: bart, want: true},
			{name: "who has been told", at: bart, want: false},
			{name: "who cannot see it", at: mira, want: false},
			{name: "who came after it", at: late, want: false},
		} {
			if got := a.listNews(row.at); got != row.want {
				t.Errorf("%s: news = %v, want %v", row.name, got, row.want)
			}
		}
	})
}
