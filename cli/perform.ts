import type { Command } from 'commander';
import type { CliContext } from './context.ts';

/** A command's work: what is left after options were read and a connection found. @returns the exit code */
export type Action = (context: CliContext) => Promise<number>;

/** Carries an action out for a parsed command. */
export type Perform = (command: Command, action: Action) => Promise<void>;

/** What a command has without a connection. */
export type Alone = Pick<CliContext, 'output' | 'terminal' | 'cwd'> & {
  /** Base address of the builder's API where it is known, else that of a stack on this machine. */
  readonly apiUrl: () => string;
};

/** The same for a command that needs neither API nor credentials. */
export type PerformAlone = (command: Command, action: (alone: Alone) => Promise<number>) => Promise<void>;
