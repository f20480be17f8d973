import { z } from 'zod';
import { actingOrg, type OrgOption, orgPath } from '../acting-org.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { findMember, findUserId, isMember, ownId } from '../find-person.ts';
import { type MemberReply, memberReply, nameOf } from '../people-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printFields } from '../terminal/fields.ts';

/** `fairlead members`: the people of an org. */
export async function listMembers(context: CliContext, options: OrgOption & { limit: number }): Promise<number> {
  const { output, connection } = context;
  const slug = actingOrg(connection, options.org);
  const provider = await context.provider();
  const page = await readPages(provider, memberReply, { path: orgPath(slug, 'members'), limit: options.limit });
  output.document(page);
  if (output.quiet) for (const { email } of page.items) output.print(email);
  else if (page.items.length === 0) output.print(`${slug} has no members. Invite one: fairlead invite <email>`);
  else {
    output.table(
      [
        { title: 'PERSON' },
        { title: 'NAME', shrinks: true },
        { title: 'ROLES' },
        { title: 'MODULES', shrinks: true },
        { title: '' },
      ],
      page.items.map((member) => [
        { text: member.email, tone: 'bold' },
        { text: nameOf(member) },
        { text: member.roles.join(', ') },
        { text: member.modules.join(', ') },
        { text: member.suspendedAt == null ? '' : 'suspended', tone: 'bad' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead members show <person>`. */
export async function showMember(context: CliContext, person: string, options: OrgOption): Promise<number> {
  const slug = actingOrg(context.connection, options.org);
  printMember(context, await findMember(await context.provider(), slug, person));
  return exitCode('ok');
}

/** What `members set`, `add-role` and `remove-role` make of a member's rights. */
export type RightsChange = (before: Pick<MemberReply, 'roles' | 'modules'>) => {
  readonly roles: readonly string[];
  readonly modules: readonly string[];
};

/** Two people change one member at once now and then; this often they do not. */
const TRIES = 5;

/**
 * Changes the roles and modules of a member, on the condition that they are what was read: when somebody was faster,
 * it is read and changed again, so that neither change is lost.
 * @throws CliFailure with exit `usage` when no role would be left
 */
export async function changeRights(
  context: CliContext,
  person: string,
  options: OrgOption,
  change: RightsChange,
): Promise<number> {
  const slug = actingOrg(context.connection, options.org);
  const provider = await context.provider();
  let member = await findMember(provider, slug, person);
  for (let tries = 1; ; tries += 1) {
    const { userId, email, roles, modules } = member;
    const body = { ...change(member), before: { roles, modules } };
    if (body.roles.length === 0) {
      throw usageFailure(`${email} would have no role in ${slug}.`, `To end it: \`fairlead members remove ${email}\``);
    }
    try {
      const path = orgPath(slug, 'members', userId);
      printMember(context, await provider.call(memberReply, { method: 'PUT', path, body }));
      return exitCode('ok');
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code !== 'CONFLICT' || tries === TRIES) throw error;
      member = await findMember(provider, slug, userId);
      // The same as before: it is refused for another reason.
      if (rightsOf(member) === rightsOf({ roles, modules })) throw error;
    }
  }
}

const rightsOf = ({ roles, modules }: Pick<MemberReply, 'roles' | 'modules'>) => JSON.stringify([roles, modules]);

/** `fairlead members add <person>`: puts somebody who has an account into an org; for the platform. */
export async function addMember(
  context: CliContext,
  person: string,
  options: OrgOption,
  rights: { readonly roles: readonly string[]; readonly modules: readonly string[] },
): Promise<number> {
  const slug = actingOrg(context.connection, options.org);
  const provider = await context.provider();
  const userId = await findUserId(provider, person);
  if (await isMember(provider, slug, userId)) {
    const how = `\`fairlead members add-role ${person} <role> --org ${slug}\``;
    throw new CliFailure('CONFLICT', `${person} is a member of ${slug} already.`, {
      exit: 'conflict',
      remedy: `To give them another role: ${how}`,
    });
  }
  const path = orgPath(slug, 'members', userId);
  printMember(context, await provider.call(memberReply, { method: 'PUT', path, body: rights }));
  return exitCode('ok');
}

/** `fairlead members suspend <person>` and `restore <person>`. */
export async function suspendMember(
  context: CliContext,
  person: string,
  verb: 'suspend' | 'restore',
  options: OrgOption,
): Promise<number> {
  const slug = actingOrg(context.connection, options.org);
  const provider = await context.provider();
  const { userId } = await findMember(provider, slug, person);
  const path = orgPath(slug, 'members', userId, verb);
  printMember(context, await provider.call(memberReply, { method: 'POST', path }));
  return exitCode('ok');
}

/** `fairlead members remove <person>`: takes them out of the org; anybody may leave. */
export async function removeMember(
  context: CliContext,
  person: string,
  options: OrgOption & { yes?: boolean },
): Promise<number> {
  const { output } = context;
  const slug = actingOrg(context.connection, options.org);
  await confirm(context, options, {
    text: `${person} loses all roles in ${slug}. Only a new invitation brings them back.`,
    command: `members remove ${person} --org ${slug}`,
  });
  const provider = await context.provider();
  const userId = ownId(context.connection, person) ?? (await findMember(provider, slug, person)).userId;
  const path = orgPath(slug, 'members', userId);
  output.document(await provider.call(z.unknown(), { method: 'DELETE', path }));
  output.print(output.quiet ? person : `${person} is no longer a member of ${slug}`);
  return exitCode('ok');
}

/** `fairlead members provision <email>`: an account whose person sets its first password through a headless client. */
export async function provisionMember(
  context: CliContext,
  options: OrgOption,
  person: Readonly<Record<string, unknown>>,
): Promise<number> {
  const slug = actingOrg(context.connection, options.org);
  const provider = await context.provider();
  printMember(
    context,
    await provider.call(memberReply, { method: 'POST', path: orgPath(slug, 'users'), body: person }),
  );
  return exitCode('ok');
}

function printMember({ output }: CliContext, member: MemberReply): void {
  output.document(member);
  if (output.quiet) {
    output.print(member.userId);
    return;
  }
  printFields(output, [
    ['Person', `${nameOf(member)} <${member.email}>`],
    ['Id', member.userId],
    ['Roles', member.roles.join(', ')],
    ['Modules', member.modules.join(', ')],
    ...(member.suspendedAt == null ? [] : [['Suspended', member.suspendedAt] as const]),
  ]);
}
