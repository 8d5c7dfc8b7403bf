package decode

// Members walks the members of an object, given as valid JSON text, in wire order, duplicates included, until yield
// returns false. The key is unescaped and its UTF-8 repaired; it is lent until yield returns. The value is JSON text, a
// part of raw. Of text that is no object nothing is yielded. No tree is built, and nothing allocated but for keys that
// need unescaping.
func Members(raw []byte, yield func(key, value []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	for {
		i = skipSpace(raw, i+1)
		if i >= len(raw) || raw[i] != '"' {
			return
		}
		end, found := scanString(raw, i+1)
		if end < 0 {
			return
		}
		key := raw[i+1 : end : end]
		if found != 0 {
			key = textOf(key)
		}
		i = skipSpace(raw, end+1)
		if i >= len(raw) || raw[i] != ':' {
			return
		}
		i = skipSpace(raw, i+1)
		if end = skipValue(raw, i); end <= i || !yield(key, raw[i:end:end]) {
			return
		}
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ',' {
			return
		}
	}
}

// Elements walks the elements of an array, given as valid JSON text, until yield returns false. A value is JSON text, a
// part of raw. Of text that is no array nothing is yielded.
func Elements(raw []byte, yield func(i int, value []byte) bool) {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return
	}
	for n := 0; ; n++ {
		i = skipSpace(raw, i+1)
		end := skipValue(raw, i)
		if end <= i || !yield(n, raw[i:end:end]) {
			return
		}
		i = skipSpace(raw, end)
		if i >= len(raw) || raw[i] != ',' {
			return
		}
	}
}

// skipValue gives the end of the value at i. The text was validated before, so brackets only need to be counted; on
// anything else it stops somewhere, within bounds.
func skipValue(b []byte, i int) int {
	open := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, _ := scanString(b, i+1)
			if end < 0 {
				return len(b)
			}
			i = end + 1
		case '{', '[':
			open++
			i++
			continue
		case '}', ']':
			if open == 0 {
				return i
			}
			open--
			i++
		case ',', ':', ' ', '\n', '\r', '\t':
			if open == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			for i < len(b) && !structural[b[i]] {
				i++
			}
		}
		if open == 0 {
			return i
		}
	}
	return i
}

// structural marks the bytes that end a number or a literal.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true, ':': true, ' ': true, '\n': true, '\r': true, '\t': true}
