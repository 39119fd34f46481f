package config

import "fmt"

// Tracing says where traces of turns and calls are sent.
type Tracing struct {
	// Endpoint is a URL that accepts OTLP over HTTP. If empty, nothing is traced.
	Endpoint string            `yaml:"endpoint" json:"endpoint" format:"url" doc:"Address of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318."`
	Headers  map[string]Secret `yaml:"headers" json:"headers" doc:"Headers of every request to the collector, such as authorization."`
	// Sample is the share of traces that is sent, from 0 to 1. Default 1.
	Sample float64 `yaml:"sample" json:"sample" min:"0" max:"1" doc:"Share of turns and calls to trace, from 0 to 1."`
}

// Format prints the settings without the values of the headers.
func (t Tracing) Format(f fmt.State, verb rune) {
	type plain Tracing
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(t))
}
