package state

func EqualJSON(a, b []byte) bool           { return false }
func CanonicalJSON(dst, raw []byte) []byte { return append(dst, raw...) }
func NormalizeJSON(dst, raw []byte) []byte { return append(dst, raw...) }
