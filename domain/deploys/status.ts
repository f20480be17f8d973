/** Build states in the order a build passes them; `failed` is reached from any of the others (spec 2, "Build status"). */
export const BUILD_STATUSES = [
  'queued',
  'cloning',
  'building',
  'pushing',
  'deploying',
  'testing',
  'completed',
  'failed',
] as const;

export type BuildStatus = (typeof BUILD_STATUSES)[number];

/** The states in which a step can be running. */
export const BUILD_STAGES = [
  'cloning',
  'building',
  'pushing',
  'deploying',
  'testing',
] as const satisfies readonly BuildStatus[];

export type BuildStage = (typeof BUILD_STAGES)[number];

export const TERMINAL_STATUSES = ['completed', 'failed'] as const satisfies readonly BuildStatus[];

export function isTerminal(status: BuildStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** The statuses from which `next` may be entered: any earlier one, and for `failed` any that is not terminal. */
export function statusesBefore(next: BuildStatus): readonly BuildStatus[] {
  const open = BUILD_STATUSES.filter((status) => !isTerminal(status));
  return isTerminal(next) ? open : open.slice(0, open.indexOf(next));
}
