package plain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// applyTree applies a patch by the letter of RFC 6902, to a tree of its own.
func (p *patch) applyTree(doc []byte) ([]byte, error) {
	root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	copied := 0
	for i := range p.ops {
		if root, err = p.ops[i].apply(root, &copied); err != nil {
			return nil, fmt.Errorf("operation %d (%s %q): %w", p.ops[i].index, p.ops[i].op, p.ops[i].rawPath, err)
		}
	}
	return appendJSON(nil, root), nil
}

func (o *operation) apply(root any, copied *int) (any, error) {
	switch o.op {
	case "test":
		got, err := lookup(root, o.path)
		if err != nil {
			return nil, err
		}
		if !equalTrees(got, mustParse(o.value)) {
			return nil, errors.New("the value is another one")
		}
		return root, nil
	case "copy":
		got, err := lookup(root, o.from)
		if err != nil {
			return nil, err
		}
		text := appendJSON(nil, got)
		if *copied += len(text); *copied > patchCopyLimit {
			return nil, fmt.Errorf("the patch would copy more than %d bytes", patchCopyLimit)
		}
		clone, err := parse(text)
		if err != nil {
			return nil, err
		}
		return edit(root, o.path, "add", clone)
	case "move":
		if within(o.path, o.from) {
			return nil, errors.New("a value can't move into itself")
		}
		got, err := lookup(root, o.from)
		if err != nil || slices.Equal(o.path, o.from) {
			return root, err
		}
		if root, err = edit(root, o.from, "remove", nil); err != nil {
			return nil, err
		}
		return edit(root, o.path, "add", got)
	case "remove":
		return edit(root, o.path, "remove", nil)
	}
	return edit(root, o.path, o.op, mustParse(o.value))
}

// within tells whether path lies below from.
func within(path, from []string) bool {
	return len(path) > len(from) && slices.Equal(path[:len(from)], from)
}

var errMissing = errors.New("there is nothing at the path")

// position reads an array index: digits without leading zeros, below limit.
func position(token string, limit int) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token || i < 0 || i >= limit {
		return 0, fmt.Errorf("%q is no index of this array", token)
	}
	return i, nil
}

func lookup(node any, path []string) (any, error) {
	for _, token := range path {
		switch c := node.(type) {
		case map[string]any:
			child, ok := c[token]
			if !ok {
				return nil, errMissing
			}
			node = child
		case []any:
			i, err := position(token, len(c))
			if err != nil {
				return nil, err
			}
			node = c[i]
		default:
			return nil, errMissing
		}
	}
	return node, nil
}

// edit gives node after an add, replace or remove at path.
func edit(node any, path []string, op string, value any) (any, error) {
	if len(path) == 0 {
		if op == "remove" {
			return nil, errors.New("the whole document can't be removed")
		}
		return value, nil
	}
	token, last := path[0], len(path) == 1
	switch c := node.(type) {
	case map[string]any:
		child, ok := c[token]
		if !ok && !(last && op == "add") {
			return nil, errMissing
		}
		if last && op == "remove" {
			delete(c, token)
			return c, nil
		}
		child, err := edit(child, path[1:], op, value)
		if err != nil {
			return nil, err
		}
		c[token] = child
		return c, nil
	case []any:
		if last && op == "add" {
			if token == "-" {
				return append(c, value), nil
			}
			i, err := position(token, len(c)+1)
			if err != nil {
				return nil, err
			}
			return slices.Insert(c, i, value), nil
		}
		i, err := position(token, len(c))
		if err != nil {
			return nil, err
		}
		if last && op == "remove" {
			return slices.Delete(c, i, i+1), nil
		}
		child, err := edit(c[i], path[1:], op, value)
		if err != nil {
			return nil, err
		}
		c[i] = child
		return c, nil
	}
	return nil, errMissing
}
