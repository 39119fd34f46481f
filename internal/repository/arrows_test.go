package repository

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/MrWong99/glyphoxa"

// layers are the packages from the ground up. A package imports only from
// layers below its own; a longer prefix wins over a shorter one.
var layers = [][]string{
	{
		"internal/spelling",
		"internal/tracing",
		"internal/privatenet",
		"internal/elapsed",
		"internal/untrusted",
		"internal/cost",
		"internal/wakeup",
		"internal/mask",
		"internal/roundrobin",
		"internal/indexer", "internal/bytevec",
		"internal/lineedit",
		"internal/webfiles",
		"pkg/provider/breaker",
		"pkg/provider/embeddings/words",
	},
	{
		"",
		"srd",
		"internal/discord/waterfall",
		"internal/discord/markup",
		"internal/discord/wording",
		"internal/discord/voice/rtp",
		"internal/discord/voice/e2ee",
		"internal/discord/discordtest/davesender",
		"internal/discord/rest",
		"internal/floor",
		"internal/name",
		"internal/problem",
		"pkg/provider/internal/vendor",
		"pkg/audio",
		"pkg/memory",
		"pkg/provider/llm",
		"pkg/provider/tts",
		"pkg/provider/embeddings",
		"pkg/provider/embeddings/wordvectors",
		"pkg/provider/stt",
		"pkg/provider/fallback",
	},
	{
		"pkg/provider/embeddings/sentencevectors",
		"pkg/memory/internal/fulltext",
		"pkg/memory/internal/pack", "pkg/memory/internal/sketch", "pkg/memory/internal/standing",
		"pkg/audio/opus",
		"pkg/audio/webrtcvad",
		"pkg/audio/silero",
		"internal/mixer",
		"pkg/provider/stt/internal/flow",
		"pkg/provider/llm/",
		"pkg/provider/s2s",
		"pkg/provider/tts/",
		"pkg/provider/embeddings/",
		"internal/mcp",
		"internal/mcp/wire",
		"internal/speech",
		"internal/strictyaml",
		"internal/hotctx",
		"internal/calendar",
		"internal/discord/gateway",
		"internal/rig",
		"internal/saytest",
	},
	{
		"internal/recall",
		"internal/recap",
	},
	{
		"pkg/memory/internal/embedder", "pkg/memory/internal/recollection", "pkg/memory/internal/settle",
	},
	{
		"pkg/memory/sqlite",
		"pkg/memory/postgres",
		"pkg/provider/stt/internal/socket",
		"pkg/provider/s2s/",
		"internal/config",
		"internal/lane",
		"internal/pace",
		"internal/address",
		"internal/mcp/audit",
		"internal/mcp/schema",
		"internal/mcp/tools",
		"internal/mcp/tier",
		"internal/cost/metered",
		"internal/observe",
		"internal/world",
		"internal/discord/voice",
		"internal/simulate/farend",
		"internal/browser/visitor",
		"internal/orders",
		"internal/salient",
	},
	{
		"internal/store",
		"internal/mcp/upstream",
		"internal/guard",
		"internal/turnend",
		"internal/chronicle",
	},
	{
		"pkg/provider/stt/",
		"internal/mcp/tools/",
		"internal/mcp/mcphost",
		"internal/mcp/dialect",
		"internal/mcp/workflow",
		"internal/mcp/policy",
		"internal/campaign",
	},
	{
		"internal/vtt",
		"internal/engine",
		"internal/agent",
		"internal/ear",
		"internal/mcp/identity",
		"internal/mcp/resource",
		"internal/mcp/gate",
		"internal/mcp/tools/approvaltool",
	},
	{
		"internal/mcp/bridge",
		"internal/engine/cascaded",
	},
	{
		"internal/engine/",
		"internal/table",
		"internal/mcp/prompt",
	},
	{
		"internal/mcp/mcpserver",
		"internal/providers",
		"internal/registry",
		"internal/feed",
	},
	{
		"internal/play",
	},
	{
		"internal/guilds",
		"internal/terminal",
		"internal/console",
		"internal/browser",
		"internal/scenario",
	},
	{
		"internal/discord",
		"internal/simulate",
	},
	{
		"internal/doctor",
	},
	{
		"internal/app",
	},
	{
		"cmd/glyphoxa",
	},
}

// testOnly may be imported by tests alone.
var testOnly = []string{
	"internal/discord/discordtest",
	"internal/discord/discordtest/voicetest",
	"internal/fakeopenai",
	"internal/fakestt",
	"internal/fakerealtime",
	"internal/fakegemini",
	"internal/fakegptlive",
	"internal/mcp/mcpbench",
	"internal/memorybench",
	"internal/mcp/mcphost/conformanceclient",
	"internal/mcp/mcpserver/conformanceserver",
	"internal/mcp/mcppeers",
	"internal/lane/lanetest",
	"internal/peers",
	"internal/peers/davey",
	"internal/repository",
	"internal/saytest",
	"internal/truth",
	"internal/voicebench",
	"internal/waveform",
	"pkg/provider/stt/stttest",
	"pkg/memory/memorytest",
}

// layer returns the layer of a package, -1 if it has none.
func layer(pkg string) int {
	best, length := -1, -1
	for i, prefixes := range layers {
		for _, p := range prefixes {
			exact := pkg == p
			below := strings.HasSuffix(p, "/") && strings.HasPrefix(pkg, p)
			if (exact || below) && len(p) > length {
				best, length = i, len(p)
			}
		}
	}
	return best
}

func TestArrowsRunDown(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg, ok := strings.CutPrefix(words[0], module)
		if !ok {
			continue
		}
		pkg = strings.TrimPrefix(pkg, "/")
		if isTestOnly(pkg) {
			continue
		}
		from := layer(pkg)
		if from < 0 {
			t.Errorf("%s is in no layer; add it to layers, where it belongs", pkg)
			continue
		}
		for _, imported := range words[1:] {
			dep, ok := strings.CutPrefix(imported, module)
			if !ok {
				continue
			}
			dep = strings.TrimPrefix(dep, "/")
			if isTestOnly(dep) {
				t.Errorf("%s imports %s, which is for tests alone", pkg, dep)
			} else if to := layer(dep); to >= from {
				t.Errorf("%s (layer %d) imports %s (layer %d): arrows run down only", pkg, from, dep, to)
			}
		}
	}
}

// TestPageShowsTheLayers holds the table of docs/architecture.md to layers. The
// root package goes by the module's name there.
func TestPageShowsTheLayers(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != len(layers) {
		t.Fatalf("the page has %d layers, want %d", len(rows), len(layers))
	}
	for i, row := range rows {
		var want []string
		for _, p := range layers[i] {
			switch {
			case p == "":
				p = path.Base(module)
			case strings.HasSuffix(p, "/"):
				p += "*"
			}
			want = append(want, "`"+p+"`")
		}
		if row[1] != strconv.Itoa(i) || row[2] != strings.Join(want, " ") {
			t.Errorf("the page says\n| %s | %s |\nwant\n| %d | %s |", row[1], row[2], i, strings.Join(want, " "))
		}
	}
}

func isTestOnly(pkg string) bool {
	for _, p := range testOnly {
		if pkg == p {
			return true
		}
	}
	return false
}
