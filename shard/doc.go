// Package shard runs very many ordered byte streams on a few goroutines.
package shard
