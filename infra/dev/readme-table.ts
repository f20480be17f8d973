import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultServiceUrl, SERVICE_ROWS } from '../../domain/services.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { tableLines, withTable } from './markdown-table.ts';
import type { EmbeddedPart } from './parts/embedded-part.ts';
import { PART_ROWS } from './parts.ts';
import { projectRoot } from './project.ts';
import { shortAddress } from './stack-parts.ts';
import { PORTS } from './stack-ports.ts';

/** The table "What runs where" of README.md. `node infra/dev/readme-table.ts` writes it; a test holds it. */

const HEADING = '## What runs where';
const COLUMNS = ['part', 'address', 'port changed by', 'data', 'embedded part off when set'] as const;

type Row = readonly [part: string, address: string, port: string, data: string, off: string];

/** The README with the table as the code has it. @throws Error when there is no such table */
export function withPartsTable(readme: string): string {
  return withTable(readme, HEADING, () => tableLines([COLUMNS, ...rows()]));
}

function rows(): Row[] {
  const services = SERVICE_ROWS.map((row): Row => {
    return [row.title, code(defaultServiceUrl(row)), code(row.portVariable), '', ''];
  });
  const { edge, edgeTls } = PORTS;
  const edgeAddresses = `${code(`127.0.0.1:${edge.usual}`)}, over TLS ${code(`127.0.0.1:${edgeTls.usual}`)}`;
  return [
    ...services,
    ['public router', edgeAddresses, `${code(edge.variable)}, ${code(edgeTls.variable)}`, code('routes/'), ''],
    ['worker', `task queue ${code(TASK_QUEUE)}`, '', code('workspaces/'), ''],
    ...PART_ROWS.map(partRow),
  ];
}

function partRow({ title, starts, ports, addresses, folder, replacedBy }: EmbeddedPart): Row {
  const usual = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, port.usual]));
  const shown = Object.values(addresses(usual)).map((address) => code(shortAddress(address)));
  const variables = Object.values(ports).map(({ variable }) => code(variable));
  const when = starts === 'always' ? '' : ` (${starts})`;
  return [`${title}${when}`, shown.join(', '), variables.join(', '), code(`${folder}/`), code(replacedBy)];
}

const code = (text: string): string => `\`${text}\``;

if (import.meta.main) {
  const path = join(projectRoot, 'README.md');
  await writeFile(path, withPartsTable(await readFile(path, 'utf8')));
}
