package state

// member is one member name that some object of the wire describes.
type member uint8

const (
	memberID member = iota
	memberRole
	memberContent
	memberName
	memberToolCalls
	memberToolCallID
	memberError
	memberActivityType
	memberEncryptedValue
	memberEncryptedValueType
	memberMetadata
	memberSubagentRunID
	memberType
	memberFunction
	memberArguments
	memberText
	memberSource
	memberValue
	memberMIMEType
	memberProvider
	memberURL
	memberData
	memberFilename
	memberPendingToolCallIDs
	memberInterrupts
	memberInterruptIDs
	memberReason
	memberMessage
	memberResponseSchema
	memberExpiresAt
	memberInterruptID
	memberStatus
	memberPayload
	memberDescription
	memberParameters
	memberThreadID
	memberRunID
	memberProtocolVersion
	memberParentRunID
	memberState
	memberMessages
	memberTools
	memberContext
	memberForwardedProps
	memberResume
	memberModel
	memberInputTokens
	memberOutputTokens
	memberTotalTokens
	memberReasoningTokens
	memberCachedInputTokens
	memberCacheWriteInputTokens

	numMembers = iota
)

// Sets of members are bits of a uint64.
var _ [64 - numMembers]struct{}

var memberNames = [numMembers]string{
	memberID:                    "id",
	memberRole:                  "role",
	memberContent:               "content",
	memberName:                  "name",
	memberToolCalls:             "toolCalls",
	memberToolCallID:            "toolCallId",
	memberError:                 "error",
	memberActivityType:          "activityType",
	memberEncryptedValue:        "encryptedValue",
	memberEncryptedValueType:    "encryptedValueType",
	memberMetadata:              "metadata",
	memberSubagentRunID:         "subagentRunId",
	memberType:                  "type",
	memberFunction:              "function",
	memberArguments:             "arguments",
	memberText:                  "text",
	memberSource:                "source",
	memberValue:                 "value",
	memberMIMEType:              "mimeType",
	memberProvider:              "provider",
	memberURL:                   "url",
	memberData:                  "data",
	memberFilename:              "filename",
	memberPendingToolCallIDs:    "pendingToolCallIds",
	memberInterrupts:            "interrupts",
	memberInterruptIDs:          "interruptIds",
	memberReason:                "reason",
	memberMessage:               "message",
	memberResponseSchema:        "responseSchema",
	memberExpiresAt:             "expiresAt",
	memberInterruptID:           "interruptId",
	memberStatus:                "status",
	memberPayload:               "payload",
	memberDescription:           "description",
	memberParameters:            "parameters",
	memberThreadID:              "threadId",
	memberRunID:                 "runId",
	memberProtocolVersion:       "protocolVersion",
	memberParentRunID:           "parentRunId",
	memberState:                 "state",
	memberMessages:              "messages",
	memberTools:                 "tools",
	memberContext:               "context",
	memberForwardedProps:        "forwardedProps",
	memberResume:                "resume",
	memberModel:                 "model",
	memberInputTokens:           "inputTokens",
	memberOutputTokens:          "outputTokens",
	memberTotalTokens:           "totalTokens",
	memberReasoningTokens:       "reasoningTokens",
	memberCachedInputTokens:     "cachedInputTokens",
	memberCacheWriteInputTokens: "cacheWriteInputTokens",
}

// memberSlots finds members by a hash of their names, with open addressing. A slot holds a member plus one.
var memberSlots = func() (slots [256]uint8) {
	for m, name := range memberNames {
		h := memberHash([]byte(name))
		for slots[h] != 0 {
			h++
		}
		slots[h] = uint8(m) + 1
	}
	return slots
}()

func memberHash(name []byte) uint8 {
	n := len(name)
	return uint8(n)*29 + name[0]*7 + name[n/2]*3 + name[n-1]*13
}

// memberNamed finds the member of a name. Every snapshot asks it for every name, so it is no map.
func memberNamed(name []byte) (member, bool) {
	if len(name) == 0 {
		return 0, false
	}
	for h := memberHash(name); memberSlots[h] != 0; h++ {
		m := member(memberSlots[h] - 1)
		if memberNames[m] == string(name) {
			return m, true
		}
	}
	return 0, false
}

// String is the name on the wire.
func (m member) String() string { return memberNames[m] }

type memberSet uint64

func membersOf(list ...member) memberSet {
	var s memberSet
	for _, m := range list {
		s |= 1 << m
	}
	return s
}

func (s memberSet) has(m member) bool { return s>>m&1 != 0 }
