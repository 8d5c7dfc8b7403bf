package main

import "errors"

func run(c *invocation) error { return errors.New("not yet") }
