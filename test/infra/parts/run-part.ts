import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PartContext } from '../../../infra/dev/parts/embedded-part.ts';
import { PART_ROWS, type PartName } from '../../../infra/dev/parts.ts';
import { describePart } from '../../../infra/dev/stack-parts.ts';
import { holdFreePorts } from '../../../infra/dev/stack-ports.ts';
import { readSecrets } from '../../../infra/dev/stack-secrets.ts';
import { createSupervisor } from '../../../infra/dev/supervisor.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';

/** Embedded parts in a data folder of their own, started as a stack starts them. */
export interface TestPart {
  readonly context: PartContext;
  /** What the programs were started with. */
  readonly commandLine: string;
  /** Starts the programs again on the same data. @param meanwhile runs while they are stopped */
  readonly restart: (meanwhile?: () => Promise<void>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param prepare makes data that the parts find at their first start */
export async function runPart(
  names: PartName | readonly PartName[],
  prepare: (context: PartContext) => Promise<void> = async () => {},
): Promise<TestPart> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-part-'));
  const { secret } = await readSecrets(dataDir);
  const held = await holdFreePorts();
  await held.release();
  const context: PartContext = { dataDir, ports: held.ports, secret, env: process.env, report: silentReporter };
  await prepare(context);
  const parts = PART_ROWS.filter(({ name }) => [names].flat().includes(name as PartName));
  const described = await Promise.all(parts.map((part) => describePart(part, context)));
  const children = described.flatMap((part) => part.children);
  const start = async () => {
    const supervisor = createSupervisor({ logFolder: join(dataDir, 'logs') });
    const outcomes = await Promise.allSettled(children.map((child) => supervisor.start(child)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return supervisor;
    await supervisor.stop();
    throw failed.reason;
  };
  let running = await start();
  return {
    context,
    commandLine: children.flatMap(({ command, args }) => [command, ...args]).join(' '),
    restart: async (meanwhile) => {
      await running.stop();
      await meanwhile?.();
      running = await start();
    },
    stop: async () => {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
