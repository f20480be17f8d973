import { type Html, html } from '../../api/http/pages/html.ts';
import { type KeptDatabaseView, keptReplySchema } from '../../domain/backups/kept-database-schema.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { badge } from '../look/badge.ts';
import { partCard, table } from '../look/components.ts';
import { exact } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { databaseLabel, size } from './words.ts';

/** Page of a kept database; its drop is below, as in the API. */
export const keptPath = (id: string): string => pathOf('databases', 'kept', id);

export type KeptPart = Part<readonly KeptDatabaseView[]>;

export async function readKept({ platform }: Pick<PageContext, 'platform'>): Promise<readonly KeptDatabaseView[]> {
  return (await platform.get('builder', '/databases/kept', keptReplySchema)).databases;
}

/** Databases that are kept before they are dropped: of a service, or of all that the person sees. */
export async function loadKept(context: Pick<PageContext, 'platform'>, of: string | null): Promise<KeptPart> {
  return await part(readKept(context).then((all) => all.filter(({ service }) => of === null || service === of)));
}

/** Nothing where none is kept. */
export function keptCard(kept: KeptPart): Html | null {
  if (kept.ok && kept.value.length === 0) return null;
  return partCard({ title: 'Kept before they are dropped', id: 'kept', flush: true }, kept, (databases) =>
    table(
      'Kept databases, the next to go first',
      [
        { label: 'Database', kind: 'main' },
        { label: 'Because' },
        { label: 'Size', kind: 'number' },
        { label: 'Dropped on' },
      ],
      databases.map((one) => [
        html`<a href="${keptPath(one.id)}">${databaseLabel(one)}</a> ${one.environment !== null && environmentBadge(one.environment)}`,
        whyKept(one),
        size(one.sizeBytes),
        dropDay(one),
      ]),
    ),
  );
}

export function whyKept({ because, of, service }: KeptDatabaseView): string {
  return because === 'restore' ? `A restore replaced it in ${of}` : `${service ?? 'Its service'} was removed`;
}

export function dropDay({ state, keptUntil }: KeptDatabaseView): Html {
  return state === 'dropping' ? badge('busy', 'Is being dropped') : html`${exact(keptUntil)}`;
}
