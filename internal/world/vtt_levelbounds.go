package world

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
	"github.com/syndtr/goleveldb/leveldb/journal"
	"github.com/syndtr/goleveldb/leveldb/storage"
)

// Bounds on a database. The library allocates whatever lengths, levels and counts a file declares, and a
// block of a few kilobytes can declare gigabytes of content. So all of them are checked first.
const (
	maxManifest = 4 << 20   // bytes of the manifest
	maxLogs     = 32 << 20  // bytes of all logs
	maxLogged   = 500_000   // records of all logs
	maxTables   = 10_000    // tables in a manifest
	maxLevel    = 16        // levels of tables; LevelDB has 7
	maxBlock    = 32 << 20  // unpacked bytes of a block; a document fits into one
	maxOpen     = 128 << 20 // bytes of the largest blocks of all tables, which are open at the same time

	tableFooter  = 48
	blockTrailer = 5 // compression type and checksum
)

// tableMagic ends every table; see LevelDB's table_format.md.
var tableMagic = []byte("\x57\xfb\x80\x8b\x24\x75\x47\xdb")

var errLevel = errors.New("the database is broken; close the world in Foundry VTT and copy it again")

// checkLevel checks that the files of a database do not take too much memory. It deducts their unpacked size
// from the budget.
func (r *reader) checkLevel(l *levelFiles) error {
	open, unpacked, logged := int64(0), int64(0), 0
	for fd, data := range l.files {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		var err error
		switch fd.Type {
		case storage.TypeManifest:
			err = checkManifest(data)
		case storage.TypeJournal:
			err = checkLog(data, &logged)
		case storage.TypeTable:
			var t tableSize
			t, err = measureTable(data)
			open, unpacked = open+t.largest+t.index, unpacked+t.total
		}
		if err != nil {
			return fmt.Errorf("%s: %w", fd, err)
		}
	}
	switch {
	case open > maxOpen:
		return tooLarge("the database's largest blocks have together more than", maxOpen>>20, "MB")
	case unpacked > r.budget:
		return tooLarge("unpacked, all files together have more than", maxTotal>>20, "MB")
	}
	r.budget -= unpacked
	return nil
}

// noDrops makes the journal reader skip broken data silently, because the library reports it later.
type noDrops struct{}

func (noDrops) Drop(error) {}

// eachLogged calls f for each record of a manifest or log.
func eachLogged(data []byte, f func(io.Reader) error) error {
	in := journal.NewReader(bytes.NewReader(data), noDrops{}, false, true)
	for {
		r, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errLevel
		}
		if err := f(r); err != nil {
			return err
		}
	}
}

// checkManifest checks the fields of a manifest's records: a tag, and its values.
func checkManifest(data []byte) error {
	if len(data) > maxManifest {
		return tooLarge("the manifest has more than", maxManifest>>20, "MB")
	}
	tables := 0
	return eachLogged(data, func(record io.Reader) error {
		text, _ := io.ReadAll(record) // the library also reads the data before an error
		m := manifestReader{text: text}
		for len(m.text) > 0 && m.err == nil {
			switch m.number() {
			case 1: // name of the comparator
				m.skip()
			case 2, 3, 4, 9: // file and sequence numbers
				m.number()
			case 5: // compaction pointer of a level
				m.level()
				m.skip()
			case 6: // deleted table
				m.level()
				m.number()
			case 7: // new table
				tables++
				m.level()
				m.number()
				m.number()
				m.skip()
				m.skip()
			}
		}
		if m.err == nil && tables > maxTables {
			return tooLarge("the manifest names more than", maxTables, "tables")
		}
		return m.err
	})
}

// manifestReader reads a record of a manifest. It keeps the first error.
type manifestReader struct {
	text []byte
	err  error
}

func (m *manifestReader) number() uint64 {
	n, size := binary.Uvarint(m.text)
	if size <= 0 {
		m.text, m.err = nil, errLevel
		return 0
	}
	m.text = m.text[size:]
	return n
}

// skip skips a string with a length prefix.
func (m *manifestReader) skip() {
	n := m.number()
	if n > uint64(len(m.text)) {
		m.text, m.err = nil, errLevel
		return
	}
	m.text = m.text[n:]
}

func (m *manifestReader) level() {
	if m.number() >= maxLevel {
		m.text, m.err = nil, errLevel
	}
}

// checkLog counts the records of a log, as declared by its batches.
func checkLog(data []byte, logged *int) error {
	return eachLogged(data, func(batch io.Reader) error {
		var head [12]byte // sequence number and number of records
		if _, err := io.ReadFull(bufio.NewReaderSize(batch, len(head)), head[:]); err != nil {
			return nil // the library reports it
		}
		n := binary.LittleEndian.Uint32(head[8:])
		if *logged += int(min(n, maxLogged+1)); *logged > maxLogged {
			return tooLarge("the logs have more than", maxLogged, "records")
		}
		return nil
	})
}

// tableSize is the unpacked size of a table, in bytes.
type tableSize struct{ largest, index, total int64 }

// measureTable measures every block of a table: the footer locates the index, and the index the other blocks.
func measureTable(data []byte) (t tableSize, err error) {
	if len(data) < tableFooter || !bytes.HasSuffix(data, tableMagic) {
		return t, errLevel
	}
	foot := data[len(data)-tableFooter:]
	meta, n := readHandle(foot)
	index, m := readHandle(foot[n:])
	if n == 0 || m == 0 {
		return t, errLevel
	}
	metaSize, err := blockSize(data, meta)
	if err != nil {
		return t, err
	}
	if t.index, err = blockSize(data, index); err != nil {
		return t, err
	}
	t.index += metaSize
	block, err := readBlock(data, index)
	if err != nil {
		return t, err
	}
	err = eachValue(block, func(value []byte) error {
		at, n := readHandle(value)
		if n == 0 {
			return errLevel
		}
		size, err := blockSize(data, at)
		t.largest, t.total = max(t.largest, size), t.total+size
		return err
	})
	return t, err
}

// handle is the position of a block in a table, without its trailer.
type handle struct{ at, length uint64 }

// readHandle reads a handle and returns its length; 0 if it is invalid.
func readHandle(b []byte) (h handle, size int) {
	at, n := binary.Uvarint(b)
	if n <= 0 {
		return h, 0
	}
	length, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return h, 0
	}
	return handle{at, length}, n + m
}

// packed returns a block as stored, and its compression type.
func packed(table []byte, h handle) (block []byte, with byte, err error) {
	size := uint64(len(table))
	if h.at > size || h.length > size || h.at+h.length+blockTrailer > size {
		return nil, 0, errLevel
	}
	return table[h.at : h.at+h.length], table[h.at+h.length], nil
}

// blockSize returns the unpacked size of a block.
func blockSize(table []byte, h handle) (int64, error) {
	block, with, err := packed(table, h)
	if err != nil {
		return 0, err
	}
	n := len(block)
	if with == 1 { // Snappy
		if n, err = snappy.DecodedLen(block); err != nil {
			return 0, errLevel
		}
	}
	if n > maxBlock {
		return 0, tooLarge("a document has more than", maxBlock>>20, "MB")
	}
	return int64(n), nil
}

func readBlock(table []byte, h handle) ([]byte, error) {
	block, with, err := packed(table, h)
	if err != nil || with != 1 {
		return block, err
	}
	if block, err = snappy.Decode(nil, block); err != nil {
		return nil, errLevel
	}
	return block, nil
}

// eachValue calls f for each value of a block, which consists of entries, restart points, and their number.
func eachValue(block []byte, f func([]byte) error) error {
	if len(block) < 4 {
		return errLevel
	}
	places := uint64(binary.LittleEndian.Uint32(block[len(block)-4:]))
	if 4*(places+1) > uint64(len(block)) {
		return errLevel
	}
	rest := block[:uint64(len(block))-4*(places+1)]
	for len(rest) > 0 {
		var lengths [3]uint64 // shared key length, unshared key length, value length
		for i := range lengths {
			n, size := binary.Uvarint(rest)
			if size <= 0 || n > uint64(len(block)) {
				return errLevel
			}
			lengths[i], rest = n, rest[size:]
		}
		if lengths[1]+lengths[2] > uint64(len(rest)) {
			return errLevel
		}
		if err := f(rest[lengths[1] : lengths[1]+lengths[2]]); err != nil {
			return err
		}
		rest = rest[lengths[1]+lengths[2]:]
	}
	return nil
}
