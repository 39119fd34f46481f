package play

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/MrWong99/glyphoxa/internal/lab/peers"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

// TestConsent stores declined consent separately for each guild.
func TestConsent(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer func() { h.shut() }()
	declined := func(guild string, want ...string) {
		t.Helper()
		got, err := h.guild(guild).Declined(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("declined in %s: %q, want %q", guild, got, want)
		}
	}
	consent := func(user string, heard bool) {
		t.Helper()
		if err := h.guild(home).SetConsent(t.Context(), user, heard); err != nil {
			t.Fatal(err)
		}
	}
	declined(home)
	consent(ana.ID, false)
	consent(dm.ID, false)
	consent(ana.ID, false)
	declined(home, dm.ID, ana.ID)
	declined(away)
	h.shut()
	h = openGuilds(t, h.dir, flagon)
	declined(home, dm.ID, ana.ID)
	consent(dm.ID, true)
	consent(dm.ID, true)
	declined(home, ana.ID)
	if err := h.guild(home).SetConsent(t.Context(), "../x", false); err == nil {
		t.Error("an id that is none was kept")
	}
}

// TestConsentSurvivesTrouble checks that a broken file is left for the operator and not
// overwritten.
func TestConsentSurvivesTrouble(t *testing.T) {
	h := openGuilds(t, t.TempDir(), flagon)
	defer h.shut()
	if err := h.guild(home).SetConsent(t.Context(), ana.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.path(recordName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.guild(home).SetConsent(t.Context(), dm.ID, false); err == nil || strings.Contains(err.Error(), h.dir) {
		t.Errorf("Consent over a broken file = %v, want an error without a path", err)
	}
	if _, err := h.guild(home).Declined(t.Context()); err == nil {
		t.Error("a broken file counts as nobody declined")
	}
	if kept, err := os.ReadFile(h.path(recordName)); err != nil || string(kept) != "{" {
		t.Errorf("the broken file is %q, %v; want it left for the operator", kept, err)
	}
	left, err := filepath.Glob(h.path("." + recordName + "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("drafts are left: %q, %v", left, err)
	}
}

// TestForget deletes a user's words from all stores of a guild: the table, all campaigns, the
// feedback and the audit log. The words of others stay as they are, even where they name the
// user, and a DM reads once where they do.
func TestForget(t *testing.T) {
	t.Run("file", func(t *testing.T) { testForget(t, "", nil) })
	t.Run("postgres", func(t *testing.T) {
		dsn := peers.StartPostgres(t, "fsync=off").DSN(t)
		testForget(t, "memory: {store: postgres, dsn: \""+dsn+"\"}\n", func() string { return dump(t, dsn) })
	})
}

// dump returns all contents of the guilds' schemas as text.
func dump(t *testing.T, dsn string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	texts := func(query string) []string {
		rows, err := c.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	var b strings.Builder
	for _, table := range texts(`SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE starts_with(schemaname, 'guild_')`) {
		for _, row := range texts(`SELECT t::text FROM ` + table + ` t`) {
			b.WriteString(row + "\n")
		}
	}
	return b.String()
}

// testForget forgets a user. rows, if not nil, returns the stored data beside the files.
func testForget(t *testing.T, settings string, rows func() string) {
	h := openGuilds(t, t.TempDir(), flagon+settings+`
server:
  audit: {arguments: true}
  policy:
    - {name: ask, rule: approval, tools: [roll]}
`)
	defer h.shut()
	bob := user{ID: "300000000000000003"}
	s := h.sit(GuildSessionOptions{})
	s.hears(ana, "Bartok, my name is Xanthippe, of the cobblesnatch!")
	s.close()
	h.load(mere)
	h.switchTo("the-drowned-mere")
	s = h.sit(GuildSessionOptions{})
	s.hears(ana, "Bartok, remember the cobblesnatch!")
	s.hears(bob, "Bartok, good evening!")
	s.hears(bob, "Bartok, Xanthippe told me of you!")
	if err := h.as(home, bob).StoreFeedback(t.Context(), "Xanthippe's voice is too low"); err != nil {
		t.Fatal(err)
	}
	for _, by := range []user{ana, bob} {
		if err := h.as(home, by).StoreFeedback(t.Context(), "Xanthippe noted by "+by.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.as(home, by).CallTool(t.Context(), "search_rules", `{"query":"Xanthippe asks `+by.ID+`"}`); err != nil && !strings.Contains(err.Error(), "timed out") {
			t.Fatal(err) // a slow call is recorded too
		}
	}
	if err := h.guild(home).SetConsent(t.Context(), ana.ID, false); err != nil {
		t.Fatal(err)
	}

	if _, err := h.as(home, ana).CallTool(t.Context(), "roll", `{"expression":"d20"}`); err == nil {
		t.Error("a call passed that needs approval")
	}

	n, err := h.guild(home).ForgetUser(t.Context(), ana.ID, nil, "Xanthippe")
	if err != nil || n != 2 {
		t.Fatalf("Forget = %d, %v; want the two lines", n, err)
	}
	if n, err := h.guild(home).ForgetUser(t.Context(), ana.ID, nil); err != nil || n != 0 {
		t.Errorf("forgetting again = %d, %v", n, err)
	}
	if waits, err := h.as(home, dm).Suggest(t.Context(), SuggestApproval, ""); err != nil || len(waits) > 0 {
		t.Errorf("%v wait for approval, %v", waits, err)
	}
	if all := strings.Join(h.lines(), "\n"); strings.Contains(all, "cobblesnatch") || !strings.Contains(all, "Xanthippe told me of you!") {
		t.Errorf("lines are %q, want the other's as it was", all)
	}
	if list, _, err := h.as(home, bob).PopMentions(t.Context()); err == nil {
		t.Errorf("a player reads %+v", list)
	}
	if n := h.as(home, bob).MentionsWait(); n != 0 {
		t.Errorf("a player reads that %d places wait", n)
	}
	list, waited, err := h.as(home, dm).PopMentions(t.Context())
	if err != nil || !waited || len(list.Found) != 1 || list.Found[0].Kind != MentionLine || !strings.Contains(list.Found[0].Text, "Xanthippe told me of you!") {
		t.Fatalf("mentions are %+v, %v; want bob's line", list, err)
	}
	if again, waited, err := h.as(home, dm).PopMentions(t.Context()); err != nil || waited || h.guild(home).Mentions() != 0 {
		t.Errorf("shown again: %+v, %v", again, err)
	}
	number, err := strconv.ParseInt(list.Found[0].ID, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.as(home, bob).EraseLine(t.Context(), number); err == nil {
		t.Error("a player deletes a line")
	}
	theirs := h.records("discord:" + bob.ID) // the call, and two that were refused
	if len(theirs) != 3 || !slices.ContainsFunc(theirs, func(r access.LogRecord) bool { return strings.Contains(r.Args, "Xanthippe asks "+bob.ID) }) {
		t.Errorf("records of another's calls are %+v, want what they were made with", theirs)
	}
	if got := len(h.records("discord:" + ana.ID)); got != 0 {
		t.Errorf("%d records name the user", got)
	}
	feedback, err := os.ReadFile(h.path(feedbackFile))
	if err != nil || strings.Contains(string(feedback), ana.ID) || !strings.Contains(string(feedback), "Xanthippe noted by "+bob.ID) {
		t.Errorf("feedback = %q, %v; want the other's alone", feedback, err)
	}
	if declined, err := h.guild(home).Declined(t.Context()); err != nil || !cmp.Equal(declined, []string{ana.ID}) {
		t.Errorf("declined = %q, %v: who is forgotten is not heard again for that", declined, err)
	}
	if l, err := h.as(home, dm).EraseLine(t.Context(), number); err != nil || !strings.Contains(l.Text, "told me") {
		t.Errorf("EraseLine = %+v, %v", l, err)
	}
	if all := strings.Join(h.lines(), "\n"); strings.Contains(all, "told me of you") {
		t.Errorf("the DM deleted a line, and there is %q", all)
	}
	s.hears(bob, "Bartok, who was here?")
	s.close()
	h.shutGuild()
	kept := ""
	if rows != nil {
		kept = rows()
	}
	for _, left := range []string{"cobblesnatch", "asks " + ana.ID, ana.ID + "\"" + `,"dm"`, "discord:" + ana.ID} {
		if h.holds(left, false); strings.Contains(kept, left) {
			t.Errorf("%q is still in the database", left)
		}
	}
	if rows == nil {
		h.holds("good evening", true)
	} else if !strings.Contains(kept, "good evening") {
		t.Errorf("what others said is not in the database: %s", kept)
	}
	if _, err := h.guild(home).ForgetUser(t.Context(), "no id", nil); err == nil {
		t.Error("an id that is none was forgotten")
	}
}

// shutGuild closes the home guild's campaign, so that its files no longer change.
func (h *fixture) shutGuild() {
	h.t.Helper()
	l, err := h.Guild(home)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := l.pool.retire(); err != nil {
		h.t.Error(err)
	}
}

// holds checks whether a file of the home guild contains a text.
func (h *fixture) holds(text string, want bool) {
	h.t.Helper()
	var in []string
	err := filepath.WalkDir(h.path(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			in = append(in, path)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if (len(in) > 0) != want {
		h.t.Errorf("%q is in %q; want it there: %t", text, in, want)
	}
}
