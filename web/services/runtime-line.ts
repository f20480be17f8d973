import { type Html, html } from '../../api/http/pages/html.ts';
import type { RuntimeState } from '../../domain/deploys/workload-state-schema.ts';
import { badge, type Tone } from '../look/badge.ts';
import { ago } from '../look/time.ts';

/** The worker measures every minute; what is older than some of them says little of now. */
const FRESH_MS = 5 * 60_000;

/** How what serves is: healthy or not, since when, restarts, memory and CPU. */
export function runtimeLine(state: RuntimeState | null, now: Date): Html {
  if (state === null) return html`<p class="quiet small">How it is will be known in a minute.</p>`;
  const { since, restarts, measuredAt } = state;
  const told = [
    since !== null && html`${state.status === 'running' ? 'up' : 'down'} since ${ago(since, now)}`,
    restarts > 0 && `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    memoryText(state),
    cpuText(state),
    now.getTime() - Date.parse(measuredAt) > FRESH_MS && html`measured ${ago(measuredAt, now)}`,
  ].filter((part) => part !== false);
  return html`<p class="small">${badge(...toneOf(state))} ${told.map((part, at) => html`${at > 0 && ' · '}${part}`)}</p>`;
}

function toneOf({ status, health, outOfMemory }: RuntimeState): readonly [Tone, string] {
  if (status === 'restarting') return ['bad', outOfMemory ? 'Restarts: out of memory' : 'Restarts'];
  if (status === 'stopped') return ['bad', outOfMemory ? 'Stopped: out of memory' : 'Stopped'];
  if (health === null) return ['quiet', 'Running'];
  if (health.ok) return ['good', 'Healthy'];
  return ['bad', health.status === null ? 'Does not answer' : `Unhealthy: ${health.path} answered ${health.status}`];
}

function memoryText({ memoryBytes, memoryLimitBytes }: RuntimeState): string | false {
  if (memoryBytes === null) return false;
  return `${mebibytes(memoryBytes)}${memoryLimitBytes === null ? '' : ` of ${mebibytes(memoryLimitBytes)}`} MiB`;
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

function cpuText({ cpuMillis, cpuLimitMillis }: RuntimeState): string | false {
  if (cpuMillis === null) return false;
  return `${cpuMillis / 1_000}${cpuLimitMillis === null ? '' : ` of ${cpuLimitMillis / 1_000}`} CPU`;
}
