package plain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// malformed is a described value that breaks its description: fatal in both
// rule sets.
type malformed struct{ path, reason string }

func (m *malformed) Error() string { return m.path + " " + m.reason }

// enforcer applies the difference between unknown and malformed (protocol,
// section 6.2) to trees.
type enforcer struct {
	spec        bool
	quietBinary bool
	warn        func(path, text string)
}

// rule checks a value and gives it back, stripped. Known is false when the
// value is an unknown member of a union or an enum: whoever holds it removes
// it, or itself goes the same way.
type rule func(e *enforcer, v any, path string) (out any, known bool, err error)

func refuse(path, reason string) (any, bool, error) {
	return nil, false, &malformed{path, reason}
}

// unknown is an unknown member: Loud fails, Spec strips.
func (e *enforcer) unknown(path, member string) (any, bool, error) {
	if !e.spec {
		return refuse(path, fmt.Sprintf("is unknown: %q", member))
	}
	return nil, false, nil
}

type field struct {
	name     string
	required bool
	rule     rule
}

func need(name string, r rule) field { return field{name, true, r} }
func may(name string, r rule) field  { return field{name, false, r} }

var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

// pointer adds a token to a JSON pointer.
func pointer(path, token string) string { return path + "/" + pointerToken.Replace(token) }

func closed(fields ...field) rule {
	known := map[string]bool{}
	for _, f := range fields {
		known[f.name] = true
	}
	return func(e *enforcer, v any, path string) (any, bool, error) {
		m, ok := v.(map[string]any)
		if !ok {
			return refuse(path, "is no object")
		}
		for _, f := range fields {
			at := pointer(path, f.name)
			x, has := m[f.name]
			if !has && f.required {
				return refuse(at, "is missing")
			}
			if !has {
				continue
			}
			if x == nil && !f.required {
				e.warn(at, "null in an optional field, read as absent")
				delete(m, f.name)
				continue
			}
			out, ok, err := f.rule(e, x, at)
			if err != nil {
				return nil, false, err
			}
			if ok {
				m[f.name] = out
				continue
			}
			if f.required {
				return nil, false, nil
			}
			e.warn(at, "unknown member of a union or enum, removed")
			delete(m, f.name)
		}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if known[name] {
				continue
			}
			delete(m, name)
			if e.spec {
				e.warn(pointer(path, name), "unknown property, removed")
			}
		}
		return m, true, nil
	}
}

func union(discriminator string, arms map[string]rule) rule {
	return func(e *enforcer, v any, path string) (any, bool, error) {
		m, ok := v.(map[string]any)
		if !ok {
			return refuse(path, "is no object")
		}
		name, ok := m[discriminator].(string)
		if !ok {
			return refuse(pointer(path, discriminator), "is no string")
		}
		arm, ok := arms[name]
		if !ok {
			return e.unknown(pointer(path, discriminator), name)
		}
		return arm(e, m, path)
	}
}

func list(element rule, least int) rule {
	return func(e *enforcer, v any, path string) (any, bool, error) {
		items, ok := v.([]any)
		if !ok {
			return refuse(path, "is no array")
		}
		if len(items) < least {
			return refuse(path, "is empty")
		}
		kept := items[:0]
		for i, item := range items {
			at := path + "/" + strconv.Itoa(i)
			out, ok, err := element(e, item, at)
			if err != nil {
				return nil, false, err
			}
			if !ok {
				e.warn(at, "unknown member of a union or enum, removed")
				continue
			}
			kept = append(kept, out)
		}
		return kept, true, nil
	}
}

func str(_ *enforcer, v any, path string) (any, bool, error) {
	if _, ok := v.(string); !ok {
		return refuse(path, "is no string")
	}
	return v, true, nil
}

// open is an object by whose keys anything may be said.
func open(_ *enforcer, v any, path string) (any, bool, error) {
	if _, ok := v.(map[string]any); !ok {
		return refuse(path, "is no object")
	}
	return v, true, nil
}

func notNull(_ *enforcer, v any, path string) (any, bool, error) {
	if v == nil {
		return refuse(path, "is null")
	}
	return v, true, nil
}

func count(_ *enforcer, v any, path string) (any, bool, error) {
	n, ok := v.(json.Number)
	if !ok || !safeInteger(n) || decimalOf(n).negative {
		return refuse(path, "is no whole number from 0 to 9007199254740991")
	}
	return v, true, nil
}

func constant(want string) rule {
	return func(_ *enforcer, v any, path string) (any, bool, error) {
		if v != any(want) {
			return refuse(path, "is not "+strconv.Quote(want))
		}
		return v, true, nil
	}
}

func enum(members ...string) rule {
	return func(e *enforcer, v any, path string) (any, bool, error) {
		s, ok := v.(string)
		if !ok {
			return refuse(path, "is no string")
		}
		if !slices.Contains(members, s) {
			return e.unknown(path, s)
		}
		return v, true, nil
	}
}
