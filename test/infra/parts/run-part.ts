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

/** An embedded part in a data folder of its own, started as a stack starts it. */
export interface TestPart {
  readonly context: PartContext;
  /** What its programs were started with. */
  readonly commandLine: string;
  /** Starts its programs again on the same data. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param prepare makes data that the part finds at its first start */
export async function runPart(
  name: PartName,
  prepare: (context: PartContext) => Promise<void> = async () => {},
): Promise<TestPart> {
  const dataDir = await mkdtemp(join(tmpdir(), `fairlead-part-${name}-`));
  const { secret } = await readSecrets(dataDir);
  const held = await holdFreePorts();
  await held.release();
  const context: PartContext = { dataDir, ports: held.ports, secret, env: process.env, report: silentReporter };
  await prepare(context);
  const part = PART_ROWS.find((row) => row.name === name);
  if (part === undefined) throw new RangeError(`no part ${name}`);
  const { children } = await describePart(part, context);
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
    restart: async () => {
      await running.stop();
      running = await start();
    },
    stop: async () => {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
