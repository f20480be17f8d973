import { z } from 'zod';
import { actingOrg, orgPath } from '../acting-org.ts';
import { pathOf } from '../api-client.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { findMember, findUserId } from '../find-person.ts';
import { orgText } from '../org-text.ts';
import { loginsReply } from '../people-replies.ts';
import { formatAge, formatMoment } from '../terminal/times.ts';

/** In whose name somebody is helped: an org's (`members …`), or the platform's (`users …`). */
export type Side = 'members' | 'users';

interface HelpOptions {
  readonly org?: string;
  readonly yes?: boolean;
}

/** The routes of one person, on either side. */
async function personPath(context: CliContext, side: Side, person: string, { org }: HelpOptions) {
  const provider = await context.provider();
  if (side === 'users') {
    const userId = await findUserId(provider, person);
    return { provider, at: (...rest: readonly string[]) => pathOf('api', 'v2', 'users', userId, ...rest) };
  }
  const slug = actingOrg(context.connection, org);
  const { userId } = await findMember(provider, slug, person);
  return { provider, at: (...rest: readonly string[]) => orgPath(slug, 'members', userId, ...rest) };
}

/** `fairlead members sessions <person>` and `users sessions <person>`. */
export async function listSessions(
  context: CliContext,
  side: Side,
  person: string,
  options: HelpOptions,
): Promise<number> {
  const { output, now } = context;
  const { provider, at } = await personPath(context, side, person, options);
  const logins = await provider.call(loginsReply, { method: 'GET', path: at('sessions') });
  output.document(logins);
  const { sessions, applications } = logins;
  if (output.quiet) for (const { id } of sessions) output.print(id);
  else if (sessions.length + applications.length === 0) output.print(`${person} is not signed in anywhere.`);
  else {
    output.table(
      [{ title: 'SINCE' }, { title: 'USED' }, { title: 'ADDRESS' }, { title: 'WHERE', shrinks: true }, { title: 'ID' }],
      [
        ...sessions.map((one) => ({ ...one, used: one.lastSeenAt, where: one.userAgent })),
        ...applications.map((one) => ({ ...one, used: one.lastUsedAt, where: one.clientId })),
      ].map(({ id, address, createdAt, used, where }) => [
        { text: formatMoment(createdAt) },
        { text: formatAge(used, now()) },
        { text: address },
        { text: where },
        { text: id, tone: 'dim' },
      ]),
    );
  }
  return exitCode('ok');
}

/** `fairlead members end-sessions <person> [session]` and `users end-sessions <person> [session]`. */
export async function endSessions(
  context: CliContext,
  side: Side,
  { person, session }: { readonly person: string; readonly session: string | undefined },
  options: HelpOptions,
): Promise<number> {
  const { output } = context;
  const { provider, at } = await personPath(context, side, person, options);
  const path = session === undefined ? at('sessions') : at('sessions', session);
  output.document(await provider.call(z.unknown(), { method: 'DELETE', path }));
  const what = session === undefined ? `${person} is signed out everywhere` : `The session of ${person} is over`;
  output.print(output.quiet ? (session ?? person) : what);
  return exitCode('ok');
}

/** `fairlead members reset-second-factor <person>` and `users reset-second-factor <person>`. */
export async function resetSecondFactor(
  context: CliContext,
  side: Side,
  person: string,
  options: HelpOptions,
): Promise<number> {
  const { output } = context;
  await confirm(context, options, {
    text: `${person} loses their second factor, recovery codes and password, and is signed out everywhere. A link to choose a new password is mailed to them.`,
    command: `${side} reset-second-factor ${person}${orgText(options.org)}`,
  });
  const { provider, at } = await personPath(context, side, person, options);
  output.document(await provider.call(z.unknown(), { method: 'POST', path: at('reset-second-factor') }));
  output.print(output.quiet ? person : `Reset. ${person} chooses a new password by the mailed link.`);
  return exitCode('ok');
}
