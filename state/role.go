package state

// Role is the role of a message (protocol 2.1). The zero value is no role.
type Role uint8

// The seven roles.
const (
	_ Role = iota
	RoleDeveloper
	RoleSystem
	RoleAssistant
	RoleUser
	RoleTool
	RoleActivity
	RoleReasoning
)

var roleNames = [...]string{
	RoleDeveloper: "developer",
	RoleSystem:    "system",
	RoleAssistant: "assistant",
	RoleUser:      "user",
	RoleTool:      "tool",
	RoleActivity:  "activity",
	RoleReasoning: "reasoning",
}

// String is the role's name on the wire, "" for no role.
func (r Role) String() string {
	if int(r) >= len(roleNames) {
		return ""
	}
	return roleNames[r]
}

// TextRole reports whether messages of this role can be streamed as text.
func (r Role) TextRole() bool { return r >= RoleDeveloper && r <= RoleUser }

// ParseRole finds a role by its wire name.
func ParseRole(name []byte) (Role, bool) {
	switch string(name) {
	case "developer":
		return RoleDeveloper, true
	case "system":
		return RoleSystem, true
	case "assistant":
		return RoleAssistant, true
	case "user":
		return RoleUser, true
	case "tool":
		return RoleTool, true
	case "activity":
		return RoleActivity, true
	case "reasoning":
		return RoleReasoning, true
	}
	return 0, false
}
