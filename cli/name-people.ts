import { actingOrg, orgPath } from './acting-org.ts';
import { CliFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';
import { memberReply } from './people-replies.ts';
import { pageOf } from './replies.ts';

/** Writes who did something, from the id that records keep. */
export type Who = (id: string) => string;

/** As many as the provider names at once. */
const MOST_NAMED = 100;

/**
 * Looks up the people of a list, all with one call: members of an org, whom the provider shows to members by their address.
 * Whoever is not in it stays an id, and so does everybody where the provider does not answer or may not tell.
 * @param ids as records keep them, with those that are no people
 * @param org that they are looked up in; the one that the login acts in by default
 */
export async function namePeople(
  context: Pick<CliContext, 'connection' | 'output' | 'provider'>,
  ids: readonly string[],
  org?: string,
): Promise<Who> {
  const { connection, output } = context;
  const names = new Map<string, string>();
  const { credential } = connection;
  if (credential?.kind !== 'login') return (id) => id;
  const { identityId, email: own } = credential.login;
  if (own !== null) names.set(identityId, own);
  const asked = [...new Set(ids)].filter((id) => id.startsWith('usr_') && !names.has(id)).slice(0, MOST_NAMED);
  if (asked.length > 0 && !output.json) {
    try {
      const query = { ids: asked.join(','), limit: MOST_NAMED };
      const path = orgPath(actingOrg(connection, org), 'members');
      const { items } = await (await context.provider()).call(pageOf(memberReply), { method: 'GET', path, query });
      for (const { userId, email } of items) names.set(userId, email);
    } catch (error) {
      // The list is what was asked for.
      if (!(error instanceof CliFailure)) throw error;
    }
  }
  return (id) => names.get(id) ?? id;
}
