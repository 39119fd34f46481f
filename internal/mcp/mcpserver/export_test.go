package mcpserver

import "time"

// SetBodyTime sets how long a request's body may take.
func (o *WebOptions) SetBodyTime(d time.Duration) { o.bodyTime = d }
