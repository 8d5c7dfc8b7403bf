package decode

func Members(raw []byte, yield func(key, value []byte) bool)    {}
func Elements(raw []byte, yield func(i int, value []byte) bool) {}
