package engine_test

import (
	"encoding/json"
	"reflect"
	"syscall"
	"testing"

	"github.com/bytedance/sonic"
)

// TestTypedStateAtThePagesEnd is D09's other half: the native decoder reads no byte behind its text, which ends with a
// page here, in front of one that can't be read.
func TestTypedStateAtThePagesEnd(t *testing.T) {
	page := syscall.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	if err := syscall.Mprotect(memory[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"0", "7", "12345", "-9007199254740991", "1.5e-3", "1234567890123456789", `"x"`, `"\u00e9"`, "true", "null", `[1,23]`, `{"a":1}`} {
		at := memory[page-len(text) : page : page]
		copy(at, text)
		var got, want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if err := sonic.ConfigStd.Unmarshal(at, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
		var number json.Number
		if text[0] == '-' || text[0] >= '0' && text[0] <= '9' {
			if err := sonic.ConfigStd.Unmarshal(at, &number); err != nil || string(number) != text {
				t.Errorf("%s: the number is %q, %v", text, number, err)
			}
		}
	}
}
