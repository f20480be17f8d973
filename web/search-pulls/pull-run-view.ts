import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { pullRunSchema } from '../../domain/search-pulls/search-schema.ts';
import { whole } from '../look/chart.ts';
import { card, facts, notice, table } from '../look/components.ts';
import { exact } from '../look/time.ts';
import { propertyPath } from '../properties/words.ts';

type PullRun = z.output<typeof pullRunSchema>;

const TRIGGERS: Readonly<Record<PullRun['trigger'], string>> = {
  manual: 'Somebody asked for it',
  cron: 'Daily',
  resume: 'Pulls what one left that was broken off',
};

/** A pull of all Properties: how it ended, what it stored, and which Properties it could not pull. */
export function pullBody({ trigger, finishedAt, summary, error, abandoned }: PullRun): Html {
  const rows = [
    ['Why', TRIGGERS[trigger]],
    [
      'Ended',
      finishedAt === null ? html`<span class="quiet">Not yet: the first pull takes hours</span>` : exact(finishedAt),
    ],
    ...(summary === null ? [] : summaryRows(summary)),
  ] as const;
  return html`${error !== null && notice(abandoned ? 'warn' : 'bad', html`<p><strong>${error.code}</strong>: ${error.message}.</p>`)}
${card({ title: 'About' }, facts(rows))}${summary !== null && summary.failures.length > 0 && failures(summary)}`;
}

type Summary = NonNullable<PullRun['summary']>;

function summaryRows({ properties, pulled, failed, days, rows, truncatedDays }: Summary) {
  return [
    ['Properties', `${whole(pulled)} of ${whole(properties)} pulled${failed > 0 ? `, ${whole(failed)} failed` : ''}`],
    ['Stored', `${whole(rows)} rows of ${whole(days)} days`],
    ...(truncatedDays === 0
      ? []
      : [
          ['Not whole', `${whole(truncatedDays)} days: the search engine shows the first 50,000 rows of each`] as const,
        ]),
  ] as const;
}

function failures({ failures: listed, failed }: Summary): Html {
  const columns = [{ label: 'Property', kind: 'main' }, { label: 'Why' }] as const;
  const rows = listed.map(({ domain, code, message }) => [
    html`<a href="${propertyPath(domain)}">${domain}</a>`,
    html`<div>${message}<span class="sub">${code}</span></div>`,
  ]);
  return card(
    { title: 'Could not be pulled', flush: true },
    html`${table('Properties that could not be pulled', columns, rows)}${failed > listed.length && html`<p class="quiet small">The first ${listed.length} of ${whole(failed)}.</p>`}`,
  );
}
