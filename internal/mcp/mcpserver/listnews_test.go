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
		n := newNotifier(nil, nil, nil, nil)
		for _, viewer := range []string{"bart", "mira"} {
			n.viewers.Store(viewer, new(atomic.Int64))
		}
		take := func(viewer string) *listener {
			session := &sdk.ServerSession{}
			n.addListener(session, viewer)
			l, _ := n.listenerOf(session)
			return l
		}
		bart, mira := take("bart"), take("mira")
		n.recordListChange("bart")
		late := take("bart")
		time.Sleep(time.Hour)
		for _, row := range []struct {
			name string
			at   *listener
			want bool
		}{
			{name: "who sees the change", at: bart, want: true},
			{name: "who has been told", at: bart, want: false},
			{name: "who cannot see it", at: mira, want: false},
			{name: "who came after it", at: late, want: false},
		} {
			if got := n.consumeListChange(row.at); got != row.want {
				t.Errorf("%s: news = %v, want %v", row.name, got, row.want)
			}
		}
	})
}
