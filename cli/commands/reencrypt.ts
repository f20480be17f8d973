import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ApiClient, pathOf } from '../api-client.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { connectToLocker } from '../locker-api.ts';
import { createLiveRegion } from '../terminal/live-region.ts';
import { printable } from '../terminal/style.ts';

const runReply = z.looseObject({
  status: z.string(),
  checked: z.number(),
  resealed: z.number(),
  unreadable: z.number(),
  unreadableSecrets: z
    .array(z.looseObject({ service: z.string(), environment: z.string().nullish(), name: z.string() }))
    .default([]),
  earlierKeyInUse: z.boolean().default(false),
  problem: z.string().nullish(),
});

type RunReply = z.infer<typeof runReply>;

/** Whose keys: the service that has the secrets, and how people name it all. */
export interface Reencryption {
  readonly api: ApiClient;
  readonly path: string;
  readonly variable: string;
  readonly command: string;
}

/** Of the builder: variables of services. */
export const ofConfig = ({ api }: CliContext): Reencryption => ({
  api,
  path: pathOf('config', 'reencryption'),
  variable: 'CONFIG_ENCRYPTION_KEY',
  command: 'config reencrypt',
});

/** Of the locker. */
export const ofLocker = (context: CliContext): Reencryption => ({
  api: connectToLocker(context),
  path: pathOf('api', 'reencryption'),
  variable: 'LOCKER_ENCRYPTION_KEY',
  command: 'locker reencrypt',
});

const POLL_MS = 1_000;

/**
 * `fairlead config reencrypt` and `locker reencrypt`: starts the run, or joins the one under way, and waits for its end. Exit `failed` when
 * something is left that no key opens, or is sealed with an earlier key still: then none must be taken out yet.
 */
export async function reencrypt(context: CliContext, keys: Reencryption): Promise<number> {
  const { output } = context;
  const { api, path } = keys;
  const region = output.interactive ? createLiveRegion(output) : null;
  let run = await api.call(runReply, { method: 'POST', path });
  try {
    const left = { message: 'The run goes on.', remedy: `Look again: \`fairlead ${keys.command}\`` };
    await interruptible(left, async (signal) => {
      let told: string | null = null;
      while (run.status === 'running') {
        const problem = run.problem ?? null;
        if (problem !== null && problem !== told) output.note(`It waits: ${printable(problem)}`);
        told = problem;
        region?.draw([output.paint('dim', `${run.checked} secrets checked, ${run.resealed} sealed anew`)]);
        await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
        run = await api.call(runReply, { method: 'GET', path, signal });
      }
    });
  } finally {
    region?.close();
  }
  return report(context, keys, run);
}

function report({ output }: CliContext, { variable }: Reencryption, run: RunReply): number {
  if (run.status !== 'completed') {
    throw new CliFailure('REENCRYPTION_FAILED', 'The run was ended before it was complete.', {
      exit: 'failed',
      remedy:
        'Start it again: what it sealed stays sealed. Its history is in the Temporal UI, as secret-reencryption/….',
    });
  }
  output.document(run);
  output.print(`${run.checked} secrets checked, ${run.resealed} sealed with the current key`);
  if (run.earlierKeyInUse) {
    output.print(`Some process seals with an earlier key still: give all of them the same ${variable} and restart`);
    output.print('them, then run this again. Take no key out before.');
  }
  if (run.unreadable === 0 && !run.earlierKeyInUse) {
    output.note(`Earlier keys can be taken out of ${variable}.`);
    return exitCode('ok');
  }
  if (run.unreadable > 0)
    output.print(`${run.unreadable} cannot be opened with any key of ${variable}. Set them anew:`);
  for (const { service, environment, name } of run.unreadableSecrets) {
    output.print(`  ${name} of ${service}${environment == null ? '' : ` in ${environment}`}`);
  }
  return exitCode('failed');
}
