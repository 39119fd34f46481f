package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Postgres is a test's own PostgreSQL server, reached by a socket in its own
// directory.
type Postgres struct {
	dir      string
	bin      string
	settings string
	schemas  atomic.Int64
}

// StartPostgres starts a server that ends with the test. Settings are as in
// postgresql.conf, "name=value".
func StartPostgres(t testing.TB, settings ...string) *Postgres {
	t.Helper()
	p := &Postgres{bin: postgresPrograms(t)}
	var err error
	if p.dir, err = os.MkdirTemp("", "gx-pg"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(p.dir); err != nil {
			t.Error(err)
		}
	})
	if err := giveToPostgres(p.dir); err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"listen_addresses=", "unix_socket_directories=" + p.dir, "max_connections=200"}, settings...) {
		p.settings += " -c " + s
	}
	p.run(t, "initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "-D", p.data())
	p.Start(t)
	t.Cleanup(func() { p.Stop(t) })
	return p
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

// Start starts the server again after Stop.
func (p *Postgres) Start(t testing.TB) {
	t.Helper()
	p.run(t, "pg_ctl", "start", "-w", "-D", p.data(), "-l", filepath.Join(p.dir, "log"), "-o", strings.TrimSpace(p.settings))
}

// Stop stops the server, and with it every connection; it does nothing if the
// server has stopped.
func (p *Postgres) Stop(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.data(), "postmaster.pid")); errors.Is(err, os.ErrNotExist) {
		return
	}
	p.run(t, "pg_ctl", "stop", "-w", "-m", "fast", "-D", p.data())
}

// DSN returns the connection string of an empty schema.
func (p *Postgres) DSN(t testing.TB) string {
	t.Helper()
	name := "t" + strconv.FormatInt(p.schemas.Add(1), 10)
	p.Query(t, "CREATE SCHEMA "+name)
	return fmt.Sprintf("postgres://postgres@/postgres?host=%s&search_path=%s,public", url.QueryEscape(p.dir), name)
}

// Query runs statements and returns their output.
func (p *Postgres) Query(t testing.TB, statements string) string {
	t.Helper()
	psql := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(p.bin, "psql"), "-h", p.dir, "-U", "postgres", "-d", "postgres", "-qAt")
	psql.Stdin = strings.NewReader(statements)
	out, err := psql.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// run runs one of PostgreSQL's programs as an unprivileged user, because they
// refuse to run as root.
func (p *Postgres) run(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "LC_ALL=C"}
	// The output goes to a file, because a server that keeps running would hold
	// a pipe open.
	said, err := os.CreateTemp(p.dir, program)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	runAsPostgres(cmd)
	err = cmd.Run()
	text, _ := os.ReadFile(said.Name())
	if closed := said.Close(); err != nil || closed != nil {
		log, _ := os.ReadFile(filepath.Join(p.dir, "log"))
		t.Fatalf("%s: %v: %s %s", program, errors.Join(err, closed), bytes.TrimSpace(text), bytes.TrimSpace(log))
	}
}

// postgresPrograms returns the directory of PostgreSQL's programs, which Debian
// keeps out of PATH.
func postgresPrograms(t testing.TB) string {
	t.Helper()
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		if os.Geteuid() == 0 {
			if _, err := user.Lookup("postgres"); err != nil {
				lacks(t, "there is no user postgres, and root may not run the server")
			}
		}
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	lacks(t, "PostgreSQL's server is not installed")
	return ""
}
