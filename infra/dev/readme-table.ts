import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultServiceUrl, SERVICE_ROWS } from '../../domain/services.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
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
  const lines = readme.split('\n');
  const heading = lines.indexOf(HEADING);
  const first = lines.findIndex((line, index) => index > heading && line.startsWith('|'));
  if (heading < 0 || first < 0) throw new Error(`the README has no table under "${HEADING}"`);
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  return lines.toSpliced(first, length, ...tableLines([COLUMNS, ...rows()])).join('\n');
}

function rows(): Row[] {
  const services = SERVICE_ROWS.map((row): Row => {
    return [row.title, code(defaultServiceUrl(row)), code(row.portVariable), '', ''];
  });
  const { usual, variable } = PORTS.edge;
  return [
    ...services,
    ['public router', code(`127.0.0.1:${usual}`), code(variable), code('routes/'), ''],
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

function tableLines(table: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = '', ...body] = table.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body];
}

const code = (text: string): string => `\`${text}\``;

if (import.meta.main) {
  const path = join(projectRoot, 'README.md');
  await writeFile(path, withPartsTable(await readFile(path, 'utf8')));
}
