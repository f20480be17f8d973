import { CHECK_TIMEOUT_MS, type MonitorCheck } from '../../domain/monitors/check-kinds.ts';
import type { ProbedHeaders } from '../../domain/monitors/headers-to-send.ts';
import { checkDns, type DnsMeans } from './checks/check-dns.ts';
import { checkHttp, type HttpMeans } from './checks/check-http.ts';
import { checkMongodb } from './checks/check-mongodb.ts';
import { checkPostgres } from './checks/check-postgres.ts';
import { checkTcp } from './checks/check-tcp.ts';
import { checkTls } from './checks/check-tls.ts';
import { checkWebsocket } from './checks/check-websocket.ts';
import { type Finding, failed, findingOfError } from './finding.ts';
import { createProbe } from './probe.ts';
import type { ProbeGuard } from './probe-guard.ts';
import type { TimeShare } from './time-shares.ts';

/** A check that connects to something; jobs report on their own. */
export type ActiveCheck = Exclude<MonitorCheck, { readonly kind: 'heartbeat' }>;

export interface CheckDeps {
  readonly guard: ProbeGuard;
  /** Addresses of DNS servers that `dns` checks ask; none: those of the machine. */
  readonly nameServers: readonly string[];
  /** Of whoever the check is for; left out: nobody counts. */
  readonly share?: TimeShare;
  /** Of a check over HTTP. */
  readonly headers?: ProbedHeaders | undefined;
}

export type TimedFinding = Finding & { readonly durationMs: number };

/**
 * Runs a check once. Whatever goes wrong is a finding, and it ends in time: what the target holds open is destroyed.
 * @param limitMs the time for all of it, the name's resolution included
 */
export async function runCheck(check: ActiveCheck, deps: CheckDeps, limitMs = CHECK_TIMEOUT_MS): Promise<TimedFinding> {
  const { headers = { send: {} } } = deps;
  if ('refused' in headers) return { ...failed('no-secret', headers.refused), outcome: 'unknown', durationMs: 0 };
  const beganMs = performance.now();
  const abort = new AbortController();
  const probe = createProbe(deps.guard, deps.share);
  const { promise: late, resolve: giveUp } = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => {
    giveUp(failed('timeout', `there was no answer within ${limitMs / 1_000} s`));
    abort.abort();
  }, limitMs);
  const means = { probe, nameServers: deps.nameServers, send: headers.send };
  const begun = begin(check, means, abort.signal).catch(findingOfError);
  const ended = await Promise.race([begun, late]);
  clearTimeout(timer);
  // That the connection was cut off here is no fault of its other end.
  const found = probe.reads.refusal() ?? ended;
  return withinBudget(check, { ...found, durationMs: Math.round(performance.now() - beganMs) });
}

type Means = DnsMeans & Pick<HttpMeans, 'send'>;

async function begin(check: ActiveCheck, { probe, nameServers, send }: Means, signal: AbortSignal): Promise<Finding> {
  switch (check.kind) {
    case 'http':
      return await checkHttp(check, { probe, send }, signal);
    case 'tls':
      return await checkTls(check, probe, signal);
    case 'tcp':
      return await checkTcp(check, probe, signal);
    case 'dns':
      return await checkDns(check, { probe, nameServers }, signal);
    case 'websocket':
      return await checkWebsocket(check, probe, signal);
    case 'postgres':
      return await checkPostgres(check, probe, signal);
    case 'mongodb':
      return await checkMongodb(check, probe, signal);
  }
}

function withinBudget(check: ActiveCheck, found: TimedFinding): TimedFinding {
  const budgetMs = check.kind === 'http' ? check.latencyBudgetMs : null;
  if (budgetMs === null || found.outcome !== 'ok' || found.durationMs <= budgetMs) return found;
  const message = `answered after ${found.durationMs} ms; the budget is ${budgetMs} ms`;
  return { ...found, outcome: 'slow', problem: 'latency', message };
}
