import { setTimeout as sleep } from 'node:timers/promises';
import { FairleadError } from '../domain/errors.ts';

const ATTEMPTS = 20;
const MAX_WAIT_MS = 50;

/**
 * Looks at a record and writes what was checked against it; both again while others write it in between.
 * @throws CONFLICT (retryable) when others did so each of {@link ATTEMPTS} times; else what the work throws
 */
export async function checkAgain<T>(lookAndWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await lookAndWrite();
    } catch (error) {
      if (!(error instanceof FairleadError && error.code === 'CONFLICT') || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * MAX_WAIT_MS);
    }
  }
}
