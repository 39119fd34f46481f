package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// inNamespace runs a shell script in a mount namespace of its own, where it
// may mount what it likes; nothing of it outlives the script.
func inNamespace(h *program, script string) *exec.Cmd {
	cmd := h.command()
	shell, err := exec.LookPath("sh")
	if err != nil {
		h.t.Fatal(err)
	}
	cmd.Path, cmd.Args = shell, []string{"sh", "-c", script}
	id := func(own int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: own, Size: 1}}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: id(os.Getuid()), GidMappings: id(os.Getgid()),
	}
	return cmd
}

// fullDisk plays OUT/lines with GLYPHOXA on a disk of 24 MB mounted at DISK, most of it taken,
// which is not enough, makes room, also for the index of what was said, plays once
// more and looks for every line.
const fullDisk = `set -eu
mkdir -p "$DISK"
mount -t tmpfs -o size=24m tmpfs "$DISK"
cd "$DISK"
dd if=/dev/zero of=ballast bs=1k count=16384 2>/dev/null
code=0
"$GLYPHOXA" play --json <"$OUT/lines" >"$OUT/first" 2>"$OUT/errors" || code=$?
echo "$code" >"$OUT/code"
rm ballast
echo "Bartok, is there room again?" | "$GLYPHOXA" play --json >"$OUT/second"
for word in $(sed 's/^Bartok, \([a-z0-9]*\) .*/\1/' "$OUT/lines"); do
	"$GLYPHOXA" tools call search_sessions "{\"query\":\"$word\"}"
done >"$OUT/found"
`

// TestFullDisk fills the disk during a play. The turn that cannot be kept says
// so and is no delivered one; all that was reported delivered is still there
// when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	if out, err := inNamespace(h, "mount -t tmpfs -o size=64k tmpfs .").CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody mount a small disk (%v: %s); it runs where user namespaces are allowed, such as on a plain Debian", err, out)
	}
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("Bartok, amaranth%02d %s", i, strings.Repeat("gold ", 40_000)))
	}
	h.write("out/lines", strings.Join(lines, "\n")+"\n")
	h.set("GLYPHOXA", binary)
	h.set("OUT", h.path("out"))
	h.set("DISK", h.path("disk"))
	if out, err := inNamespace(h, fullDisk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := func(name string) string {
		content, err := os.ReadFile(h.path("out/" + name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	first, found := parse(t, read("first")), read("found")
	outcomes := map[string]int{}
	for i, tn := range first.want(len(lines)) {
		outcomes[tn.ended.Outcome]++
		if kept := strings.Contains(found, fmt.Sprintf(`"text":"Bartok, amaranth%02d`, i)); tn.ended.Outcome == "delivered" && !kept {
			t.Errorf("turn %d was reported delivered and is lost", tn.ended.Turn)
		}
	}
	if outcomes["delivered"] == 0 || outcomes["failed"] == 0 || len(outcomes) != 2 {
		t.Errorf("outcomes = %v, want some delivered, then some failed", outcomes)
	}
	for _, n := range first.notices("error") {
		if !strings.Contains(n, "disk is full; free some space") {
			t.Errorf("error notice = %q, want what is wrong and what to do", n)
		}
	}
	// Whether the end of the session, a few bytes, still finds room is chance; if
	// not, it is told.
	if end := (result{"", read("errors"), parseBytes(t, read("code")), 0}); end.code != 0 || end.stderr != "" {
		end.complains(t, 1, "disk is full; free some space")
	}
	parse(t, read("second")).only("delivered")
}
