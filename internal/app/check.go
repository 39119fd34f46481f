package app

import (
	"fmt"
	"io"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/problem"
	"github.com/MrWong99/glyphoxa/internal/registry"
)

// Check prints nothing but success: every problem is in LoadConfig's error or
// the campaign's.
func Check(w io.Writer, path string) error {
	cfg, err := play.LoadConfig(path)
	if err != nil {
		return err
	}
	world, err := play.ReadCampaign(cfg)
	if err != nil {
		return err
	}
	flows, err := registry.LoadWorkflows(cfg.Server, cfg.Source)
	if err != nil {
		return problem.Usage(err)
	}
	for _, p := range cfg.Warnings {
		fmt.Fprintln(w, "warning:", p)
	}
	entities := 0
	if world != nil {
		entities = len(world.Entities)
	}
	_, err = fmt.Fprintf(w, "%s is fine: %d NPCs, %d external servers, %d workflows, a world of %d entities\n",
		cfg.File, len(cfg.NPCs), len(cfg.MCP.Servers), len(flows), entities)
	return err
}

// Schema prints the JSON Schema of glyphoxa.yaml, for editors.
func Schema(w io.Writer) error {
	s, err := config.Schema()
	if err != nil {
		return err
	}
	return writeJSON(w, s)
}
