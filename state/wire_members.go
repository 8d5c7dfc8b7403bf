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

var memberOf = func() map[string]member {
	of := make(map[string]member, numMembers)
	for m, name := range memberNames {
		of[name] = member(m)
	}
	return of
}()

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
