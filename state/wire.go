package state

import (
	"strings"

	"github.com/aguistream/aguistream/decode"
)

// appendKey begins a member. Only an object that was just opened ends in a brace that needs no comma, since every value
// ends in something else.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

func appendString(dst []byte, name, value string) []byte {
	return decode.AppendQuotedString(appendKey(dst, name), value)
}

func appendOpt(dst []byte, name string, o OptString) []byte {
	if !o.Present {
		return dst
	}
	return appendString(dst, name, o.Value)
}

func appendJSON(dst []byte, name string, value JSON) []byte {
	if value == nil {
		return dst
	}
	return append(appendKey(dst, name), value...)
}

func appendStrings(dst []byte, name string, list []string) []byte {
	dst = append(appendKey(dst, name), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = decode.AppendQuotedString(dst, s)
	}
	return append(dst, ']')
}

func appendList[T any](dst []byte, name string, list []T, appendOne func([]byte, *T) []byte) []byte {
	dst = append(appendKey(dst, name), '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOne(dst, &list[i])
	}
	return append(dst, ']')
}

func cloneStrings(list []string) []string {
	if list == nil {
		return nil
	}
	c := make([]string, len(list))
	for i, s := range list {
		c[i] = strings.Clone(s)
	}
	return c
}
