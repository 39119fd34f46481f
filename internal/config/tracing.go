package config

import "fmt"

// Tracing says where the traces of turns and calls go.
type Tracing struct {
	// Endpoint takes OTLP over HTTP. Empty traces nothing.
	Endpoint string            `yaml:"endpoint" json:"endpoint" format:"url" doc:"Collector that takes OpenTelemetry's OTLP over HTTP, such as http://127.0.0.1:4318."`
	Headers  map[string]Secret `yaml:"headers" json:"headers" doc:"Headers that go with every request to it, such as authorization."`
	// Sample is the share of traces that is sent. Default 1.
	Sample float64 `yaml:"sample" json:"sample" min:"0" max:"1" doc:"Share of turns and calls that is traced, from 0 to 1."`
}

// Format prints the settings without what the headers say.
func (t Tracing) Format(f fmt.State, verb rune) {
	type plain Tracing
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(t))
}
