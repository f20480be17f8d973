import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { type CliContext, findBuildId } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { printable } from '../terminal/style.ts';

const lockfileReply = z.looseObject({
  buildId: z.string(),
  // It becomes a path.
  name: z.string().regex(/^[\w-][\w.-]*$/),
  text: z.string(),
});

/** `fairlead lockfile [build]`: the lockfile that the install of a build wrote, printed, or with `--write` put into a folder. */
export async function lockfile(
  context: CliContext,
  given: string | undefined,
  options: { readonly write?: string | true },
): Promise<number> {
  const { output } = context;
  const id = await findBuildId(context, given);
  const { buildId, name, text } = await context.api.call(lockfileReply, {
    method: 'GET',
    path: pathOf('builds', id, 'lockfile'),
  });
  if (options.write === undefined) {
    output.document({ buildId, name, text });
    if (!output.json && !output.interactive) output.raw(text);
    else for (const line of text.split('\n')) output.print(printable(line));
    output.note(`This is ${name} of ${buildId}. With --write it is put into the folder of package.json.`);
    return exitCode('ok');
  }
  const path = resolve(context.cwd, options.write === true ? '' : options.write, name);
  await writeNew(path, text);
  output.document({ buildId, name, file: path });
  output.print(output.quiet ? path : `Wrote ${path}. Commit it, and every build installs the same versions.`);
  return exitCode('ok');
}

/** @throws CliFailure with exit `conflict` where it is there already, `usage` where it cannot be written */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new CliFailure('CONFLICT', `${path} is there already, and is left as it is.`, {
        exit: 'conflict',
        remedy: 'Remove it first, or print the one of the build: leave --write out.',
      });
    }
    throw usageFailure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
