import { orgPath } from './acting-org.ts';
import { type ApiClient, pathOf } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import { type MemberReply, memberReply, userReply } from './people-replies.ts';
import { MOST, readPages } from './read-pages.ts';
import { pageOf } from './replies.ts';

/** A member of an org by user id or address. @throws CliFailure USER_NOT_FOUND with exit `notFound` */
export async function findMember(provider: ApiClient, slug: string, person: string): Promise<MemberReply> {
  if (isUserId(person)) return provider.call(memberReply, { method: 'GET', path: orgPath(slug, 'members', person) });
  const email = person.trim().toLowerCase();
  const { items } = await readPages(provider, memberReply, { path: orgPath(slug, 'members'), limit: MOST });
  const found = items.find((member) => member.email === email);
  if (found !== undefined) return found;
  throw new CliFailure('USER_NOT_FOUND', `${person} is not a member of ${slug}.`, {
    exit: 'notFound',
    remedy: `See who is: \`fairlead members --org ${slug}\`. Invite: \`fairlead invite ${person} --org ${slug}\``,
  });
}

export async function isMember(provider: ApiClient, slug: string, userId: string): Promise<boolean> {
  try {
    await provider.call(memberReply, { method: 'GET', path: orgPath(slug, 'members', userId) });
    return true;
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'USER_NOT_FOUND') return false;
    throw error;
  }
}

/** The id of an account by its address; only the platform looks accounts up. @throws CliFailure USER_NOT_FOUND */
export async function findUserId(provider: ApiClient, person: string): Promise<string> {
  if (isUserId(person)) return person;
  const email = person.trim().toLowerCase();
  const path = pathOf('api', 'v2', 'users');
  const { items } = await provider.call(pageOf(userReply), { method: 'GET', path, query: { query: email } });
  const found = items.find((user) => user.email === email);
  if (found !== undefined) return found.id;
  throw new CliFailure('USER_NOT_FOUND', `There is no account of ${person}.`, { exit: 'notFound' });
}

/** The caller's own id, when it is them who is meant: whoever leaves may not be allowed to list the others. */
export function ownId({ credential }: Connection, person: string): string | null {
  if (credential?.kind !== 'login') return null;
  const { identityId, email } = credential.login;
  return person === identityId || person.trim().toLowerCase() === email ? identityId : null;
}

const isUserId = (person: string): boolean => person.startsWith('usr_');
