import type { MonitorState } from '../monitors/condition.ts';
import type { StatusComponent } from './status-view.ts';

/** The states of a page as a whole, as Statuspage clients know them. */
export type Indicator = 'none' | 'minor' | 'major' | 'critical' | 'maintenance';

export interface OverallStatus {
  readonly indicator: Indicator;
  readonly description: string;
}

/** How a state of a monitor is told to the public. */
export interface StateWords {
  readonly label: string;
  /** Of a Statuspage component; that format has no state for what nobody knows, and what nobody knows is not operational. */
  readonly statuspage: 'operational' | 'degraded_performance' | 'major_outage' | 'under_maintenance';
  /** Which look it has: that of another tone is never taken. */
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet';
  /** Stands before the label, so that a state is not told by its colour alone. */
  readonly sign: string;
}

export const STATE_WORDS: Readonly<Record<MonitorState, StateWords>> = {
  up: { label: 'Up', statuspage: 'operational', tone: 'good', sign: '✓' },
  degraded: { label: 'Degraded', statuspage: 'degraded_performance', tone: 'warn', sign: '!' },
  down: { label: 'Down', statuspage: 'major_outage', tone: 'bad', sign: '✕' },
  maintenance: { label: 'Maintenance', statuspage: 'under_maintenance', tone: 'quiet', sign: '⚒' },
  paused: { label: 'Paused', statuspage: 'under_maintenance', tone: 'quiet', sign: '‖' },
  pending: { label: 'Not checked yet', statuspage: 'degraded_performance', tone: 'quiet', sign: '…' },
  unknown: { label: 'Unknown', statuspage: 'degraded_performance', tone: 'quiet', sign: '?' },
};

/**
 * The one word for a page. It is good only where everything that is watched was seen to be up: what is not known, or not
 * watched at all, never looks so.
 */
export function overallStatus(components: readonly Pick<StatusComponent, 'state'>[]): OverallStatus {
  const watched = components.filter(({ state }) => state !== 'paused');
  const has = (state: MonitorState): boolean => watched.some((component) => component.state === state);
  if (watched.length === 0) return { indicator: 'minor', description: 'Nothing is watched' };
  if (watched.every(({ state }) => state === 'down'))
    return { indicator: 'critical', description: 'Everything is down' };
  if (has('down')) return { indicator: 'major', description: 'Partial outage' };
  if (watched.every(({ state }) => state === 'unknown' || state === 'pending'))
    return { indicator: 'minor', description: 'The state is not known' };
  if (has('unknown')) return { indicator: 'minor', description: 'The state of some services is not known' };
  if (has('degraded')) return { indicator: 'minor', description: 'Degraded performance' };
  if (has('pending')) return { indicator: 'minor', description: 'Some services were not checked yet' };
  if (has('maintenance')) return { indicator: 'maintenance', description: 'Maintenance' };
  return { indicator: 'none', description: 'All services are up' };
}
