// Package interop holds tests of aguistream against the official AG-UI packages, both ways over loopback HTTP: the
// TypeScript client, encoder and schemas (1.0.0), and the community Go SDK. It is a module of its own, so that who embeds
// aguistream doesn't take their dependencies in. README.md says what is proved and how to run it.
package interop
