/** What the exit code of every command means: the one table, shown by `fairlead help exit-codes`. */
export const EXIT_CODES = [
  { name: 'ok', code: 0, meaning: 'Success. A followed build completed.' },
  { name: 'failed', code: 1, meaning: 'The build or the operation failed.' },
  { name: 'usage', code: 2, meaning: 'The command or its input is invalid: correct it and run it again.' },
  {
    name: 'notFound',
    code: 3,
    meaning: 'The service, build, person or event does not exist, or the event has no proof yet.',
  },
  {
    name: 'auth',
    code: 4,
    meaning: 'The login or key is missing, expired or invalid, lacks permission, or is readable by other users.',
  },
  { name: 'unreachable', code: 5, meaning: 'The builder API does not answer, is overloaded, or did not come back.' },
  {
    name: 'conflict',
    code: 6,
    meaning: 'The current state does not allow it, such as cancelling a build that has ended.',
  },
  {
    name: 'undecided',
    code: 7,
    meaning: 'Neither proven nor refuted: something is missing that decides it, such as a second chain.',
  },
  {
    name: 'interrupted',
    code: 130,
    meaning: 'Interrupted by Ctrl-C, or a question was answered with no. A followed build continues.',
  },
] as const;

export type ExitName = (typeof EXIT_CODES)[number]['name'];

/** The number of a named exit. */
export function exitCode(name: ExitName): number {
  return EXIT_CODES.find((row) => row.name === name)?.code ?? 1;
}

/**
 * The exit that tells a refused call best. A 502 or 504 in the API's own words is about something behind it, such as a
 * git host; without them it comes from a proxy in front of an API that is away.
 */
export function exitOfStatus(status: number, spokenByApi: boolean): ExitName {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'notFound';
  if (status === 409) return 'conflict';
  if (status === 429 || status === 503) return 'unreachable';
  if (status === 502 || status === 504) return spokenByApi ? 'failed' : 'unreachable';
  return status >= 400 && status < 500 ? 'usage' : 'failed';
}
