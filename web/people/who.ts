import type { PersonCaller } from '../../api/http/caller.ts';
import { type HtmlValue, html } from '../../api/http/pages/html.ts';
import { MOST_NAMED, memberViewSchema } from '../../domain/orgs/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { part } from '../platform/part.ts';
import { type Platform, pathOf } from '../platform/platform.ts';

/** Writes who did something, from the id that records keep. */
export type Who = (id: string) => HtmlValue;

/** Whom a page names. */
export interface Named {
  /** As records keep them, with those that are no people. */
  readonly ids: readonly (string | null)[];
  /** Org that they are looked up in; that of the person by default. */
  readonly org?: string;
}

interface Name {
  readonly name: string;
  readonly email: string;
}

interface Viewer {
  readonly platform: Platform;
  readonly person: PersonCaller;
}

const MEMBERS = pageSchema(memberViewSchema);
const IS_PERSON = /^usr_/;

/**
 * Looks up the people of a page, all with one call: members of the org, whom the provider shows to members. Whoever is not in
 * it, and everybody where the provider does not answer or may not tell, stays an id.
 */
export async function nameAll({ platform, person }: Viewer, { ids, org = person.org }: Named): Promise<Who> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && IS_PERSON.test(id) && id !== person.userId);
  const asked = wanted.slice(0, MOST_NAMED).join(',');
  if (asked === '' || org === '') return writeWho(person);
  const path = pathOf('api', 'v2', 'orgs', org, 'members');
  const found = await part(platform.get('idp', path, MEMBERS, { ids: asked, limit: MOST_NAMED }));
  const members = found.ok ? found.value.items : [];
  const names = members.map(({ userId, firstName, lastName, email }) => {
    return [userId, { name: `${firstName} ${lastName}`.trim() || email, email }] as const;
  });
  return writeWho(person, new Map(names));
}

/** People by their names, as far as these are known; who pushed by their login; the platform as such; others by their id. */
export function writeWho({ userId }: Viewer['person'], names: ReadonlyMap<string, Name> = new Map()): Who {
  return (id) => {
    if (id === userId) return 'you';
    const known = names.get(id);
    // A name is what its owner chose: the address and the id tell people apart.
    if (known !== undefined) return html`<span title="${known.email}, ${id}">${known.name}</span>`;
    if (id === 'internal') return 'the platform';
    if (id === 'git') return 'a push';
    return id.startsWith('git:') ? html`a push by <code>${id.slice(4)}</code>` : html`<code>${id}</code>`;
  };
}
