import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { whole } from '../look/chart.ts';
import { card, externalLink, table } from '../look/components.ts';
import { percent, position } from './number-words.ts';
import type { SearchReply } from './search-charts.ts';

type TableName = keyof SearchReply['truncatedDays'];
type Row = SearchReply[TableName][number];

interface TopTable {
  readonly title: string;
  readonly key: string;
  readonly write: (key: string) => HtmlValue;
  /** It stands beside another one, and has room for two numbers. */
  readonly narrow?: true;
}

/** `RICH_RESULT` as `Rich result`. */
const inWords = (key: string): string => {
  const words = key.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const TABLES: Readonly<Record<TableName, TopTable>> = {
  queries: { title: 'Queries', key: 'Query', write: (key) => key },
  pages: { title: 'Pages', key: 'Page', write: (key) => externalLink(key) },
  // ISO 3166-1 alpha-3, and `zzz` for none that is known.
  countries: {
    title: 'Countries',
    key: 'Country',
    write: (key) => (key === 'zzz' ? 'Unknown' : key.toUpperCase()),
    narrow: true,
  },
  devices: { title: 'Devices', key: 'Device', write: inWords, narrow: true },
  searchAppearances: { title: 'Search appearance', key: 'Appearance', write: inWords },
};

/** What was searched for and found: one table a dimension. @param morePath shows more rows; null where all are asked for */
export function topTables(numbers: SearchReply, morePath: string | null): Html {
  const tableOf = (name: TableName): Html => topTable(numbers, name, morePath);
  return html`${tableOf('queries')}${tableOf('pages')}<div class="columns even">${tableOf('countries')}${tableOf('devices')}</div>${
    numbers.searchAppearances.length > 0 && tableOf('searchAppearances')
  }`;
}

function topTable(numbers: SearchReply, name: TableName, morePath: string | null): Html {
  const { title, key, write, narrow = false } = TABLES[name];
  const rows: readonly Row[] = numbers[name];
  const truncated = numbers.truncatedDays[name];
  if (rows.length === 0) return card({ title, id: name }, html`<p class="quiet">None in this time.</p>`);
  const columns = [
    { label: key, kind: 'main' },
    { label: 'Clicks', kind: 'number' },
    { label: 'Impressions', kind: 'number' },
    ...(narrow
      ? []
      : ([
          { label: 'Rate', kind: 'number' },
          { label: 'Position', kind: 'number' },
        ] as const)),
  ] as const;
  const cells = rows.map(({ key: of, clicks, impressions, ctr, position: place }) => [
    html`<span class="long">${write(of)}</span>`,
    whole(clicks),
    whole(impressions),
    ...(narrow ? [] : [percent(ctr), position(place)]),
  ]);
  const beside = morePath !== null && html`<a href="${`${morePath}#${name}`}">More</a>`;
  return card(
    { title, id: name, flush: true, beside },
    html`<div class="top-rows">${table(`${title}, the most clicks first`, columns, cells)}</div>${
      truncated > 0 &&
      html`<p class="quiet small">On ${truncated === 1 ? 'one day' : `${whole(truncated)} days`} the search engine showed its first 50,000 rows only: rows and clicks may be missing here.</p>`
    }`,
  );
}
