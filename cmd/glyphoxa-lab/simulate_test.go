package main_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/lab/simulate"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// capacity is the JSON report of simulate.
type capacity struct {
	Tables      int        `json:"tables"`
	Players     int        `json:"players"`
	NPCs        int        `json:"npcs"`
	Minutes     float64    `json:"minutes"`
	Interrupted bool       `json:"interrupted"`
	Seed        uint64     `json:"seed"`
	Codec       string     `json:"codec"`
	Detection   string     `json:"detection"`
	Frames      uint64     `json:"frames"`
	Lateness    *quantiles `json:"frame_lateness_ms"`
	Underruns   *uint64    `json:"underruns"`
	FirstSound  *quantiles `json:"first_sound_ms"`
	Engines     map[string]struct {
		NPCs       int        `json:"npcs"`
		Turns      uint64     `json:"turns"`
		FirstSound *quantiles `json:"first_sound_ms"`
	} `json:"engines"`
	Utterances   uint64            `json:"utterances"`
	Turns        *uint64           `json:"turns"`
	Outcomes     map[string]uint64 `json:"outcomes"`
	Notices      map[string]uint64 `json:"notices"`
	CPU          float64           `json:"cpu_percent"`
	Processors   int               `json:"processors"`
	RSS          float64           `json:"rss_mb"`
	Goroutines   int               `json:"goroutines"`
	Packets      uint64            `json:"packets"`
	DroppedCount *uint64           `json:"dropped_packets"`
	Remarks      []string          `json:"remarks"`

	Discord *simulate.DiscordReport `json:"discord"`
	Browser *simulate.BrowserReport `json:"browser"`
}

type quantiles struct {
	P50, P95, P99, Max float64
}

// reported parses a report and requires every field and no other.
func reported[T any](t *testing.T, out string) (r T) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("reading the report: %v\n%s", err, out)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("there is something behind the report: %s", out)
	}
	return r
}

// adds checks the report's arithmetic.
func (c capacity) adds(t *testing.T) {
	t.Helper()
	if c.Lateness == nil || c.Turns == nil || c.Underruns == nil || c.DroppedCount == nil {
		t.Fatalf("report = %+v, want it whole", c)
	}
	var ended uint64
	for _, n := range c.Outcomes {
		ended += n
	}
	if ended != *c.Turns {
		t.Errorf("%d turns, and outcomes of %d: %v", *c.Turns, ended, c.Outcomes)
	}
	if l := c.Lateness; l.P50 < 0 || l.P50 > l.P99 || l.P99 > l.Max {
		t.Errorf("frame lateness = %+v, want p50 ≤ p99 ≤ max", l)
	}
	switch f := c.FirstSound; {
	case f == nil && c.Outcomes["delivered"] > 0: // a short run may not see any turn end
		t.Errorf("no first sound in %v", c.Outcomes)
	case f != nil && (f.P50 <= 0 || f.P50 > f.P95 || f.P95 > f.P99):
		t.Errorf("first sound = %+v, want 0 < p50 ≤ p95 ≤ p99", f)
	}
	if c.Frames == 0 || *c.Underruns > c.Frames {
		t.Errorf("%d underruns of %d frames, want some frames and fewer underruns", *c.Underruns, c.Frames)
	}
	if c.Packets == 0 || *c.DroppedCount > c.Packets {
		t.Errorf("%d of %d packets dropped, want some packets and fewer dropped", *c.DroppedCount, c.Packets)
	}
	if c.Processors < 1 || c.Goroutines < c.Tables*(c.Players+1) {
		t.Errorf("%d processors, %d goroutines for %d tables of %d players", c.Processors, c.Goroutines, c.Tables, c.Players)
	}
	if runtime.GOOS == "linux" && (c.CPU <= 0 || c.CPU > float64(100*c.Processors+5) || c.RSS < 10) {
		t.Errorf("CPU %v %% of %d processors, %v MB; want both measured", c.CPU, c.Processors, c.RSS)
	}
	if (c.Codec == "none") != (len(c.Remarks) > 0) {
		t.Errorf("codec %q with remarks %q, want one exactly if nothing is encoded", c.Codec, c.Remarks)
	}
}

// detected is the default voice detector of this machine.
func detected() string {
	s, err := vad.OpenSilero("")
	if err != nil {
		return "energy"
	}
	defer s.Close() // no result depends on this error
	return "silero"
}

// TestSimulate runs tables for six seconds and checks the content of the
// report, not the speed of the machine.
func TestSimulate(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	out := h.run("simulate", "--tables", "6", "--players", "2", "--minutes", "0.1", "--seed", "7", "--engines", "s2s=1,cascaded=2,sentence_cascade=1", "--plot", "capacity.svg").ok(t).stdout
	c := reported[capacity](t, out)
	if c.Tables != 6 || c.Players != 2 || c.NPCs != 2 || c.Seed != 7 || c.Interrupted || c.Minutes < 0.1 || c.Minutes > 0.2 {
		t.Errorf("the report is of %+v, want what was asked for", c)
	}
	c.adds(t)
	if c.Detection != detected() {
		t.Errorf("voice was told from noise by %q, want %q", c.Detection, detected())
	}
	if e := c.Engines; len(e) != 3 || e["cascaded"].NPCs != 6 || e["s2s"].NPCs != 3 || e["sentence_cascade"].NPCs != 3 {
		t.Errorf("engines = %+v, want what was asked for", e)
	}
	picture, err := os.Open(h.path("capacity.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = picture.Close() }()
	if err := xml.NewDecoder(picture).Decode(new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("reading the plot: %v", err)
	}
}

// TestSimulateOverDiscord runs tables in voice channels, with the players in another
// process.
func TestSimulateOverDiscord(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newProgram(t)
	for _, row := range []struct {
		args []string
		dave int
	}{{nil, 1}, {[]string{"--dave=false"}, 0}} {
		args := append([]string{"simulate", "--discord", "--tables", "4", "--players", "2", "--minutes", "0.15", "--detection", "energy"}, row.args...)
		c := reported[capacity](t, h.run(args...).ok(t).stdout)
		c.adds(t)
		d := c.Discord
		if d == nil || d.DAVE != row.dave || d.Sent < c.Frames || d.Peer.Packets == 0 || d.DecryptFailures+d.Peer.DecryptFailures > 0 {
			t.Errorf("%v: %d frames and %+v, want all of them sent, and what arrived decrypted", row.args, c.Frames, d)
		}
	}
}

// TestSimulateInBrowsers runs tables in browsers, with the players in another process.
func TestSimulateInBrowsers(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	out := newProgram(t).run("simulate", "--browser", "--tables", "2", "--players", "2", "--minutes", "0.15", "--detection", "energy").ok(t).stdout
	c := reported[capacity](t, out)
	c.adds(t)
	b := c.Browser
	if b == nil || c.Discord != nil || b.Guests != 4 || b.GuestsLost != 0 || b.Sent == 0 || b.WriteLateness == nil {
		t.Fatalf("%d frames and %+v, want four guests who are there to the end", c.Frames, b)
	}
	if p := b.Peer; p.Packets < 2*(b.Sent-2) || p.Jitter == nil || p.CPUPercent <= 0 || p.RSSMB <= 0 {
		t.Errorf("the guests report %+v of %d packets, want that both at a table heard them", p, b.Sent)
	}
}

// TestSimulateSweep checks that several table counts give a list of reports and
// a plot of them.
func TestSimulateSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h := newProgram(t)
	all := reported[[]capacity](t, h.run("simulate", "--sweep", "4,8", "--minutes", "0.1", "--detection", "energy", "--plot", "sweep.png").ok(t).stdout)
	if len(all) != 2 || all[0].Tables != 4 || all[1].Tables != 8 {
		t.Fatalf("reports = %+v, want one of 4 and one of 8 tables", all)
	}
	for _, c := range all {
		c.adds(t)
		if c.Detection != "energy" {
			t.Errorf("voice was told from noise by %q, want energy, as asked", c.Detection)
		}
	}
	if info, err := os.Stat(h.path("sweep.png")); err != nil || info.Size() == 0 {
		t.Errorf("the plot: %v, %v, want a picture", info, err)
	}
}

// TestSimulateTooShort checks that a run fails if no player was heard.
func TestSimulateTooShort(t *testing.T) {
	t.Parallel()
	r := newProgram(t).run("simulate", "--tables", "1", "--minutes", "0.001")
	r.complains(t, 1, "no frame of sound was measured; give it more --minutes")
	if c := reported[capacity](t, r.stdout); c.Frames != 0 || c.Lateness != nil || c.FirstSound != nil {
		t.Errorf("report = %+v, want no frames and nothing said of them", c)
	}
}

func TestSimulateWrongUsage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		args  []string
		words string
	}{
		{"no tables", []string{"--tables", "0"}, "there has to be a table"},
		{"no players", []string{"--players", "0"}, "there has to be a player"},
		{"too many NPCs", []string{"--npcs", "99"}, "1 to 6 NPCs"},
		{"far too many tables", []string{"--tables", "100000000"}, "at most 10000 tables"},
		{"far too many players", []string{"--tables", "1", "--players", "1000000"}, "at most 100 players"},
		{"more than fits into the memory", []string{"--tables", "1000"}, "1000 tables of 4 players take 3000 MB, and there are 300 MB here, enough for 100 tables"},
		{"voice channels and browsers", []string{"--discord", "--browser"}, "simulate takes --discord or --browser, not both"},
		{"an encryption of browsers", []string{"--browser", "--dave=false"}, "--dave is of voice channels; give it with --discord"},
		{"an encryption of nothing", []string{"--dave"}, "--dave is of voice channels"},
		{"an engine there is not", []string{"--engines", "duplex=1"}, `--engines: there is no engine "duplex"`},
		{"no share of an engine", []string{"--engines", "s2s=half"}, `--engines: "s2s=half" is no share of the NPCs`},
		{"a detection there is not", []string{"--detection", "ears"}, `--detection: "ears" is not one of auto, silero, energy, webrtc`},
		{"no detection", []string{"--detection", ""}, "--detection has no value"},
		{"no time", []string{"--minutes", "-1"}, "has to take some time"},
		{"no number of minutes", []string{"--minutes", "NaN"}, "at most"},
		{"an endless time", []string{"--minutes", "1e300"}, "at most"},
		{"a picture of no kind", []string{"--plot", "plot.jpg"}, ".svg or .png"},
		{"a picture nowhere", []string{"--plot", "no/such/dir/plot.svg"}, "no/such/dir/plot.svg"},
		{"a picture without a name", []string{"--plot", ""}, "--plot has no value"},
		{"a picture over the profile", []string{"--plot", "x.svg", "--profile", "./x.svg"}, "--plot and --profile are both x.svg; name two files"},
		{"a configuration nowhere", []string{"--config", "nowhere.yaml"}, "nowhere.yaml:1: there is no such file"},
		{"a profile nowhere", []string{"--profile", "no/such/dir/cpu"}, "no/such/dir/cpu"},
		{"tables and a sweep", []string{"--tables", "2", "--sweep", "2,3"}, "not both"},
		{"a sweep of words", []string{"--sweep", "few,many"}, `--sweep: "few" is not a number of tables; write them as 10,20,50`},
		{"a sweep of commas", []string{"--sweep", ","}, `--sweep: "" is not a number of tables`},
		{"a sweep with nothing", []string{"--sweep", "1,0"}, `--sweep: "0" is not a number of tables`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newProgram(t)
			h.set("GOMEMLIMIT", "300MiB")
			r := h.run(append([]string{"simulate"}, row.args...)...)
			r.complains(t, 2, row.words)
			if r.stdout != "" {
				t.Errorf("stdout = %q, want nothing", r.stdout)
			}
		})
	}
}
