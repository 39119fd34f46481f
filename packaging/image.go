package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user id in a container, the same as in distroless images.
const nobody = 65532

// writeImage writes an OCI image layout with an image for each Linux system, to
// glyphoxa_VERSION_oci of dist. The images contain only the static program, its
// trusted certificates and a directory for its data.
func (r *release) writeImage(targets []target) error {
	var images []mutate.IndexAddendum
	ground, err := r.layer(groundMembers())
	if err != nil {
		return err
	}
	for _, t := range targets {
		if t.os != "linux" {
			continue
		}
		img, err := r.image(t, ground)
		if err != nil {
			return err
		}
		images = append(images, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}}})
	}
	if len(images) == 0 {
		return nil
	}
	index := mutate.IndexMediaType(mutate.AppendManifests(empty.Index, images...), types.OCIImageIndex)
	path, err := layout.Write(filepath.Join(r.dist, "glyphoxa_"+r.version+"_oci"), empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.tag()}))
}

// image is the image for one system.
func (r *release) image(t target, ground v1.Layer) (v1.Image, error) {
	program, err := r.layer([]member{{name: "usr/bin/", mode: 0o755}, {name: "usr/bin/glyphoxa", from: t.static, mode: 0o755}})
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.Append(base, r.step(ground, "certificates, a user and a directory for data"), r.step(program, "glyphoxa "+r.version))
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = t.os, t.arch, v1.Time{Time: r.when}
	file.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", nobody, nobody), WorkingDir: "/data", Volumes: map[string]struct{}{"/data": {}},
		Entrypoint: []string{"/usr/bin/glyphoxa"}, Cmd: []string{"run"},
		Env:          []string{"PATH=/usr/bin", "HOME=/data", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
		ExposedPorts: map[string]struct{}{"8787/tcp": {}}, StopSignal: "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":       "glyphoxa",
			"org.opencontainers.image.description": "NPCs for tabletop role-playing, within a latency budget",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.when.Format("2006-01-02T15:04:05Z"),
			"org.opencontainers.image.source":      "https://github.com/MrWong99/glyphoxa",
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return mutate.ConfigFile(img, file)
}

// tag returns the version in a form allowed for an image's tag, without a plus.
func (r *release) tag() string {
	return string(bytes.Map(func(c rune) rune {
		if c == '+' || c == '~' || c == '/' {
			return '-'
		}
		return c
	}, []byte(r.version)))
}

func (r *release) step(l v1.Layer, what string) mutate.Addendum {
	return mutate.Addendum{Layer: l, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: r.when}, CreatedBy: what}}
}

// layer is one layer of files.
func (r *release) layer(list []member) (v1.Layer, error) {
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		out, in := io.Pipe()
		go func() { in.CloseWithError(r.writeTar(in, list)) }() // ends when out is read or closed
		return out, nil
	}, tarball.WithMediaType(types.OCILayer))
}

// groundMembers returns the files the program needs. It leaves out certificates
// trusted only for some names or times, because a certificate file cannot
// express that.
func groundMembers() []member {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // writing to a buffer cannot fail
		}
	}
	return []member{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", text: fmt.Appendf(nil, "glyphoxa:x:%d:%d:glyphoxa:/data:/nonexistent\n", nobody, nobody), mode: 0o644},
		{name: "etc/group", text: fmt.Appendf(nil, "glyphoxa:x:%d:\n", nobody), mode: 0o644},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", text: roots.Bytes(), mode: 0o644},
		{name: "tmp/", mode: 0o1777},
		{name: "data/", mode: 0o700, owner: nobody},
	}
}
