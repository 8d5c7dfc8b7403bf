import { isDeepStrictEqual } from "node:util";
import { enforceOutgoingInput } from "@ag-ui/client";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";

// judge says what the schema has against a request, and what the official client would strip from it before sending.
// The schemas let unknown members pass, so the second finds what the first doesn't.
export function judge(input) {
  const parsed = RunAgentInputSchema.safeParse(input);
  if (!parsed.success) return { issues: parsed.error.issues.map((i) => `/${i.path.join("/")}: ${i.message}`) };
  const warnings = [];
  const warn = console.warn;
  console.warn = (...args) => warnings.push(args.join(" "));
  try {
    const enforced = enforceOutgoingInput(input);
    const filled = { tools: [], context: [], ...input }; // absent and empty mean the same, and it fills them in
    if (!isDeepStrictEqual(enforced, filled)) warnings.push("what is left after enforcement is not what was sent");
  } finally {
    console.warn = warn;
  }
  return { issues: warnings };
}
