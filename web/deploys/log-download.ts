import { buildViewSchema, logPageSchema } from '../../domain/deploys/schema.ts';
import { printableText } from '../../domain/logs/printable-text.ts';
import { defineDownload } from '../page.ts';
import { type Platform, pathOf } from '../platform/platform.ts';
import { buildParams } from './build-page.ts';

/** Lines of one read: of the longest ones, each character of which JSON writes as six, a reply is still short enough. */
const PAGE = 200;

/** The log of a build as text, without what a terminal would obey. */
export const logDownload = defineDownload({
  module: 'deploys',
  path: '/builds/:id/log.txt',
  summary: 'The log of a build as text',
  params: buildParams,
  load: async ({ platform, params: { id } }) => {
    const { service } = await platform.get('builder', pathOf('builds', id), buildViewSchema);
    return { fileName: `${service}-${id}.txt`, text: logText(platform, id) };
  },
});

async function* logText(platform: Platform, id: string): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const query = { after, limit: PAGE };
    const { items, nextAfter } = await platform.get('builder', pathOf('builds', id, 'logs'), logPageSchema, query);
    yield items
      .map(({ time, step, level, text }) => {
        const mark = level === 'info' ? '' : `${level}: `;
        return `${time} ${step ?? '-'} ${mark}${printableText(text)}\n`;
      })
      .join('');
    if (items.length < PAGE) return;
    after = nextAfter;
  }
}
