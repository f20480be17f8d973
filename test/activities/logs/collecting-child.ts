import { once } from 'node:events';
import { collectOutput } from '../../../activities/logs/collect-output.ts';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import type { Workload, WorkloadRuntime } from '../../../domain/deploys/workload-runtime.ts';
import type { OutputLine } from '../../../domain/logs/output-line.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';
import { buildRecord } from '../../ports/records.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';

/**
 * Collects what a workload prints that printed so many lines at once, until it is killed; tells how many it has read. Its
 * engine keeps every line, as a real one does for a while: one line each microsecond, every tenth on standard error.
 */
export interface Collecting {
  readonly directory: string;
  readonly lines: number;
  readonly fileBytes: number;
}

const { directory, lines, fileBytes } = JSON.parse(process.argv[2] ?? '') as Collecting;

const WORKLOAD: Workload = {
  ...{ id: 'w1', buildId: 'bld_1', releaseId: 'rel_1', service: 'shop', environment: 'prod', running: true },
  address: 'http://127.0.0.1:20000',
};
const BATCH = 200;
/** So that what is gathered of the lines at once is less than a file. */
const PADDING = 'and longer';

function lineAt(number: number): OutputLine {
  const at = `2026-01-01T00:00:${String(Math.floor(number / 1e6)).padStart(2, '0')}.${String(number % 1e6).padStart(6, '0')}000Z`;
  return {
    at,
    stream: number % 10 === 0 ? 'error' : 'out',
    text: `line ${number} of a service that prints a lot ${PADDING}`,
  };
}

const follow: WorkloadRuntime['follow'] = async function* (_workload, { after, signal }) {
  const isNew = ({ at, stream }: OutputLine): boolean => at > (after[stream] ?? '');
  // Lines of both streams come in the order of their times, so that what is long before the last one is known.
  const known = Object.values(after).map((at) => Number(at.slice(17, 19)) * 1e6 + Number(at.slice(20, 26)));
  for (
    let from = Math.max(1, ...known.map((number) => number - BATCH));
    from <= lines && !signal.aborted;
    from += BATCH
  ) {
    const batch = Array.from({ length: Math.min(BATCH, lines - from + 1) }, (_, index) => lineAt(from + index));
    const fresh = batch.filter(isNew);
    if (fresh.length > 0) yield fresh;
    process.send?.(from + batch.length - 1);
  }
  if (!signal.aborted) await once(signal, 'abort');
};

const parts = createInMemoryDeploys();
await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
await parts.builds.create(buildRecord({ id: 'bld_1', service: 'shop', serviceId: 'svc_shop' }));
const unlimited = { linesPerSecond: 1e12, bytesPerSecond: 1e12, burstSeconds: 10 };
await collectOutput(
  {
    runtime: { listAll: async () => [WORKLOAD], follow },
    logs: createServiceLogs({ directory, limits: { fileBytes, retain: 1_000, noteEveryBytes: 100_000 } }),
    builds: parts.builds,
    services: parts.services,
    redactorOf: async () => createRedactor({ secrets: ['a secret of the service'] }),
    warn: ({ err }) => console.error(err),
    ...{ rate: unlimited, lookEveryMs: 10, lookAtLogsEveryMs: 50 },
  },
  new AbortController().signal,
);
