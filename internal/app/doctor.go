package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/terminal"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// finding is the result of the check of one part.
type finding struct {
	part  string
	ok    bool
	state string
	// fix says what to do. A part that works may have a hint.
	fix string
}

// Examine checks this machine and configuration, and prints what works, what does not, and how to fix it. The
// error reports parts that need attention.
func Examine(ctx context.Context, w io.Writer, path string) error {
	cfg, err := play.LoadConfig(path)
	if err != nil {
		return err
	}
	findings := []finding{
		{"configuration", true, fmt.Sprintf("%s: %s, %s", cfg.File, plural.Count(len(cfg.NPCs), "NPC", "NPCs"), plural.Count(len(cfg.MCP.Servers), "external server", "external servers")), ""},
	}
	findings = append(findings, idleFindings(cfg)...)
	findings = append(findings,
		dataFinding(cfg), modelFinding(cfg), voiceFinding(cfg), speechFinding(ctx, cfg), hearingFinding(cfg), detectorFinding(cfg), playerFinding(), opusFinding())
	findings = append(findings, proxyFinding(cfg)...)
	findings = append(findings, discordFindings(ctx, cfg)...)
	findings = append(findings, endpointFindings(ctx, cfg)...)
	findings = append(findings, registryFindings(ctx, cfg)...)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	broken := 0
	for _, f := range findings {
		mark := "ok"
		if !f.ok {
			mark = "PROBLEM"
			broken++
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", mark, f.part, f.state)
		if f.fix != "" {
			fmt.Fprintf(tw, "\t\t→ %s\n", f.fix)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("found %s in %d checks", plural.Count(broken, "problem", "problems"), len(findings))
	}
	return nil
}

// dataFinding tries to write to the directory of the database.
func dataFinding(cfg *config.Config) finding {
	f := finding{part: "data directory", ok: true, state: cfg.DataDir}
	dir := cfg.DataDir
	for { // if it does not exist yet, its nearest existing parent counts
		if info, err := os.Stat(dir); err == nil {
			if !info.IsDir() {
				return finding{"data directory", false, dir + " is not a directory", "set data_dir to a directory that Glyphoxa may write to"}
			}
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	probe, err := os.CreateTemp(dir, ".glyphoxa-doctor-*")
	if err != nil {
		return finding{"data directory", false, userfile.PlainFileError(err).Error(), "set data_dir to a directory that Glyphoxa may write to"}
	}
	name := probe.Name()
	if err := errors.Join(probe.Close(), os.Remove(name)); err != nil {
		f.fix = "remove " + name
	}
	return f
}

func modelFinding(cfg *config.Config) finding {
	m, scripted, err := providers.Model(nil, cfg.Providers.LLM, providers.Reports{})
	if err != nil {
		return finding{"language model", false, err.Error(), "set providers.llm in glyphoxa.yaml"}
	}
	f := finding{part: "language model", ok: true, state: m.Name()}
	if scripted {
		f.fix = "the NPCs only speak prepared lines; set OPENAI_API_KEY, or providers.llm.base_url and model, for a real model"
	}
	return f
}

func voiceFinding(cfg *config.Config) finding {
	p, missing, err := providers.Voice(nil, cfg.Providers.TTS, nil, nil, nil)
	if err != nil {
		return finding{"voice", false, err.Error(), "set providers.tts to auto, or install what is missing"}
	}
	return finding{part: "voice", ok: true, state: p.Name(), fix: strings.Join(missing, "; ")}
}

func playerFinding() finding {
	if path := terminal.FindPlayer(); path != "" {
		return finding{part: "sound output", ok: true, state: path}
	}
	return finding{"sound output", true, "none found; play --voice will be silent", "apt-get install alsa-utils, or use play --wav FILE"}
}

// opusFinding encodes and decodes a tone with libopus.
func opusFinding() finding {
	const part, frames = "opus", 25
	lib, err := opus.Load()
	if err != nil {
		return finding{part, true, "can receive sound, but not send it", err.Error()}
	}
	encoder, encErr := opus.NewEncoder(lib, nil)
	decoder, decErr := opus.NewDecoder(lib)
	if err := errors.Join(encErr, decErr); err != nil {
		return finding{part, false, err.Error(), "install a different version of libopus"}
	}
	var in, out audio.Frame
	for i := range in { // whole periods, so that the frame can be repeated
		in[i] = int16(8000 * math.Sin(2*math.Pi*500*float64(i)/audio.SampleRate))
	}
	var payload []byte
	var encoding, decoding time.Duration
	for range frames {
		start := time.Now()
		if payload, err = encoder.Encode(payload[:0], &in); err == nil {
			encoding += time.Since(start)
			start = time.Now()
			err = decoder.Decode(&out, payload)
			decoding += time.Since(start)
		}
		if err != nil {
			return finding{part, false, err.Error(), "install a different version of libopus"}
		}
	}
	if out == (audio.Frame{}) {
		return finding{part, false, lib.Version() + " turned a tone into silence", "install a different version of libopus"}
	}
	return finding{part: part, ok: true, state: fmt.Sprintf("%s, encodes a frame in %v, decodes it in %v",
		lib.Version(), (encoding / frames).Round(time.Microsecond), (decoding / frames).Round(time.Microsecond))}
}

// discordTime bounds the request to Discord about the bot.
const discordTime = 10 * time.Second

func discordFindings(ctx context.Context, cfg *config.Config) []finding {
	const part = "discord"
	if cfg.Discord.Token == "" {
		return []finding{{part, true, "no token", "to play on Discord, set discord.token in glyphoxa.yaml"}}
	}
	ctx, cancel := context.WithTimeout(ctx, discordTime)
	defer cancel()
	who, err := discord.Check(ctx, cfg.Discord)
	if err != nil {
		return []finding{{part, false, "the bot cannot play", err.Error()}}
	}
	found := []finding{{part, true, fmt.Sprintf("%s may read messages; number of servers: %d", who.Name, who.Servers), "to invite it to a server, open " + who.Invite}}
	for _, t := range who.Troubles {
		found = append(found, finding{part, false, t.What, t.Fix})
	}
	return append(found, udpFinding(ctx, cfg))
}

// registryFindings opens the game as the program does, and reports what works.
func registryFindings(ctx context.Context, cfg *config.Config) []finding {
	a, err := play.Open(ctx, play.Options{Config: cfg})
	if err != nil {
		return []finding{{"database", false, err.Error(), ""}}
	}
	a.Registry.Ready(ctx, func(string) {})
	findings := []finding{{part: "database", ok: true, state: a.Store.Location(), fix: play.StoreAdvice(a.Store)}}
	findings = append(findings, memoryFindings(ctx, a.Store)...)
	if rules, err := a.Registry.Rules.List(); err != nil {
		findings = append(findings, finding{"rule book", false, err.Error(), ""})
	} else {
		findings = append(findings, finding{part: "rule book", ok: true, state: plural.Count(len(rules), "rule", "rules")})
	}
	findings = append(findings, auditFinding(a.Registry.Governance.Audit.Size()))
	findings = append(findings, toolFindings(a)...)
	if err := a.Close(); err != nil {
		findings = append(findings, finding{"shutdown", false, err.Error(), ""})
	}
	return findings
}

// comparingTime bounds how long doctor verifies memory against its index, which takes some seconds for a
// million lines.
const comparingTime = 20 * time.Second

// memoryFindings returns the problems with memory.
func memoryFindings(ctx context.Context, kept memory.Store) (found []finding) {
	ctx, cancel := context.WithTimeout(ctx, comparingTime)
	defer cancel()
	wrong, err := kept.Verify(ctx)
	if err != nil && ctx.Err() == nil {
		wrong = append(wrong, err.Error())
	}
	for _, w := range wrong {
		found = append(found, finding{"database", false, w, "write a backup (glyphoxa backup FILE) and restore it in another place, which rebuilds the search index"})
	}
	return found
}

// auditFinding reports how much of its maximal size the audit log uses.
func auditFinding(bytes, most int64) finding {
	const mib = 1 << 20
	f := finding{part: "audit log", ok: true, state: fmt.Sprintf("%.1f of %.0f MiB", float64(bytes)/mib, float64(most)/mib)}
	if bytes > most-most/20 {
		f.fix = "the oldest records will be deleted; to keep them longer, raise server.audit.max_size"
	}
	return f
}

// serverFinding reports the state of a server, and how many of its tools are used.
func serverFinding(s mcphost.ServerStatus) finding {
	f := finding{part: "server " + s.Name, ok: s.State == "ready", state: fmt.Sprintf("%s, %s", s.State, plural.Count(s.Tools, "tool", "tools"))}
	if !f.ok {
		f.state, f.fix = s.State+": "+s.Reason, "check mcp.servers in the configuration"
	} else if s.LeftOut > 0 {
		f.ok, f.state = false, fmt.Sprintf("%s, and %d more that are left out", f.state, s.LeftOut)
		f.fix = "make it list fewer tools, for example by starting it several times with some of its tools each"
	}
	return f
}

// toolFindings reports the servers, and the tools that are configured but not offered by any server.
func toolFindings(a *play.Game) []finding {
	r, cfg := a.Registry, a.Config
	var found []finding
	for _, s := range r.Servers() {
		found = append(found, serverFinding(s))
	}
	for _, text := range play.LeftOut(r.Host) {
		found = append(found, finding{"server tools", true, text, "its author can correct the definition; all else of the server works"})
	}
	others := slices.DeleteFunc(slices.Clone(cfg.Warnings), func(w userfile.Problem) bool { return cfg.ServerTools[w] != "" })
	for _, w := range r.Warnings(cfg, others...) {
		found = append(found, finding{"tools", false, fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.What), w.Fix})
	}
	for _, text := range r.Unfinished() {
		found = append(found, finding{"workflow", false, text, "correct the name; \"glyphoxa tools\" lists all tools"})
	}
	return found
}
