import type { EnvSource } from '../../adapters/read-variables.ts';
import type { ImageProcess } from './image-processes.ts';

const LIMIT_MS = 5_000;

/** Asks a process of the same container whether it is ready. @returns 0 where it is, else 1; what it said goes to standard error */
export async function probe({ health }: Pick<ImageProcess, 'health'>, env: EnvSource): Promise<number> {
  const url = `http://127.0.0.1:${env[health.variable] || health.port}/health`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (answer.ok) return 0;
    process.stderr.write(`${answer.status} ${(await answer.text()).slice(0, 500)}\n`);
  } catch (error) {
    process.stderr.write(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}\n`);
  }
  return 1;
}
