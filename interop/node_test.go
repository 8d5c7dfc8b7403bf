package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	startLimit  = 30 * time.Second // node reads its packages; the machine may be busy
	answerLimit = 40 * time.Second
)

func TestMain(m *testing.M) {
	status := m.Run()
	stopPeer()
	os.Exit(status)
}

// peer is the process with the official packages (node/peer.mjs), one for all tests, started by the first that needs it.
var peer struct {
	once sync.Once
	cmd  *exec.Cmd
	in   io.Closer // its end is the process's
	url  string
	skip string
	err  error
}

// node is the address of the peer. Where there can be none the test is skipped.
func node(t *testing.T) string {
	t.Helper()
	peer.once.Do(startPeer)
	switch {
	case peer.skip != "":
		t.Skip(peer.skip)
	case peer.err != nil:
		t.Fatal(peer.err)
	}
	return peer.url
}

func startPeer() {
	bin, err := exec.LookPath("node")
	if err != nil {
		peer.skip = "node is not installed: nothing is tried against the official TypeScript packages"
		return
	}
	if _, err := os.Stat(filepath.Join("node", "node_modules", ".package-lock.json")); err != nil {
		peer.skip = "the npm packages are not installed: run npm ci in interop/node"
		return
	}
	// go test keeps a result for as long as the files that it saw opened stay the same, and doesn't see node open them.
	scripts, _ := filepath.Glob(filepath.Join("node", "*.mjs"))
	for _, s := range scripts {
		if _, err := os.ReadFile(s); err != nil {
			peer.err = err
			return
		}
	}
	peer.err = launch(bin)
}

func launch(bin string) error {
	cmd := exec.Command(bin, "peer.mjs")
	cmd.Dir = "node"
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	peer.cmd, peer.in = cmd, in
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(out).ReadString('\n')
		line <- strings.TrimSpace(text)
	}()
	select {
	case peer.url = <-line:
	case <-time.After(startLimit):
	}
	if !strings.HasPrefix(peer.url, "http://127.0.0.1:") {
		stopPeer()
		return fmt.Errorf("node/peer.mjs says no address within %v: %q %s", startLimit, peer.url, said.Bytes())
	}
	return nil
}

// stopPeer lets the process end, and makes it if it doesn't.
func stopPeer() {
	if peer.cmd == nil {
		return
	}
	_ = peer.in.Close()
	late := time.AfterFunc(5*time.Second, func() { _ = peer.cmd.Process.Kill() })
	_ = peer.cmd.Wait()
	late.Stop()
	peer.cmd = nil
}

// call posts a question to the peer, and reads the answer.
func call(t *testing.T, path string, question []byte, answer any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, node(t)+path, bytes.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s: %v in %s", path, err, text)
	}
}
