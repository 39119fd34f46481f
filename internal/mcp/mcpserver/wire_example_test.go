package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

// What is no message is answered with an error, and the session goes on; at the
// end of the input the answers that are owed are still written.
func Example() {
	in := io.NopCloser(strings.NewReader(`
{"jsonrpc":"2.0","id":1,"method":"ping"}
{"jsonrpc":"2.0","id":2,
{"jsonrpc":"2.0","id":3,"method":"ping"}
`))
	conn := mcpserver.NewConn(mcpserver.Lines(in, discardClose{os.Stdout}, 0), mcpserver.ConnOptions{})
	err := wireEcho(context.Background(), conn)
	fmt.Println(err, conn.Close())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":"ping"}
	// {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: not JSON"}}
	// {"jsonrpc":"2.0","id":3,"result":"ping"}
	// EOF <nil>
}
