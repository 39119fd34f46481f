package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio/vad"
)

// webrtc reports whether WebRTC's voice detection is available here.
func webrtc() bool {
	_, err := vad.NewWebRTC(vad.Aggressive)
	return err == nil
}

// TestDetectorFinding checks that the doctor names the detector in use and how to install the
// other. Only a detector that the configuration names and the machine lacks is a problem.
func TestDetectorFinding(t *testing.T) {
	finding := func(detection string) finding {
		return detectorFinding(&config.Config{Hearing: config.Hearing{Detection: detection}})
	}
	f := finding(config.DetectionEnergy)
	if !f.ok || !strings.HasPrefix(f.state, "energy, judges a frame in ") || !strings.Contains(f.fix, "set it to webrtc") {
		t.Errorf("finding = %+v, want energy, its cost, and how to get webrtc", f)
	}
	if strings.Contains(f.fix, "install") == webrtc() {
		t.Errorf("fix = %q although WebRTC's is there: %v", f.fix, webrtc())
	}
	f = finding(config.DetectionWebRTC)
	if webrtc() {
		if !f.ok || !strings.HasPrefix(f.state, "webrtc, by libwebrtc") || !strings.Contains(f.fix, "set hearing.detection to silero or energy") {
			t.Errorf("finding = %+v, want webrtc, its library, and how to get the others", f)
		}
	} else if f.ok || !strings.HasPrefix(f.state, "energy, though") || !strings.Contains(f.fix, "install") {
		t.Errorf("finding = %+v, want a problem and what to install", f)
	}
}

// For "auto" the doctor names the detector it chose and why. A missing silero is a problem if
// the configuration names it.
func TestDetectorFindingOfTheModel(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "libonnxruntime.so.1")
	f := detectorFinding(&config.Config{Hearing: config.Hearing{Detection: config.DetectionAuto, ONNXRuntime: nowhere}})
	if !f.ok || !strings.HasPrefix(f.state, "energy, because silero cannot be used, judges a frame in ") || !strings.Contains(f.fix, "make onnx") {
		t.Errorf("finding = %+v, want energy, why, and how to get silero", f)
	}
	f = detectorFinding(&config.Config{Hearing: config.Hearing{Detection: config.DetectionSilero, ONNXRuntime: nowhere}})
	if f.ok || !strings.Contains(f.fix, "make onnx") {
		t.Errorf("finding = %+v, want a problem and what to do", f)
	}
	d, err := providers.OpenDetection(config.Hearing{Detection: config.DetectionSilero}, nil)
	if err != nil {
		if os.Getenv("GLYPHOXA_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("%v; to run this test: make peers", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, detection := range []string{config.DetectionAuto, config.DetectionSilero} {
		f = detectorFinding(&config.Config{Hearing: config.Hearing{Detection: detection}})
		if !f.ok || !strings.HasPrefix(f.state, "silero, by ") || !strings.Contains(f.state, "judges a frame in") {
			t.Errorf("finding = %+v, want silero, its library and its cost", f)
		}
	}
}

func TestHearingFinding(t *testing.T) {
	cfg := &config.Config{Providers: config.Providers{STT: config.ProviderChain{Provider: config.Provider{Name: providers.DeepGram, APIKey: "k"}}}}
	if f := hearingFinding(cfg); !f.ok || f.state != "deepgram nova-3" {
		t.Errorf("the doctor says %+v, want deepgram nova-3", f)
	}
}

func TestHearingRefusesAnAddress(t *testing.T) {
	c := config.ProviderChain{Provider: config.Provider{Name: providers.DeepGram, BaseURL: "ftp://user:secret@host"}}
	f := hearingFinding(&config.Config{Providers: config.Providers{STT: c}})
	if f.ok || f.fix == "" || strings.Contains(f.state, "secret") {
		t.Errorf("the doctor says %+v, want a problem without the address", f)
	}
}

func TestAuditFinding(t *testing.T) {
	for _, row := range []struct {
		name        string
		bytes, most int64
		state       string
		full        bool
	}{
		{"room", 3 << 20, 1 << 30, "3.0 of 1024 MiB", false},
		{"full", 1<<30 - 4096, 1 << 30, "1024.0 of 1024 MiB", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := auditFinding(row.bytes, row.most)
			if !f.ok || f.state != row.state || (f.fix != "") != row.full {
				t.Errorf("auditFinding = %+v, want %q, and a hint: %v", f, row.state, row.full)
			}
		})
	}
}

// TestProxyFinding checks that the doctor names the trusted proxies, or says how to trust one
// if clients have tokens.
func TestProxyFinding(t *testing.T) {
	cfg := config.Default()
	if f := proxyFinding(cfg); len(f) != 0 {
		t.Errorf("findings = %+v where nobody has a token", f)
	}
	cfg.Server.Clients = []config.Client{{Name: "claude"}}
	if f := proxyFinding(cfg); len(f) != 1 || !f[0].ok || !strings.Contains(f[0].fix, "server.trusted_proxies") {
		t.Errorf("findings = %+v, want how to trust a proxy", f)
	}
	cfg.Server.TrustedProxies = []string{"127.0.0.1", "10.0.0.0/8"}
	if f := proxyFinding(cfg); len(f) != 1 || !f[0].ok || !strings.HasPrefix(f[0].state, "127.0.0.1, 10.0.0.0/8 ") || f[0].fix != "" {
		t.Errorf("findings = %+v, want the proxies", f)
	}
}

// TestServerFinding checks that a server which lists more tools than the host accepts is a
// problem, with both counts and a remedy.
func TestServerFinding(t *testing.T) {
	for _, row := range []struct {
		name  string
		in    mcphost.ServerStatus
		ok    bool
		state string
		fix   string // part of the hint
	}{
		{"ready", mcphost.ServerStatus{State: "ready", Tools: 12}, true, "ready, 12 tools", ""},
		{"as many as are taken", mcphost.ServerStatus{State: "ready", Tools: 1000}, true, "ready, 1000 tools", ""},
		{"more than are taken", mcphost.ServerStatus{State: "ready", Tools: 1000, LeftOut: 4000}, false,
			"ready, 1000 tools, and 4000 more that are left out", "list fewer"},
		{"down", mcphost.ServerStatus{State: "down", Reason: "no answer within 5s", LeftOut: 1}, false, "down: no answer within 5s", "mcp.servers"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.in.Name = "files"
			f := serverFinding(row.in)
			if f.part != "server files" || f.ok != row.ok || f.state != row.state || (f.fix == "") != row.ok || !strings.Contains(f.fix, row.fix) {
				t.Errorf("serverFinding = %+v, want %q, a problem: %v, and a hint with %q", f, row.state, !row.ok, row.fix)
			}
		})
	}
}
