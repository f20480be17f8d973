import type { Readable, Writable } from 'node:stream';

/** Where answers and secrets are typed, or piped in. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };

/** Where text goes; on a terminal it says so, and how wide it is. */
export type Printer = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command line has of the process that it runs in; everything else is files and the network. */
export interface Surroundings {
  readonly stdin: Input;
  readonly stdout: Printer;
  readonly stderr: Printer;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the script that Node was given, as it was given. */
  readonly script?: string;
  /** The folder from which relative paths start. */
  readonly cwd: string;
}

export const thisProcess: Surroundings = {
  // Not before it is asked for: a stdin that was touched is open.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  script: process.argv[1] ?? '',
  get cwd() {
    return process.cwd();
  },
};
