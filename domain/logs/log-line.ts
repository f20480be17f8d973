import type { StepKey } from '../deploys/steps.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** A line of a build log before it has its place. */
export interface NewLogLine {
  readonly time: Date;
  /** Step that wrote it; null for lines about the build as a whole. */
  readonly step: StepKey | null;
  readonly level: LogLevel;
  readonly text: string;
}

/** A stored line. `seq` grows by one from 1 within a build; a reader resumes after the last one it saw. */
export interface LogLine extends NewLogLine {
  readonly seq: number;
}
