package voice

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestJoin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		modes []string
		mode  string
	}{
		{"both_modes", []string{"xsalsa20_poly1305", XChaCha20Poly1305, AES256GCM}, AES256GCM},
		{"xchacha_alone", []string{XChaCha20Poly1305}, XChaCha20Poly1305},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(tb *table) { tb.modes = tt.modes }, func(t *testing.T, tb *table) {
				done := tb.join(channelA)
				g := tb.dial()
				if g.url != "wss://voice.example:443/?v=8" {
					t.Errorf("dialled %s", g.url)
				}
				m := tb.begin(g)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				moves, events, _ := tb.take()
				if !slices.Equal(moves, []string{channelA}) {
					t.Errorf("moves = %v", moves)
				}
				if got := names(events); !slices.Equal(got, []string{"Encryption {Version:0}", "Connected {Channel:3001 DAVE:0}"}) {
					t.Errorf("events = %v", got)
				}
				if st := tb.c.Stats(); !st.Connected || st.Channel != channelA || st.Mode != tt.mode || st.Connections != 1 {
					t.Errorf("stats = %+v", st)
				}
				if m.addr.String() != "127.0.0.1:50000" {
					t.Errorf("sound goes to %v", m.addr)
				}
			})
		})
	}
}

func TestIdentify(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		tb.join(channelA)
		g := tb.dial()
		var got map[string]any
		if err := json.Unmarshal(tb.expect(g, opIdentify).data, &got); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]any{"server_id": guildID, "user_id": botID, "session_id": "session-1", "token": "token-1"} {
			if got[key] != want {
				t.Errorf("%s = %v, want %v", key, got[key], want)
			}
		}
		if _, ok := got["max_dave_protocol_version"]; !ok {
			t.Error("the version of the end-to-end encryption is not offered")
		}
	})
}

// TestJoinFullChannel: the main gateway does not answer for a full channel.
func TestJoinFullChannel(t *testing.T) {
	inBubble(t, func(tb *table) { tb.answer = nil }, func(t *testing.T, tb *table) {
		begun := time.Now()
		err := <-tb.join(channelA)
		if err == nil || !strings.Contains(err.Error(), "Move Members") {
			t.Errorf("Join = %v, want the permission that helps", err)
		}
		if took := time.Since(begun); took != admitTimeout {
			t.Errorf("that took %v", took)
		}
		synctest.Wait()
		moves, events, _ := tb.take()
		if !slices.Equal(moves, []string{channelA, ""}) || len(events) > 0 {
			t.Errorf("moves = %v, events = %v", moves, events)
		}
	})
}

// TestJoinOtherChannelThatIsFull: the bot stays in its channel and is heard there.
func TestJoinOtherChannelThatIsFull(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		_, m := tb.connect()
		tb.mu.Lock()
		tb.answer = nil
		tb.mu.Unlock()
		if err := <-tb.join(channelB); err == nil || !strings.Contains(err.Error(), "Move Members") {
			t.Errorf("Join = %v", err)
		}
		if st := tb.c.Stats(); !st.Connected || st.Channel != channelA {
			t.Errorf("stats = %+v, want to be connected to the first channel", st)
		}
		drain(m)
		if err := tb.c.Write(t.Context(), frame()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(m.fromBot) == 0 {
			t.Error("nothing was sent")
		}
	})
}

func TestJoinWhenMainGatewayIsAway(t *testing.T) {
	away := errors.New("the gateway is away")
	inBubble(t, func(tb *table) { tb.wish = func(string) error { return away } }, func(t *testing.T, tb *table) {
		if err := <-tb.join(channelA); err == nil || !strings.Contains(err.Error(), away.Error()) {
			t.Errorf("Join = %v, want what the main gateway said", err)
		}
	})
}

// TestJoinOrders: state and server arrive in either order, and the endpoint may arrive later.
func TestJoinOrders(t *testing.T) {
	state, server := State{channelA, "session-1"}, Server{"token-1", "voice.example:443"}
	for _, tt := range []struct {
		name string
		tell func(c *Conn)
	}{
		{"server_first", func(c *Conn) { c.UpdateServer(server); synctest.Wait(); c.UpdateState(state) }},
		{"no_endpoint_yet", func(c *Conn) {
			c.UpdateState(state)
			c.UpdateServer(Server{Token: "token-0"})
			time.Sleep(3 * time.Second)
			c.UpdateServer(server)
		}},
		{"another_channel_before", func(c *Conn) {
			c.UpdateState(State{channelB, "session-1"})
			synctest.Wait()
			c.UpdateState(State{})
			synctest.Wait()
			c.UpdateState(state)
			c.UpdateServer(server)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(tb *table) {
				tb.answer = func(channel string) {
					if channel != "" {
						go tt.tell(tb.c)
					}
				}
			}, func(t *testing.T, tb *table) {
				g, _ := tb.connect()
				if g.url != "wss://voice.example:443/?v=8" {
					t.Errorf("dialled %s", g.url)
				}
			})
		})
	}
}

func TestJoinWithoutUDP(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		done := tb.join(channelA)
		for {
			select {
			case g := <-tb.net.dials:
				tb.expect(g, opIdentify)
				g.say(opReady, map[string]any{"ssrc": botSSRC, "ip": "127.0.0.1", "port": 50000, "modes": tb.modes})
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), "UDP") || !strings.Contains(err.Error(), "127.0.0.1:50000") {
					t.Errorf("Join = %v, want that UDP does not get through", err)
				}
				return
			}
		}
	})
}

func TestLeave(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, _ := tb.connect()
		if err := tb.c.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-g.gone
		if g.code != closeNormal {
			t.Errorf("closed with %d, want %d", g.code, closeNormal)
		}
		moves, events, _ := tb.take()
		if !slices.Equal(moves, []string{channelA, ""}) || len(events) != 2 {
			t.Errorf("moves = %v, events = %v", moves, names(events))
		}
		if err := tb.c.Write(t.Context(), frame()); !errors.Is(err, ErrNotConnected) {
			t.Errorf("Write = %v", err)
		}
		synctest.Wait()
		if _, events, _ := tb.take(); len(events) > 0 {
			t.Errorf("events after leaving = %v", names(events))
		}
	})
}

// TestRunEnds: Run leaves the channel when it ends, and answers pending calls.
func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := newTable(t, nil)
		g, m := tb.connect()
		tb.mu.Lock()
		tb.answer = nil
		tb.mu.Unlock()
		waiting := tb.join(channelB)
		synctest.Wait()
		tb.close()
		<-g.gone
		<-m.closed
		if err := <-waiting; !errors.Is(err, ErrClosed) {
			t.Errorf("Join = %v, want ErrClosed", err)
		}
		if moves, _, _ := tb.take(); !slices.Equal(moves, []string{channelA, channelB, ""}) {
			t.Errorf("moves = %v", moves)
		}
		if err := tb.c.Join(t.Context(), channelA); !errors.Is(err, ErrClosed) {
			t.Errorf("Join = %v, want ErrClosed", err)
		}
		if err := tb.c.Leave(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Leave = %v, want ErrClosed", err)
		}
	})
}

func TestJoinNeedsANumber(t *testing.T) {
	if err := New(Options{}).Join(t.Context(), "general"); err == nil {
		t.Error("Join of a name succeeds")
	}
}

// drain discards the bot's UDP packets.
func drain(m *fakeMedia) {
	for len(m.fromBot) > 0 {
		<-m.fromBot
	}
}

// TestJoinGivenUp: a caller that gives up gets the cause of the delay, and the bot does not
// join later.
func TestJoinGivenUp(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		tb.net.refuse = func(string) error { return errors.New("no route") }
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := tb.c.Join(ctx, channelA); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no route") {
			t.Errorf("Join = %v, want what went wrong", err)
		}
		tb.net.refuse = nil
		time.Sleep(time.Minute)
		if moves, _, _ := tb.take(); !slices.Equal(moves, []string{channelA, "", channelA, ""}) && !slices.Equal(moves, []string{channelA, ""}) {
			t.Errorf("moves = %v", moves)
		}
		if len(tb.net.dials) > 0 {
			t.Error("the bot came in later")
		}
		tb.connect()
		slow := make(chan struct{})
		tb.mu.Lock()
		tb.wish = func(string) error { <-slow; return nil }
		tb.mu.Unlock()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := tb.c.Leave(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Leave = %v", err)
		}
		close(slow)
	})
}
