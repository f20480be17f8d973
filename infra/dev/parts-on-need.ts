import { succeedOnce } from '../../adapters/process/succeed-once.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { EmbeddedPart, PartContext } from './parts/embedded-part.ts';
import { describePart, type StackRow } from './stack-parts.ts';
import type { StackPorts } from './stack-ports.ts';
import type { Supervisor } from './supervisor.ts';

export interface PartsOnNeedOptions {
  readonly parts: readonly EmbeddedPart[];
  readonly context: PartContext;
  readonly supervisor: Pick<Supervisor, 'start' | 'states'>;
  readonly handOver: StackPorts['handOver'];
  /** Told what the part is served by, before its programs start. */
  readonly onRows: (rows: Readonly<Record<string, StackRow>>) => void;
}

/**
 * Makes sure that a part of the stack runs: `ensure(name)`. However many ask at the same time, it is started once; what
 * failed is tried again for the next one who asks.
 * @throws FairleadError NOT_FOUND for a part that is not in the table; UNAVAILABLE or CONFLICT when it cannot be started
 */
export function createPartsOnNeed(options: PartsOnNeedOptions): (name: string) => Promise<void> {
  return succeedOnce(async (name) => {
    const part = options.parts.find((row) => row.name === name);
    if (part === undefined) throw new FairleadError('NOT_FOUND', `the stack has no part called ${name}`);
    // The others are served by production, or run since before anybody could ask.
    if (part.starts === 'always' || options.context.env[part.replacedBy]) return;
    await startPart(part, options);
  });
}

async function startPart(part: EmbeddedPart, options: PartsOnNeedOptions): Promise<void> {
  const { context, supervisor, handOver, onRows } = options;
  context.report.line(`starting ${part.title}: needed for the first time`);
  const { children, rows } = await describePart(part, context);
  onRows(rows);
  // After a failure some of its programs may run already.
  const running = supervisor.states();
  const missing = children.filter(({ name }) => running[name] === undefined);
  if (missing.length === children.length) await handOver(Object.keys(part.ports));
  const outcomes = await Promise.allSettled(missing.map((child) => supervisor.start(child, { stopsLast: true })));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
