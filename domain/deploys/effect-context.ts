/** What a long effect gets besides its input: a signal to obey and a place to say what happens. */
export interface EffectContext {
  readonly signal: AbortSignal;
  /** Receives output lines as they come; already safe to show only after redaction by the caller. */
  readonly onLine: (line: string, level?: 'info' | 'warn' | 'error') => void;
}
