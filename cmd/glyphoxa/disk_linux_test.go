package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// inNamespace runs a shell script in its own mount namespace, so that its
// mounts end with it.
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

// fullDisk plays OUT/lines with GLYPHOXA on a disk of 24 MB mounted at DISK
// with too little free space, makes room, also for the index of the transcript,
// plays again, and looks for every line.
const fullDisk = `set -eu
mkdir -p "$DISK"
mount -t tmpfs -o size=24m tmpfs "$DISK"
cd "$DISK"
dd if=/dev/zero of=ballast bs=1k count=20480 2>/dev/null
code=0
"$GLYPHOXA" play --json <"$OUT/lines" >"$OUT/first" 2>"$OUT/errors" || code=$?
echo "$code" >"$OUT/code"
rm ballast
echo "Bartok, is there room again?" | "$GLYPHOXA" play --json >"$OUT/second"
for word in $(sed 's/^Bartok, \([a-z0-9]*\) .*/\1/' "$OUT/lines"); do
	"$GLYPHOXA" tools call search_sessions "{\"query\":\"$word\"}"
done >"$OUT/found"
`

// roomAgain plays OUT/lines on such a disk, makes room once lines wait, and
// continues when they are stored.
const roomAgain = `set -eu
mkdir -p "$DISK"
mount -t tmpfs -o size=24m tmpfs "$DISK"
cd "$DISK"
dd if=/dev/zero of=ballast bs=1k count=21504 2>/dev/null
mkfifo "$OUT/fifo"
"$GLYPHOXA" play --json <"$OUT/fifo" >"$OUT/first" &
exec 3>"$OUT/fifo"
cat "$OUT/lines" >&3
until grep -q '"outcome":"failed"' "$OUT/first"; do sleep 0.05; done
rm ballast
until grep -q '"code":"kept_again"' "$OUT/first"; do sleep 0.05; done
echo "Bartok, is there room again?" >&3
exec 3>&-
wait $!
mkdir "$KEPT"
cp .glyphoxa/glyphoxa.db "$KEPT"
`

// TestRoomAgain fills the disk during a play, then makes room, and checks that
// no line is lost.
func TestRoomAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h, lines := smallDisk(t, roomAgain, 8000)
	first := parse(t, h.output("first"))
	turns := first.want(len(lines) + 1)
	if last := turns[len(lines)].ended.Outcome; last != "delivered" {
		t.Errorf("with room again a turn ended as %s", last)
	}
	var kept []string
	for _, l := range h.lines() {
		if l.NPC == "" {
			kept = append(kept, l.Text)
		}
	}
	if !slices.Equal(kept, append(lines, "Bartok, is there room again?")) {
		t.Errorf("%d lines are kept, want each of %d once and in order", len(kept), len(lines)+1)
	}
	if n := len(first.notices("error")); n != 1 {
		t.Errorf("that lines wait was told %d times, want once: %q", n, first.notices("error"))
	}
}

// smallDisk runs a script with twenty lines of n words in OUT/lines.
func smallDisk(t *testing.T, script string, words int) (h *program, lines []string) {
	h = newProgram(t)
	if out, err := inNamespace(h, "mount -t tmpfs -o size=64k tmpfs .").CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody mount a small disk (%v: %s); it runs where user namespaces are allowed, such as on a plain Debian", err, out)
	}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("Bartok, amaranth%02d %s", i, strings.Repeat("gold ", words)[:5*words-1]))
	}
	h.write("out/lines", strings.Join(lines, "\n")+"\n")
	h.set("GLYPHOXA", binary)
	h.set("OUT", h.path("out"))
	h.set("DISK", h.path("disk"))
	h.set("KEPT", h.path(".glyphoxa"))
	if out, err := inNamespace(h, script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return h, lines
}

// output returns the content of a file in OUT.
func (h *program) output(name string) string {
	h.t.Helper()
	content, err := os.ReadFile(h.path("out/" + name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(content)
}

// TestFullDisk fills the disk during a play. A turn whose line cannot be stored
// says so and is not reported delivered; every delivered line is still there
// when there is room again.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	h, lines := smallDisk(t, fullDisk, 50_000) // the text alone exceeds the free space
	first, found := parse(t, h.output("first")), h.output("found")
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
	// The few bytes that end the session may or may not fit; if not, the
	// program says so.
	if end := (result{"", h.output("errors"), parseBytes(t, h.output("code")), 0}); end.code != 0 || end.stderr != "" {
		end.complains(t, 1, "disk is full; free some space")
	}
	parse(t, h.output("second")).only("delivered")
}
