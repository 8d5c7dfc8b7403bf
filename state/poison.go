package state

// poisonByte is no ASCII and never stands alone in UTF-8, so a string that outlived its lending shows at once.
const poisonByte = 0xDB

// poison overwrites memory whose lending has ended, in the builds that do (race, aguipoison).
func poison(b []byte) {
	if !docPoison {
		return
	}
	for i := range b {
		b[i] = poisonByte
	}
}
