import { HttpAgent } from "@ag-ui/client";

const limit = 20_000; // ms, for one run

// ask makes runs on one thread, one after another, and tells what the client held after each.
export async function ask({ url, threadId, messages, state, runs }) {
  const agent = new HttpAgent({ url, threadId, initialMessages: messages, initialState: state });
  const told = [];
  for (const parameters of runs) told.push(await run(agent, parameters));
  return told;
}

async function run(agent, parameters) {
  const told = { types: [], warnings: [], error: null, runError: null, outcome: null, pending: null };
  const { warn, error } = console;
  console.warn = (...args) => told.warnings.push(args.join(" "));
  console.error = () => {}; // what the client says on its way to throwing the same
  const abortController = new AbortController();
  const timer = setTimeout(() => abortController.abort(), limit);
  try {
    await agent.runAgent({ ...parameters, abortController }, {
      onEvent: ({ event }) => void told.types.push(event.type),
      onRunErrorEvent: ({ event }) => void (told.runError = { message: event.message, code: event.code ?? null }),
      onRunFinishedEvent: ({ outcome, pendingToolCallIds }) => {
        told.outcome = outcome;
        told.pending = pendingToolCallIds ?? null;
      },
    });
  } catch (e) {
    told.error = e.message;
  } finally {
    clearTimeout(timer);
    Object.assign(console, { warn, error });
  }
  return structuredClone({ ...told, messages: agent.messages, state: agent.state, interrupts: agent.pendingInterrupts });
}
