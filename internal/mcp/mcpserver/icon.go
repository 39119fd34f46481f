package mcpserver

import (
	"encoding/base64"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// die is a twenty-sided die seen from the front.
const die = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#6b3fa0" stroke-linejoin="round">` +
	`<path d="M12 1l9.5 5.5v11L12 23l-9.5-5.5v-11z"/><path d="M12 1v6m9.5-.5L12 7 2.5 6.5m9.5.5l6 9.5H6zM2.5 17.5L6 16.5m15.5 1L18 16.5M12 23l6-6.5m-6 6.5l-6-6.5"/></svg>`

// icon is how clients may show the server.
func icon() sdk.Icon {
	return sdk.Icon{Source: "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(die)), MIMEType: "image/svg+xml", Sizes: []string{"any"}}
}
