package state

import "strconv"

// A LimitError says that a stated limit would have been crossed. What the
// limit guards is unchanged.
type LimitError struct {
	What  string // what is limited, such as "state bytes"
	Limit int64  // its value
}

// Error names the limit and its value.
func (e *LimitError) Error() string {
	return e.What + " over the limit of " + strconv.FormatInt(e.Limit, 10)
}
