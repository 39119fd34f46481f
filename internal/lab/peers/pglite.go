package peers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Pglite is PostgreSQL compiled to WebAssembly, with the extension pgvector. It
// runs one statement at a time, over all connections.
type Pglite struct {
	address string
	schemas atomic.Int64
}

// StartPglite starts a Pglite that ends with the test.
func StartPglite(t testing.TB) *Pglite {
	t.Helper()
	for _, part := range []string{"pglite", "pglite-socket", "pglite-pgvector"} {
		File(t, "@electric-sql/"+part+"/package.json")
	}
	cmd := exec.Command(Node(t), filepath.Join(directory(t), "pglite.mjs"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	port, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("pglite says %q, %v", line, err)
	}
	return &Pglite{address: "127.0.0.1:" + port}
}

// DSN returns the connection string of an empty schema. All connections share
// one session of the server, and therefore the schema of the latest DSN.
func (p *Pglite) DSN(t testing.TB) string {
	t.Helper()
	dsn := fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable&default_query_exec_mode=cache_describe", p.address)
	name := "t" + strconv.FormatInt(p.schemas.Add(1), 10)
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(ctx, "CREATE SCHEMA "+name+"; SET search_path = "+name+", public")
	if err := errors.Join(err, c.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	return dsn + "&pool_max_conns=1"
}
