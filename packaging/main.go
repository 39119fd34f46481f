// Command packaging builds the distribution of Glyphoxa into dist/: for each
// system an archive and an SBOM, for Linux also a Debian package and an OCI
// image, and the checksums of all. The same sources give the same bytes.
//
// It runs in this directory. TARGETS and VERSION override all systems and the
// tag, and GO the go command.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const allTargets = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

// A release is a release under construction.
type release struct {
	root    string // of the repository
	dist    string // the output directory
	pages   string // manual pages and completions, outside dist
	labs    string // the same for glyphoxa-lab
	version string // as in the tag
	commit  string
	when    time.Time // of the commit: no file is younger
}

// A target is a system the program is built for.
type target struct {
	os, arch string
	program  string // the built one
	lab      string // glyphoxa-lab
	static   string // for an image: the program without shared libraries; empty unless for Linux
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context) (err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "glyphoxa-dist-")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(work)) }()
	r := &release{root: root, dist: filepath.Join(root, "dist"), pages: filepath.Join(work, "pages"), labs: filepath.Join(work, "labs")}
	if err := r.readVersion(ctx); err != nil {
		return err
	}
	targets, err := parseTargets(cmp.Or(os.Getenv("TARGETS"), allTargets))
	if err != nil {
		return err
	}
	if err := cmp.Or(os.RemoveAll(r.dist), os.Mkdir(r.dist, 0o755)); err != nil {
		return err
	}
	say("writing manual pages and completions")
	if _, err := r.run(ctx, nil, goCommand(), "run", "-trimpath", "./cmd/glyphoxa", "man", r.pages); err != nil {
		return err
	}
	if _, err := r.run(ctx, nil, goCommand(), "run", "-trimpath", "./cmd/glyphoxa-lab", "man", r.labs); err != nil {
		return err
	}
	for i := range targets {
		t := &targets[i]
		say("building for " + t.os + "/" + t.arch)
		t.program = filepath.Join(work, t.os+"_"+t.arch, "glyphoxa")
		if err := r.buildPrograms(ctx, t); err != nil {
			return err
		}
		if err := r.writeFor(ctx, *t); err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
	}
	if err := r.writeImage(targets); err != nil {
		return fmt.Errorf("the image: %w", err)
	}
	return r.writeSums()
}

// writeFor writes the distribution for one system.
func (r *release) writeFor(ctx context.Context, t target) error {
	for name, program := range map[string]string{r.name(t): t.program, r.labName(t): t.lab} {
		pages := r.pages
		if program == t.lab {
			pages = r.labs
		}
		if err := r.writeArchive(t, name, program, pages); err != nil {
			return err
		}
		bom, err := r.run(ctx, nil, goCommand(), "-C", "packaging", "tool", "cyclonedx-gomod", "bin", "-json", "-noserial", "-version", r.version, program)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.dist, name+".cdx.json"), bom, 0o644); err != nil {
			return err
		}
	}
	if t.os != "linux" {
		return nil
	}
	return r.writePackage(t)
}

func (r *release) readVersion(ctx context.Context) error {
	r.version, r.commit = os.Getenv("VERSION"), "unknown"
	if described, err := r.run(ctx, nil, "git", "describe", "--tags", "--always", "--dirty"); err == nil {
		r.version = cmp.Or(r.version, strings.TrimSpace(string(described)))
	}
	r.version = cmp.Or(r.version, "dev")
	shown, err := r.run(ctx, nil, "git", "show", "--no-patch", "--format=%H %ct", "HEAD")
	if err != nil { // an archive of the sources
		r.when = time.Unix(0, 0).UTC()
		return nil
	}
	commit, second, _ := strings.Cut(strings.TrimSpace(string(shown)), " ")
	at, err := strconv.ParseInt(second, 10, 64)
	if err != nil {
		return fmt.Errorf("reading the commit's time: %w", err)
	}
	r.commit, r.when = commit[:12], time.Unix(at, 0).UTC()
	return nil
}

func parseTargets(text string) ([]target, error) {
	var targets []target
	for _, name := range strings.Fields(text) {
		if !slices.Contains(strings.Fields(allTargets), name) {
			return nil, fmt.Errorf("TARGETS names %q; use some of: %s", name, allTargets)
		}
		system, arch, _ := strings.Cut(name, "/")
		targets = append(targets, target{os: system, arch: arch})
	}
	return targets, nil
}

// buildPrograms builds an archive's programs, and for Linux those of an image.
func (r *release) buildPrograms(ctx context.Context, t *target) error {
	t.lab = t.program + "-lab"
	switch t.os {
	case "windows":
		t.program += ".exe"
		t.lab += ".exe"
	case "linux":
		t.static = t.program + "-static"
		if err := r.buildProgram(ctx, *t, "./cmd/glyphoxa", t.static, "static"); err != nil {
			return err
		}
	}
	if err := r.buildProgram(ctx, *t, "./cmd/glyphoxa-lab", t.lab, ""); err != nil {
		return err
	}
	return r.buildProgram(ctx, *t, "./cmd/glyphoxa", t.program, "")
}

func (r *release) buildProgram(ctx context.Context, t target, pkg, to, tags string) error {
	flags := "-s -w -X main.version=" + r.version + " -X main.linked=" + r.commit
	_, err := r.run(ctx, []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch},
		goCommand(), "build", "-trimpath", "-tags", tags, "-ldflags", flags, "-o", to, pkg)
	return err
}

// name returns the prefix of a system's files.
func (r *release) name(t target) string { return "glyphoxa_" + r.version + "_" + t.os + "_" + t.arch }

// labName returns the prefix of glyphoxa-lab's files.
func (r *release) labName(t target) string {
	return "glyphoxa-lab_" + r.version + "_" + t.os + "_" + t.arch
}

// writeSums writes the checksums of all files in sha256sum's format.
func (r *release) writeSums() error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		sum, err := checksum(filepath.Join(r.dist, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, e.Name())
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(r.dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

func checksum(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

func goCommand() string { return cmp.Or(os.Getenv("GO"), "go") }

func say(text string) { fmt.Fprintln(os.Stderr, "packaging:", text) }

// run runs a command at the repository's root with additional environment
// variables, and returns its output.
func (r *release) run(ctx context.Context, vars []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	cmd.Env = append(os.Environ(), vars...)
	cmd.Env = append(cmd.Env, "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.when.Unix(), 10))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", strings.Join(append([]string{name}, args...), " "), err)
	}
	return out, nil
}
