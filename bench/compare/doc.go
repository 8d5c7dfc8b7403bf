// Package compare holds aguistream against the libraries that one would otherwise reach for, on the same bytes and in
// one run: encoding/json, fastjson, sonic, go-sse, and the decoder of the AG-UI Go SDK. It is a module of its own, so
// that who embeds aguistream doesn't take their dependencies in.
//
//	go test -bench Libraries
//
// Rows do unlike amounts of work; Row.Does says what. The rows of frames and events are to be held against each other
// within their kind: only the last two end with stores that are right.
package compare
