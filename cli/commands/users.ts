import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { findUserId } from '../find-person.ts';
import { requireChanges } from '../option-values.ts';
import { nameOf, type UserReply, userReply } from '../people-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printFields } from '../terminal/fields.ts';

const userPath = (...rest: readonly string[]): string => pathOf('api', 'v2', 'users', ...rest);

/** `fairlead users [prefix]`: accounts of the installation by address; for the platform, like all of these. */
export async function listUsers(
  context: CliContext,
  prefix: string | undefined,
  options: { limit: number },
): Promise<number> {
  const { output } = context;
  const provider = await context.provider();
  const query = { query: prefix };
  const page = await readPages(provider, userReply, { path: userPath(), query, limit: options.limit });
  output.document(page);
  if (output.quiet) for (const { email } of page.items) output.print(email);
  else if (page.items.length === 0) output.print('No account has this prefix.');
  else {
    output.table(
      [{ title: 'PERSON' }, { title: 'NAME', shrinks: true }, { title: 'ORG' }, { title: 'PLATFORM' }, { title: '' }],
      page.items.map((user) => [
        { text: user.email, tone: 'bold' },
        { text: nameOf(user) },
        { text: user.primaryOrg ?? '' },
        { text: user.platformRoles.join(', ') },
        { text: user.suspendedAt == null ? '' : 'suspended', tone: 'bad' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead users show <person>`. */
export async function showUser(context: CliContext, person: string): Promise<number> {
  const provider = await context.provider();
  const path = userPath(await findUserId(provider, person));
  printUser(context, await provider.call(userReply, { method: 'GET', path }));
  return exitCode('ok');
}

/** `fairlead users update <person>`: a name, or platform roles. */
export async function updateUser(
  context: CliContext,
  person: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<number> {
  requireChanges(fields, 'users update');
  const provider = await context.provider();
  const path = userPath(await findUserId(provider, person));
  printUser(context, await provider.call(userReply, { method: 'PATCH', path, body: fields }));
  return exitCode('ok');
}

/** `fairlead users suspend <person>` and `restore <person>`. */
export async function suspendUser(
  context: CliContext,
  person: string,
  verb: 'suspend' | 'restore',
  options: { yes?: boolean },
): Promise<number> {
  if (verb === 'suspend') {
    const text = `Suspending ${person} ends all their sessions, logins and tokens in every org.`;
    await confirm(context, options, { text, command: `users suspend ${person}` });
  }
  const provider = await context.provider();
  const path = userPath(await findUserId(provider, person), verb);
  printUser(context, await provider.call(userReply, { method: 'POST', path }));
  return exitCode('ok');
}

function printUser({ output }: CliContext, user: UserReply): void {
  output.document(user);
  if (output.quiet) {
    output.print(user.id);
    return;
  }
  const proven = user.emailVerified === false ? ' (not confirmed)' : '';
  printFields(output, [
    ['Person', `${nameOf(user)} <${user.email}>${proven}`],
    ['Id', user.id],
    ['Org', user.primaryOrg ?? 'none'],
    ['Platform', user.platformRoles.join(', ')],
    ...(user.suspendedAt == null ? [] : [['Suspended', user.suspendedAt] as const]),
  ]);
}
