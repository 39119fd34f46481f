package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
)

// picture is a PNG of one red pixel.
func picture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// silence is a WAV of one mono sample of 16 bits at 8 kHz.
func silence() []byte {
	const rate, size = 8000, 2
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 36+size)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)        // size of the format
	b = binary.LittleEndian.AppendUint16(b, 1)         // PCM
	b = binary.LittleEndian.AppendUint16(b, 1)         // channel
	b = binary.LittleEndian.AppendUint32(b, rate)      // samples per second
	b = binary.LittleEndian.AppendUint32(b, rate*size) // bytes per second
	b = binary.LittleEndian.AppendUint16(b, size)      // bytes per sample
	b = binary.LittleEndian.AppendUint16(b, 8*size)    // bits per sample
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, 0, 0)
}
