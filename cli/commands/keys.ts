import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';

const text = z.string();
const keyReply = z.looseObject({ id: text, state: text, createdAt: text.nullish(), activatedAt: text.nullish() });
const keysReply = z.looseObject({
  keys: z.array(keyReply),
  withdrawn: z.array(z.looseObject({ id: text, withdrawnAt: text })).default([]),
});
const changeReply = z.looseObject({ activated: text.nullable(), created: z.array(text) });

const keysPath = (...rest: readonly string[]): string => pathOf('api', 'admin', 'keys', ...rest);

/** `fairlead keys`: the signing keys; for platform admins, like all of these. */
export async function listKeys({ provider, output }: CliContext): Promise<number> {
  const reply = await (await provider()).call(keysReply, { method: 'GET', path: keysPath() });
  output.document(reply);
  if (output.quiet) for (const { id } of reply.keys) output.print(id);
  else {
    output.table(
      [{ title: 'KEY' }, { title: 'STATE' }, { title: 'SINCE' }],
      [
        ...reply.keys.map(({ id, state, activatedAt, createdAt }) => [
          { text: id, tone: 'bold' as const },
          { text: state },
          { text: activatedAt ?? createdAt ?? '' },
        ]),
        ...reply.withdrawn.map(({ id, withdrawnAt }) => [
          { text: id },
          { text: 'withdrawn', tone: 'bad' as const },
          { text: withdrawnAt },
        ]),
      ],
    );
  }
  return exitCode('ok');
}

/** `fairlead keys rotate`. */
export async function rotateKeys(
  { provider, output }: CliContext,
  { force = false }: { force?: boolean },
): Promise<number> {
  const request = { method: 'POST', path: keysPath('rotate'), body: { force } } as const;
  const reply = await (await provider()).call(changeReply, request);
  output.document(reply);
  if (output.quiet) output.print(reply.activated ?? '');
  else output.print(reply.activated === null ? 'The same key signs as before' : `${reply.activated} signs from now on`);
  return exitCode('ok');
}

/** `fairlead keys withdraw <key>`. */
export async function withdrawKey(
  context: CliContext,
  key: string,
  { reason, ...options }: { reason?: string; yes?: boolean },
): Promise<number> {
  const { output } = context;
  const effect = `Withdrawing ${key} voids every token that it signed. People and services get new ones by themselves.`;
  await confirm(context, options, { text: effect, command: `keys withdraw ${key}` });
  const request = { method: 'POST', path: keysPath(key, 'withdraw'), body: { reason } } as const;
  const reply = await (await context.provider()).call(changeReply, request);
  output.document(reply);
  if (output.quiet) output.print(key);
  else output.print(`Withdrew ${key}${reply.activated === null ? '' : `; ${reply.activated} signs in its place`}`);
  return exitCode('ok');
}
