package mcpserver

import (
	"net/http"
	"time"
)

// SetBodyTime sets how long a request's body may take.
func (o *WebOptions) SetBodyTime(d time.Duration) { o.bodyTime = d }

// LeaveToSDK has the SDK answer everything.
func (o *WebOptions) LeaveToSDK() { o.sdkAlone = true }

// Handler is what serves all requests.
func (w *Web) Handler() http.Handler { return w.http.Handler }

// OrElse is what serves the requests that take the direct way, and next the rest.
func (w *Web) OrElse(next http.Handler) http.Handler {
	return w.guarded(w.identified(w.bounded(w.attended(w.direct.directly(next)))))
}
