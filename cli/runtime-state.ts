import { z } from 'zod';
import { pathOf } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';
import { printable } from './terminal/style.ts';
import { formatAge } from './terminal/times.ts';

const text = z.string();
const number = z.number().nullish();

const stateReply = z.looseObject({
  status: text,
  since: text.nullish(),
  restarts: z.number(),
  outOfMemory: z.boolean().nullish(),
  health: z.looseObject({ ok: z.boolean(), status: number, path: text }).nullish(),
  ...{ memoryBytes: number, memoryLimitBytes: number, cpuMillis: number, cpuLimitMillis: number },
  measuredAt: text,
});

const runtimeReply = z.looseObject({
  environments: z.array(z.looseObject({ environment: text, state: stateReply.nullish() })),
});

export type RuntimeReply = z.infer<typeof runtimeReply>['environments'][number];

/** How what runs of a service is, by environment; nothing from a builder that does not tell yet. */
export async function readRuntime({ api }: Pick<CliContext, 'api'>, service: string): Promise<readonly RuntimeReply[]> {
  try {
    const path = pathOf('services', service, 'runtime');
    return (await api.call(runtimeReply, { method: 'GET', path })).environments;
  } catch (error) {
    if (error instanceof CliFailure && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}

/** One line, such as `running since 2h ago, healthy, 0 restarts, 61 of 256 MiB, 0.012 of 0.25 CPU`. */
export function runtimeText({ state }: RuntimeReply, now: Date): string {
  if (state == null) return 'not measured yet';
  const { status, since, restarts, outOfMemory, health } = state;
  const parts = [
    since == null ? status : `${status} since ${formatAge(since, now)}`,
    ...(health == null ? [] : [health.ok ? 'healthy' : `${health.path} answers ${health.status ?? 'nothing'}`]),
    `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`,
    ...(outOfMemory === true ? ['out of memory'] : []),
    ...share(state.memoryBytes, state.memoryLimitBytes, { unit: 'MiB', of: (bytes) => Math.round(bytes / 1024 ** 2) }),
    ...share(state.cpuMillis, state.cpuLimitMillis, { unit: 'CPU', of: (millis) => millis / 1_000 }),
    `measured ${formatAge(state.measuredAt, now)}`,
  ];
  return printable(parts.join(', '));
}

function share(
  used: number | null | undefined,
  limit: number | null | undefined,
  { unit, of }: { readonly unit: string; readonly of: (value: number) => number },
): readonly string[] {
  if (used == null) return [];
  return [`${of(used)}${limit == null ? '' : ` of ${of(limit)}`} ${unit}`];
}
