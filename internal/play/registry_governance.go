package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// readOnlyVariable is the environment variable that removes all tools that change something.
const readOnlyVariable = "READ_ONLY_MODE"

// Governance holds what every call passes: the policy, the audit log and the counters.
type Governance struct {
	Policy *access.Engine
	Audit  *access.Log
	Gate   *access.Gate

	stop context.CancelFunc
	work sync.WaitGroup // the policy's clock; ends with stop
}

// OpenGovernance reads the policy and opens the audit log. If metrics is nil, calls are not counted. Close it
// after the last call.
func OpenGovernance(ctx context.Context, cfg *config.Config, readOnly bool, metrics *observe.Metrics, log *slog.Logger) (*Governance, error) {
	readOnly, err := isReadOnly(cfg, readOnly)
	if err != nil {
		return nil, err
	}
	server := cfg.Server
	g := &Governance{}
	g.Policy, err = access.New(access.Options{Profiles: server.Profiles, Rules: server.Policy, Limits: server.Limits, ReadOnly: readOnly})
	if err != nil {
		return nil, userfile.Usage(err)
	}
	g.Audit, err = OpenAudit(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	g.Gate = access.NewGate(g.Policy, g.Audit, metrics)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = stop
	g.work.Go(func() {
		if err := g.Policy.Run(life); err != nil {
			log.Error("keeping the policy", "reason", err)
		}
	})
	return g, nil
}

// CountQueue adds gauges of the audit log's backlog to metrics.
func (g *Governance) CountQueue(metrics *observe.Metrics) error {
	return errors.Join(
		metrics.Gauge("glyphoxa_audit_queue_depth", "Records that wait to be written.", func() float64 { return float64(g.Audit.Queued()) }),
		metrics.Gauge("glyphoxa_audit_lost", "Records that could not be written since the start.", func() float64 { return float64(g.Audit.Lost()) }),
		metrics.Gauge("glyphoxa_audit_bytes", "Size of the audit log's file.", func() float64 { bytes, _ := g.Audit.Size(); return float64(bytes) }),
	)
}

// Close stops the policy's clock and writes the rest of the audit log.
func (g *Governance) Close() error {
	g.stop()
	g.work.Wait()
	return g.Audit.Close()
}

// isReadOnly reports whether changes are forbidden by flag, configuration or environment.
func isReadOnly(cfg *config.Config, flag bool) (bool, error) {
	text := os.Getenv(readOnlyVariable)
	if text == "" {
		return flag || cfg.Server.ReadOnly, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, userfile.Usage(fmt.Errorf("%s is %q; use true or false", readOnlyVariable, text))
	}
	return on || flag || cfg.Server.ReadOnly, nil
}

// OpenAudit opens the audit log of a configuration.
func OpenAudit(ctx context.Context, cfg *config.Config, log *slog.Logger) (*access.Log, error) {
	o := cfg.Server.Audit
	l, err := access.OpenLog(ctx, AuditFile(cfg), access.LogOptions{Arguments: o.Arguments, Keep: time.Duration(o.Keep), MaxSize: o.MaxSize, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	return l, nil
}

// AuditFile returns the path of a configuration's audit log.
func AuditFile(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "audit.db") }
