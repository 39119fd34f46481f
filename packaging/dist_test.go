package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

// dist is the output directory of make dist.
func dist(t *testing.T) string {
	t.Helper()
	if os.Getenv("GLYPHOXA_DIST") == "" {
		t.Skip("set GLYPHOXA_DIST=1 after make dist, as make test-dist does")
	}
	return filepath.Join("..", "dist")
}

// glob returns the matching files of dist, at least one.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s was built: %v", pattern, err)
	}
	return found
}

// archives returns the files of dist that contain a program, for all built
// systems.
func archives(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, bom := range glob(t, "*.cdx.json") {
		name, suffix := strings.TrimSuffix(bom, ".cdx.json"), ".tar.gz"
		if strings.Contains(name, "_windows_") {
			suffix = ".zip"
		}
		list = append(list, name+suffix)
	}
	return list
}

// output runs a third-party program; the test is skipped on a machine without
// it.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s here", name)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestSums verifies every file with sha256sum.
func TestSums(t *testing.T) {
	sums := glob(t, "SHA256SUMS")[0]
	out, err := exec.Command("sh", "-c", "cd ../dist && sha256sum --strict -c "+filepath.Base(sums)).CombinedOutput()
	if err != nil {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	for _, file := range append(archives(t), glob(t, "*.cdx.json")...) {
		if !strings.Contains(string(out), filepath.Base(file)+": OK") {
			t.Errorf("%s has no checksum", file)
		}
	}
}

// TestArchives checks the content of the archives, and runs this machine's
// program.
func TestArchives(t *testing.T) {
	for _, archive := range archives(t) {
		files := unpack(t, archive)
		program := "glyphoxa"
		if strings.HasSuffix(archive, ".zip") {
			program += ".exe"
		}
		for _, want := range []string{program, "README.md", "LICENSE", "NOTICE", "ATTRIBUTION.md", "man/glyphoxa.1", "man/glyphoxa-play.1", "completions/glyphoxa.bash", "completions/_glyphoxa"} {
			if len(files[want]) == 0 {
				t.Errorf("%s has no %s", archive, want)
			}
		}
		if _, is := files["glyphoxa.service"]; is != strings.Contains(archive, "_linux_") {
			t.Errorf("%s: a systemd unit is in it: %t", archive, is)
		}
		info, err := buildinfo.Read(bytes.NewReader(files[program]))
		if err != nil {
			t.Errorf("%s: %v", archive, err)
			continue
		}
		checkBOM(t, strings.TrimSuffix(strings.TrimSuffix(archive, ".tar.gz"), ".zip")+".cdx.json", info)
		if strings.Contains(archive, "_"+runtime.GOOS+"_"+runtime.GOARCH) {
			file := filepath.Join(t.TempDir(), program)
			if err := os.WriteFile(file, files[program], 0o755); err != nil {
				t.Fatal(err)
			}
			talk(t, exec.Command(file, "play", "--timing=false"))
		}
	}
}

// talk lets an NPC answer without any other service on the machine.
func talk(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	cmd.Stdin = strings.NewReader("Greymantle, roll 2d6+3\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Greymantle the Sage: ") || !strings.Contains(string(out), "2d6+3: ") {
		t.Errorf("%s: %v\n%s", cmd, err, out)
	}
}

// unpack returns an archive's files by their names in its only directory.
func unpack(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	text := content(t, archive)
	files, top := map[string][]byte{}, strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), ".zip")
	add := func(name string, r io.Reader) {
		in, inside := strings.CutPrefix(name, top+"/")
		data, err := io.ReadAll(r)
		if err != nil || !inside || path.Clean(name) != name {
			t.Fatalf("%s holds %q: %v", archive, name, err)
		}
		files[in] = data
	}
	if strings.HasSuffix(archive, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, r)
		}
		return files
	}
	g, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, r)
	}
}

// checkBOM checks that a program's SBOM names each module that the linker put
// there, and is valid under CycloneDX's schema.
func checkBOM(t *testing.T, list string, info *buildinfo.BuildInfo) {
	t.Helper()
	text := content(t, list)
	var bom struct {
		SpecVersion string
		Components  []struct{ Name, Version, PURL string }
		Metadata    struct{ Component struct{ Version string } }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, c := range bom.Components {
		listed[c.Name] = c.Version
		if !strings.HasPrefix(c.PURL, "pkg:golang/") {
			t.Errorf("%s: %s has the address %q", list, c.Name, c.PURL)
		}
	}
	for _, m := range info.Deps {
		if listed[m.Path] != m.Version {
			t.Errorf("%s has %s %q, want %s", list, m.Path, listed[m.Path], m.Version)
		}
	}
	if len(info.Deps) < 30 || bom.Metadata.Component.Version == "" {
		t.Errorf("%s: %d modules in the program, version %q", list, len(info.Deps), bom.Metadata.Component.Version)
	}
	dir := strings.TrimSpace(output(t, goCommand(), "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	file := func(name string) gojsonschema.JSONLoader {
		return gojsonschema.NewReferenceLoader("file://" + filepath.ToSlash(filepath.Join(dir, "schema", name)))
	}
	schemas := gojsonschema.NewSchemaLoader()
	for address, name := range map[string]string{"jsf-0.82.schema.json": "jsf-0.82.schemax.json", "spdx.schema.json": "spdx.schema.json"} {
		if err := schemas.AddSchema("http://cyclonedx.org/schema/"+address, file(name)); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := schemas.Compile(file("bom-" + bom.SpecVersion + ".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(text))
	if err != nil || !result.Valid() {
		t.Errorf("%s: %v %v", list, err, result)
	}
}

// TestPackage checks the package with Debian's own tools, and installs it
// without touching this machine.
func TestPackage(t *testing.T) {
	packages := glob(t, "*.deb")
	for _, file := range packages {
		if out := output(t, "lintian", "--allow-root", "--no-cfg", "--fail-on", "error,warning", file); out != "" {
			t.Log(out)
		}
	}
	file := glob(t, "*_"+runtime.GOARCH+".deb")[0]
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := []string{"--root=" + root, "--force-not-root", "--force-depends", "--force-script-chrootless", "--log=/dev/null"}
	output(t, "dpkg", append(dpkg, "--install", file)...)
	if got := output(t, "dpkg", append(dpkg, "--status", "glyphoxa")...); !strings.Contains(got, "Status: install ok installed") || !strings.Contains(got, "Section: misc") {
		t.Errorf("dpkg says:\n%s", got)
	}
	talk(t, exec.Command(filepath.Join(root, "usr/bin/glyphoxa"), "play", "--timing=false"))
	output(t, "man", "--warnings", "-l", filepath.Join(root, "usr/share/man/man1/glyphoxa-play.1.gz"))
	output(t, "bash", "-n", filepath.Join(root, "usr/share/bash-completion/completions/glyphoxa"))
	output(t, "dpkg", append(dpkg, "--remove", "glyphoxa")...)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/glyphoxa")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after its removal the program is there: %v", err)
	}
}

// TestImage reads the image with skopeo and umoci, and runs the unpacked
// program as the image specifies: as user nobody, with no other files.
func TestImage(t *testing.T) {
	where := glob(t, "*_oci")[0]
	var seen struct {
		Os, Architecture, Created string
		Labels                    map[string]string
		Layers                    []string
	}
	inspected := output(t, "skopeo", "inspect", "--override-os", "linux", "--override-arch", runtime.GOARCH, "oci:"+where)
	if err := json.Unmarshal([]byte(inspected), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Os != "linux" || seen.Architecture != runtime.GOARCH || len(seen.Layers) != 2 || seen.Labels["org.opencontainers.image.version"] == "" {
		t.Errorf("skopeo sees %+v", seen)
	}
	one := filepath.Join(t.TempDir(), "one")
	output(t, "skopeo", "copy", "--override-os", "linux", "--override-arch", runtime.GOARCH, "oci:"+where, "oci:"+one+":it")
	unpacked := filepath.Join(t.TempDir(), "unpacked")
	output(t, "umoci", "unpack", "--image", one+":it", unpacked)
	var spec struct {
		Process struct {
			User struct{ UID, GID uint32 }
			Args []string
			Cwd  string
			Env  []string
		}
	}
	if err := json.Unmarshal(content(t, filepath.Join(unpacked, "config.json")), &spec); err != nil {
		t.Fatal(err)
	}
	if p := spec.Process; p.User.UID != nobody || strings.Join(p.Args, " ") != "/usr/bin/glyphoxa run" || p.Cwd != "/data" {
		t.Errorf("the image runs %+v", p)
	}
	rootfs := filepath.Join(unpacked, "rootfs")
	if n := bytes.Count(content(t, filepath.Join(rootfs, "etc/ssl/certs/ca-certificates.crt")), []byte("BEGIN CERTIFICATE")); n < 50 {
		t.Errorf("it trusts %d certificates", n)
	}
	if os.Geteuid() != 0 {
		t.Skip("changing the root takes root")
	}
	for dir := rootfs; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) { // only the owner can read test directories
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/usr/bin/glyphoxa", "play", "--timing=false")
	cmd.Env, cmd.Dir = spec.Process.Env, spec.Process.Cwd
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: rootfs, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	talk(t, cmd)
}
