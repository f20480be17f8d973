import { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { KeptDatabaseView } from '../../domain/backups/kept-database-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { environmentBadge } from '../deploys/build-row.ts';
import { card, facts } from '../look/components.ts';
import { confirmForm, type FormContext, field } from '../look/forms.ts';
import { definePage } from '../page.ts';
import { dropDay, keptPath, readKept, whyKept } from './kept-card.ts';
import { databaseLabel, size } from './words.ts';

export const keptParams = z.strictObject({ id: z.string().min(1).max(200) });

/** One kept database: why it is kept and until when, and its drop before that day. */
export const keptPage = definePage({
  module: 'backups',
  path: '/databases/kept/:id',
  summary: 'One database that is kept before it is dropped',
  under: '/databases',
  callers: { 'platform-admin': true, user: 'viewer' },
  params: keptParams,
  load: async (context) => {
    const kept = (await readKept(context)).find(({ id }) => id === context.params.id);
    if (kept !== undefined) return kept;
    throw new FairleadError('DATABASE_NOT_FOUND', 'It is kept no longer: a service has it again, or it is gone');
  },
  view: (kept, context) => ({
    title: kept.databaseName,
    crumbs: [['Databases', '/databases']],
    lead: html`${databaseLabel(kept)} ${kept.environment !== null && environmentBadge(kept.environment)}`,
    body: html`${card(
      { title: 'About' },
      facts([
        ['Kept because', whyKept(kept)],
        ['Size when it was kept', size(kept.sizeBytes)],
        ['Dropped on', dropDay(kept)],
      ]),
    )}${kept.state === 'kept' && admits({ 'platform-admin': true, user: 'admin' }, context.person) && dropCard(kept, context)}`,
  }),
});

function dropCard({ id, databaseName, because }: KeptDatabaseView, context: FormContext): Html {
  const fields = (own: FormContext) =>
    field(own, {
      ...{ name: 'confirm', label: 'Type the name of the database', required: true, mono: true },
      hint: html`<code>${databaseName}</code>`,
    });
  const question =
    because === 'restore'
      ? 'It is gone for good then, and no copy is made of it.'
      : 'No deploy gets it back then. A final backup is made first, where its engine is backed up.';
  const drop = {
    action: `${keptPath(id)}/drop`,
    label: 'Drop it now',
    icon: 'x',
    button: 'Drop',
    fields,
    question,
  } as const;
  return card({ title: 'Drop before its day' }, confirmForm(context, drop));
}
