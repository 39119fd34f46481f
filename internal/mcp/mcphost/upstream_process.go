package mcphost

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// terminateAfter is how long a program has to exit after its stdin is closed, and again after SIGTERM.
	terminateAfter = time.Second
	// lastOutput is how long the pipes of an ended program stay open. After that only a descendant
	// that left the process group still holds them.
	lastOutput = 100 * time.Millisecond
)

// process is a running server program with our ends of its pipes. When the program ends, the rest of its
// process group is killed, because a child that holds the pipes open would hide the end of the program. A
// process owns two goroutines; stop waits for them.
type process struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	output  *outputLog
	exited  chan struct{} // closed when the program has ended
	drained chan struct{} // closed when stderr has been read to its end
	state   error         // how it ended; set before exited is closed
	owned   sync.WaitGroup
}

// startProcess starts cmd and copies its stderr to output.
func startProcess(cmd *exec.Cmd, output *outputLog) (*process, error) {
	p := &process{cmd: cmd, output: output, exited: make(chan struct{}), drained: make(chan struct{})}
	var files []*os.File
	var err error
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				files = append(files, r, w)
			}
		}
		return r, w
	}
	in, stdin := pipe()
	stdout, out := pipe()
	stderr, diag := pipe()
	if err == nil {
		ownGroup(cmd)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, diag
		err = cmd.Start()
	}
	if err != nil {
		closeAll(files)
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	closeAll([]*os.File{in, out, diag})
	p.stdin, p.stdout, p.stderr = stdin, stdout, stderr
	p.owned.Go(p.reap)
	p.owned.Go(p.readStderr)
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was written through it
	}
}

// reap waits for the program to end and kills the rest of its process group.
func (p *process) reap() {
	p.state = p.cmd.Wait()
	killGroup(p.cmd)
	soon := time.Now().Add(lastOutput)
	_ = p.stdout.SetReadDeadline(soon) // without deadline support, the end of the group closes the pipes
	_ = p.stderr.SetReadDeadline(soon)
	close(p.exited)
}

// readStderr copies stderr to output until it ends.
func (p *process) readStderr() {
	_, _ = io.Copy(p.output, p.stderr) // ends when the program does
	p.output.flush()
	close(p.drained)
	_ = p.stderr.Close()
}

// stop ends the program and waits for it. It closes stdin, then sends SIGTERM, then sends SIGKILL to the
// whole group. Nothing may read stdout any more.
func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.stdout.SetReadDeadline(time.Time{})
	var drain sync.WaitGroup
	drain.Go(func() { _, _ = io.Copy(io.Discard, p.stdout) }) // a full pipe would keep it from exiting
	if !p.endsWithin(terminateAfter) {
		terminateGroup(p.cmd)
		if !p.endsWithin(terminateAfter) {
			killGroup(p.cmd)
			<-p.exited
		}
	}
	_ = p.stdout.Close()
	drain.Wait()
	p.owned.Wait()
}

// endsWithin reports whether the program ends within d.
func (p *process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// causeOfEnd describes how the program ended, or returns "" if it is still running.
func (p *process) causeOfEnd() string {
	if !p.endsWithin(lastOutput) {
		return ""
	}
	select {
	case <-p.drained:
	case <-time.After(2 * lastOutput): // another process holds its pipes
	}
	how := "the program ended"
	if p.state != nil {
		how = fmt.Sprintf("the program ended (%v)", p.state)
	}
	if last := p.output.lastLine(); last != "" {
		how += ": " + last
	}
	return how
}
