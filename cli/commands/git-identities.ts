import { z } from 'zod';
import type { GitProvider } from '../../domain/git-provider.ts';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { readSecrets } from '../secret-input.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();
const identityReply = z.looseObject({ id: text, provider: text, host: text, login: text, linkedAt: text });
const listReply = z.looseObject({ items: z.array(identityReply) });

/** `fairlead git link [host] --provider …`: the token comes from a prompt or stdin, never from the command line. */
export async function linkAccount(
  { output, api, terminal }: CliContext,
  host: string | undefined,
  { provider }: { readonly provider: GitProvider },
): Promise<number> {
  const { token } = await readSecrets(['token'], terminal);
  const body = { provider, token, ...(host === undefined ? {} : { host }) };
  const linked = await api.call(identityReply, { method: 'POST', path: pathOf('git', 'identities'), body });
  output.document(linked);
  output.print(`${linked.login} at ${linked.host} is linked to you`);
  output.note('The token was shown to that host once, and is kept nowhere. You can revoke it there.');
  return exitCode('ok');
}

/** `fairlead git links`. */
export async function listAccounts({ output, api, now }: CliContext): Promise<number> {
  const list = await api.call(listReply, { method: 'GET', path: pathOf('git', 'identities') });
  output.document(list);
  if (output.quiet) for (const { id } of list.items) output.print(id);
  else if (list.items.length === 0) {
    output.print(
      'You have linked no account. To link one: `fairlead git link --provider github`, or with gitea, forgejo or gitlab',
    );
  } else {
    output.table(
      [
        { title: 'ACCOUNT' },
        { title: 'PROVIDER' },
        { title: 'HOST', shrinks: true },
        { title: 'ID' },
        { title: 'LINKED' },
      ],
      list.items.map(({ id, provider, host, login, linkedAt }) => [
        { text: login, tone: 'bold' },
        { text: provider },
        { text: host },
        { text: id },
        { text: formatAge(linkedAt, now()), tone: 'dim' },
      ]),
    );
  }
  return exitCode('ok');
}

/** `fairlead git unlink <account>`. */
export async function unlinkAccount({ output, api }: CliContext, account: string): Promise<number> {
  const { items } = await api.call(listReply, { method: 'GET', path: pathOf('git', 'identities') });
  const named = items.filter(({ id, login }) => id === account || login.toLowerCase() === account.toLowerCase());
  if (named.length > 1) {
    throw usageFailure(
      `${account} is your login at ${named.length} hosts.`,
      'Give its id: `fairlead git links` lists them.',
    );
  }
  const path = pathOf('git', 'identities', named[0]?.id ?? account);
  const unlinked = await api.call(identityReply, { method: 'DELETE', path });
  output.document(unlinked);
  output.print(`${unlinked.login} at ${unlinked.host} is not linked to you any more`);
  return exitCode('ok');
}
