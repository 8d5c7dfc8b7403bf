package plain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// Limits of one patch, and of the document it makes.
const (
	patchOpsLimit  = 10_000
	patchCopyLimit = 8 << 20
	documentLimit  = 64 << 20
)

// operation is one operation that has been found well-formed.
type operation struct {
	index      int // in the patch as it was sent
	op         string
	path, from []string // pointer tokens
	rawPath    string
	value      []byte // JSON text without duplicates and lone surrogates
}

type patch struct {
	ops     []operation
	unknown []operation     // of these only index and op are set
	lib     jsonpatch.Patch // the operations as the library takes them
	plain   bool            // to be applied by our own code (see fits)
}

var pointerGrammar = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)

// parsePatch reads a patch. The error says what is malformed.
func parsePatch(raw []byte) (*patch, error) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, &malformed{"", "is no array of operations"}
	}
	var elements []map[string]*json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return nil, &malformed{"", "has an operation that is no object"}
	}
	p := &patch{}
	for i, e := range elements {
		at := "/" + strconv.Itoa(i)
		op, ok := textMember(e, "op")
		if !ok {
			return nil, &malformed{at + "/op", "is no string"}
		}
		o := operation{index: i, op: op}
		wants, known := map[string]string{"add": "v", "replace": "v", "test": "v", "remove": "", "move": "f", "copy": "f"}[op]
		if !known {
			p.unknown = append(p.unknown, o)
			continue
		}
		if o.rawPath, ok = textMember(e, "path"); !ok || !pointerGrammar.MatchString(o.rawPath) {
			return nil, &malformed{at + "/path", "is no JSON pointer"}
		}
		o.path = tokens(o.rawPath)
		lib := jsonpatch.Operation{"op": e["op"], "path": e["path"]}
		if wants == "f" {
			from, ok := textMember(e, "from")
			if !ok || !pointerGrammar.MatchString(from) {
				return nil, &malformed{at + "/from", "is no JSON pointer"}
			}
			o.from = tokens(from)
			lib["from"] = e["from"]
		}
		if wants == "v" {
			value, has := e["value"]
			if !has {
				return nil, &malformed{at + "/value", "is missing"}
			}
			o.value = []byte("null")
			if value != nil {
				o.value = normal(*value)
			}
			lib["value"] = (*json.RawMessage)(&o.value)
		}
		p.ops = append(p.ops, o)
		p.lib = append(p.lib, lib)
		p.plain = p.plain || !o.fits()
	}
	return p, nil
}

func textMember(e map[string]*json.RawMessage, name string) (string, bool) {
	raw := e[name]
	if raw == nil || (*raw)[0] != '"' {
		return "", false
	}
	return string(unquote(*raw)), true
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// tokens takes a pointer apart: nil for the whole document.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i := range list {
		list[i] = unescape.Replace(list[i])
	}
	return list
}

// fits tells whether json-patch can be trusted with the operation. It can't
// with test (null holds on a missing path, 1 and 1.0 differ), with the whole
// document, with indices written as 01 or +1, with empty names (it skips one
// at the front), and with a move into its own child; those go to our own code,
// as everything does that it refuses.
func (o *operation) fits() bool {
	if o.op == "test" || len(o.path) == 0 || o.from == nil && (o.op == "move" || o.op == "copy") {
		return false
	}
	if o.op == "move" && within(o.path, o.from) {
		return false
	}
	for _, list := range [][]string{o.path, o.from} {
		for _, token := range list {
			if n, err := strconv.Atoi(token); token == "" || err == nil && strconv.Itoa(n) != token {
				return false
			}
		}
	}
	return true
}

var libraryOptions = &jsonpatch.ApplyOptions{AccumulatedCopySizeLimit: patchCopyLimit}

// apply gives the document after the patch; the old one is left as it is.
func (p *patch) apply(doc []byte) ([]byte, error) {
	if len(p.ops) > patchOpsLimit {
		return nil, fmt.Errorf("%d operations are more than %d", len(p.ops), patchOpsLimit)
	}
	if len(p.ops) == 0 {
		return doc, nil
	}
	if !p.plain && (doc[0] == '{' || doc[0] == '[') {
		if out, err := p.lib.ApplyWithOptions(doc, libraryOptions); err == nil {
			return sized(out)
		}
	}
	out, err := p.applyTree(doc)
	if err != nil {
		return nil, err
	}
	return sized(out)
}

func sized(doc []byte) ([]byte, error) {
	if len(doc) > documentLimit {
		return nil, fmt.Errorf("the document would be larger than %d bytes", documentLimit)
	}
	return doc, nil
}
