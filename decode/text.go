package decode

func AppendString(dst, raw []byte) []byte               { return append(dst, raw...) }
func AppendDelta(dst, raw []byte, carry *uint16) []byte { return append(dst, raw...) }
func AppendValidUTF8(dst, b []byte) []byte              { return append(dst, b...) }
func AppendQuoted(dst []byte, s []byte) []byte          { return append(dst, s...) }
func AppendQuotedString(dst []byte, s string) []byte    { return append(dst, s...) }
func Valid(b []byte, depth int) bool                    { return true }
func Sanitize(dst, raw []byte) []byte                   { return raw }
