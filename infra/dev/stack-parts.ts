import { join } from 'node:path';
import type { ChildSpec } from './child-process.ts';
import type { EmbeddedPart, PartContext } from './parts/embedded-part.ts';
import { resolveFirst } from './tools.ts';

/** What people see of one program or address of a stack. */
export interface StackRow {
  readonly address: string;
  readonly version: string;
  readonly dataFolder: string | null;
}

/** A part that can be started: its programs, and its rows by name. */
export interface DescribedPart {
  readonly children: readonly ChildSpec[];
  readonly rows: Readonly<Record<string, StackRow>>;
}

/** Variables by which processes of the platform find the parts. */
export interface PartVariables {
  readonly everyProcess: Readonly<Record<string, string>>;
  /** Held by the worker alone. */
  readonly worker: Readonly<Record<string, string>>;
}

/** Finds or fetches the part's tool. @throws FairleadError UNAVAILABLE with every way of getting it */
export async function describePart(part: EmbeddedPart, context: PartContext): Promise<DescribedPart> {
  const { dataDir, env, report } = context;
  const tool = await resolveFirst(part.tools, { env, report }, part.keptTool?.(dataDir));
  return { children: await part.children(tool, context), rows: rowsOf(part, context, tool.version) };
}

/** The rows of a part that no program serves yet. */
export function waitingRows(part: EmbeddedPart, context: PartContext): Readonly<Record<string, StackRow>> {
  return rowsOf(part, context, 'starts on first need');
}

/** The row of a part that is off, because production has its own. */
export function outsideRows(part: EmbeddedPart, value: string): Readonly<Record<string, StackRow>> {
  const address = part.addressOutside === undefined ? shortAddress(value) : part.addressOutside(value);
  return address === null ? {} : { [part.name]: { address, version: 'not ours', dataFolder: null } };
}

function rowsOf(part: EmbeddedPart, { dataDir, ports }: PartContext, version: string): Record<string, StackRow> {
  const dataFolder = join(dataDir, part.folder);
  const named = Object.entries(part.addresses(ports));
  return Object.fromEntries(named.map(([name, address]) => [name, { address, version, dataFolder }]));
}

/** What the processes of the platform get: the embedded parts' variables, or those that name production servers. */
export async function partVariables(parts: readonly EmbeddedPart[], context: PartContext): Promise<PartVariables> {
  const everyProcess: Record<string, string> = {};
  const worker: Record<string, string> = {};
  for (const part of parts) {
    for (const row of part.provides) {
      const value = context.env[part.replacedBy] ? context.env[row.variable] : await row.value(context);
      if (value !== undefined) (row.heldBy === 'worker' ? worker : everyProcess)[row.variable] = value;
    }
  }
  return { everyProcess, worker };
}

/** An address without path and credentials: `http://host:port`, or `host:port` of what a browser cannot open. */
export function shortAddress(address: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  const { protocol, host } = new URL(address);
  return /^https?:$/.test(protocol) ? `${protocol}//${host}` : host;
}
