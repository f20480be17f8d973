import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { type ReportRowReply, reportRowReply } from '../monitor-replies.ts';
import { MOST, readPages } from '../read-pages.ts';
import type { Cell } from '../terminal/table.ts';
import { formatDuration } from '../terminal/times.ts';
import { uptimeText } from './monitors.ts';

const PATH = pathOf('api', 'monitor-reports');

/** `fairlead monitors report [month]`. */
export async function reportMonitors(
  context: CliContext,
  month: string | undefined,
  { org, csv = false }: { readonly org?: string; readonly csv?: boolean },
): Promise<number> {
  const { output } = context;
  const api = connectToMonitor(context);
  const query = { month, org };
  if (csv) {
    const text = await (await api.open({ method: 'GET', path: `${PATH}.csv`, query })).text();
    output.document({ csv: text });
    output.print(text.trimEnd());
    return exitCode('ok');
  }
  const page = await readPages(api, reportRowReply, { path: PATH, query, limit: MOST });
  output.document(page);
  if (output.quiet) for (const { id, met } of page.items) output.print(`${id} ${met ?? ''}`.trim());
  else if (page.items.length === 0) output.print('No monitor was found. A deploy registers its service.');
  else output.table(COLUMNS, page.items.map(row));
  return exitCode('ok');
}

const COLUMNS = [
  { title: 'MONITOR' },
  { title: 'ENV' },
  { title: 'UPTIME' },
  { title: 'OBJECTIVE' },
  { title: 'MET' },
  { title: 'DOWN' },
  { title: 'KNOWN' },
];

function row({ name, environment, uptime, coverage, targetPercent, met, downMs }: ReportRowReply): readonly Cell[] {
  return [
    { text: name, tone: 'bold' },
    { text: environment },
    { text: uptimeText(uptime) },
    { text: targetPercent == null ? '' : `${targetPercent} %` },
    met == null ? { text: '' } : met ? { text: 'yes' } : { text: 'no', tone: 'bad' },
    { text: downMs === 0 ? '' : formatDuration(downMs) },
    { text: `${Math.floor(coverage * 100)} %`, tone: 'dim' },
  ];
}
