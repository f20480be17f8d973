import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answeredBy, commandOf, idOf, listsOf, readMessages } from '../support/mongo-messages.ts';

/** What the record of a build is told of one of its steps. */
export interface StepMark {
  readonly buildId: string;
  readonly step: string;
  readonly state: 'running' | 'completed';
}

export interface StepMarks {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/**
 * Stands before the database. All passes; when the server has kept the mark of a step, who made it hears so once `kept` resolves,
 * or never where it resolves to true.
 */
export async function startStepMarks(
  server: { readonly host: string; readonly port: number },
  kept: (mark: StepMark) => Promise<boolean>,
): Promise<StepMarks> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const onward = connect(server);
    const waiting = new Map<number, StepMark>();
    let last = Promise.resolve();
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        onward.destroy();
      });
    }
    readMessages(client, (message) => {
      const mark = markIn(message);
      if (mark !== null) waiting.set(idOf(message), mark);
      onward.write(message);
    });
    readMessages(onward, (message) => {
      const mark = waiting.get(answeredBy(message));
      waiting.delete(answeredBy(message));
      // In the order in which the server answered.
      last = last.then(async () => {
        if (mark !== undefined && (await kept(mark))) client.destroy();
        else client.write(message);
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(() => resolve()));
    },
  };
}

interface Update {
  readonly q: { readonly _id?: unknown };
  readonly u: { readonly $set?: Readonly<Record<string, unknown>> };
  readonly arrayFilters?: readonly Readonly<Record<string, unknown>>[];
}

/** As the store of builds writes it: `markStep` in adapters/mongo/deploys/builds.ts. */
function markIn(message: Buffer): StepMark | null {
  const command = commandOf(message);
  if (command.update !== 'builds') return null;
  const { updates = [] } = { ...command, ...listsOf(message) } as { readonly updates?: readonly Update[] };
  for (const { q, u, arrayFilters } of updates) {
    const step = arrayFilters?.[0]?.['step.key'];
    const state = u.$set?.['steps.$[step].state'];
    const isMark = typeof q._id === 'string' && typeof step === 'string';
    if (isMark && (state === 'running' || state === 'completed')) return { buildId: q._id as string, step, state };
  }
  return null;
}
