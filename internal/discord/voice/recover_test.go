package voice

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestResume: a broken connection is resumed. Sound continues meanwhile, the server learns the
// last sequence number, and repeated messages are not handled twice.
func TestResume(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, m := tb.connect()
		g.sayNumbered(opClientsConnect, map[string]any{"user_ids": []string{aliceID}}, 65535)
		g.sayNumbered(opSpeaking, speakingData{Speaking: 1, SSRC: aliceSSRC, User: aliceID}, 0) // the sequence wraps
		synctest.Wait()
		if _, events, _ := tb.take(); !slices.Contains(names(events), "UserJoined {User:4001}") {
			t.Fatalf("events = %v", names(events))
		}
		tb.talk(t)
		tb.expect(g, opSpeaking)
		g.hangUp(0)
		for range 10 { // 200 ms before the connection is back
			tb.talk(t)
			time.Sleep(20 * time.Millisecond)
		}
		if sent := len(m.fromBot); sent != 11 {
			t.Errorf("%d packets were sent, want 11", sent)
		}
		g = tb.dial()
		g.say(opHello, map[string]any{"heartbeat_interval": 5000})
		var d resumeData
		if err := json.Unmarshal(tb.expect(g, opResume).data, &d); err != nil {
			t.Fatal(err)
		}
		if want := (resumeData{guildID, "session-1", "token-1", 0}); d != want {
			t.Errorf("resumed with %+v, want %+v", d, want)
		}
		g.sayNumbered(opClientsConnect, map[string]any{"user_ids": []string{"4009"}}, 65535) // handled before
		g.sayNumbered(opClientsConnect, map[string]any{"user_ids": []string{bobID}}, 1)
		tb.talk(t)
		g.say(opResumed, nil)
		var s speakingData
		if err := json.Unmarshal(tb.expect(g, opSpeaking).data, &s); err != nil || s.Speaking != 1 {
			t.Errorf("after Resumed the bot said %+v, want that it speaks", s)
		}
		synctest.Wait()
		_, events, _ := tb.take()
		if got := names(events); !slices.Equal(got, []string{"Speaking {User:4001 On:true}", "UserJoined {User:4002}"}) &&
			!slices.Equal(got, []string{"UserJoined {User:4002}"}) {
			t.Errorf("events = %v", got)
		}
		if st := tb.c.Stats(); st.Resumed != 1 || st.Connections != 1 {
			t.Errorf("stats = %+v", st)
		}
	})
}

// TestHeartbeat: heartbeats report the last sequence number. Without an answer the session is
// resumed.
func TestHeartbeat(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		done := tb.join(channelA)
		g := tb.dial()
		tb.begin(g)
		<-done
		beat := func() heartbeatData {
			var d heartbeatData
			if err := json.Unmarshal(tb.expect(g, opHeartbeat).data, &d); err != nil {
				t.Fatal(err)
			}
			return d
		}
		first := beat()
		if first.SeqAck != noSeq {
			t.Errorf("seq_ack = %d before any, want -1", first.SeqAck)
		}
		time.Sleep(30 * time.Millisecond)
		g.say(opHeartbeatAck, map[string]any{"t": first.T})
		g.sayBinary(40000, opProposals, "x")
		at := time.Now()
		second := beat()
		if second.SeqAck != 40000 || second.T == first.T {
			t.Errorf("heartbeat = %+v", second)
		}
		if got := time.Since(at).Round(time.Second); got != 14*time.Second {
			t.Errorf("the next heartbeat came after %v", got)
		}
		if st := tb.c.Stats(); st.GatewayRoundTrip != 30*time.Millisecond {
			t.Errorf("round trip = %v", st.GatewayRoundTrip)
		}
		at = time.Now()
		g = tb.dial() // the second heartbeat had no answer
		tb.expect(g, opResume)
		if got := time.Since(at); got < 13*time.Second || got > 15*time.Second {
			t.Errorf("resumed after %v", got)
		}
	})
}

func TestCloseCodes(t *testing.T) {
	for _, tt := range []struct {
		code int
		next string // opcode of the next connection, "ask" for the main gateway, or words in the error or event
	}{
		{0, "resume"}, {1000, "resume"}, {1006, "resume"}, {closeServerCrashed, "resume"}, {4999, "resume"},
		{closeUnknownOpcode, "identify"}, {closeDecodeError, "identify"}, {closeNotAuthenticated, "identify"}, {closeAuthenticated, "identify"},
		{closeSessionInvalid, "identify"}, {closeSessionTimedOut, "identify"}, {closeBadRequest, "identify"},
		{closeAuthentication, "ask"}, {closeServerNotFound, "ask"},
		{closeUnknownProtocol, "install a newer version"}, {closeUnknownEncryption, "install a newer version"}, {closeDAVERequired, "DAVE"},
		{closeRateLimited, "wait a few minutes"}, {closeCallTerminated, "ended the call"},
	} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := newTable(t, nil)
				g, _ := tb.connect()
				tb.take()
				g.hangUp(tt.code)
				switch tt.next {
				case "resume":
					tb.expect(tb.dial(), opResume)
				case "identify":
					tb.expect(tb.dial(), opIdentify)
				case "ask":
					tb.expect(tb.dial(), opIdentify)
					if moves, _, _ := tb.take(); !slices.Equal(moves, []string{"", channelA}) {
						t.Errorf("moves = %v", moves)
					}
				default:
					time.Sleep(10 * time.Second)
					synctest.Wait()
					tb.checkStopped(tt.code, tt.next)
				}
				if len(tb.ended) == 0 {
					tb.close()
				}
			})
		})
	}
}

// checkStopped checks that the connection stays closed after a close code, with a remedy in one
// line.
func (tb *table) checkStopped(code int, want string) {
	tb.t.Helper()
	if len(tb.net.dials) > 0 {
		tb.t.Error("the bot came back")
	}
	var told string
	select {
	case err := <-tb.ended:
		if err == nil {
			tb.t.Fatal("Run returned nil")
		}
		told = err.Error()
		tb.ended <- nil
	default:
		_, events, _ := tb.take()
		last, ok := events[len(events)-1].(Disconnected)
		if !ok || last.Cause != Ended {
			tb.t.Fatalf("events = %v", names(events))
		}
		told = last.Reason
	}
	if !strings.Contains(told, want) || !strings.Contains(told, fmt.Sprint(code)) || strings.Contains(told, "\n") {
		tb.t.Errorf("told %q, want %q and the code in one line", told, want)
	}
}

// TestDisconnected: code 4014 has three meanings, which the bot's own voice state tells apart.
func TestDisconnected(t *testing.T) {
	kicked := func(tb *table) {
		tb.t.Helper()
		time.Sleep(time.Minute)
		synctest.Wait()
		moves, events, _ := tb.take()
		if len(moves) > 0 || len(tb.net.dials) > 0 {
			tb.t.Errorf("the bot came back: %v", moves)
		}
		if got := names(events); got[len(got)-1] != "Disconnected 1" {
			tb.t.Errorf("events = %v", got)
		}
		if err := tb.c.Write(tb.t.Context(), frame()); !errors.Is(err, ErrNotConnected) {
			tb.t.Errorf("Write = %v", err)
		}
	}
	for _, tt := range []struct {
		name string
		play func(tb *table, g *fakeGateway)
	}{
		{"kicked", func(tb *table, g *fakeGateway) {
			g.hangUp(closeDisconnected)
			time.Sleep(time.Second)
			tb.c.UpdateState(State{})
			kicked(tb)
		}},
		{"kicked_state_first", func(tb *table, g *fakeGateway) {
			tb.c.UpdateState(State{})
			kicked(tb)
		}},
		{"another_server", func(tb *table, g *fakeGateway) {
			g.hangUp(closeDisconnected)
			time.Sleep(time.Second)
			tb.c.UpdateServer(Server{"token-2", "other.example"})
			g = tb.dial()
			if g.url != "wss://other.example/?v=8" {
				tb.t.Errorf("dialled %s", g.url)
			}
			tb.begin(g)
			tb.checkBack(channelA)
		}},
		{"main_gateway_lost", func(tb *table, g *fakeGateway) {
			g.hangUp(closeDisconnected)
			tb.begin(tb.dial())
			tb.checkBack(channelA)
			if moves, _, _ := tb.take(); !slices.Equal(moves, []string{"", channelA}) {
				tb.t.Errorf("moves = %v", moves)
			}
		}},
		{"main_gateway_lost_and_back", func(tb *table, g *fakeGateway) {
			g.hangUp(closeDisconnected)
			time.Sleep(time.Second)
			tb.mu.Lock()
			tb.answer = func(channel string) { tb.admit(channel, "session-2", "voice.example:443", "token-2") }
			tb.mu.Unlock()
			done := tb.join(channelA)
			g = tb.dial()
			tb.begin(g)
			if err := <-done; err != nil {
				tb.t.Errorf("Join = %v", err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, tb *table) {
				g, _ := tb.connect()
				tb.take()
				tt.play(tb, g)
			})
		})
	}
}

// checkBack checks that the connection is back in a channel.
func (tb *table) checkBack(channel string) {
	tb.t.Helper()
	synctest.Wait()
	if st := tb.c.Stats(); !st.Connected || st.Channel != channel {
		tb.t.Errorf("stats = %+v", st)
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	got := names(tb.events)
	if !slices.Contains(got, "Interrupted") || got[len(got)-1] != fmt.Sprintf("Connected {Channel:%s DAVE:0}", channel) {
		tb.t.Errorf("events = %v", got)
	}
}

// TestMainGatewayBeginsAnew: after a new main session the bot asks again and uses the new voice
// session.
func TestMainGatewayBeginsAnew(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		old, _ := tb.connect()
		tb.take()
		tb.mu.Lock()
		tb.answer = func(channel string) { tb.admit(channel, "session-2", "voice.example:443", "token-2") }
		tb.mu.Unlock()
		if err := <-tb.join(channelA); err != nil {
			t.Fatal(err)
		}
		<-old.gone
		tb.begin(tb.lastDial())
		tb.checkBack(channelA)
	})
}

// TestMoved: a user who moves the bot causes a new session, even at the same endpoint.
func TestMoved(t *testing.T) {
	state, server := State{channelB, "session-1"}, Server{"token-2", "voice.example:443"}
	for _, tt := range []struct {
		name string
		tell func(c *Conn)
	}{
		{"state_first", func(c *Conn) { c.UpdateState(state); time.Sleep(time.Second); c.UpdateServer(server) }},
		{"server_first", func(c *Conn) { c.UpdateServer(server); synctest.Wait(); c.UpdateState(state) }},
		{"together", func(c *Conn) { c.UpdateState(state); c.UpdateServer(server) }},
		{"no_server", func(c *Conn) { c.UpdateState(state) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, tb *table) {
				old, _ := tb.connect()
				tt.tell(tb.c)
				<-old.gone
				tb.begin(tb.lastDial())
				tb.checkBack(channelB)
			})
		})
	}
}

func TestRegionChange(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		old, m := tb.connect()
		tb.c.UpdateServer(Server{"token-1", "voice.example:443"}) // a repetition
		synctest.Wait()
		if len(tb.net.dials) > 0 {
			t.Error("the same server begins a new session")
		}
		tb.c.UpdateServer(Server{Token: "token-2"})
		<-old.gone
		<-m.closed
		time.Sleep(10 * time.Second)
		tb.c.UpdateServer(Server{"token-2", "other.example:443"})
		g := tb.dial()
		if g.url != "wss://other.example:443/?v=8" {
			t.Errorf("dialled %s", g.url)
		}
		tb.begin(g)
		tb.checkBack(channelA)
	})
}

// TestGivesUp: the bot retries an unreachable server with growing pauses, then gives up. The
// next Join starts over.
func TestGivesUp(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, tb *table) {
		g, _ := tb.connect()
		tb.take()
		tried := 0
		tb.net.refuse = func(string) error { tried++; return errors.New("no route") }
		g.hangUp(closeSessionInvalid)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		_, events, _ := tb.take()
		if got := names(events); !slices.Equal(got, []string{"Interrupted", "Disconnected 3"}) {
			t.Errorf("events = %v", got)
		}
		if tried != maxFailures {
			t.Errorf("tried %d times, want %d", tried, maxFailures)
		}
		tb.net.refuse = nil
		tb.connect()
	})
}

// TestEndpoints: an invalid address starts no session.
func TestEndpoints(t *testing.T) {
	for _, tt := range []struct {
		endpoint, url string
	}{
		{"voice.example", "wss://voice.example/?v=8"},
		{"127.0.0.1:4430", "wss://127.0.0.1:4430/?v=8"},
		{"[::1]:443", "wss://[::1]:443/?v=8"},
		{"", ""}, {"voice.example/evil", ""}, {"user@voice.example", ""}, {"voice.example?v=1", ""}, {"a b", ""}, {"voice.example#", ""},
		{strings.Repeat("a", 300), ""},
	} {
		if got, err := gatewayURL(tt.endpoint); got != tt.url || (err == nil) != (tt.url != "") {
			t.Errorf("gatewayURL(%q) = %q, %v; want %q", tt.endpoint, got, err, tt.url)
		}
	}
}

// lastDial returns the newest gateway connection. An earlier one may exist because state and
// server arrive separately.
func (tb *table) lastDial() *fakeGateway {
	tb.t.Helper()
	synctest.Wait()
	g := tb.dial()
	for len(tb.net.dials) > 0 {
		g = tb.dial()
	}
	return g
}

// talk writes a frame and waits until it is sent.
func (tb *table) talk(t *testing.T) {
	t.Helper()
	if err := tb.c.Write(t.Context(), frame()); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}
