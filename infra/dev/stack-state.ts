import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './container-engine.ts';
import { writePrivateJson } from './data-folder.ts';
import type { StackRow } from './stack-parts.ts';
import type { ChildState } from './supervisor.ts';
import { errorLine, type Reporter } from './terminal.ts';

/** One row of `state.json`: a program of the stack, or an address. */
export interface PartState extends StackRow {
  readonly pid: number | null;
  /** In which its log files are. */
  readonly logFolder: string | null;
  readonly restarts: number;
}

/** Joins what the stack consists of with what its supervisor runs. */
export function stackState(
  rows: Readonly<Record<string, StackRow>>,
  children: Readonly<Record<string, ChildState>>,
  { address, version, how }: Pick<Engine, 'address' | 'version' | 'how'>,
): Record<string, PartState> {
  const all = { ...rows, engine: { address, version: `${version}, ${how}`, dataFolder: null } };
  const named = Object.entries(all).map(([name, row]): [string, PartState] => {
    const { pid = null, restarts = 0, logFolder = null } = children[name] ?? {};
    return [name, { pid: pid ?? null, ...row, logFolder, restarts }];
  });
  return Object.fromEntries(named);
}

/** Keeps `state.json` current while the stack runs. */
export interface StateFile {
  readonly write: (state: Readonly<Record<string, PartState>>) => void;
  readonly remove: () => Promise<void>;
}

export function createStateFile(dataDir: string, report: Reporter): StateFile {
  const path = join(dataDir, 'state.json');
  let writes = Promise.resolve();
  return {
    write: (state) => {
      // One after the other, so that the newest state is the one that stays.
      writes = writes.then(() => writePrivateJson(path, state)).catch((error) => report.line(errorLine(error)));
    },
    remove: async () => {
      await writes;
      await rm(path, { force: true });
    },
  };
}
