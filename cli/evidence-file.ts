import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { evidenceHead } from '../sdk/audit/evidence.ts';
import type { LeafLists } from '../sdk/audit/leaf-lists.ts';
import type { SignedStatement } from '../sdk/audit/signed-statement.ts';
import type { DayVerdict } from '../sdk/audit/verify-day.ts';
import { usageFailure } from './cli-failure.ts';

/**
 * Verifies a day and writes what was read of it into a file, which stays when an event was left out: the statement, then
 * the leaf lists. They are written as they are read, as a list can be larger than the memory. @throws CliFailure with exit
 * `usage` for a file that cannot be written
 */
export async function writeEvidence(
  path: string,
  statement: SignedStatement,
  lists: LeafLists,
  verify: (lists: LeafLists) => Promise<DayVerdict>,
): Promise<DayVerdict> {
  const part = `${path}.part`;
  const file = createWriteStream(part);
  await once(file, 'open').catch((error: Error) => {
    throw usageFailure(`${path} cannot be written: ${error.message}`);
  });
  try {
    await write(file, evidenceHead('omission', [statement]));
    const result = await verify(copied(lists, file));
    file.end();
    await finished(file);
    if (result.isOmission) await rename(part, path);
    return result;
  } finally {
    file.destroy();
    await rm(part, { force: true });
  }
}

function copied(lists: LeafLists, file: WriteStream): LeafLists {
  return async (day) => {
    const lines = await lists(day);
    if (lines === null) return null;
    return {
      async next() {
        const line = await lines.next();
        if (line.done !== true) await write(file, `${line.value}\n`);
        return line;
      },
      async return() {
        await lines.return?.();
        return { done: true, value: undefined };
      },
    };
  };
}

async function write(file: WriteStream, text: string): Promise<void> {
  if (!file.write(text)) await once(file, 'drain');
}
