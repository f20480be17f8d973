import type { Html } from '../../api/http/pages/html.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import type { BuildStatus } from '../../domain/deploys/status.ts';
import { badge, type Tone } from '../look/badge.ts';
import type { IconName } from '../look/icons.ts';

/** Where a build is, in the words that every page uses. */
const STATES: Readonly<Record<BuildStatus, readonly [tone: Tone, label: string, icon?: IconName]>> = {
  queued: ['quiet', 'Queued', 'clock'],
  cloning: ['busy', 'Fetching the source'],
  building: ['busy', 'Building'],
  pushing: ['busy', 'Pushing the image'],
  deploying: ['busy', 'Deploying'],
  testing: ['busy', 'Testing'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
};

export type BuildState = Pick<BuildSummary, 'status' | 'reason' | 'waiting'>;

/** The state of a build by icon, word and colour. */
export function buildBadge(build: BuildState): Html {
  if (build.waiting !== null) return badge('warn', 'Waits for a grant', 'clock');
  if (build.reason === 'cancelled') return badge('quiet', 'Cancelled');
  if (build.reason === 'superseded') return badge('quiet', 'Superseded');
  if (build.reason === 'abandoned') return badge('bad', 'Abandoned');
  const [tone, label, icon] = STATES[build.status];
  return badge(tone, label, icon);
}

/** Whether a build needs nobody to look at it: it did not fail by itself. */
export function isBroken({ status, reason }: BuildState): boolean {
  return status === 'failed' && reason !== 'cancelled' && reason !== 'superseded';
}
