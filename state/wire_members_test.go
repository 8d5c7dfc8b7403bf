package state

import "testing"

func TestMembersAreFoundByName(t *testing.T) {
	for m, name := range memberNames {
		if got, ok := memberNamed([]byte(name)); !ok || got != member(m) {
			t.Errorf("%q is found as %v", name, got)
		}
		for _, other := range []string{name + "x", "x" + name, name[:len(name)-1] + "\x00"} {
			if got, ok := memberNamed([]byte(other)); ok {
				t.Errorf("%q is found as %v", other, got)
			}
		}
	}
	if _, ok := memberNamed(nil); ok {
		t.Error("the empty name is a member")
	}
}

// Names that hash to many taken slots must not make a lookup slow: probing ends at the first free one.
func TestMemberSlotsStaySparse(t *testing.T) {
	longest, run := 0, 0
	for i := range 2 * len(memberSlots) {
		if memberSlots[uint8(i)] == 0 {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest > 8 {
		t.Errorf("%d slots in a row are taken", longest)
	}
}
