// Package captures hands out recorded AG-UI event streams: the bodies of real
// runs, as public producers wrote them, built into the binary. Tests replay
// them, fuzzers start from them, and aguibench runs on them when it is given
// no files. The README one folder up says where each came from.
//
// A body is one run's text/event-stream, byte for byte:
//
//	for _, name := range captures.Names() {
//		replay(captures.Body(name))
//	}
package captures

import (
	"embed"
	"io/fs"
	"strings"
)

const (
	bodySuffix      = ".sse"
	referenceSuffix = ".reference.json"
)

//go:embed *.sse *.reference.json
var files embed.FS

// Names returns the name of every capture, without suffix, sorted. The slice
// is the caller's.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // the root of an embed.FS is always readable
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), bodySuffix); ok {
			names = append(names, name)
		}
	}
	return names
}

// Body returns the event stream of the capture called name, or nil when there
// is none. The bytes are the caller's own copy.
func Body(name string) []byte { return read(name + bodySuffix) }

// Reference returns what the official TypeScript client made of the capture
// called name, as JSON text, or nil when there is none. The bytes are the
// caller's own copy.
func Reference(name string) []byte { return read(name + referenceSuffix) }

func read(file string) []byte {
	data, err := files.ReadFile(file)
	if err != nil {
		return nil
	}
	return data
}
