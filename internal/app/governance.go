package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
	"github.com/MrWong99/glyphoxa/internal/mcp/gate"
	"github.com/MrWong99/glyphoxa/internal/mcp/policy"
	"github.com/MrWong99/glyphoxa/internal/observe"
)

// readOnlyVariable is the environment variable that takes every tool away that
// changes something.
const readOnlyVariable = "READ_ONLY_MODE"

// readOnly reports whether nothing may be changed, by flag, configuration or
// environment.
func (a *App) readOnly(flag bool) (bool, error) {
	text := os.Getenv(readOnlyVariable)
	if text == "" {
		return flag || a.Config.Server.ReadOnly, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, Usage(fmt.Errorf("%s is %q; use true or false", readOnlyVariable, text))
	}
	return on || flag || a.Config.Server.ReadOnly, nil
}

// govern prepares what every call passes: policy, record and counters.
func (a *App) govern(ctx context.Context, o Options) error {
	readOnly, err := a.readOnly(o.ReadOnly)
	if err != nil {
		return err
	}
	server := a.Config.Server
	a.policy, err = policy.New(policy.Options{Profiles: server.Profiles, Rules: server.Policy, Limits: server.Limits, ReadOnly: readOnly})
	if err != nil {
		return Usage(err)
	}
	a.work.Go(func() {
		if err := a.policy.Run(a.life); err != nil {
			a.log.Error("keeping the policy", "reason", err)
		}
	})
	a.audit, err = audit.Open(ctx, auditFile(a.Config), audit.Options{Arguments: server.Audit.Arguments, Keep: time.Duration(server.Audit.Keep), Logger: a.log})
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	a.metrics = o.Counted
	if o.Metrics {
		if a.metrics, err = observe.New(observe.Options{Version: o.Version}); err != nil {
			return err
		}
		a.endMetrics = a.metrics.Shutdown
		err = a.metrics.Gauge("glyphoxa_audit_queue_depth", "Records that wait to be written.", func() float64 { return float64(a.audit.Queued()) })
		if err != nil {
			return err
		}
		err = a.metrics.Gauge("glyphoxa_audit_lost", "Records that could not be written since the start.", func() float64 { return float64(a.audit.Lost()) })
		if err != nil {
			return err
		}
	}
	a.gate = gate.New(a.policy, a.audit, a.metrics)
	return nil
}

// auditFile is where the audit log is kept.
func auditFile(cfg *config.Config) string { return filepath.Join(cfg.DataDir, "audit.db") }

// closeGovernance ends what govern began, once no call can come any more.
func (a *App) closeGovernance() error {
	var errs []error
	if a.audit != nil {
		errs = append(errs, a.audit.Close())
	}
	if a.endMetrics != nil {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		errs = append(errs, a.endMetrics(ctx))
	}
	return errors.Join(errs...)
}
