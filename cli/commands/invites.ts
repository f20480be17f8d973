import { z } from 'zod';
import { actingOrg, type OrgOption, orgPath } from '../acting-org.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { type InviteReply, inviteReply } from '../people-replies.ts';

const openInvites = z.looseObject({ items: z.array(inviteReply) });

/** `fairlead invite <email>`: by mail, or with a link to pass on that is printed this once. */
export async function invite(
  context: CliContext,
  options: OrgOption,
  order: {
    readonly email: string;
    readonly role: string;
    readonly modules: readonly string[];
    readonly sendEmail: boolean;
  },
): Promise<number> {
  const { output, connection } = context;
  const slug = actingOrg(connection, options.org);
  const provider = await context.provider();
  const path = orgPath(slug, 'invites');
  const made = await provider.call(inviteReply, { method: 'POST', path, body: order });
  output.document(made);
  if (output.quiet) output.print(made.inviteUrl ?? made.id);
  else {
    output.print(`Invited ${output.paint('bold', made.email)} to ${slug} as ${made.role}, until ${dayOf(made)}`);
    if (made.inviteUrl != null) output.print(made.inviteUrl);
  }
  if (made.outboxUrl != null) {
    output.note(
      `No mail is sent: this installation has no mail server (SMTP_URL). A super admin reads it at ${made.outboxUrl}`,
    );
    output.note('To pass the link on yourself, invite again with --no-mail.');
  }
  if (made.inviteUrl != null) output.note('Anyone with this link can join as that address. It is shown only once.');
  return exitCode('ok');
}

/** `fairlead invites`: those that are open. */
export async function listInvites(context: CliContext, options: OrgOption): Promise<number> {
  const { output, connection } = context;
  const slug = actingOrg(connection, options.org);
  const found = await (await context.provider()).call(openInvites, { method: 'GET', path: orgPath(slug, 'invites') });
  output.document(found);
  if (output.quiet) for (const { id } of found.items) output.print(id);
  else if (found.items.length === 0) output.print(`${slug} has no open invitation.`);
  else {
    output.table(
      [
        { title: 'PERSON' },
        { title: 'ROLE' },
        { title: 'MODULES', shrinks: true },
        { title: 'UNTIL' },
        { title: 'ID' },
      ],
      found.items.map((open) => [
        { text: open.email, tone: 'bold' },
        { text: open.role },
        { text: open.modules.join(', ') },
        { text: dayOf(open) },
        { text: open.id, tone: 'dim' },
      ]),
    );
  }
  return exitCode('ok');
}

/** `fairlead invites withdraw <invite>`, by its id or address. */
export async function withdrawInvite(context: CliContext, which: string, options: OrgOption): Promise<number> {
  const { output, connection } = context;
  const slug = actingOrg(connection, options.org);
  const provider = await context.provider();
  const { items } = await provider.call(openInvites, { method: 'GET', path: orgPath(slug, 'invites') });
  const open = items.find(({ id, email }) => id === which || email === which.trim().toLowerCase());
  if (open === undefined) {
    throw new CliFailure('NOT_FOUND', `${slug} has no open invitation ${which}.`, {
      exit: 'notFound',
      remedy: `List them: \`fairlead invites --org ${slug}\``,
    });
  }
  output.document(await provider.call(z.unknown(), { method: 'DELETE', path: orgPath(slug, 'invites', open.id) }));
  output.print(output.quiet ? open.id : `The invitation of ${open.email} was withdrawn`);
  return exitCode('ok');
}

const dayOf = ({ expiresAt }: InviteReply): string => expiresAt.slice(0, 10);
