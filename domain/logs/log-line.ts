export type LogLevel = 'info' | 'warn' | 'error';

/** A line of a build log before it has its place. */
export interface NewLogLine {
  readonly time: Date;
  /** Key of the step that wrote it; null for lines about the build as a whole. */
  readonly step: string | null;
  readonly level: LogLevel;
  readonly text: string;
}

/** A stored line. `seq` grows by one from 1 within a build; a reader resumes after the last one it saw. */
export interface LogLine extends NewLogLine {
  readonly seq: number;
}
